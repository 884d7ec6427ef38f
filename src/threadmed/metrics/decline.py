"""A target's fall from turn 0 to the turn that the paper follows it to."""

from threadmed.metrics.compared import Loss
from threadmed.metrics.comparison import paired_difference, unpaired_difference
from threadmed.metrics.contrasts import BySetting, flagged
from threadmed.metrics.correction import Numbered, pcr
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.items import Items

LATER_TURN = 2
"""The third question, to which the paper follows the fall."""
TURN = f"turn {LATER_TURN}"
FEWEST_AT_A_TURN = 20
"""Below this many items a turn is not compared with another (convention)."""


def loss(target: str, settings: BySetting, *, number: Numbered) -> Loss:
    """Split a target's fall from turn 0 to turn 2 of multi_turn.

    The items of turn 2 are those scored in both multi_turn and target_turn; without
    target_turn the fall stands unsplit on those of multi_turn.

    Args:
        target: Its name.
        settings: Its labelled items by setting; multi_turn is among them.
        number: Options and name.
    """
    multi_turn = settings["multi_turn"]
    target_turn = settings.get("target_turn", multi_turn)
    first, later, seam = (
        multi_turn.where(multi_turn.turns == 0),
        multi_turn.where(multi_turn.turns == LATER_TURN),
        target_turn.where(target_turn.turns == LATER_TURN),
    )
    n_items = later.united(seam)
    later_same, seam_same = later.scored.shared(seam.scored)
    named, level = number / "loss", number.options.level
    fall = flagged(
        fall_between(first.scored, later_same, later_is=TURN, level=level),
        first,
        later,
    )
    if "target_turn" in settings:
        seam_pcr = pcr(seam_same, number=named / "seam")
        harder = flagged(
            fall_between(first.scored, seam_same, later_is=TURN, level=level),
            first,
            seam,
        )
        own = flagged(_own(later_same, seam_same, level=level), seam, later)
    else:
        seam_pcr = harder = own = NotEstimable(
            reason="the table has no target_turn", n=0
        )
    return Loss(
        target=target,
        turn=LATER_TURN,
        first=pcr(first, number=named / "first"),
        later=pcr(later_same, number=named / "later"),
        seam=seam_pcr,
        n_left_out=n_items - len(later_same.turns),
        fall=fall,
        harder_questions=harder,
        own_earlier_answers=own,
    )


def _own(later: Items, seam: Items, *, level: float) -> Number:
    """Give seam - later, on the same items; both scored."""
    if (few := too_few((TURN, later))) is not None:
        return few
    return paired_difference(seam.corrected, later.corrected, seam.threads, level=level)


def fall_between(first: Items, later: Items, *, later_is: str, level: float) -> Number:
    """Give PCR of first - later; unpaired, since most threads are in one of them.

    Args:
        first: Scored items of turn 0.
        later: Scored items of the later turn.
        later_is: Words for it, as "turn 2".
        level: Coverage aimed at, in (0, 1).
    """
    if (few := too_few(("turn 0", first), (later_is, later))) is not None:
        return few
    return unpaired_difference(
        (first.corrected, first.threads), (later.corrected, later.threads), level=level
    )


def too_few(*turns: tuple[str, Items]) -> NotEstimable | None:
    """Refuse a comparison of turns, named in words, when one holds few items."""
    for turn, items in turns:
        if len(items.turns) < FEWEST_AT_A_TURN:
            return NotEstimable(
                reason=f"{turn} has fewer than {FEWEST_AT_A_TURN} scored items",
                n=len(items.turns),
            )
    return None
