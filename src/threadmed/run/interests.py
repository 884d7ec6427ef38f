"""Which models judge, or pick the questions of, answers of their own or their family."""

from collections.abc import Iterator

from threadmed.metrics.panel.families import family
from threadmed.records import Model
from threadmed.study import Study


def interests(study: Study) -> Iterator[str]:
    """Say where a model has a part in its own rates, a sentence each.

    Args:
        study: The study; of its judges, identifier and targets what they are called
            does not count, but which models they are.
    """
    targets = [study.model(name) for name in study.targets]
    judges = [study.model(name) for name in study.panel.judges]
    own = [judge for judge in judges if _is_among(judge, targets)]
    if own:
        yield _own(own, judges)
    related = [judge for judge in judges if judge not in own and _kin(judge, targets)]
    if related:
        listed = "; ".join(
            f"{judge.name} of {', '.join(_kin(judge, targets))}" for judge in related
        )
        yield (
            f"Judges of a target's family, which they may favour: {listed}"
            f"{_without(judges)}."
        )
    if study.identify.model is not None:
        identifier = study.model(study.identify.model)
        if _is_among(identifier, targets):
            yield (
                f"The identifier, {identifier.name}, is a target too: it picks the "
                "questions that it is asked."
            )


def _own(own: list[Model], judges: list[Model]) -> str:
    """Say which judges score answers of their own."""
    if len(judges) == 1:
        return (
            f"The only judge, {own[0].name}, is a target too: it may favour its own "
            "answers, and there is no other to tell."
        )
    listed = ", ".join(judge.name for judge in own)
    return (
        f"Judges that are targets too, and may favour their own answers: {listed}"
        f"{_without(judges)}."
    )


def _without(judges: list[Model]) -> str:
    """Say what the report sets beside, where a panel could lose a judge."""
    beside = "; the report also has the rates without a target's own family"
    return beside if len(judges) > 1 else ""


def _is_among(model: Model, others: list[Model]) -> bool:
    """Tell a model by what is called, under whatever name."""
    return any(
        (model.model, model.base_url) == (other.model, other.base_url)
        for other in others
    )


def _kin(judge: Model, targets: list[Model]) -> list[str]:
    """Name the targets of a judge's family, where the table knows it."""
    whose = family(judge.model)
    return [
        target.name
        for target in targets
        if whose.is_known and family(target.model) == whose
    ]
