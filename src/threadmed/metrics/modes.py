"""Both modes side by side: our numbers, the published ones, and where they part."""

from collections.abc import Iterable, Iterator

import msgspec

from threadmed.metrics.compared import SameItems, SettingRate, Side
from threadmed.metrics.correction import Numbered, pcr, uncorrected
from threadmed.metrics.course import LifePoint
from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.measure import RECOMMENDED, Rows, Study, measured, study_of
from threadmed.metrics.measurement import (
    Bounds,
    Difference,
    Measurement,
    MeasureOptions,
    SideBySide,
    TurnRates,
)

ITEMS = (
    "the published interval takes items for independent, and has no width at 0 and 1 "
    "and too little near them; ours is Wilson's on the effective number of items"
)
PAIRS = (
    "the published interval is a percentile bootstrap over threads, which is too "
    "narrow with few failures; ours is Wilson's on the effective number of them"
)
ALIKE = "a bootstrap has no interval here, ours has one"
NEITHER = "the two modes refuse this number for different reasons"
REFUSED = "there is too little here for an interval that covers; a bootstrap gives one"
COPIED = (
    "the published aggregate holds turn 0, copied in from multi_turn, since its rates "
    "can only be met over all items; the oracle has no turn 0"
)


def side_by_side(
    scores: Rows,
    *,
    options: MeasureOptions = RECOMMENDED,
    arms: Iterable[str] = (),
) -> SideBySide:
    """Compute every number of a scores table in both modes, and say what differs.

    Args:
        scores: At most one row for a target, setting, thread and turn.
        options: All but the mode are used for both.
        arms: Targets that are arms of others; see metrics.measure.

    Raises:
        InputError: If a row stands twice, or its outcome does not go with its score.

    Example:
        >>> from threadmed.records import PanelScore, ThreadId
        >>> rows = [
        ...     PanelScore(target="m", setting="multi_turn", turn=0, outcome="scored",
        ...         thread_id=ThreadId(f"T{n}"), score=1 if n < 6 else 0)
        ...     for n in range(12)
        ... ]
        >>> found = side_by_side(rows)
        >>> found.differs[0].what, found.differs[0].recommended.method
        ('m, multi_turn: PCR', 'wilson')
    """
    study = study_of(scores, arms=arms)
    ours = measured(study, options=msgspec.structs.replace(options, mode="recommended"))
    theirs = measured(
        study,
        options=msgspec.structs.replace(options, mode="as_published"),
        decompositions=ours.decompositions,
    )
    return SideBySide(
        recommended=ours,
        as_published=theirs,
        differs=(
            *_differences(ours, theirs),
            *_oracles(study, theirs, options=ours.options),
        ),
    )


def _differences(ours: Measurement, theirs: Measurement) -> Iterator[Difference]:
    """Go through all numbers of both in step."""
    for (what, one), (_, other) in zip(named(ours), named(theirs), strict=True):
        if one != other:
            yield Difference(
                what=what, recommended=one, as_published=other, why=why(one, other)
            )


def why(ours: Number, theirs: Number) -> str:
    """Say why the modes give a number unlike.

    Example:
        >>> few = NotEstimable(reason="few", n=3)
        >>> why(few, few)
        'the two modes refuse this number for different reasons'
    """
    if isinstance(theirs, NotEstimable):
        return ALIKE if isinstance(ours, Estimate) else NEITHER
    if isinstance(ours, NotEstimable):
        return REFUSED
    return PAIRS if theirs.method == "thread_bootstrap" else ITEMS


def _oracles(
    study: Study, theirs: Measurement, *, options: MeasureOptions
) -> Iterator[Difference]:
    """Set the published aggregates of the oracle beside the oracle's own."""
    for each in theirs.published_oracles:
        own = study.items[each.target]["oracle"]
        own = own.where(own.turns > 0)
        number = Numbered(options, (each.target, "oracle"))
        for name, ours, published in (
            ("PCR", pcr(own, number=number), each.pcr),
            ("Uncorrected", uncorrected(own, number=number), each.uncorrected),
        ):
            yield Difference(
                what=f"{each.target}, oracle: {name} over all turns",
                recommended=ours,
                as_published=published,
                why=COPIED,
            )


def named(measured: Measurement) -> Iterator[tuple[str, Number]]:
    """Give every number that the modes may differ in, with words for where it stands.

    Both give the same ones in the same order, since neither drops a number: where it
    cannot be had its reason stands there.

    Example:
        >>> from threadmed.metrics.measure import measure
        >>> from threadmed.records import PanelScore, ThreadId
        >>> row = PanelScore(target="m", setting="oracle", thread_id=ThreadId("T1"), turn=2,
        ...     score=1, outcome="scored")
        >>> what, number = next(named(measure([row])))
        >>> what, number.hits, number.n
        ('m, oracle: PCR', 1, 1)
    """
    for group in measured.groups:
        yield from _numbers(group, f"{group.target}, {group.setting}")
    for same in measured.settings_same_items:
        yield from _numbers(same, f"{same.target}, settings on the same items")
    for each in measured.comparisons:
        pair = f"{each.first.target} and {each.second.target} in {each.first.setting}"
        yield from _numbers(each, pair)
    for loss in measured.losses:
        yield from _numbers(loss, f"{loss.target}, fall to turn {loss.turn}")


NAMES = {"pcr": "PCR", "pcs": "PCS", "uncorrected": "Uncorrected", "rate": "RR"}
"""Words for fields whose name is not the word."""


def _numbers(
    value: object, where: str, field: str = ""
) -> Iterator[tuple[str, Number]]:
    """Walk a record; what tells records of a list apart is put into the words."""
    if isinstance(value, Estimate | NotEstimable):
        yield f"{where}: {NAMES.get(field, field.replace('_', ' '))}", value
    elif isinstance(value, tuple):
        for each in value:
            yield from _numbers(each, where, field)
    elif isinstance(value, msgspec.Struct):
        inside = _inside(value, where, field)
        # The sides of settings are its rates once more, and differences are one.
        skipped = "differences" if isinstance(value, SameItems) else ""
        for name in value.__struct_fields__:
            if name != skipped:
                yield from _numbers(getattr(value, name), inside, name)


def _inside(value: msgspec.Struct, where: str, field: str) -> str:
    """Add to the words which one of several records this is."""
    match value:
        case TurnRates():
            part = f"turn {value.turn}"
        case SettingRate():
            part = value.setting
        case Side():
            part = value.target
        case LifePoint():
            part = f"step {value.step}"
        case Bounds():
            part = "missing"
        case _ if field not in {"", "recovery", "trajectory", "same", "trend"}:
            part = field.replace("_", " ")
        case _:
            return where
    return f"{where}, {part}"
