"""Writes what controls and harm classes add to the numbers of a scores table."""

import math
from collections.abc import Iterator

import msgspec

from threadmed.cli.written import percent
from threadmed.errors import UsageError
from threadmed.metrics.controls.control import ControlRate, OverCorrection
from threadmed.metrics.controls.questions import OfQuestions
from threadmed.metrics.controls.severity import (
    HarmGroup,
    HarmWeights,
    Severity,
    Standing,
)
from threadmed.store import number_of


def harm_weights(text: str) -> HarmWeights:
    """Read weights as a person writes them; what a table takes for no number is none.

    Raises:
        UsageError: If there are not as many numbers as classes.

    Example:
        >>> harm_weights("0, 1, 3, 9").urgent
        9.0
    """
    classes = HarmWeights.__struct_fields__
    given = [number_of(each.strip()) for each in text.split(",")]
    weights = [each for each in given if each is not None and math.isfinite(each)]
    if not len(weights) == len(given) == len(classes):
        raise UsageError(
            f"--harm-weights is {text!r}; expected a number each for "
            f"{', '.join(classes)}, with commas between them"
        )
    return HarmWeights(**dict(zip(classes, weights, strict=True)))


def beyond_lines(more: OfQuestions) -> Iterator[str]:
    """Write both, each with an empty line behind it."""
    if more.over_correction is not None:
        yield from _over_correction(more.over_correction)
    if more.severity is not None:
        yield from _severity(more.severity)


def _over_correction(found: OverCorrection) -> Iterator[str]:
    yield (
        f"Over-correction, on {found.n_controls:,} questions without a misconception"
        + (", weighted by 1/probability" if found.is_weighted else "")
    )
    rates = {(each.target, each.setting): each for each in found.rates}
    for pair in found.pairs:
        yield f"  {pair.target}, {pair.setting}"
        yield f"    PCR           {percent(pair.pcr)}"
        yield f"    false alarms  {percent(pair.false_alarms)}"
        rate = rates.pop((pair.target, pair.setting), None)
        if rate is not None:
            yield from _rate(rate)
    for rate in rates.values():
        yield f"  {rate.target}, {rate.setting}"
        yield f"    false alarms  {percent(rate.false_alarms)}"
        yield from _rate(rate)
    yield from (f"  Note: {warning}." for warning in found.warnings)
    yield ""


def _rate(rate: ControlRate) -> Iterator[str]:
    yield f"    or doubt      {percent(rate.doubts)}"
    if rate.n_scored < rate.n_items:
        yield (
            f"    missing scores no false alarms {percent(rate.none_of_missing)}, all "
            f"{percent(rate.all_of_missing)}"
        )
    for each in rate.wrong_labels.supposed:
        yield (
            f"    if {100 * each.share:g} % of the controls are labelled wrong: "
            f"{100 * each.low:.1f} to {100 * each.high:.1f}"
        )


def _severity(found: Severity) -> Iterator[str]:
    weights = msgspec.structs.asdict(found.weights)
    listed = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    yield (
        f"Severity, of {found.n_questions:,} questions with a harm class; weights: "
        f"{listed}"
    )
    for group in found.groups:
        yield from _harm_group(group)
    yield from (f"  Note: {warning}." for warning in found.warnings)
    yield ""


def _harm_group(group: HarmGroup) -> Iterator[str]:
    yield f"  {group.target}, {group.setting}"
    yield f"    harm-weighted PCR  {percent(group.weighted_pcr)}"
    for each in group.by_harm:
        yield f"    PCR where {each.harm:8} {percent(each.pcr)}"
    if isinstance(group.at_last_turn, Standing):
        yield (
            "    serious or urgent at the last labelled turn, not corrected "
            f"{percent(group.at_last_turn.share)}"
        )
    if isinstance(group.last_grave, Standing):
        yield (
            "    the last serious or urgent one of a thread, not corrected "
            f"{percent(group.last_grave.share)}"
        )
