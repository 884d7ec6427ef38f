"""Which answers make a pair, and that no held-out thread gets into one."""

import json
from pathlib import Path

import pytest

from study_factory import STUDY, say, thread
from study_that_ran import agree, found_study
from threadmed.llm.model import Request
from threadmed.records import Message, ThreadId
from threadmed.run.export.preferences import Pairs, Rule, preference_pairs
from threadmed.run.export.results import read_results
from threadmed.store import read_records, write_records
from threadmed.study import Folder

NOBODY: frozenset[ThreadId] = frozenset()


def paired(
    folder: Folder, *held: str, partly: bool = False, unanimous: bool = False
) -> Pairs:
    return preference_pairs(
        read_results(folder),
        held=frozenset(map(ThreadId, held)),
        rule=Rule(partly=partly, unanimous=unanimous),
    )


def test_answers_after_the_same_messages_are_paired(tmp_path: Path) -> None:
    pairs = paired(found_study(tmp_path)).train

    assert {(pair.chosen_from, pair.rejected_from) for pair in pairs} == {
        ("good", "bad"),
    }  # fmt: skip
    assert {pair.rule for pair in pairs} == {"panel 1 over panel -1"}
    # Turn 0 is one request in three settings. At the later turns of multi_turn the
    # targets have said different things before.
    assert [(pair.thread_id, pair.turn, pair.setting) for pair in pairs] == [
        ("THREAD_0001", 0, "multi_turn"),
        ("THREAD_0001", 1, "target_turn"),
        ("THREAD_0001", 1, "oracle"),
        ("THREAD_0001", 1, "isolated"),
        ("THREAD_0002", 2, "target_turn"),
        ("THREAD_0002", 2, "oracle"),
        ("THREAD_0002", 2, "isolated"),
    ]
    oracle = pairs[2]
    assert oracle.prompt == (
        Message(role="user", content="Question 0 of THREAD_0001?"),
        Message(role="assistant", content="A0"),
        Message(role="user", content="Question 1 of THREAD_0001?"),
    )
    assert oracle.chosen == (Message(role="assistant", content="That is not so."),)
    assert oracle.rejected == (Message(role="assistant", content="Quite right. 3"),)


def test_a_prompt_begins_with_the_studys_system_message(tmp_path: Path) -> None:
    text = STUDY.replace("[panel]", '[answer]\nsystem = "Be kind."\n\n[panel]')

    pairs = paired(found_study(tmp_path, text=text)).train

    assert {pair.prompt[0] for pair in pairs} == {
        Message(role="system", content="Be kind."),
    }  # fmt: skip


def test_multi_turn_is_paired_where_the_targets_said_the_same_before(
    tmp_path: Path,
) -> None:
    def alike(name: str, request: Request) -> str:
        first = len(request.messages) == 1
        if name in {"good", "bad"} and first and "Question 0" in str(request.messages):
            return "It depends."
        return say(name, request)

    pairs = paired(found_study(tmp_path, says=alike)).train
    multi = [pair for pair in pairs if pair.setting == "multi_turn"]

    assert [(pair.thread_id, pair.turn) for pair in multi] == [("THREAD_0001", 1)]
    assert multi[0].prompt[1] == Message(role="assistant", content="It depends.")


def test_no_thread_that_is_held_out_is_in_a_pair(tmp_path: Path) -> None:
    folder = found_study(tmp_path)

    pairs = paired(folder, "THREAD_0001")

    assert {pair.thread_id for pair in pairs.train} == {"THREAD_0002"}
    assert "THREAD_0001" not in json.dumps([p.prompt[0].content for p in pairs.train])
    assert pairs.held_out == 14  # 2 targets; turn 0 in 3 settings, turn 1 in 4
    assert pairs.judged == 14 + 8


def test_a_copy_of_a_held_out_thread_under_another_name_is_kept_out_too(
    tmp_path: Path,
) -> None:
    copy = thread("THREAD_0001", "B0", "B1", "B2")
    shouted = [
        type(turn)(question=turn.question.upper() + " ", answer=turn.answer)
        for turn in copy.turns
    ]
    copy = type(copy)(thread_id=ThreadId("THREAD_0077"), turns=tuple(shouted))
    folder = found_study(tmp_path, more=[copy])

    pairs = paired(folder, "THREAD_0077")

    assert {pair.thread_id for pair in pairs.train} == {"THREAD_0002"}
    assert (pairs.held_out, pairs.copies) == (0, 14)


def test_partly_corrected_answers_are_rejected_only_on_request(tmp_path: Path) -> None:
    def halfway(name: str, request: Request) -> str:
        said = agree(name, request)
        return said.replace('"score": -1', '"score": 0')

    folder = found_study(tmp_path, says=halfway)

    assert paired(folder).train == ()
    assert {pair.rule for pair in paired(folder, partly=True).train} == {
        "panel 1 over panel 0",
    }  # fmt: skip


def test_unanimity_can_be_asked_for(tmp_path: Path) -> None:
    split, agreed = (
        paired(found_study(tmp_path / name, says=says), unanimous=True)
        for name, says in (("split", say), ("agreed", agree))
    )

    assert split.train == ()
    assert split.split == split.judged == 22
    assert {pair.rule for pair in agreed.train} == {
        "panel 1 over panel -1, all judges agree",
    }  # fmt: skip
    assert agreed.split == 0


def test_a_judge_that_was_not_asked_does_not_agree(tmp_path: Path) -> None:
    text = STUDY.replace("[panel]", "[panel]\nlazy = true")

    pairs = paired(found_study(tmp_path, text=text, says=agree), unanimous=True)

    assert pairs.split == pairs.judged > 0


@pytest.mark.parametrize("column", ["score", "misconception"])
def test_rows_without_a_score_or_a_misconception_make_no_pair(
    column: str, tmp_path: Path
) -> None:
    folder = found_study(tmp_path)
    text = folder.scores.read_text()
    lost = {
        "score": text.replace(",-1,scored,", ",,unjudged,"),
        "misconception": text.replace(",true,", ",false,"),
    }
    folder.scores.write_text(lost[column])

    assert paired(folder).train == ()


def test_answers_of_arms_are_counted_and_make_no_pair(tmp_path: Path) -> None:
    folder = found_study(tmp_path)
    plain = paired(folder)
    text = folder.scores.read_text()
    folder.scores.write_text(text.replace("good,oracle", "good+warn,oracle"))

    pairs = paired(folder)

    assert pairs.arms == 2
    assert len(pairs.train) == len(plain.train) - 2


def test_an_answer_that_is_not_there_makes_no_pair(tmp_path: Path) -> None:
    folder = found_study(tmp_path)
    write_records(folder.answers, read_records(folder.answers, _answer())[:0])

    assert paired(folder).judged == 0


def _answer() -> type:
    from threadmed.records import Answer

    return Answer
