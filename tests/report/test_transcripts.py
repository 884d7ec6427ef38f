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
from threadmed.report.conversations import Asked, Conversation, ModelView
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


def at(conversation: Conversation, turn: int) -> tuple[Asked, ModelView]:
    asked = next(asked for asked in conversation.asked if asked.turn == turn)
    return asked, asked.models[0]


def test_anchors_name_thread_turn_and_model(tmp_path: Path) -> None:
    found = shown(tmp_path)
    _, view = at(found, 2)

    assert found.id == "t-0413"
    assert [asked.turn for asked in found.asked] == [0, 2]
    assert view.id == "t-0413-2-aster-5"
    assert view.given[2].ids == ("t-0413-2-aster-5-oracle",)


def test_settings_that_share_a_request_share_a_column(tmp_path: Path) -> None:
    _, view = at(shown(tmp_path), 0)

    assert [given.name for given in view.given] == ["Multi-turn, target-turn, isolated"]
    assert view.given[0].reads == "saw this question alone"
    assert len(view.given[0].ids) == 3


def test_each_setting_says_what_it_showed_of_earlier_turns(tmp_path: Path) -> None:
    _, view = at(shown(tmp_path), 2)
    first, second = view.before

    assert [given.settings[0] for given in view.given] == [
        "multi_turn",
        "target_turn",
        "oracle",
        "isolated",
    ]
    assert [(s.kind, s.text) for s in first.shown] == [
        ("own", "one"),
        ("nothing", "no answer shown"),
        ("physician", "A0"),
        ("nothing", "not even the question shown"),
    ]
    assert [s.kind for s in second.shown] == ["own", "nothing", "nothing", "nothing"]
    assert second.shown[2].text == "the physician did not answer this one"


def test_an_earlier_answer_has_its_score_where_its_turn_is_labelled(
    tmp_path: Path,
) -> None:
    _, view = at(shown(tmp_path), 2)
    labelled, unlabelled = (before.shown[0].badge for before in view.before)

    assert labelled is not None
    assert labelled.text == "+1"
    assert unlabelled is None


def test_what_has_no_score_shows_a_dash_and_why(tmp_path: Path) -> None:
    _, view = at(shown(tmp_path), 2)
    badges = [given.badge for given in view.given]

    assert [badge.text for badge in badges] == ["0", "\u2013", "\u2013", "\u2013"]
    assert [badge.meaning for badge in badges] == [
        "partly corrected",
        "blocked by a content filter",
        "the panel reached no score",
        "not yet answered and judged",
    ]


def test_judges_stand_beside_the_answer_and_differing_is_said(tmp_path: Path) -> None:
    verdicts = (
        Scored(judge="a", **item("oracle", 2), score=1, explanation="x", request="r"),
        Scored(judge="b", **item("oracle", 2), score=-1, explanation="y", request="r"),
        Unscored(judge="c", **item("oracle", 2), why="refused", request="r"),
        Scored(
            judge="a", **item("multi_turn", 2), score=0, explanation="", request="r"
        ),
    )
    _, view = at(shown(tmp_path, verdicts=verdicts), 2)
    own, _, oracle, _ = view.given

    assert [(o.judge, o.badge.text, o.words) for o in oracle.opinions] == [
        ("a", "+1", "x"),
        ("b", "\u22121", "y"),
        ("c", "\u2013", "refused to judge"),
    ]
    assert (own.differ, oracle.differ) == (False, True)


def test_other_sources_are_quoted(tmp_path: Path) -> None:
    found = shown(tmp_path)

    assert at(found, 0)[0].others[0].text == "no misconception"
    assert at(found, 2)[0].others[0].text == "no label (refused)"


def test_threads_that_were_not_drawn_are_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path, targets=["a"], n_threads=3)
    found = read_found(folder)
    kept = [row for row in found.scores if row.thread_id != "THREAD_0001"]
    write_scores(folder.scores, kept)

    names = [each.thread_id for each in conversations(read_found(folder))]
    assert names == ["THREAD_0000", "THREAD_0002"]
