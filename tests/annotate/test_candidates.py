"""What may be drawn, and what of it a rater would see."""

from pathlib import Path

import msgspec
import pytest

from annotate.rating_server import NAMES, rated_study
from threadmed.annotate.candidates import read_candidates
from threadmed.annotate.items import Candidate
from threadmed.annotate.tasks import TaskName
from threadmed.errors import InputError
from threadmed.records import Answer
from threadmed.store import read_records, write_records, write_text
from threadmed.study import Folder, read_study


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return rated_study(tmp_path)


def found(folder: Folder, task: TaskName) -> tuple[Candidate, ...]:
    return read_candidates(folder, read_study(folder), task)


def test_every_question_may_be_drawn_and_shows_what_was_said_before(
    folder: Folder,
) -> None:
    questions = found(folder, "identification")
    later = next(each for each in questions if each.turn == 2)

    assert len(questions) == 12 * 4
    assert [message.who for message in later.shown.earlier].count("patient") == 2
    assert "physician" in {message.who for message in later.shown.earlier}
    assert {each.weight for each in questions if each.stratum[0] == "labelled no"} == {
        1.0
    }
    assert {each.stratum[0] for each in questions} >= {"labelled yes", "labels differ"}


def test_answers_of_one_request_are_one_candidate(folder: Folder) -> None:
    answers = found(folder, "scoring")
    first = [each for each in answers if each.turn == 0]
    places = [(each.target, each.thread_id) for each in first]

    assert {each.setting for each in first} == {"multi_turn"}
    assert len(set(places)) == len(places)
    assert {each.setting for each in answers} == {
        "multi_turn", "target_turn", "oracle", "isolated"
    }  # fmt: skip


def test_only_whole_answers_to_labelled_turns_may_be_drawn(folder: Folder) -> None:
    answers = {
        (a.target, a.setting, a.thread_id, a.turn): a
        for a in read_records(folder.answers, Answer)
    }
    drawable = found(folder, "scoring")

    assert len(drawable) > 1
    for each in drawable:
        answer = answers[
            each.target, each.setting or "oracle", each.thread_id, each.turn
        ]
        assert answer.outcome == "answered"
        assert each.shown.answer == answer.text
        assert each.shown.belief


def test_scoring_hides_earlier_answers_and_all_names(folder: Folder) -> None:
    drawable = found(folder, "scoring")

    assert any(each.shown.earlier for each in drawable)
    for each in drawable:
        assert {message.who for message in each.shown.earlier} <= {"patient"}
        shown = msgspec.json.encode(each.shown).decode()
        assert not [name for name in (*NAMES, each.thread_id) if name in shown]


def test_answers_on_which_judges_differ_are_twice_as_likely(folder: Folder) -> None:
    answers = found(folder, "scoring")
    heavy = {each.stratum[0] for each in answers if each.weight == 2}

    assert heavy
    assert all("differ" in name or name == "not scored" for name in heavy)
    assert {"score 1", "score -1"} <= {each.stratum[0] for each in answers}


def test_a_study_without_answers_has_nothing_to_score_and_says_so(
    folder: Folder,
) -> None:
    folder.answers.unlink()

    with pytest.raises(InputError, match=r"no answers to score yet; `threadmed run"):
        found(folder, "scoring")
    assert found(folder, "identification")


def test_a_study_that_is_not_judged_yet_can_be_rated(folder: Folder) -> None:
    folder.verdicts.unlink()
    head = folder.scores.read_text().splitlines()[0]
    write_text(folder.scores, head + "\n")

    assert {each.stratum[0] for each in found(folder, "scoring")} == {"not scored"}


def test_labels_that_came_with_the_data_do_where_nothing_was_run(
    folder: Folder,
) -> None:
    folder.labels.unlink()

    assert {each.stratum[0] for each in found(folder, "identification")} == {
        "labelled yes", "labelled no"
    }  # fmt: skip


def test_answers_of_threads_that_the_study_does_not_use_are_left_out(
    folder: Folder,
) -> None:
    text = folder.study.read_text()
    write_text(folder.study, text + '\n[select]\nthread_ids = ["THREAD_0001"]\n')
    write_records(folder.answers, read_records(folder.answers, Answer))

    assert {each.thread_id for each in found(folder, "scoring")} == {"THREAD_0001"}
