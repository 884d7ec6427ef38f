"""Whether a panel of judges can be trusted: agreement, ties, and who tips it; pure.

PanelQuality
├── pairs      every two judges
├── unanimity, majority, tie_breaks
├── without    each judge left out in turn, by target and setting
├── unrelated  each target by the judges that are not of its own family
└── effective  how many independent judges the panel is worth

At turn 0 a target is asked the same in every setting, so that one answer and what the
judges said of it stand in the table once for each: in all that is said of the judges
it counts once. What is said of a target in a setting rests on all items of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec
import numpy as np

from threadmed.metrics.alike import first_alike
from threadmed.metrics.bootstrap import stream
from threadmed.metrics.corrected.records import Expert
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.intervals import Codes, Values, rate
from threadmed.metrics.items import thread_codes
from threadmed.metrics.panel.agreement import (
    EffectiveJudges,
    JudgePair,
    complete,
    effective_judges,
    majority,
    pair_agreements,
    unanimity,
)
from threadmed.metrics.panel.families import family
from threadmed.metrics.panel.variants import (
    BY_SELECTION,
    UNSCORED,
    Panels,
    Place,
    Rule,
    Variant,
    own_family_out,
    without_judge,
)
from threadmed.records import Item, PanelScore, Record, Score

FULL_ENOUGH = 0.95
"""A judge that scored less than this share of the items is named."""

RuleFor = Callable[[tuple[str, ...]], Rule]
"""Gives the rule of a panel of these judges, in this order."""


class Judging(NamedTuple):
    """A panel as it was configured."""

    judges: tuple[str, ...]
    rule_for: RuleFor
    """Who is primary in a panel without the primary judge is for it to say."""
    models: Mapping[str, str]
    """`provider:model` of judges and targets, by name; one that is not there goes by
    its name."""
    selected: frozenset[str] = frozenset()
    """Judges that were asked only where those before them left a score open."""


class PanelOptions(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the quality of a panel is computed."""

    level: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    draws: Annotated[int, msgspec.Meta(ge=100)] = 10_000
    """Samples of threads for what has no formula."""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0


class JudgeFamily(Record, frozen=True, kw_only=True):
    """Whose model a judge or a target is."""

    name: str
    model: str
    family: str
    is_known: bool
    """Whether the table of families has it; if not it is a family of its own."""


class PanelQuality(Record, frozen=True, kw_only=True):
    """How far a panel of judges may be trusted."""

    version: int = 1
    options: PanelOptions
    judges: tuple[str, ...]
    n_items: int
    """Items with a score of any judge; at turn 0 one for all settings."""
    n_complete: int
    """Items that every judge scored; unanimity and majority rest on them."""
    families: tuple[JudgeFamily, ...]
    pairs: tuple[JudgePair, ...]
    unanimity: Number
    majority: Number
    """Share of items on which more than half of the judges agree."""
    tie_breaks: Number
    """Share of the panel's scores that the primary judge decided."""
    without: tuple[Variant, ...]
    unrelated: tuple[Variant, ...]
    effective: EffectiveJudges | NotEstimable
    warnings: tuple[str, ...]


def panel_quality(
    rows: Sequence[PanelScore],
    verdicts: Mapping[Item, Mapping[str, Score | None]],
    *,
    panel: Judging,
    experts: Mapping[Item, Expert] | None = None,
    options: PanelOptions | None = None,
) -> PanelQuality:
    """Say how far a panel may be trusted.

    Args:
        rows: The panel's scores; those without a misconception are passed over.
        verdicts: Of each item the score by judge; None, or no entry, is unscored.
        panel: Who judged, and by what rule.
        experts: Experts' scores; without any there is no effective number of judges.
        options: How.

    Example:
        >>> panel = Judging(("a", "b"), lambda judges: lambda scores: scores[0], {})
        >>> panel_quality([], {}, panel=panel).unanimity.reason
        'no scored items'
    """
    asked = options or PanelOptions()
    panels = _panels(rows, verdicts, panel)
    families = _families(panels, panel.models)
    whose = {one.name: one.family for one in families}
    once = _part(panels, _once(panels, range(len(panels.places))))
    among = (once.table, once.threads)
    by = {"draws": asked.draws, "seed": asked.seed}
    n_complete = int(complete(once.table).sum())
    chosen = NotEstimable(reason=BY_SELECTION, n=n_complete) if panel.selected else None
    return PanelQuality(
        options=asked,
        judges=panel.judges,
        n_items=len(once.places),
        n_complete=n_complete,
        families=families,
        pairs=_pairs(once, level=asked.level),
        unanimity=chosen or unanimity(*among, level=asked.level),
        majority=chosen or majority(*among, level=asked.level),
        tie_breaks=_tie_breaks(rows, level=asked.level),
        without=without_judge(panels, level=asked.level, **by),
        unrelated=own_family_out(panels, whose, level=asked.level, **by),
        effective=chosen or _effective(panels, experts or {}, options=asked),
        warnings=_warnings(panels, families),
    )


def _once(panels: Panels, places: Iterable[int]) -> list[int]:
    """Keep of some items one each where several settings hold the same answer."""
    held = list(places)
    scores = np.nan_to_num(panels.table, nan=UNSCORED).tolist()
    firsts = first_alike(
        [_item(panels.places[at]) for at in held],
        [tuple(scores[at]) for at in held],
    )
    return [at for place, at in enumerate(held) if firsts[place] == place]


def _part(panels: Panels, places: Sequence[int]) -> Panels:
    return panels._replace(
        places=tuple(panels.places[at] for at in places), table=panels.table[places]
    )


def _pairs(panels: Panels, *, level: float) -> tuple[JudgePair, ...]:
    """Compare every two judges; with one that was asked by selection there is none."""
    found = pair_agreements(
        panels.table, panels.threads, judges=panels.judges, level=level
    )
    return tuple(
        _refused(pair) if panels.selected & {pair.first, pair.second} else pair
        for pair in found
    )


def _refused(pair: JudgePair) -> JudgePair:
    none = NotEstimable(reason=BY_SELECTION, n=pair.n)
    return msgspec.structs.replace(pair, raw=none, kappa=none)


def _panels(
    rows: Sequence[PanelScore],
    verdicts: Mapping[Item, Mapping[str, Score | None]],
    panel: Judging,
) -> Panels:
    """Set the verdicts as a table, without items that no judge scored."""
    places = _places(rows)
    table = _table(places, verdicts, panel.judges)
    held = np.flatnonzero(~np.isnan(table).all(axis=1))
    return Panels(
        places=tuple(places[at] for at in held),
        table=table[held],
        judges=panel.judges,
        rule_for=panel.rule_for,
        selected=panel.selected,
    )


def _places(rows: Sequence[PanelScore]) -> tuple[Place, ...]:
    codes = thread_codes(rows)
    return tuple(
        Place(row.target, row.setting, codes[row.thread_id], row.thread_id, row.turn)
        for row in rows
        if row.misconception
    )


def _table(
    places: Sequence[Place],
    verdicts: Mapping[Item, Mapping[str, Score | None]],
    judges: Sequence[str],
) -> Values:
    table = np.full((len(places), len(judges)), np.nan)
    for at, place in enumerate(places):
        said = verdicts.get(_item(place), {})
        for column, judge in enumerate(judges):
            score = said.get(judge)
            if score is not None:
                table[at, column] = score
    return table


def _item(place: Place) -> Item:
    return (place.target, place.setting, place.thread_id, place.turn)


def _families(panels: Panels, models: Mapping[str, str]) -> tuple[JudgeFamily, ...]:
    targets = dict.fromkeys(place.target for place in panels.places)
    found = []
    for name in dict.fromkeys((*panels.judges, *targets)):
        model = models.get(name, name)
        whose = family(model)
        found.append(
            JudgeFamily(
                name=name, model=model, family=whose.name, is_known=whose.is_known
            )
        )
    return tuple(found)


def _tie_breaks(rows: Sequence[PanelScore], *, level: float) -> Number:
    """Give the share of scores; at turn 0 settings with one answer count once."""
    held = [row for row in rows if row.misconception and row.score is not None]
    scored = list(
        {
            (
                row.target,
                row.setting if row.turn else None,
                row.thread_id,
                row.turn,
                row.score,
                row.tie_break,
            ): row
            for row in held
        }.values()
    )
    codes = thread_codes(scored)
    threads: Codes = np.array([codes[r.thread_id] for r in scored], dtype=np.int64)
    broke = np.array([row.tie_break for row in scored], dtype=np.float64)
    return rate(broke, threads, level=level)


def _effective(
    panels: Panels, experts: Mapping[Item, Expert], *, options: PanelOptions
) -> EffectiveJudges | NotEstimable:
    if len(panels.judges) < 2:
        return NotEstimable(reason="the panel has one judge", n=len(panels.places))
    whole = complete(panels.table)
    at = [
        number
        for number, place in enumerate(panels.places)
        if whole[number] and _item(place) in experts
    ]
    at = _once(panels, at)
    if not at:
        reason = "it needs experts' scores: agreement of judges alone cannot tell"
        return NotEstimable(reason=reason, n=0)
    truth = [experts[_item(panels.places[number])].score for number in at]
    errors = panels.table[at] != np.array(truth, dtype=np.float64)[:, None]
    return effective_judges(
        errors.astype(np.float64),
        panels.threads[at],
        judges=panels.judges,
        draws=options.draws,
        level=options.level,
        rng=stream(options.seed, "effective judges"),
    )


def _warnings(panels: Panels, families: Sequence[JudgeFamily]) -> tuple[str, ...]:
    found = []
    if panels.selected:
        always = [judge for judge in panels.judges if judge not in panels.selected]
        found.append(
            f"the panel is lazy: {', '.join(always)} scored every answer, and the "
            "others only those on which these left the score open, so that no number "
            "is given of agreement with the others"
        )
    shares = (~np.isnan(panels.table)).mean(axis=0) if panels.places else ()
    for judge, share in zip(panels.judges, shares, strict=False):
        if share < FULL_ENOUGH and judge not in panels.selected:
            found.append(
                f"{judge} scored {100 * share:.0f} % of the items: what is said of it "
                "holds where it gave a score, which need not be the usual item"
            )
    found += [
        f"the family of {one.model} is not known: it counts as one of its own"
        for one in families
        if not one.is_known
    ]
    whose = {one.name: one.family for one in families}
    for target in dict.fromkeys(place.target for place in panels.places):
        kin = [judge for judge in panels.judges if whose[judge] == whose[target]]
        if kin:
            found.append(
                f"{target} is judged by its own family ({whose[target]}): "
                + ", ".join(kin)
            )
    return tuple(found)
