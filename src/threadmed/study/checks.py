"""What does not fit together in a study; pure."""

import math
from collections.abc import Iterator

import msgspec

from threadmed.records import Capabilities, Price
from threadmed.study.file import Arm, Intervening, Study


def complaints(study: Study) -> Iterator[str]:
    """Say what does not fit together, in the order of the file."""
    names = [model.name for model in study.models]
    panel, identify = study.panel, study.identify
    yield from _twice("[[models]]", names)
    yield from _unknown("targets", study.targets, names)
    yield from _unknown("panel.judges", panel.judges, names)
    if identify.model is not None:
        yield from _unknown("identify.model", (identify.model,), names)
    if panel.primary is not None and panel.primary not in panel.judges:
        yield f"panel.primary is {panel.primary!r}, which is not in panel.judges"
    if panel.rule == "primary" and panel.primary is None:
        yield 'panel.rule is "primary" but panel.primary is not given'
    if not (identify.model or identify.labels):
        yield "[identify] needs a model, or a file of labels, or both"
    if len(set(study.settings)) < len(study.settings):
        yield "settings names one setting twice"
    if not study.settings:
        yield "settings is empty; name at least one"
    yield from (
        f"the name {name!r} is empty or holds what cannot be printed"
        for name in (study.name, *names)
        if not (name and name.isprintable())
    )
    if study.control.n < 0:
        yield f"control.n is {study.control.n}; expected 0, for none, or more"
    yield from _arms(study)
    yield from _batches(study)
    yield from _numbers(study)


def _twice(table: str, names: list[str]) -> Iterator[str]:
    """Say which names stand twice."""
    yield from (
        f"two {table} have the name {name!r}; names must differ"
        for name in sorted({name for name in names if names.count(name) > 1})
    )


def _arms(study: Study) -> Iterator[str]:
    """Say what is wrong with arms, and where one should be."""
    if "intervention" in study.settings:
        yield 'settings names "intervention", which comes with [[arms]] alone'
    for arm in study.arms:
        yield from _arm(arm, study)
    yield from _twice("[[arms]]", [arm.name for arm in study.arms])
    yield from _twice("contestants", [each.name for each in study.contestants()])


def _arm(arm: Arm, study: Study) -> Iterator[str]:
    """Say what is wrong with an arm."""
    called = f"arm {arm.name!r}"
    if not arm.name or not arm.name.isprintable():
        yield f"the name {arm.name!r} of an arm is empty or holds what cannot be printed"
    yield from _of(arm, study, called=called)
    if (arm.prompt is None) == (arm.intervention is None):
        yield f"{called} needs a prompt or an intervention, and not both"
    if "intervention" in arm.settings or (arm.intervention and arm.settings):
        yield f"{called}: settings are for prompts; an intervention is its own setting"
    yield from _baseline(arm, study, called=called)
    if arm.intervention is not None:
        yield from _intervening(arm.intervention, study, called=called)


def _baseline(arm: Arm, study: Study, *, called: str) -> Iterator[str]:
    """Say in which settings an arm would have nothing to be compared with."""
    needed = ("multi_turn",) if arm.intervention is not None else arm.settings
    for setting in needed:
        if setting not in study.settings:
            yield (
                f"{called} is compared with its target in {setting}, which settings "
                f"does not name; named are {', '.join(study.settings) or 'none'}"
            )


def _of(arm: Arm, study: Study, *, called: str) -> Iterator[str]:
    """Say which targets of an arm are none, and where its name is taken."""
    yield from (
        f"{called} is of {name!r} twice"
        for name in sorted(set(arm.of))
        if arm.of.count(name) > 1
    )
    for name in arm.of:
        if name not in study.targets:
            listed = ", ".join(study.targets) or "none"
            yield f"{called} is of {name!r}, which is no target; targets are {listed}"
    taken = {model.name for model in study.models}
    for name in arm.of or study.targets:
        if f"{name}+{arm.name}" in taken:
            yield f"{called} of {name} has the name of a model, {name}+{arm.name}"


def _intervening(by: Intervening, study: Study, *, called: str) -> Iterator[str]:
    """Say what is wrong with an intervention."""
    if (by.policy == "turns") != bool(by.turns):
        yield f'{called}: turns go with the policy "turns", and are needed there'
    if any(turn < 0 for turn in by.turns):
        yield f"{called}: turns count from 0"
    if by.k < 1:
        yield f"{called}: k is {by.k}; expected at least 1"
    if by.k > 1 and by.policy != "random":
        yield f'{called}: k goes with the policy "random"'
    if by.screen is not None and not by.is_adaptive:
        yield f"{called}: screen goes with policies that look for failures"
    if by.screen is not None:
        names = [model.name for model in study.models]
        yield from _unknown(f"screen of {called}", (by.screen,), names)
    elif by.is_adaptive and not study.panel.judges:
        yield f"{called}: {by.policy} needs a screen, or judges in [panel]"


BATCHING = ("openai", "anthropic", "google")
"""Providers that have a batch API."""


def _batches(study: Study) -> Iterator[str]:
    """Say which models cannot be asked in batches."""
    for model in study.models:
        provider = model.model.partition(":")[0]
        if model.batch and provider not in BATCHING:
            yield (
                f"batch of {model.name} is true, but {model.model} has no batch API; "
                f"models of {', '.join(BATCHING)} have"
            )


def _unknown(key: str, asked: tuple[str, ...], names: list[str]) -> Iterator[str]:
    """Say which names under `key` no model has, and which stand twice."""
    for name in asked:
        if name not in names:
            yield (
                f"{key} names {name!r}, which no [[models]] describes; "
                f"described are {', '.join(names) or 'none'}"
            )
        if asked.count(name) > 1:
            yield f"{key} names {name!r} twice"


def _numbers(study: Study) -> Iterator[str]:
    """Say which numbers are out of their range."""
    at_least_one = {
        "answer.max_tokens": study.answer.max_tokens,
        "identify.max_tokens": study.identify.max_tokens,
        "panel.max_tokens": study.panel.max_tokens,
        "select.threads": study.select.threads or None,
        "budget.tokens": study.budget.tokens,
        "panel.repeats": study.panel.repeats,
    }
    for model in study.models:
        at_least_one[f"in_flight of {model.name}"] = model.in_flight
        at_least_one[f"attempts of {model.name}"] = model.attempts
        at_least_one[f"max_tokens of {model.name}"] = model.max_tokens
        at_least_one[f"requests_per_minute of {model.name}"] = model.requests_per_minute
        at_least_one[f"tokens_per_minute of {model.name}"] = model.tokens_per_minute
    for key, value in at_least_one.items():
        if value is not None and value < 1:
            yield f"{key} is {value}; expected at least 1"
    for key, amount in _amounts(study):
        if not (amount >= 0 and math.isfinite(amount)):
            yield f"{key} is {amount}; expected a number, 0 or more"


def _amounts(study: Study) -> Iterator[tuple[str, float]]:
    """Give the numbers that must be finite and not negative."""
    if study.budget.usd is not None:
        yield "budget.usd", study.budget.usd
    for model in study.models:
        yield f"timeout_s of {model.name}", model.timeout_s
        if model.total_timeout_s is not None:
            yield f"total_timeout_s of {model.name}", model.total_timeout_s
        if model.temperature != "none":
            yield f"temperature of {model.name}", model.temperature
        yield from _amounts_of(model.price, called=("price", model.name))
        yield from _amounts_of(model.capabilities, called=("capabilities", model.name))


def _amounts_of(
    part: Price | Capabilities | None, *, called: tuple[str, str]
) -> Iterator[tuple[str, float]]:
    """Give the numbers of a part of a model."""
    if part is None:
        return
    name, model = called
    for key, value in msgspec.structs.asdict(part).items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{name}.{key} of {model}", value
