"""study.toml to Study, and where things lie in a study folder."""

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from threadmed.errors import InputError, StudyError
from threadmed.records import (
    Capabilities,
    Model,
    PanelRule,
    Price,
    Record,
    Setting,
    Spend,
    ThreadId,
)

T = TypeVar("T")


class Part(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of study.toml; a key that is not known is an error."""


class Selection(Part, frozen=True, kw_only=True):
    """Which threads of the file are used; empty means all."""

    thread_ids: tuple[ThreadId, ...] = ()
    """Just these."""
    threads: int | None = None
    """At most so many of those with a misconception, drawn by the seed."""


class Identification(Part, frozen=True, kw_only=True):
    """How questions with a misconception are found (paper, 4.1)."""

    model: str | None = None
    """Name of the model that labels; None where labels come from a file alone."""
    labels: str | None = None
    """File of labels that came with the data, relative to the study folder."""
    source: str | None = None
    """Whose labels decide what is answered: `reference` or a model's name. None is
    the file's, or the model's where there is no file."""
    prior_questions: bool = False
    """Whether the identifier also sees the patient's earlier questions."""
    prompt: str | None = None
    """A prompt file of the user's own; None is the one that is built in."""
    max_tokens: int = 512


class Answering(Part, frozen=True, kw_only=True):
    """What goes with every request to a target (paper, 4.3: nothing)."""

    system: str | None = None
    max_tokens: int = 1024
    merge_questions: bool = False
    """Whether target_turn sends the questions as one message."""


class Panel(Part, frozen=True, kw_only=True):
    """Who judges, and how scores become one (paper, 4.4 and B.2)."""

    judges: tuple[str, ...] = ()
    primary: str | None = None
    """Decides where there is no majority."""
    rule: PanelRule = "majority"
    repeats: int = 1
    """Times that each judge is asked the same, since they vary also at temperature 0;
    its score is the middle one. An odd number leaves no doubt what that is."""
    lazy: bool = False
    """Whether a judge is asked only where the verdicts before it leave the panel's
    score open: the same scores for fewer calls."""
    show_prior_questions: bool = False
    show_misconception: bool = False
    prompt: str | None = None
    max_tokens: int = 512


class Budget(Part, frozen=True, kw_only=True):
    """What the whole study may cost; None is no limit."""

    usd: float | None = None
    tokens: int | None = None
    """In and out together."""


class Validation(Part, frozen=True, kw_only=True):
    """Where experts' ratings lie, relative to the study folder.

    None is the file of that name in `ratings/`, where there is one.
    """

    identification: str | None = None
    """Whether questions carry a misconception, by experts."""
    scoring: str | None = None
    """Experts' scores of answers."""


class Study(Part, frozen=True, kw_only=True):
    """Everything that decides a number."""

    name: str
    threads: str
    """File of threads, relative to the study folder."""
    seed: int = 20261130
    targets: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle")
    """The paper's three by default; `isolated` is the fourth."""
    models: tuple[Model, ...] = ()
    select: Selection = Selection()
    identify: Identification = Identification()
    answer: Answering = Answering()
    panel: Panel = Panel()
    budget: Budget = Budget()
    validation: Validation = Validation()
    notice: str = ""
    """A sentence that every page of the report shows at its top."""

    def model(self, name: str) -> Model:
        """Give the model of that name; it exists in a study that was read."""
        return next(model for model in self.models if model.name == name)


class PromptUsed(Record, frozen=True, kw_only=True):
    """A prompt in full, as it was used."""

    name: str
    sha256: str
    system: str
    user: str


class ModelUsed(Record, frozen=True, kw_only=True):
    """A model as it was really called."""

    name: str
    model: str
    roles: tuple[str, ...]
    """Of `identify`, `target`, `judge`, `primary judge`."""
    parameters: dict[str, object]
    """As sent, under the provider's own names."""
    served_by: tuple[str, ...]
    """Snapshots that the provider says it used."""


class RunManifest(Record, frozen=True, kw_only=True):
    """manifest.json of a study: what made its numbers."""

    threadmed: str
    python: str
    study: Study
    study_sha256: str
    threads_sha256: str
    labels_sha256: str | None
    label_source: str
    """Whose labels decided what was answered."""
    prompts: tuple[PromptUsed, ...]
    models: tuple[ModelUsed, ...]
    spend: tuple[Spend, ...]
    complete: bool
    """False where an item is not yet answered, or not yet judged by all."""


class Folder(Record, frozen=True, kw_only=True):
    """Where the files of one study lie (design, section 3)."""

    root: Path
    study: Path
    journal: Path
    labels: Path
    answers: Path
    verdicts: Path
    scores: Path
    manifest: Path
    ratings: Path
    report: Path


def study_folder(root: Path) -> Folder:
    """Lay out the study folder at `root`; nothing is made or read."""
    return Folder(
        root=root,
        study=root / "study.toml",
        journal=root / "journal.sqlite",
        labels=root / "labels.jsonl",
        answers=root / "answers.jsonl",
        verdicts=root / "verdicts.jsonl",
        scores=root / "scores.csv",
        manifest=root / "manifest.json",
        ratings=root / "ratings",
        report=root / "report",
    )


def read_toml(path: Path, kind: type[T]) -> T:
    """Read a TOML file that a person wrote.

    Raises:
        InputError: If it is missing, is not TOML, or has a key or value that does
            not belong; names file, line and key.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as cause:
        raise InputError(f"{path}: no such file") from cause
    except (OSError, UnicodeDecodeError) as cause:
        raise InputError(f"{path}: cannot read: {cause}") from cause
    try:
        return msgspec.convert(tomllib.loads(text), kind, strict=True)
    except tomllib.TOMLDecodeError as cause:
        raise InputError(f"{path}: not TOML: {cause}") from cause
    except msgspec.ValidationError as cause:
        raise InputError(f"{path}:{_line(text, str(cause))}: {cause}") from cause


def _line(text: str, complaint: str) -> int:
    r"""Find the line that a complaint of msgspec is about; 1 where it cannot be told.

    Example:
        >>> _line("a = 1\n[panel]\nrule = 3\n", "Expected `str` - at `$.panel.rule`")
        3
    """
    quoted = re.search(r"unknown field `([^`]+)`", complaint)
    place = re.search(r"at `\$\.?([^`]*)`", complaint)
    steps = re.findall(r"[A-Za-z_]\w*|\[(?:\d+|\.\.\.)\]", place[1] if place else "")
    wanted = [*steps, quoted[1]] if quoted else steps
    lines, at = text.splitlines(), 0
    for step in wanted:
        pattern = rf"^\s*(\[+\s*([\w.]+\.)?)?{re.escape(step)}\b"
        if step.startswith("["):
            continue
        found = (n for n in range(at, len(lines)) if re.match(pattern, lines[n]))
        at = next(found, at)
    return at + 1


def read_study(folder: Folder) -> Study:
    """Read and check study.toml.

    Raises:
        InputError: If the file is missing or malformed.
        StudyError: If it names a model that it does not describe, or the like.
    """
    if not folder.root.is_dir():
        raise InputError(f"{folder.root}: no such folder; `threadmed init` makes one")
    study = read_toml(folder.study, Study)
    complaint = next(iter(_complaints(study)), None)
    if complaint:
        raise StudyError(f"{folder.study}: {complaint}")
    return study


def _complaints(study: Study) -> Iterator[str]:
    """Say what does not fit together, in the order of the file."""
    names = [model.name for model in study.models]
    panel, identify = study.panel, study.identify
    yield from (
        f"two [[models]] have the name {name!r}; names must differ"
        for name in sorted({name for name in names if names.count(name) > 1})
    )
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
    yield from _batches(study)
    yield from _numbers(study)


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
