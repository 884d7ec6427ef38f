"""A study's results as one of Inspect's logs."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    recompute_metrics,
)
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, StopReason

from threadmed import __version__
from threadmed.conversations.settings import messages
from threadmed.inspection.material import PANEL, Found, Opened, Place, metadata
from threadmed.inspection.scoring import score_of
from threadmed.judgements.scores import item_of
from threadmed.llm.model import plain
from threadmed.llm.providers.inspect import chat_messages
from threadmed.records import Answer, AnswerOutcome, ScoreRow

STOPPED: dict[AnswerOutcome, StopReason] = {
    "answered": "stop",
    "empty": "stop",
    "truncated": "max_tokens",
    "blocked": "content_filter",
    "failed": "unknown",
}
"""How an answer ended, in Inspect's words."""

SCORER = "judgements"
"""The scorer of inspection.tasks, as it stands in a log."""

METRICS = ("threadmed/pcr", "threadmed/pcr_stderr", "threadmed/mean_score")
"""The metrics of inspection.scoring, by the names that Inspect finds them under."""


def log_of(found: Found, targets: Sequence[str]) -> EvalLog:
    """Make the log of some of a study's targets.

    Args:
        found: The study and what its runs have found.
        targets: Their names; with more than one, metrics tell targets apart as well
            as settings.

    Returns:
        A log whose metrics Inspect has computed from its samples. It is `cancelled`
        where the run has yet to finish.
    """
    when = found.written.isoformat()
    rows = [row for row in found.rows if row.target in targets]
    samples = [_sample(found, row, several=len(targets) > 1) for row in rows]
    log = EvalLog(
        status="success" if found.manifest.complete else "cancelled",
        eval=_spec(found, targets, samples),
        stats=EvalStats(
            started_at=when, completed_at=when, model_usage=_usage(found, targets)
        ),
        samples=samples,
    )
    recompute_metrics(log)
    return log


def _spec(
    found: Found, targets: Sequence[str], samples: Sequence[EvalSample]
) -> EvalSpec:
    """Say what was evaluated; ids depend on the study and its targets alone."""
    opened, manifest = found.opened, found.manifest
    names = [str(sample.id) for sample in samples]
    # Inspect has no public name for some of the parts, so they are given as data.
    spec = {
        "eval_id": _id("eval", manifest.study_sha256, *targets),
        "run_id": _id("run", manifest.study_sha256),
        "task_id": _id("task", manifest.study_sha256, *targets),
        "created": found.written.isoformat(),
        "task": "threadmed/conversations",
        "task_display_name": opened.study.name,
        "dataset": EvalDataset(
            name=opened.study.name,
            location=opened.study.threads,
            samples=len(names),
            sample_ids=names,
            shuffled=False,
        ),
        "model": ", ".join(_model(opened, target) for target in targets),
        "config": EvalConfig(epochs=1),
        "packages": {"threadmed": manifest.threadmed},
        "scorers": [_scorer(opened, arm="arm" if len(targets) > 1 else "setting")],
        "metadata": {
            "study": opened.study.name,
            "targets": list(targets),
            "labels": manifest.label_source,
            "threads_sha256": manifest.threads_sha256,
            "prompts": {each.name: each.sha256 for each in manifest.prompts},
            "panel_rule": opened.study.panel.rule,
            "exported_by": f"threadmed {__version__}",
        },
    }
    return EvalSpec.model_validate(spec)


def _scorer(opened: Opened, *, arm: str) -> dict[str, object]:
    named = [{"name": name, "options": {"arm": arm}} for name in METRICS]
    keys = (PANEL, *opened.study.panel.judges)
    return {"name": SCORER, "metrics": dict.fromkeys(keys, named)}


def _id(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:22]


def _model(opened: Opened, target: str) -> str:
    return opened.entry(target).model.removeprefix("inspect:").replace(":", "/", 1)


def _usage(found: Found, targets: Sequence[str]) -> dict[str, ModelUsage]:
    """Say what the answers of these targets cost; judges serve all targets at once."""
    return {
        _model(found.opened, spend.model): ModelUsage(
            input_tokens=spend.tokens_in,
            output_tokens=spend.tokens_out,
            total_tokens=spend.tokens_in + spend.tokens_out,
            total_cost=spend.cost_usd,
        )
        for spend in found.manifest.spend
        if spend.stage == "answer" and spend.model in targets
    }


def _sample(found: Found, row: ScoreRow, *, several: bool) -> EvalSample:
    """Make the sample of one scored turn."""
    opened, item = found.opened, item_of(row)
    place = Place(setting=row.setting, thread_id=row.thread_id, turn=row.turn)
    answer = found.answers.get(item)
    score = score_of(
        row,
        found.verdicts.get(item, ()),
        by=opened.study.panel,
        answer=answer,
    )
    said, output = _conversation(found, row)
    known: dict[str, Any] = {
        **metadata(opened, place),
        "target": row.target,
        "arm": f"{row.target} {row.setting}",
    }
    return EvalSample(
        id=f"{row.target}/{place.name}" if several else place.name,
        epoch=1,
        input=plain(opened.question(place)),
        target=plain(opened.label(place).belief),
        messages=said,
        output=output,
        scores={SCORER: score},
        metadata=known,
        store={"answer": msgspec.to_builtins(answer)} if answer else {},
    )


def _conversation(found: Found, row: ScoreRow) -> tuple[list[ChatMessage], ModelOutput]:
    """Show what the target saw, and what it replied."""
    opened = found.opened
    options, model = opened.study.answer, _model(opened, row.target)
    before = [
        found.answers.get((row.target, row.setting, row.thread_id, turn))
        for turn in range(row.turn)
    ]
    said = chat_messages(
        messages(
            row.setting,
            opened.threads[row.thread_id],
            row.turn,
            # A turn that was never asked leaves a gap that a reader can see.
            own_answers={
                turn: each.text if each else "" for turn, each in enumerate(before)
            },
            system=options.system,
            merge_questions=options.merge_questions,
        )
    )
    output = _output(found.answers.get(item_of(row)), model)
    return ([*said, output.message] if output.choices else said), output


def _output(answer: Answer | None, model: str) -> ModelOutput:
    if answer is None or answer.outcome == "failed":
        return ModelOutput(model=model, error=answer.detail if answer else None)
    return ModelOutput.from_content(
        model,
        plain(answer.text),
        stop_reason=STOPPED[answer.outcome],
        error=answer.detail or None,
    )
