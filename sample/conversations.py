"""The 32 hand-written conversations as posts with comments, as they would be found."""

from pathlib import Path
from typing import Literal

import msgspec
from forum import Comment, Post, draw, pick

# Conversations that speak of a season or of their time.
MONTHS = {
    "S05": 10, "S09": 2, "S10": 8, "S18": 6, "S22": 7, "S26": 5, "S27": 10, "S31": 8,
}  # fmt: skip

FLAIRS = (
    "Physician",
    "Physician | Moderator",
    "Physician - Internal Medicine",
    "Physician - Family Medicine",
    "Physician - Emergency Medicine",
    "General Practitioner",
    "M.D.",
    "Physician, Top Contributor",
)


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A patient's message, the answer and what the writer knew about both."""

    question: str
    answer: str | None
    misconception: bool
    belief: str | None
    correction: str | None
    harm: Literal["mild", "serious", "urgent"] | None


class SideComment(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody who is no physician wrote beside a turn."""

    after_turn: int
    flair: str | None
    text: str


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """One of the threads of threads.json."""

    id: str
    title: str
    year: int
    turns: tuple[Turn, ...]
    side_comments: tuple[SideComment, ...]

    def first_question(self) -> str:
        """Give the first question as a build makes it of the post."""
        return f"{self.title}\n\n{self.turns[0].question}"


def read_conversations(path: Path) -> tuple[Conversation, ...]:
    """Read threads.json."""
    return msgspec.json.decode(path.read_bytes(), type=tuple[Conversation, ...])


def physician(conversation: Conversation, turn: int) -> str:
    """Say which flair answers: in every fifth thread a second physician takes over."""
    changes = draw(f"{conversation.id}/changes", 5) == 0
    late = changes and turn > len(conversation.turns) // 2
    first = draw(f"{conversation.id}/flair", len(FLAIRS))
    return FLAIRS[(first + late) % len(FLAIRS)]


def beside(conversation: Conversation, turn: int) -> tuple[Comment, ...]:
    """Give the side comments of one turn."""
    return tuple(
        Comment(by=side.flair or "unflaired", text=side.text)
        for side in conversation.side_comments
        if side.after_turn == turn
    )


def under_question(conversation: Conversation, turn: int) -> tuple[Comment, ...]:
    """Give what hangs under the message of one turn: the answer and all that follows.

    Without an answer the patient writes on under the message before.
    """
    around = beside(conversation, turn)
    following = turn + 1 < len(conversation.turns)
    onward: tuple[Comment, ...] = ()
    if following:
        question = conversation.turns[turn + 1].question
        replies = under_question(conversation, turn + 1)
        onward = (Comment(by="op", text=question, replies=replies),)
    answer = conversation.turns[turn].answer
    if answer is None:
        return (*around, *onward)
    flair = physician(conversation, turn)
    twice = draw(f"{conversation.id}/{turn}/twice", 25) == 0
    return (Comment(by=flair, text=answer, twice=twice, replies=onward), *around)


def as_post(conversation: Conversation, others: tuple[Comment, ...]) -> Post:
    """Put a conversation under a post, with other comments beside its branch."""
    latest = 5 if conversation.year == 2023 else 11
    drawn = 1 + draw(f"{conversation.id}/month", latest)
    month = MONTHS.get(conversation.id, drawn)
    # The mark that the web editor of those years left where a blank line was typed.
    tail = pick(conversation.id, ("", "", "\n\n&#x200B;"))
    return Post(
        when=f"{conversation.year}-{month:02}",
        title=conversation.title,
        body=conversation.turns[0].question
        + (tail if conversation.year >= 2018 else ""),
        comments=(*under_question(conversation, 0), *others),
    )
