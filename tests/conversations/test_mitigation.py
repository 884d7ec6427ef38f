"""Prompts of arms: their files, and what a target is sent by them."""

from pathlib import Path

import pytest

from threadmed.conversations.mitigation import (
    BUILT_IN,
    Mitigation,
    answering,
    load_mitigation,
    preparing,
)
from threadmed.errors import InputError
from threadmed.records import Message

SEEN = (
    Message(role="user", content="Q0"),
    Message(role="assistant", content="a0"),
    Message(role="user", content="Q1"),
)
GUIDED = (Message(role="system", content="Be brief."), *SEEN)


def written(root: Path, text: str) -> Mitigation:
    (root / "own.md").write_text(text, encoding="utf-8")
    return load_mitigation("own.md", folder=root)


def contents(messages: tuple[Message, ...]) -> list[str]:
    return [f"{message.role[0]}: {message.content}" for message in messages]


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_is_built_in_shows_the_question_and_its_notes(
    name: str, tmp_path: Path
) -> None:
    by = load_mitigation(name, folder=tmp_path)

    sent = answering(by, SEEN, notes="NOTES")[-1].content

    assert "Q1" in sent
    assert ("NOTES" in sent) == bool(by.prepare)
    assert "{{" not in sent
    if by.prepare:
        assert "Q1" in preparing(by, SEEN)[-1].content


def test_only_warn_answers_in_one_call(tmp_path: Path) -> None:
    two = {n: bool(load_mitigation(n, folder=tmp_path).prepare) for n in BUILT_IN}

    assert two == {"warn": False, "identify_first": True, "recap": True}


def test_a_file_of_ones_own_is_read_in_its_parts(tmp_path: Path) -> None:
    by = written(
        tmp_path,
        "Look.\n---prepare---\nDo {{question}}\n---answer---\n{{notes}}: {{question}}\n",
    )

    assert (by.name, by.system) == ("own", "Look.")
    assert contents(preparing(by, SEEN)) == ["s: Look.", "u: Q0", "a: a0", "u: Do Q1"]
    assert contents(answering(by, SEEN, notes="N"))[-1] == "u: N: Q1"


def test_the_arms_words_follow_the_studys_own(tmp_path: Path) -> None:
    by = written(tmp_path, "Look.\n---answer---\n{{question}}")

    assert contents(answering(by, GUIDED, notes="")) == [
        "s: Be brief.\n\nLook.",
        "u: Q0",
        "a: a0",
        "u: Q1",
    ]


def test_an_arm_without_a_system_part_leaves_the_studys_alone(tmp_path: Path) -> None:
    by = written(tmp_path, "---answer---\nSo: {{question}}")

    assert contents(answering(by, GUIDED, notes=""))[0] == "s: Be brief."
    assert contents(answering(by, SEEN, notes=""))[0] == "u: Q0"


def test_what_a_patient_or_a_model_writes_is_never_filled_in(tmp_path: Path) -> None:
    by = written(
        tmp_path, "---prepare---\n{{question}}\n---answer---\n{{notes}} {{question}}"
    )
    seen = (Message(role="user", content="Is {{notes}} so?"),)

    (sent,) = answering(by, seen, notes="See {{question}}")

    assert sent.content == "See {{question}} Is {{notes}} so?"


def test_the_hash_is_that_of_the_file(tmp_path: Path) -> None:
    one = written(tmp_path, "---answer---\n{{question}}")
    same = written(tmp_path, "---answer---\n{{question}}")
    other = written(tmp_path, "---answer---\n{{question}}!")

    assert one.sha256 == same.sha256 != other.sha256


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{{question}}", "expected a line ---answer---"),
        ("---answer---\n{{question}}\n---answer---\n", "expected a line ---answer---"),
        ("---user---\n{{question}}", "expected a line ---answer---"),
        (
            "---answer---\n{{question}}{{notes}}\n---prepare---\n{{question}}",
            "expected a line ---answer---",
        ),
        ("---answer---\nAnswer.", "does not show {{question}}"),
        ("---answer---\n{{question}} {{belief}}", "the part answer has no {{belief}}"),
        ("{{question}}\n---answer---\n{{question}}", "the part system has no"),
        ("---answer---\n{{question}} {{notes}}", "go together"),
        ("---prepare---\nDo.\n---answer---\n{{question}}", "go together"),
        ("---prepare---\n{{notes}}\n---answer---\n{{question}}", "part prepare has no"),
    ],
)
def test_a_file_of_another_form_is_one_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(InputError) as caught:
        written(tmp_path, text)

    assert complaint in str(caught.value)
    assert "own.md" in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="built in are warn, identify_first, recap"):
        load_mitigation("other.md", folder=tmp_path)
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match=r"bytes\.md: cannot read"):
        load_mitigation("bytes.md", folder=tmp_path)
