"""What a study will cost, before anything is sent and after a part was paid for.

The door is `plan`. Nothing is sent and no key is needed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from threadmed.errors import InputError, ModelError
from threadmed.llm.model import ChatModel, Parameters, Reply, Request
from threadmed.llm.prices import price_of
from threadmed.llm.providers.capabilities import departures
from threadmed.records import Model
from threadmed.run.assumptions import assumptions, unopened
from threadmed.run.forecast import (
    Plan,
    Verdicts,
    missed,
    rows,
    savings,
    spent_on,
    total,
)
from threadmed.run.lengths import (
    InputLength,
    count_messages,
    expected_reply,
    longest_reply,
)
from threadmed.run.material import Material, read_material
from threadmed.run.paid import read_paid
from threadmed.run.rehearsal import Rehearsed, Scenario, Terms, rehearse
from threadmed.run.remarks import unlabelled
from threadmed.store import read_json, write_json
from threadmed.study import Folder, Study, read_study

Open = Callable[[Model], ChatModel]
"""Sets a model up as the run would; for a plan any word is good enough as its key."""

DIFFERING = 0.25
"""Share of answers on which two judges are supposed to differ, for lazy panels."""

FAILING = 0.5
"""Share of answers that are supposed to fail where an intervention looks for failures.

In the paper (figure 4) 38 to more than 65 % do, by model.
"""


class Unopened:
    """A model whose package is not installed: it can be planned with, not asked."""

    def __init__(self, entry: Model) -> None:
        self._entry = entry
        self.identity = f"{entry.model} at {entry.base_url}"

    def parameters(self, request: Request) -> Parameters:
        """Say what tells its requests from those of other models."""
        return {
            "temperature": self._entry.temperature,
            "max_tokens": self._entry.max_tokens or request.max_tokens,
        }

    async def chat(self, request: Request) -> Reply:
        """Refuse."""
        del request
        raise ModelError(f"{self.identity} is planned with and cannot be asked")

    async def close(self) -> None:
        """Nothing to let go of."""


def plan_path(folder: Folder) -> Path:
    """Say where the plan of a study is kept."""
    return folder.root / "plan.json"


async def plan(folder: Folder, *, open_model: Open) -> Plan:
    """Foresee what a study will cost, and keep it beside the study.

    Args:
        folder: The study folder; plan.json is written into it.
        open_model: Makes a model of its entry. One that cannot be set up here is
            planned with all the same.

    Returns:
        The plan, and how far the one before it was off.

    Raises:
        InputError: If a file is missing or malformed.
        StudyError: If the study asks for what cannot be done, or a price is unknown.
    """
    study = read_study(folder)
    material = read_material(folder, study)
    entries = {name: study.model(name) for name in used_models(study)}
    prices = {name: price_of(entry) for name, entry in entries.items()}
    models, lacking = _opened(entries, open_model)
    try:
        paid = read_paid(folder.journal, count=count_messages)
        terms = Terms(
            models=models,
            entries=entries,
            prices=prices,
            paid=paid,
            inputs=InputLength(paid, entries),
        )
        made = await _planned(
            study, material, terms=terms, lacking=lacking, last=_last(folder)
        )
    finally:
        for model in models.values():
            await model.close()
    write_json(plan_path(folder), made)
    return made


def used_models(study: Study) -> list[str]:
    """Name the models that a study calls, each once, in the order of the stages."""
    identifier = (study.identify.model,) if study.identify.model else ()
    judges = (*study.panel.judges, *study.screens())
    return list(dict.fromkeys((*identifier, *study.targets, *judges)))


def _opened(
    entries: Mapping[str, Model], open_model: Open
) -> tuple[dict[str, ChatModel], dict[str, str]]:
    """Set the models up, and say which cannot be, and why."""
    models: dict[str, ChatModel] = {}
    lacking: dict[str, str] = {}
    for name, entry in entries.items():
        try:
            models[name] = open_model(entry)
        except ModelError as cause:
            models[name] = Unopened(entry)
            lacking[name] = str(cause)
    return models, lacking


def _last(folder: Folder) -> Plan | None:
    """Read the plan before this one; one of another version is no loss."""
    if plan_path(folder).exists():
        with suppress(InputError):
            return read_json(plan_path(folder), Plan)
    return None


async def _planned(
    study: Study,
    material: Material,
    *,
    terms: Terms,
    lacking: Mapping[str, str],
    last: Plan | None,
) -> Plan:
    """Rehearse what is expected and the worst case, and put both together."""
    paid = terms.paid
    usual = Scenario(
        reply=expected_reply(paid),
        differing=DIFFERING,
        failing=FAILING,
        asked_again=False,
    )
    worst = Scenario(
        reply=longest_reply,
        differing=1.0,
        failing=1.0,
        asked_again=True,
        batches_end=False,
    )
    expected = await rehearse(study, material, terms=terms, scenario=usual)
    most = await rehearse(study, material, terms=terms, scenario=worst)
    planned = rows(expected, most, paid)
    return Plan(
        study=study.name,
        threads=len(material.threads),
        questions=expected.questions,
        misconceptions=expected.misconceptions,
        unlabelled=expected.unlabelled,
        supposed_share=expected.share if expected.unlabelled else 0.0,
        expected_misconceptions=expected.labelled
        + expected.share * expected.unlabelled,
        left_out=_left_out(study, material),
        rows=planned,
        savings=savings(expected, planned),
        verdicts=await _verdicts(study, material, terms, expected),
        spent=total([spent_on(each) for each in paid.seen.values()]),
        unsettled_usd=paid.unsettled_usd,
        to_pay=total([row.to_pay for row in planned]),
        at_most=total([row.at_most for row in planned]),
        budget_usd=study.budget.usd,
        budget_tokens=study.budget.tokens,
        assumptions=tuple(_supposed(study, expected, terms, lacking)),
        miss=missed(last, planned, paid.seen) if last else None,
    )


def _supposed(
    study: Study, expected: Rehearsed, terms: Terms, lacking: Mapping[str, str]
) -> Iterator[str]:
    """Say what the plan supposes, and where models are asked otherwise than wished."""
    yield from assumptions(study, expected, paid=terms.paid, inputs=terms.inputs)
    for entry in terms.entries.values():
        yield from departures(entry)
    yield from unopened(lacking, terms.paid)


def _left_out(study: Study, material: Material) -> int:
    """Count the questions without a label that no identifier is to label."""
    if material.source == study.identify.model:
        return 0
    return unlabelled(material.threads, material.given, material.source)


async def _verdicts(
    study: Study, material: Material, terms: Terms, expected: Rehearsed
) -> Verdicts | None:
    """Say between what bounds the calls of a lazy panel lie."""
    if not any(expected.skipped.values()):
        return None
    calls = []
    for differing in (0.0, 1.0):
        scenario = Scenario(
            reply=expected_reply(terms.paid),
            differing=differing,
            failing=FAILING,
            asked_again=False,
        )
        found = await rehearse(study, material, terms=terms, scenario=scenario)
        calls.append(
            sum(
                each.paid + each.to_pay.calls
                for place, each in found.counts.items()
                if place[0] == "judge"
            )
        )
    return Verdicts(least=calls[0], most=calls[1])
