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
NO_TARGET_TURN = NotEstimable(reason="the table has no target_turn", n=0)


def loss(target: str, settings: BySetting, *, number: Numbered) -> Loss:
    """Split a target's fall from turn 0 to turn 2 of multi_turn.

    The items of turn 2 are those scored in both multi_turn and target_turn; without
    target_turn the fall stands unsplit on those of multi_turn.

    Args:
        target: Its name.
        settings: Its labelled items by setting; multi_turn is among them.
        number: Options and name.

    Example:
        >>> from threadmed.metrics.measure import RECOMMENDED, items_of
        >>> none, number = {"multi_turn": items_of([], {})}, Numbered(RECOMMENDED, ("m",))
        >>> loss("m", none, number=number).fall.reason
        'turn 0 has fewer than 20 scored items'
    """
    multi_turn = settings["multi_turn"]
    target_turn = settings.get("target_turn", multi_turn)
    first = multi_turn.where(multi_turn.turns == 0)
    later = multi_turn.where(multi_turn.turns == LATER_TURN)
    seam = target_turn.where(target_turn.turns == LATER_TURN)
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
        seam_pcr = harder = own = NO_TARGET_TURN
    return Loss(
        target=target,
        turn=LATER_TURN,
        first=pcr(first, number=named / "first"),
        later=pcr(later_same, number=named / "later"),
        seam=seam_pcr,
        n_left_out=later.united(seam) - len(later_same.turns),
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

    Example:
        >>> import numpy as np
        >>> one = Items(np.arange(30), np.zeros(30, int), np.ones(30), np.ones(30, bool))
        >>> later = Items(one.threads + 30, one.turns + 2, np.arange(30) % 2, one.is_scored)
        >>> fall_between(one, later, later_is="turn 2", level=0.95).value
        0.5
    """
    if (few := too_few(("turn 0", first), (later_is, later))) is not None:
        return few
    return unpaired_difference(
        (first.corrected, first.threads), (later.corrected, later.threads), level=level
    )


def too_few(*turns: tuple[str, Items]) -> NotEstimable | None:
    """Refuse a comparison of turns, named in words, when one holds few items.

    Example:
        >>> import numpy as np
        >>> one = Items(np.arange(9), np.zeros(9, int), np.ones(9), np.ones(9, bool))
        >>> too_few(("turn 0", one)).reason
        'turn 0 has fewer than 20 scored items'
    """
    for turn, items in turns:
        if len(items.turns) < FEWEST_AT_A_TURN:
            return NotEstimable(
                reason=f"{turn} has fewer than {FEWEST_AT_A_TURN} scored items",
                n=len(items.turns),
            )
    return None
