"""One file of a dump: what of a record goes on, and to which part.

Posts are read first, so that a comment costs one look-up where its post is of no use.
Of a person who is neither the patient nor one who answers no words are kept, only the
place in the tree, unless all words are wanted.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from threadmed.dataset.dumps.raw import RawComment, RawPost
from threadmed.dataset.dumps.reader import Reading, read_file
from threadmed.dataset.dumps.reddit import (
    CATEGORIES,
    comment_from,
    plain_id,
    post_from,
)
from threadmed.dataset.dumps.scanner import Scanned, Scanner, Task, library
from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.manifest import InputFile
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.spill import Parts, part_of
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import Limits, outside_window
from threadmed.records import Record

MOST_WORDS = 1 << 20
"""More than the scanner looks at in any text, of which none then has enough."""

HELD_BYTES = 1 << 25
"""Of records that wait in memory before they are written."""


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


class Scanning:
    """What the scanner in C takes of a file, on its way to the parts.

    Args:
        task: What is to be taken.
        parts: Takes what it gives.
    """

    def __init__(self, task: Task, parts: Parts) -> None:
        loaded = library()
        self.elsewhere = 0
        self._scanner = None if loaded is None else Scanner(task, loaded)
        self._parts = parts

    @property
    def scan(self) -> Callable[[bytes | memoryview], Scanned] | None:
        """Takes what is plain of a block; None where there is no scanner."""
        return None if self._scanner is None else partial(self._scan, self._scanner)

    def _scan(self, scanner: Scanner, block: bytes | memoryview) -> Scanned:
        scanned = scanner.scan(block)
        self.elsewhere += scanned.elsewhere
        if scanned.held >= HELD_BYTES:
            self._settle(scanner)
        return scanned

    def _settle(self, scanner: Scanner) -> None:
        for number, frame in scanner.fetch():
            self._parts.add(number, frame)

    def end(self) -> None:
        """Write what waits, of the scanner's and of all others."""
        if self._scanner is not None:
            self._settle(self._scanner)
        self._parts.settle(at=1)


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
    taking = PostPass(parts, live, reader)
    task = Task(
        side="posts",
        parts=len(parts.waiting),
        wanted=None if live is None else live.authors,
        window=(reader.limits.start, reader.limits.end),
        least_words=min(max(reader.limits.min_words, 1), MOST_WORDS),
        subreddit=reader.options.subreddit.casefold(),
        bots=reader.limits.bots,
        losses=CATEGORIES,
    )
    scanning = Scanning(task, parts)
    reading = Reading(RawPost, taking.accept, scan=scanning.scan)
    file = read_file(
        path,
        reading,
        side="posts",
        allow_partial=reader.allow_partial,
        progress=progress,
    )
    scanning.end()
    return Pass(
        file=file,
        read=file.records,
        dropped={"other_subreddit": taking.elsewhere + scanning.elsewhere},
    )


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
    taking = CommentPass(parts, live, reader)
    task = Task(
        side="comments",
        parts=len(parts.waiting),
        wanted=live.authors,
        is_flair_wanted=taking.is_wanted,
        bots=reader.limits.bots,
    )
    scanning = Scanning(task, parts)
    reading = Reading(RawComment, taking.accept, scan=scanning.scan)
    file = read_file(
        path,
        reading,
        side="comments",
        allow_partial=reader.allow_partial,
        progress=progress,
    )
    scanning.end()
    return Pass(
        file=file,
        read=file.records,
        dropped={"post_not_kept": taking.elsewhere + scanning.elsewhere},
    )


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
        self._all_words = live.all_words or reader.options.flair_of == "post"
        self._roles = Roles(reader.options)
        self._authors = live.authors

    def is_wanted(self, flair: str | None) -> bool:
        """Whether the words of people with a flair are kept."""
        return self._all_words or (flair is not None and self._roles.answers(flair))

    def accept(self, raws: list[RawComment]) -> list[tuple[int, str]]:
        """Take some comments; returns which cannot be used, and why."""
        faults: list[tuple[int, str]] = []
        for place, raw in enumerate(raws):
            fault = self._take(raw)
            if fault is not None:
                faults.append((place, fault))
        self._parts.settle()
        return faults

    def _take(self, raw: RawComment) -> str | None:
        post = plain_id(raw.link_id)
        if not post:
            return "no_post"
        patient = self._authors.get(post)
        if patient is None:
            self.elsewhere += 1
            return None
        comment = comment_from(
            raw,
            post=post,
            patient=patient,
            is_answer=self.is_wanted(raw.author_flair_text),
        )
        if isinstance(comment, str):
            return comment
        waiting = self._parts.waiting
        waiting[part_of(post, len(waiting))].append(comment)
        return None
