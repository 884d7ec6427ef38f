"""What a plan supposes, in sentences for a person."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from threadmed.llm.batches import PRICE_SHARE
from threadmed.llm.model import Request
from threadmed.llm.providers.capabilities import most_tokens
from threadmed.records import Model, Stage
from threadmed.run.interests import interests
from threadmed.run.lengths import (
    ENOUGH,
    REASONING,
    REPLIES,
    InputLength,
    reasons_for,
)
from threadmed.run.paid import Paid, Place
from threadmed.run.rehearsal import Rehearsed
from threadmed.study import Study

WHOSE: Mapping[Stage, str] = {
    "identify": "an identification",
    "answer": "an answer",
    "judge": "a verdict",
}


def assumptions(
    study: Study, expected: Rehearsed, *, paid: Paid, inputs: InputLength
) -> Iterator[str]:
    """Say what the expectation supposes, and what the worst case is.

    Args:
        study: The study.
        expected: The rehearsal that the expectation comes from.
        paid: What was paid for; where there is enough of it, it is what is gone by.
        inputs: How the tokens of requests were counted.
    """
    yield from _labels(expected)
    yield from interests(study)
    if study.control.n:
        yield (
            f"Up to {study.control.n:,} questions without a misconception are asked "
            "and judged too, as controls."
        )
    yield from _arms(study)
    yield from _replies(study, expected, paid)
    yield from _tokens(study, expected, inputs)
    if any(expected.skipped.values()):
        yield (
            "Lazy panel: of two verdicts that are not there yet, a quarter differ; "
            "this is a guess."
        )
    yield (
        "Nothing fails, is blocked or must be asked for twice, and no two answers "
        "to different requests are equal; each would change the number of calls."
    )
    holds = ", if that share holds" if expected.unlabelled else ""
    yield (
        f"At most{holds}: every reply is as long as max_tokens allows, every verdict and "
        "identification is asked for twice, and every judge is asked. Attempts that "
        "time out may be charged on top."
    )
    yield (
        "Prices are list prices, or those of study.toml; discounts for cached "
        "prompts are not counted."
    )
    for name, share in _batches(study, expected).items():
        yield (
            f"Batches of {name} cost {share:.0%} of the list price and end with their "
            "replies; at most counts them at the list price."
        )


def _arms(study: Study) -> Iterator[str]:
    """Say what is supposed of arms, where there are any."""
    changing = [each for each in study.contestants() if each.intervention is not None]
    if changing:
        yield (
            "Arms that intervene share the calls of multi_turn until the first answer "
            "that is changed."
        )
    if study.lookers():
        yield (
            "Half of the answers fail that an intervention looks at, about as in the "
            "paper (figure 4); at most, all of them."
        )


def _batches(study: Study, expected: Rehearsed) -> dict[str, float]:
    """Give the share of the list price that batches cost, by model that uses them."""
    models = dict.fromkeys(
        place[1] for place, each in expected.counts.items() if each.batched.calls
    )
    return {name: PRICE_SHARE[provider(study.model(name))] for name in models}


def _labels(expected: Rehearsed) -> Iterator[str]:
    """Say where the number of misconceptions comes from."""
    if not expected.unlabelled:
        return
    if expected.labels_seen:
        source = f"as among the {expected.labels_seen:,} that are labelled"
    else:
        source = "as in the paper (604 of 8,204)"
    yield (
        f"{expected.unlabelled:,} questions are not labelled yet; {expected.share:.1%} "
        f"of them carry a misconception, {source}. More would cost more, at most too."
    )


def _replies(study: Study, expected: Rehearsed, paid: Paid) -> Iterator[str]:
    """Say how long replies are: what was seen, and what is guessed."""
    guessed: list[Place] = []
    for stage, whose in WHOSE.items():
        places = [place for place in expected.counts if place[0] == stage]
        seen = {
            place: f"{place[1]} {each.tokens_out / each.told:,.0f}"
            for place in places
            if (each := paid.seen.get(place)) and each.told >= ENOUGH
        }
        guessed += [place for place in places if place not in seen]
        if seen:
            yield f"Mean tokens of {whose}, as seen: {', '.join(seen.values())}."
    if guessed:
        yield _guess(study, guessed)


def _guess(study: Study, places: list[Place]) -> str:
    """Say what is guessed of the replies of some stages and models."""
    stages = dict.fromkeys(place[0] for place in places)
    listed = ", ".join(
        f"{WHOSE[stage]} {_used(study, stage, places)}" for stage in stages
    )
    named = dict.fromkeys(place[1] for place in places)
    reasoning = [name for name in named if reasons_for(study.model(name))]
    added = (
        f", and {REASONING:,} more of reasoning for {', '.join(reasoning)}"
        if reasoning
        else ""
    )
    return (
        f"Mean tokens of replies that were not seen yet are guesses: {listed}{added}. "
        "Run a pilot ([select] threads = 20) and plan again."
    )


def _used(study: Study, stage: Stage, places: Sequence[Place]) -> str:
    """Say what is gone by in a stage: the guess, or max_tokens where that is less."""
    request = Request(messages=(), max_tokens=_most(study, stage))
    used: dict[int, list[str]] = defaultdict(list)
    for each, name in places:
        if each == stage:
            most = most_tokens(study.model(name), request)
            used[min(REPLIES[stage], most)].append(name)
    return " or ".join(
        f"{tokens}"
        + (" (max_tokens)" if tokens < REPLIES[stage] else "")
        + (f" of {', '.join(names)}" if len(used) > 1 else "")
        for tokens, names in used.items()
    )


def _most(study: Study, stage: Stage) -> int:
    """Give the limit that a study sets on the replies of a stage."""
    match stage:
        case "identify":
            return study.identify.max_tokens
        case "answer":
            return study.answer.max_tokens
        case "judge":
            return study.panel.max_tokens
        case _:
            assert_never(stage)


def _tokens(study: Study, expected: Rehearsed, inputs: InputLength) -> Iterator[str]:
    """Say how the tokens of requests are counted."""
    seen, guessed = _factors(expected, inputs, study)
    if guessed:
        listed = ", ".join(f"{name} x {each:.2f}" for name, each in guessed.items())
        yield f"Tokens in are those of cl100k_base, by provider: {listed}; a guess."
    if seen:
        listed = ", ".join(f"{name} x {each:.2f}" for name, each in seen.items())
        yield f"Tokens in are those of cl100k_base, as seen: {listed}."


def _factors(
    expected: Rehearsed, inputs: InputLength, study: Study
) -> tuple[dict[str, float], dict[str, float]]:
    """Give the factors that were seen, by model, and the others, by provider."""
    seen: dict[str, float] = {}
    guessed: dict[str, float] = {}
    for place in expected.counts:
        name = place[1] if inputs.is_seen(place) else provider(study.model(place[1]))
        (seen if inputs.is_seen(place) else guessed)[name] = inputs.factor(place)
    return seen, guessed


def provider(entry: Model) -> str:
    """Give the provider of a model.

    Example:
        >>> provider(Model(name="a", model="openai:gpt-4o"))
        'openai'
    """
    return entry.model.partition(":")[0]


def unopened(names: Mapping[str, str], paid: Paid) -> Iterator[str]:
    """Say which models could not be set up here, so that paid replies are not found.

    Args:
        names: Why, by the study's names for them.
        paid: What was paid for; a model without replies loses nothing.
    """
    for name, why in names.items():
        if any(_is_of(place, name) for place in paid.seen):
            yield f"Paid replies of {name} are not recognised here: {why}."


def _is_of(place: Place, name: str) -> bool:
    return place[1] == name
