"""What arms add to their targets: prompts, and answers changed on the way.

Arms
├── comparisons    each arm against its target asked plainly, on the same items
└── interventions  for arms that change answers: how much each change is worth, and
                   where; see metrics.interventions
"""

from collections.abc import Iterator, Sequence

from threadmed.metrics.compared import Comparison
from threadmed.metrics.contrasts import Scored, adjust, compare
from threadmed.metrics.correction import Numbered
from threadmed.metrics.interventions import Intervened, Setup, intervened
from threadmed.metrics.items import Items, thread_codes
from threadmed.metrics.measure import RECOMMENDED, Study, study_of
from threadmed.metrics.measurement import MeasureOptions
from threadmed.records import Intervention, PanelScore, Record
from threadmed.study import Contestant

FAMILY = "arms"
"""The comparisons among which tests are adjusted."""


class Arms(Record, frozen=True, kw_only=True):
    """Every number about the arms of a study."""

    version: int = 1
    comparisons: tuple[Comparison, ...]
    """By arm and setting, in the order of the study; `first` is the arm. An arm whose
    own or whose target's items are not in the table yet has none."""
    interventions: tuple[Intervened, ...]


def measure_arms(
    scores: Sequence[PanelScore],
    interventions: Sequence[Intervention],
    contestants: Sequence[Contestant],
    *,
    options: MeasureOptions = RECOMMENDED,
) -> Arms:
    """Compute every number about the arms of a study.

    An arm stands beside its target on the same labelled items, without controls.

    Args:
        scores: The study's table, arms and plain targets.
        interventions: What was changed on the way, or was not.
        contestants: The study's; those without an arm are passed over.
        options: Level, and what else decides a number.

    Raises:
        InputError: If a row stands twice, or its outcome does not go with its score.

    Example:
        >>> from threadmed.study import Arm
        >>> warn = Contestant(name="m+warn", target="m", settings=("oracle",),
        ...     arm=Arm(name="warn", prompt="warn"))
        >>> rows = [
        ...     PanelScore(target=target, setting="oracle", thread_id=f"T{n}", turn=1,
        ...         outcome="scored", score=score)
        ...     for n in range(12)
        ...     for target, score in (("m", 1 if n < 3 else 0), ("m+warn", 1))
        ... ]
        >>> (found,) = measure_arms(rows, [], [warn]).comparisons
        >>> found.difference.value, found.first_only, found.test.family
        (0.75, 9, 'arms')
    """
    study, codes = study_of(scores), thread_codes(scores)
    number = Numbered(options, (FAMILY,))
    found = [
        comparison
        for each in contestants
        for comparison in _comparisons(each, study, number=number / each.name)
    ]
    return Arms(
        comparisons=adjust(found, named=FAMILY),
        interventions=tuple(
            intervened(
                setup, *sides, noted=interventions, codes=codes, level=options.level
            )
            for setup, sides in _setups(contestants, study)
        ),
    )


def _comparisons(
    each: Contestant, study: Study, *, number: Numbered
) -> Iterator[Comparison]:
    for setting in each.settings if each.arm is not None else ():
        target, plain = each.baseline(setting)
        first = study.items.get(each.name, {}).get(setting)
        second = study.items.get(target, {}).get(plain)
        if first is not None and second is not None:
            yield compare(
                "arm",
                Scored(each.name, setting, first),
                Scored(target, plain, second),
                number=number / setting,
            )


def _setups(
    contestants: Sequence[Contestant], study: Study
) -> Iterator[tuple[Setup, tuple[Items, Items]]]:
    """Give the arms that intervene, with their items and those of multi_turn."""
    for each in contestants:
        items = study.items.get(each.name, {}).get("intervention")
        base = study.items.get(each.target, {}).get("multi_turn")
        if each.intervention is not None and items is not None and base is not None:
            yield Setup(each.name, each.target, each.intervention), (items, base)
