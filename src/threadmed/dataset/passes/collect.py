"""The two passes over the dumps: what of a record goes on, and to which part.

Posts are read first, so that a comment costs one look-up where its post is of no use.
Of a person who is neither the patient nor one who answers no words are kept, only the
place in the tree, unless all words are wanted.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from threadmed.dataset.dumps.raw import COMMENTS, AnyComment, PlainComment, RawPost
from threadmed.dataset.dumps.reader import Lines, Reading, read_file
from threadmed.dataset.dumps.reddit import (
    UNPLAIN_AUTHOR,
    UNPLAIN_BODY,
    author_of,
    comment_from,
    is_notice,
    is_plain_link,
    marker,
    plain_id,
    post_from,
)
from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.manifest import InputFile
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.spill import Parts, Taking, part_of
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import Limits, outside_window
from threadmed.records import Record


class Pass(Record, frozen=True, kw_only=True):
    """What reading one file came to."""

    file: InputFile
    read: int
    """Records that could be used."""
    dropped: dict[str, int]
    """Those of them that went no further, by reason."""


class Reader(Record, frozen=True, kw_only=True):
    """How files are read, whichever they are."""

    options: BuildOptions
    limits: Limits
    allow_partial: bool


class Live(Record, frozen=True, kw_only=True):
    """The posts whose comments are wanted."""

    authors: dict[str, str]
    """Name of the author, empty where it is gone, by the post's id."""
    all_words: bool = False
    """Whether the words of all comments are wanted, whoever wrote them."""


def read_posts(
    path: Path, parts: Parts, live: Live | None, *, reader: Reader, progress: Progress
) -> Pass:
    """Read a file of submissions; goes on: every post of the subreddit that is wanted.

    Args:
        path: The file.
        parts: Takes what goes on.
        live: The posts that are wanted; None for all.
        reader: How it is read.
        progress: Told the bytes read.

    Raises:
        InputError: If the file is missing, truncated, corrupt or no such dump.
    """
    begin = partial(PostTaking, live=live, reader=reader)
    found = _read(path, parts, begin, side="posts", reader=reader, progress=progress)
    return Pass(
        file=found.file,
        read=found.file.records,
        dropped={"other_subreddit": found.elsewhere},
    )


class FileFound(NamedTuple):
    """What reading one file came to, by however many processes."""

    file: InputFile
    elsewhere: int


def _read(
    path: Path,
    parts: Parts,
    begin: Callable[[Parts], Taking["Taken"]],
    *,
    side: Literal["posts", "comments"],
    reader: Reader,
    progress: Progress,
) -> FileFound:
    elsewhere = 0

    def read(blocks: Iterator[bytes]) -> Lines:
        nonlocal elsewhere
        lines = Lines()
        for taken in parts.take(begin, blocks):
            lines.add(taken.lines)
            elsewhere += taken.elsewhere
        return lines

    file = read_file(
        path,
        read,
        side=side,
        allow_partial=reader.allow_partial,
        progress=progress,
    )
    return FileFound(file, elsewhere)


class PostPass:
    """Takes the submissions of one file.

    Args:
        parts: Takes what goes on.
        live: The posts that are wanted; None for all.
        reader: How the file is read.
    """

    def __init__(self, parts: Parts, live: Live | None, reader: Reader) -> None:
        self.elsewhere = 0
        self._parts = parts
        self._wanted = None if live is None else live.authors
        self._limits = reader.limits
        self._here: dict[str | None, bool] = {None: True}
        self._subreddit = reader.options.subreddit.casefold()

    def accept(self, raws: list[RawPost]) -> list[tuple[int, str]]:
        """Take some submissions; returns which cannot be used, and why."""
        faults: list[tuple[int, str]] = []
        waiting = self._parts.waiting
        for place, raw in enumerate(raws):
            if not self._is_here(raw.subreddit):
                self.elsewhere += 1
                continue
            post = post_from(raw)
            if isinstance(post, str):
                faults.append((place, post))
                continue
            if self._wanted is not None and post.id not in self._wanted:
                continue
            if outside_window(post, self._limits):
                # Only its id is needed any more, to tell its copies.
                post = msgspec.structs.replace(post, title="", body="")
            waiting[part_of(post.id, len(waiting))].append(post)
        self._parts.settle()
        return faults

    def _is_here(self, subreddit: str | None) -> bool:
        found = self._here.get(subreddit)
        if found is None:
            # None is known from the start.
            found = str(subreddit).casefold() == self._subreddit
            self._here[subreddit] = found
        return found


def read_comments(
    path: Path, parts: Parts, live: Live, *, reader: Reader, progress: Progress
) -> Pass:
    """Read a file of comments; goes on: every comment under a post that is wanted.

    Raises:
        InputError: If the file is missing, truncated, corrupt or no such dump.
    """
    begin = partial(CommentTaking, live=live, reader=reader)
    found = _read(path, parts, begin, side="comments", reader=reader, progress=progress)
    return Pass(
        file=found.file,
        read=found.file.records,
        dropped={"post_not_kept": found.elsewhere},
    )


class _Answers(dict[str | None, bool]):
    """Whether the words of people with a flair are wanted, found out once."""

    def __init__(self, options: BuildOptions, *, all_words: bool) -> None:
        super().__init__({None: all_words})
        self._roles = Roles(options)
        self._all_words = all_words

    def __missing__(self, flair: str) -> bool:
        found = self[flair] = self._all_words or self._roles.answers(flair)
        return found


Home = tuple[str, str, list[object]]
"""The id of a post, its author, and where records of its part wait."""


class CommentPass:
    """Takes the comments of one file.

    Args:
        parts: Takes what goes on.
        live: The posts whose comments are wanted.
        reader: How the file is read.
    """

    def __init__(self, parts: Parts, live: Live, reader: Reader) -> None:
        self.elsewhere = 0
        self._parts = parts
        # A physician's flair may make other comments of the same person answers.
        all_words = live.all_words or reader.options.flair_of == "post"
        self._answers = _Answers(reader.options, all_words=all_words)
        waiting = parts.waiting
        self._homes = {
            f"t3_{post}": (post, author, waiting[part_of(post, len(waiting))])
            for post, author in live.authors.items()
        }

    def accept(self, raws: list[AnyComment]) -> list[tuple[int, str]]:
        """Take some comments; returns which cannot be used, and why.

        Most of what a dump holds goes through here: what is plain is taken as it
        stands, and only what is not is looked at more closely.
        """
        faults: list[tuple[int, str]] = []
        homes, answers = self._homes, self._answers
        for place, raw in enumerate(raws):
            home = homes.get(raw.link_id)  # type: ignore[arg-type]
            if home is None:
                if is_plain_link(raw.link_id):
                    self.elsewhere += 1
                    continue
            elif isinstance(raw, PlainComment) and _take_plain(raw, home, answers):
                continue
            fault = self._accept_odd(raw)
            if fault is not None:
                faults.append((place, fault))
        self._parts.settle()
        return faults

    def _accept_odd(self, raw: AnyComment) -> str | None:
        """Take a comment of any form, also one whose post is not wanted."""
        identity = plain_id(raw.link_id)
        if not identity:
            return "no_post"
        home = self._homes.get(f"t3_{identity}")
        if home is None:
            self.elsewhere += 1
            return None
        post, patient, waiting = home
        comment = comment_from(
            raw,
            post=post,
            patient=patient,
            is_answer=self._answers[raw.author_flair_text],
        )
        if isinstance(comment, str):
            return comment
        waiting.append(comment)
        return None


def _take_plain(
    raw: PlainComment, home: Home, answers: Mapping[str | None, bool]
) -> bool:
    """Take a comment whose fields are of the common forms; returns whether it is one.

    What it adds is a `Comment`, field by field, and the same as `comment_from` makes.
    """
    identity, parent = raw.id, raw.parent_id
    kind, replied = parent[:3], parent[3:]
    is_plain = (
        kind in {"t1_", "t3_"}
        and identity
        and replied
        and (identity + replied).isalnum()
        and (identity + parent).islower()
        and not (raw.removal_reason or raw.banned_at_utc or raw.meta)
    )
    if not is_plain:
        return False
    post, patient, waiting = home
    author, body, loss = raw.author, raw.body, None
    if author[:1] in UNPLAIN_AUTHOR:
        author = author_of(author)
    if body[:1] in UNPLAIN_BODY:
        loss = marker(body)
    is_patient = raw.is_submitter is True or (author == patient and author != "")
    is_needed = loss is None and (is_patient or answers[raw.author_flair_text])
    waiting.append(
        (
            post,
            identity,
            replied if kind == "t1_" else "",
            raw.created_utc,
            author,
            raw.author_flair_text or "",
            is_patient,
            body if is_needed else "",
            raw.distinguished is not None and is_notice(raw),
            bool(raw.edited),
            loss,
            # Neither, if either is not said, and the later of the two.
            max(
                -1 if raw.retrieved_on is None else raw.retrieved_on,
                raw.retrieved_utc or -1,
            ),
        )
    )
    return True


class Taken(NamedTuple):
    """What some blocks of a file came to."""

    lines: Lines
    elsewhere: int


class PostTaking:
    """Takes blocks of submissions; what goes on is in the parts once it ends."""

    def __init__(self, parts: Parts, *, live: Live | None, reader: Reader) -> None:
        self._parts = parts
        self._pass = PostPass(parts, live, reader)
        self._reading = Reading((RawPost,), self._pass.accept)
        self.take = self._reading.take_block

    def end(self) -> Taken:
        """Give what they came to."""
        self._parts.settle(at=1)
        return Taken(lines=self._reading.lines, elsewhere=self._pass.elsewhere)


class CommentTaking:
    """Takes blocks of comments; what goes on is in the parts once it ends."""

    def __init__(self, parts: Parts, *, live: Live, reader: Reader) -> None:
        self._parts = parts
        self._pass = CommentPass(parts, live, reader)
        self._reading = Reading(COMMENTS, self._pass.accept)
        self.take = self._reading.take_block

    def end(self) -> Taken:
        """Give what they came to."""
        self._parts.settle(at=1)
        return Taken(lines=self._reading.lines, elsewhere=self._pass.elsewhere)
