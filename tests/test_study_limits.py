"""The limits that a study sets for its models and for itself."""

from pathlib import Path

import pytest

from threadmed.errors import StudyError
from threadmed.study import read_study, study_folder

STUDY = """
name = "s"
threads = "threads.jsonl"

[[models]]
name = "a"
model = "openai:a"
{model}

[identify]
model = "a"

[budget]
{budget}
"""


def written(tmp_path: Path, *, model: str = "", budget: str = "") -> Path:
    text = STUDY.format(model=model, budget=budget)
    (tmp_path / "study.toml").write_text(text)
    return tmp_path


def test_limits_are_read_and_are_off_where_nothing_is_said(tmp_path: Path) -> None:
    limits = (
        "requests_per_minute = 60\ntokens_per_minute = 90000\ntotal_timeout_s = 9.5"
    )
    path = written(tmp_path, model=limits, budget="tokens = 1000000")

    study = read_study(study_folder(path))

    model = study.model("a")
    assert (model.requests_per_minute, model.tokens_per_minute) == (60, 90_000)
    assert (model.total_timeout_s, study.budget.tokens) == (9.5, 1_000_000)
    bare = read_study(study_folder(written(tmp_path)))
    assert bare.model("a").requests_per_minute is None
    assert bare.model("a").tokens_per_minute is None
    assert bare.model("a").total_timeout_s is None
    assert bare.budget.tokens is None


@pytest.mark.parametrize(
    "line",
    [
        "requests_per_minute = 0",
        "tokens_per_minute = -1",
        "total_timeout_s = -1.0",
        "total_timeout_s = inf",
        "max_tokens = 0",
    ],
)
def test_a_limit_of_a_model_that_lets_nothing_through_is_named(
    tmp_path: Path, line: str
) -> None:
    key = line.partition(" ")[0]

    with pytest.raises(StudyError, match=f"{key} of a is"):
        read_study(study_folder(written(tmp_path, model=line)))


def test_a_budget_of_no_tokens_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"budget\.tokens is 0; expected at least 1"):
        read_study(study_folder(written(tmp_path, budget="tokens = 0")))
