from pathlib import Path

from report.study_factory import write_run
from threadmed.records import (
    Answer,
    Labelled,
    PanelScore,
    Scored,
    Thread,
    ThreadId,
    Turn,
    Unlabelled,
    Unscored,
    Verdict,
)
from threadmed.report.catalogue import states
from threadmed.report.conversations import ABSENT, Conversation, Item
from threadmed.report.material import read_found
from threadmed.report.transcripts import conversations
from threadmed.store import write_records, write_scores

NAME = ThreadId("THREAD_0413")
THREAD = Thread(
    thread_id=NAME,
    turns=(
        Turn(question="Q0", answer="A0"),
        Turn(question="Q1", answer=None),
        Turn(question="Q2", answer="A2"),
    ),
)


def item(setting: str, turn: int) -> dict:
    return {"target": "Aster 5", "setting": setting, "thread_id": NAME, "turn": turn}


def answer(setting: str, turn: int, text: str, request: str = "") -> Answer:
    return Answer(
        **item(setting, turn),
        outcome="answered" if text else "blocked",
        text=text,
        request=request or f"{setting}{turn}",
    )


def shown(root: Path, *, verdicts: tuple[Verdict, ...] = ()) -> Conversation:
    """Turns 0 and 2 carry a misconception; the answers to turn 0 are one request."""
    folder = write_run(root, targets=["Aster 5"], n_threads=1)
    write_records(root / "data/answered.jsonl", [THREAD])
    labels = [
        Labelled(
            thread_id=NAME,
            turn=turn,
            misconception=True,
            belief="B",
            source="reference",
        )
        for turn in (2, 0)
    ]
    others = (
        Unlabelled(thread_id=NAME, turn=2, why="refused", source="Finder"),
        Labelled(thread_id=NAME, turn=0, misconception=False, source="Finder"),
    )
    write_records(folder.labels, [*labels, *others])
    first = [
        answer(s, 0, "one", "r") for s in ("multi_turn", "target_turn", "isolated")
    ]
    write_records(
        folder.answers,
        [
            *first,
            answer("multi_turn", 1, "two"),
            answer("multi_turn", 2, "own"),
            answer("target_turn", 2, ""),
            answer("oracle", 2, "third"),
        ],
    )
    write_records(folder.verdicts, verdicts)
    scores = [
        PanelScore(**item(s, 0), score=1, outcome="scored")
        for s in ("multi_turn", "target_turn", "isolated")
    ]
    scores += [
        PanelScore(**item("multi_turn", 2), score=0, outcome="scored"),
        PanelScore(**item("target_turn", 2), score=None, outcome="blocked"),
        PanelScore(**item("oracle", 2), score=None, outcome="unjudged"),
        PanelScore(**item("isolated", 2), score=None, outcome="pending"),
    ]
    write_scores(folder.scores, scores)
    (only,) = conversations(read_found(folder))
    return only


SETTINGS = ("multi_turn", "target_turn", "oracle", "isolated")


def at(conversation: Conversation, turn: int) -> dict[str, Item]:
    """Answers to one turn by setting."""
    return {
        SETTINGS[item.setting]: item for item in conversation.items if item.turn == turn
    }


def test_a_thread_is_named_as_addresses_name_it(tmp_path: Path) -> None:
    found = shown(tmp_path)

    assert (found.id, found.thread_id) == ("t-0413", "THREAD_0413")
    assert [asked.turn for asked in found.asked] == [0, 2]


def test_questions_and_physicians_answers_stand_once(tmp_path: Path) -> None:
    turns = shown(tmp_path).turns

    assert [(turn.question, turn.physician) for turn in turns] == [
        ("Q0", "A0"),
        ("Q1", None),
        ("Q2", "A2"),
    ]


def test_settings_that_share_a_request_follow_the_first(tmp_path: Path) -> None:
    found = shown(tmp_path)

    assert {name: item.leader for name, item in at(found, 0).items()} == {
        "multi_turn": 0,
        "target_turn": 0,
        "isolated": 0,
    }
    assert [item.leader for item in at(found, 2).values()] == [0, 1, 2, 3]


def test_an_answer_that_settings_share_is_written_once(tmp_path: Path) -> None:
    found = shown(tmp_path)
    texts = [said.text for said in found.said]

    assert texts == ["one", "two", "own", "", "third"]
    assert {item.said for item in at(found, 0).values()} == {0}


def test_own_answers_to_turns_that_nobody_scores_are_there(tmp_path: Path) -> None:
    found = shown(tmp_path)
    unscored = at(found, 1)["multi_turn"]

    assert (found.said[unscored.said].text, unscored.state) == ("two", ABSENT)


def test_what_has_no_score_says_why(tmp_path: Path) -> None:
    letters = [item.state for item in at(shown(tmp_path), 2).values()]
    known = states()

    assert [known[letter].text for letter in letters] == [
        "0",
        "\u2013",
        "\u2013",
        "\u2013",
    ]
    assert [known[letter].meaning for letter in letters] == [
        "partly corrected",
        "blocked by a content filter",
        "the panel reached no score",
        "not yet answered and judged",
    ]


def test_judges_words_stand_beside_the_answer_and_differing_is_told(
    tmp_path: Path,
) -> None:
    verdicts = (
        Scored(
            judge="Judge A", **item("oracle", 2), score=1, explanation="x", request="r"
        ),
        Scored(
            judge="Judge B", **item("oracle", 2), score=-1, explanation="y", request="r"
        ),
        Unscored(judge="Judge C", **item("oracle", 2), why="refused", request="r"),
        Unscored(
            judge="Judge B",
            **item("isolated", 2),
            why="malformed",
            detail="Yes",
            request="r",
        ),
        Scored(
            judge="Judge A",
            **item("multi_turn", 2),
            score=0,
            explanation="",
            request="r",
        ),
    )
    found = shown(tmp_path, verdicts=verdicts)
    answers = at(found, 2)
    opinions = found.opinions[answers["oracle"].opinions]

    assert [(o.judge, o.score, o.words) for o in opinions] == [
        (0, 1, "x"),
        (1, -1, "y"),
        (2, None, "refused to judge"),
    ]
    (malformed,) = found.opinions[answers["isolated"].opinions]
    assert malformed.words == "no valid reply after one re-ask: Yes"
    assert (answers["multi_turn"].judges, answers["oracle"].judges) == ("-", "!")
    assert answers["target_turn"].opinions == -1


def test_opinions_that_settings_share_are_written_once(tmp_path: Path) -> None:
    verdicts = tuple(
        Scored(
            judge="Judge A", **item(setting, 0), score=1, explanation="x", request="r"
        )
        for setting in ("multi_turn", "target_turn", "isolated")
    )
    found = shown(tmp_path, verdicts=verdicts)

    assert len(found.opinions) == 1
    assert {item.opinions for item in at(found, 0).values()} == {0}


def test_other_sources_are_quoted(tmp_path: Path) -> None:
    first, second = shown(tmp_path).asked

    assert first.others[0].text == "no misconception"
    assert second.others[0].text == "no label (refused)"


def test_threads_that_were_not_drawn_are_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path, targets=["a"], n_threads=3)
    found = read_found(folder)
    kept = [row for row in found.scores if row.thread_id != "THREAD_0001"]
    write_scores(folder.scores, kept)

    names = [each.thread_id for each in conversations(read_found(folder))]
    assert names == ["THREAD_0000", "THREAD_0002"]


def test_threads_whose_names_differ_in_case_alone_have_addresses_of_their_own(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, targets=["a"], n_threads=2)
    for path in (
        tmp_path / "data/answered.jsonl",
        folder.labels,
        folder.answers,
        folder.verdicts,
        folder.scores,
    ):
        text = path.read_text().replace("THREAD_0000", "THREAD_a")
        path.write_text(text.replace("THREAD_0001", "THREAD_A"))

    names = [each.id for each in conversations(read_found(folder))]
    assert len(set(names)) == 2
