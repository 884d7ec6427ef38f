"""What a planned study can see, as lines for a terminal."""

from collections.abc import Iterator

from threadmed.metrics.planning.prospect import (
    Beside,
    Need,
    OutOfReach,
    Sought,
    StudyPower,
)


def lines(planned: StudyPower) -> Iterator[str]:
    """Say what a study sees, what the wishes need, and what all of it assumes."""
    design = planned.design
    yield (
        f"{design.items:,} items in {design.threads:,} threads "
        f"({design.turns_per_thread:.2f} labelled turns a thread), answered by both "
        "sides of a paired comparison"
    )
    for assumption in planned.assumed:
        yield f"  {assumption}"
    for pair in planned.pilot:
        yield (
            f"  pilot, {pair.first} and {pair.second}: {100 * pair.discordant:.1f} % of "
            f"{pair.n:,} items differ, design effect {pair.deff:.2f}"
        )
    yield ""
    yield f"{'':46}{'by formula':>12}{'simulated':>20}"
    yield from _sees(planned)
    for need in planned.needs:
        yield ""
        yield from _needs(need, planned)
    yield ""
    yield from _small_print(planned)


def _sees(planned: StudyPower) -> Iterator[str]:
    design, smallest = planned.design, planned.smallest
    power = f"{100 * design.power:.0f} % power"
    if isinstance(smallest, OutOfReach):
        yield f"smallest difference seen with {power}: none; {smallest.reason}"
    else:
        yield _row(f"smallest difference seen with {power}", smallest.difference)
        seen = (
            ("  chance there that the interval sees it", smallest.interval_power),
            ("  chance there that the exact test does", smallest.test_power),
        )
        for what, chance in seen:
            yield _row(what, chance, unit="%")
    yield _row("half-width of a paired difference", planned.half_width)
    yield _row(
        f"half-width of a PCR of {100 * planned.wish.rate:.0f} %",
        planned.rate_half_width,
    )
    if planned.step is not None:
        what = f"smallest step between turns, {planned.step_pairs:,} pairs of turns"
        yield _row(what, Beside(formula=planned.step))


SOUGHT: dict[Sought, str] = {
    "difference": "items to see a difference of",
    "difference_half_width": "items for a paired difference within",
    "rate_half_width": "items for a PCR within",
    "labels": "experts' labels for a corrected PCR within",
}


def _needs(need: Need | OutOfReach, planned: StudyPower) -> Iterator[str]:
    what = f"{SOUGHT[need.of]} {_hundredths(need.wished)} points"
    if isinstance(need, OutOfReach):
        yield f"{what}: out of reach; {need.reason}"
        return
    of = f" of {planned.design.items:,} judged" if need.of == "labels" else ""
    yield f"{what}: {need.n:,}{of}"
    if need.of == "difference":
        yield _row("  chance to see it", need.reached, unit="%")
        yield from _by_test(need, planned)
    else:
        yield _row("  half-width", need.reached)


def _by_test(need: Need, planned: StudyPower) -> Iterator[str]:
    """Say what the exact test sees, and how many items it takes if that is too little."""
    if need.test is None:
        return
    yield _row("  chance that the exact test does", need.test, unit="%")
    if need.n_by_test is not None and need.n_by_test > need.n:
        yield (
            "  the formula is that of the interval and falls short of the exact test, "
            f"which takes about {need.n_by_test:,} items for "
            f"{100 * planned.design.power:.0f} %"
        )


def _small_print(planned: StudyPower) -> Iterator[str]:
    wish, design = planned.wish, planned.design
    if design.comparisons > 1:
        yield (
            f"Holm's method over {design.comparisons} comparisons is taken at its "
            "first step."
        )
    if wish.half_width is not None:
        yield (
            f"Labels are for judges with sensitivity {wish.sensitivity} and specificity "
            f"{wish.specificity} against experts, drawn at random."
        )
    yield planned.advice
    yield "docs/methods.md has the formulas, and what was simulated."


def _row(what: str, beside: Beside, *, unit: str = "points") -> str:
    formula = f"{_hundredths(beside.formula)} {unit}"
    if beside.simulated is None:
        return f"{what:46}{formula:>12}{'-':>20}"
    error = "" if beside.error is None else f" +- {100 * beside.error:.1f}"
    drawn = f"{_hundredths(beside.simulated)}{error} {unit}"
    return f"{what:46}{formula:>12}{drawn:>20}"


def _hundredths(share: float) -> str:
    return f"{100 * share:.1f}"
