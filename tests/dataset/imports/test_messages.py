from pathlib import Path

import pytest

from foreign_file import imported
from threadmed.errors import InputError

CHAT = [
    ("system", "Be brief."),
    ("assistant", "How can I help?"),
    ("user", "Is it so?"),
    ("assistant", "No."),
    ("assistant", "It is not."),
    ("user", "And this?"),
    ("user", "Hello?"),
    ("assistant", "Yes."),
]


def chat(messages: list[tuple[str, object]], **more: object) -> dict[str, object]:
    said = [{"role": role, "content": content} for role, content in messages]
    return {"messages": said} | more


def test_answers_are_a_models_unless_a_physician_is_said_to_have_written_them(
    tmp_path: Path,
) -> None:
    found = imported(tmp_path, "messages", [chat(list(CHAT))])

    assert [(turn.question, turn.answer) for turn in found.threads[0].turns] == [
        ("Is it so?", None), ("And this?", None), ("Hello?", None),
    ]  # fmt: skip
    assert [(a.target, a.setting, a.turn, a.text) for a in found.answers] == [
        ("assistant", "multi_turn", 0, "No.\n\nIt is not."),
        ("assistant", "multi_turn", 2, "Yes."),
    ]
    assert found.said[0] == "1 answers before any question were passed over"
    assert "answers_by" in found.said[1]


def test_answers_become_the_physicians_where_that_is_said(tmp_path: Path) -> None:
    found = imported(
        tmp_path, "messages", [chat(list(CHAT))], mapping='answers_by = "physician"'
    )

    assert [turn.answer for turn in found.threads[0].turns] == [
        "No.\n\nIt is not.", None, "Yes.",
    ]  # fmt: skip
    assert found.answers == ()


def test_names_of_threads_are_taken_where_every_row_has_one(tmp_path: Path) -> None:
    one, two = chat([("user", "A?")], thread_id="a"), chat([("user", "B?")])

    named = imported(tmp_path, "messages", [one, one | {"thread_id": "b"}])
    numbered = imported(tmp_path, "messages", [one, two])

    assert [each.thread_id for each in named.threads] == ["a", "b"]
    assert [each.thread_id for each in numbered.threads] == [
        "THREAD_0001", "THREAD_0002",
    ]  # fmt: skip
    with pytest.raises(InputError, match="row 2: thread_id is 'a', as in .*row 1"):
        imported(tmp_path, "messages", [one, one])


def test_contents_in_parts_and_answers_that_only_call_a_tool(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "One"}, {"type": "text", "text": "two?"}]
    rows = [chat([("user", parts), ("assistant", None), ("tool", "3")])]

    found = imported(tmp_path, "messages", rows, mapping='skip = ["tool"]')

    assert found.threads[0].turns[0].question == "One\n\ntwo?"
    assert found.answers == ()


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"chat": [{"role": "user", "content": "A?"}]}, 'messages = "chat"'),
        ({"text": "A?"}, 'messages is missing .*messages = "KEY"'),
        (chat([("tool", "3")]), r"messages\[0\].role is 'tool'.*skip = \[\"tool\"\]"),
        ({"messages": [{"content": "A?"}]}, 'role is missing.*role = "KEY"'),
        ({"messages": ["A?"]}, r"messages\[0\] is 'A\?'; expected an object"),
        (chat([("user", None)]), r"messages\[0\].content is null"),
        (chat([("user", [{"type": "image"}])]), "content is .*expected text"),
        (chat([("user", [3])]), "content is .*expected text"),
        (chat([("user", 3)]), "content is 3"),
        (chat([("assistant", "A.")]), "holds no message of user.*patient = "),
    ],
)
def test_a_wrong_chat_is_named_with_its_message(
    row: object, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        imported(tmp_path, "messages", [chat([("user", "A?")]), row])

    assert "data.json: row 2" in str(caught.value)


def test_a_single_chat_is_a_row_and_not_a_list_of_rows(tmp_path: Path) -> None:
    found = imported(tmp_path, "messages", chat([("user", "A?"), ("assistant", "B.")]))

    assert [turn.question for turn in found.threads[0].turns] == ["A?"]
    assert [answer.text for answer in found.answers] == ["B."]
