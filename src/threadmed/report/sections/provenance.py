"""Everything that decides a number on the page."""

from pathlib import PurePath

import msgspec

from threadmed.metrics.estimates import Method, NotEstimable
from threadmed.metrics.measurement import Measurement
from threadmed.records import PanelRule
from threadmed.report.blocks import (
    Block,
    Column,
    Fact,
    Facts,
    Heading,
    Prompts,
    Prose,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import listed, things
from threadmed.report.sections.published import published_numbers
from threadmed.report.theme import SETTING_NAMES
from threadmed.study import ModelUsed, PromptUsed, RunManifest

IDENTIFICATION = {"identify-v1", "identify-harm-v1"}
"""Names of the prompts of identification that come with the package."""

RULES: dict[PanelRule, str] = {
    "majority": "a strict majority of the panel; without one the primary judge decides",
    "primary": "the primary judge alone",
    "median": "the median of the judges",
    "lowest": "the lowest score of the judges",
    "unanimous": "only where all judges agree",
}

KINDS: dict[Method, str] = {
    "wilson": "Wilson where no thread has two items",
    "wilson_n_star": "Wilson on the effective number of items",
    "wilson_n_eff": "Wilson on the effective number of items",
    "wilson_rescaled": "Wilson on the effective number of items",
    "cr2_t": "cluster-robust t over threads for differences",
    "newcombe_paired": "Newcombe where few items differ",
    "newcombe_independent": "Newcombe where few items differ",
    "linearised_t": "linearised t over threads for unlike items",
    "item_bootstrap": "percentile bootstrap over items, as published",
    "thread_bootstrap": "percentile bootstrap over threads",
}

DIFFERENCES = (
    (
        "Interval of a rate",
        "percentile bootstrap over items, 1,000 draws",
        "Wilson, on the effective number of items, as a thread may have several",
    ),
    (
        "Oracle beside multi-turn",
        "different items: turn 0 is copied into the oracle",
        "the same items, turns 1 and later",
    ),
    (
        "Interval of recovery",
        "bootstrap",
        "Wilson, on the effective number of failure-start pairs",
    ),
    (
        "Comparisons",
        "rates side by side",
        "paired differences, with exact tests and Holm\u2019s adjustment",
    ),
    (
        "Answers without a score",
        "not reported",
        "counted, with coverage and bounds beside the rate",
    ),
)
"""Point, as published, and here (docs/methods.md has the reasons)."""


def provenance(found: Found) -> Section:
    """Show versions, hashes, models, prompts, and what differs from the paper."""
    blocks: list[Block] = [
        Prose(
            text="The same study file and the same journal give the same page, byte "
            "for byte."
        ),
        Facts(facts=tuple(_facts(found))),
        _models(found.manifest.models),
    ]
    prompts = _prompts(found.manifest)
    if prompts:
        blocks.append(
            Prompts(
                prompts=tuple(
                    Fact(
                        name=f"{prompt.name}, sha256 {prompt.sha256}",
                        text=f"{prompt.system}\n\n--- user ---\n\n{prompt.user}",
                    )
                    for prompt in prompts
                )
            )
        )
    if found.both is not None:
        blocks += [
            Heading(text="What differs from the published analysis"),
            _published(),
            *published_numbers(found.both),
        ]
    return Section(id="provenance", title="Provenance", blocks=tuple(blocks))


def _prompts(manifest: RunManifest) -> tuple[PromptUsed, ...]:
    """Give the prompts that were put to a model; labels in a file needed none."""
    if any("identify" in model.roles for model in manifest.models):
        return manifest.prompts
    own = manifest.study.identify.prompt
    unused = IDENTIFICATION | ({PurePath(own).stem} if own else set())
    return tuple(each for each in manifest.prompts if each.name not in unused)


def _facts(found: Found) -> list[Fact]:
    manifest = found.manifest
    study = manifest.study
    facts = [
        Fact(name="Software", text=_software(manifest)),
        Fact(name="study.toml, sha256", text=manifest.study_sha256, is_code=True),
        Fact(name="Threads, sha256", text=manifest.threads_sha256, is_code=True),
    ]
    if manifest.labels_sha256:
        facts.append(
            Fact(name="Labels, sha256", text=manifest.labels_sha256, is_code=True)
        )
    facts += [
        Fact(name="Labels that decide", text=manifest.label_source),
        Fact(
            name="Settings",
            text=", ".join(SETTING_NAMES[setting] for setting in study.settings),
        ),
        Fact(name="Seed", text=str(study.seed)),
    ]
    if study.panel.judges:
        facts.append(Fact(name="Panel", text=_panel(manifest)))
    if found.measured is not None:
        facts.append(Fact(name="Intervals", text=intervals(found.measured)))
    complete = "everything was answered and judged"
    stopped = "the run stopped early; what it had not reached is counted as pending"
    facts.append(Fact(name="Run", text=complete if manifest.complete else stopped))
    return facts


def _software(manifest: RunManifest) -> str:
    return f"threadmed {manifest.threadmed}, Python {manifest.python}"


def _panel(manifest: RunManifest) -> str:
    panel = manifest.study.panel
    shown = [
        what
        for what, is_shown in (
            ("the earlier questions", panel.show_prior_questions),
            ("the identified misconception", panel.show_misconception),
        )
        if is_shown
    ]
    text = f"{listed(panel.judges)}; rule: {RULES[panel.rule]}"
    if panel.primary:
        text += f"; primary judge: {panel.primary}"
    return f"{text}; judges also see {listed(shown)}" if shown else text


def intervals(measured: Measurement) -> str:
    """Name the kinds of interval that the rates of this study really have."""
    numbers = [
        number
        for group in measured.groups
        for number in (group.pcr, group.pcs, group.recovery.rate)
    ]
    numbers += [
        c.difference for s in measured.settings_same_items for c in s.differences
    ]
    numbers += [c.difference for c in measured.comparisons]
    used = {n.method for n in numbers if not isinstance(n, NotEstimable)}
    named = sorted({KINDS[method] for method in used})
    level = f"{measured.options.level:.0%}"
    return f"{level}: {'; '.join(named)}" if named else f"{level}: none could be made"


def _models(models: tuple[ModelUsed, ...]) -> Table:
    return Table(
        id="table-models",
        title="Models, and parameters as sent",
        columns=(
            Column(key="name", title="Name", align="text"),
            Column(key="model", title="Model", align="text"),
            Column(key="roles", title="Roles", align="text"),
            Column(key="parameters", title="Parameters as sent", align="text"),
            Column(key="served_by", title="Served by", align="text"),
        ),
        rows=tuple(
            (
                Words(text=model.name),
                Words(text=model.model),
                Words(text=", ".join(model.roles)),
                Words(text=parameters(model)),
                Words(text=", ".join(model.served_by) or "\u2013"),
            )
            for model in models
        ),
        note=f"{things(len(models), 'entry', 'entries')}; a model has one for each role.",
        judged=False,
    )


def parameters(model: ModelUsed) -> str:
    """Write parameters as they were sent, in the provider's own names."""
    return ", ".join(
        f"{name} {msgspec.json.encode(value).decode()}"
        for name, value in sorted(model.parameters.items())
    )


def _published() -> Table:
    return Table(
        id="table-published",
        title="As published, and as computed here",
        columns=(
            Column(key="point", title="Point", align="text"),
            Column(key="published", title="As published", align="text"),
            Column(key="here", title="Here", align="text"),
        ),
        rows=tuple(tuple(Words(text=text) for text in row) for row in DIFFERENCES),
        judged=False,
    )
