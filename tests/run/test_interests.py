from collections.abc import Sequence

import pytest

from threadmed.records import Model
from threadmed.run.interests import interests
from threadmed.study import Identification, Panel, Study

MODELS = {
    "gpt": "openai:gpt-5",
    "gpt-again": "openai:gpt-5",
    "gpt-4o": "openai:gpt-4o",
    "claude": "anthropic:claude-sonnet-4-5",
    "own": "openai:our-own-model",
    "own-2": "openai:our-other-model",
}


def study(
    targets: Sequence[str], judges: Sequence[str], *, identifier: str | None = None
) -> Study:
    return Study(
        name="s",
        threads="t",
        targets=tuple(targets),
        panel=Panel(judges=tuple(judges)),
        identify=Identification(model=identifier),
        models=tuple(Model(name=name, model=model) for name, model in MODELS.items()),
    )


def test_judges_of_other_makers_are_not_worth_a_word() -> None:
    assert list(interests(study(["gpt"], ["claude"], identifier="claude"))) == []


def test_nobody_knows_whose_family_an_unknown_model_is_of() -> None:
    assert list(interests(study(["own"], ["own-2"]))) == []


@pytest.mark.parametrize("judge", ["gpt", "gpt-again"])
def test_a_judge_that_is_a_target_is_named_whatever_it_is_called(judge: str) -> None:
    (said,) = interests(study(["gpt"], [judge, "claude"]))

    assert said == (
        f"Judges that are targets too, and may favour their own answers: {judge}; "
        "the report also has the rates without a target's own family."
    )


def test_an_only_judge_that_is_a_target_has_nobody_beside_it() -> None:
    (said,) = interests(study(["gpt"], ["gpt"]))

    assert said.startswith("The only judge, gpt, is a target too")


def test_a_judge_of_a_targets_family_is_named_with_the_target() -> None:
    (said,) = interests(study(["gpt", "claude"], ["gpt-4o"]))

    assert said == (
        "Judges of a target's family, which they may favour: gpt-4o of gpt."
    )


def test_an_identifier_that_is_a_target_picks_its_own_questions() -> None:
    (said,) = interests(study(["own"], ["claude"], identifier="own"))

    assert said == (
        "The identifier, own, is a target too: it picks the questions that it is asked."
    )
