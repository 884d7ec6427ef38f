"""Posts and comments of tests, in as few words as they can be written."""

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.threads.tree import Node, Speaker

POST = "Knee pain\n\nMy left knee hurts when I run"

START = 1_550_000_000
"""When the post of the tests was written, in February 2019."""

SPEAKERS: dict[str, Speaker] = {
    "P": "patient",
    "D": "physician",
    "E": "physician",
    "L": "other",
}

PEOPLE: dict[str, dict[str, Any]] = {
    "P": {"author": "ann", "is_patient": True},
    "D": {"author": "dee", "flair": "Physician"},
    "E": {"author": "eve", "flair": "M.D. | Moderator"},
    "d": {"author": "dee"},
    "F": {"author": "fay", "flair": "Dentist"},
    "N": {"author": "ned", "flair": "Registered Nurse"},
    "S": {"author": "sam", "flair": "EMT/Medical Student"},
    "L": {"author": "lee"},
    "B": {"author": "AutoModerator", "is_notice": True},
    "X": {"author": "", "loss": "deleted"},
}
"""Who writes: the patient, physicians (one of them also without the flair), a dentist,
a nurse, a student, a layperson, a bot, and somebody whose account is gone."""


def talk(*lines: str) -> list[Node]:
    """Make comments of "id parent speaker text" in time order; "." is the post."""
    made = []
    for time, line in enumerate(lines):
        one, parent, who, *words = line.split(" ")
        node = Node(
            id=one,
            parent="" if parent == "." else parent,
            time=time,
            speaker=SPEAKERS[who],
            author=who,
            text=" ".join(words),
        )
        made.append(node)
    return made


def marked(nodes: Sequence[Node], one: str, **changes: Any) -> list[Node]:
    """Change one of the nodes."""
    return [
        msgspec.structs.replace(node, **changes) if node.id == one else node
        for node in nodes
    ]


def post(**changes: Any) -> Post:
    """Make a post as it is read."""
    fields: dict[str, Any] = {
        "id": "p",
        "created": START,
        "author": "ann",
        "title": "Knee pain",
        "body": "My left knee hurts when I run",
        "medium": "text",
        "is_notice": False,
        "is_edited": False,
        "loss": None,
        "retrieved": -1,
        "stated_comments": 9,
    }
    return Post(**{**fields, **changes})


def comment(**changes: Any) -> Comment:
    """Make a comment as it is read."""
    fields: dict[str, Any] = {
        "post": "p",
        "id": "c",
        "parent": "",
        "created": START + 60,
        "author": "bob",
        "flair": "",
        "is_patient": False,
        "body": "",
        "is_notice": False,
        "is_edited": False,
        "loss": None,
        "retrieved": -1,
    }
    return Comment(**{**fields, **changes})


def under(*lines: str, **marks: dict[str, Any]) -> list[Comment]:
    """Make comments of "id parent who text", five minutes apart, and change some."""
    made = []
    for place, line in enumerate(lines, start=1):
        one, parent, who, *words = line.split(" ")
        fields: dict[str, Any] = {
            "id": one,
            "parent": "" if parent == "." else parent,
            "created": START + 300 * place,
            "body": " ".join(words),
        }
        made.append(comment(**{**fields, **PEOPLE[who], **marks.get(one, {})}))
    return made


IDS = [*"abcdefgh", "aa", "ab"]


@st.composite
def forests(draw: st.DrawFn) -> list[Node]:
    """Comments of any shape: circles, self-parents, missing parents, equal times."""
    ids = draw(st.lists(st.sampled_from(IDS), unique=True))
    return [
        Node(
            id=one,
            parent=draw(st.sampled_from(["", "", "gone", *IDS])),
            time=draw(st.integers(0, 3)),
            speaker=draw(st.sampled_from(["patient", "physician", "other"])),
            author=draw(st.sampled_from(["", "ann", "bob"])),
            text=draw(st.sampled_from(["", "knee", "run on", "thanks", f"said {one}"])),
            fate=draw(st.sampled_from(["kept", "kept", "kept", "gone", "ignored"])),
        )
        for one in ids
    ]
