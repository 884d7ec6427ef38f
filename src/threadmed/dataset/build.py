"""From dump files to a dataset folder; the door of the room."""

import csv
import gc
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, TypeVar

from threadmed import __version__
from threadmed.dataset.clean import BOTS, Limits
from threadmed.dataset.collect import Comments, Posts, Roles
from threadmed.dataset.dumps import read_dump
from threadmed.dataset.funnel import Funnel
from threadmed.dataset.manifest import (
    BothStatistics,
    InputFile,
    Manifest,
    RoleCount,
)
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.privacy import scrub, thread_ids
from threadmed.dataset.raw import RawComment, RawPost
from threadmed.dataset.statistics import describe
from threadmed.dataset.threads import Account, thread_of
from threadmed.errors import InputError
from threadmed.records import Thread, Turn
from threadmed.store import atomic, write_json, write_parquet, write_records, write_text

Raw = TypeVar("Raw", RawPost, RawComment)

DEFAULTS = BuildOptions()


def build(
    posts: Sequence[Path],
    comments: Sequence[Path],
    out: Path,
    *,
    options: BuildOptions = DEFAULTS,
    allow_partial: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Manifest:
    """Make de-identified threads from dumps and write them to a folder.

    Writes complete.jsonl and answered.jsonl, both also as .parquet, flair_census.csv
    and manifest.json; either all of them or none.
    The same records give the same threads, byte for byte, in whatever order and in
    however many files they come.

    Args:
        posts: Dump files of submissions.
        comments: Dump files of comments.
        out: Folder for the dataset.
        options: Choices that decide what a thread is.
        allow_partial: Use truncated or corrupt files as far as they can be read.
        progress: Told the file that is being read, the bytes read, and all bytes.

    Raises:
        InputError: If a file is missing, truncated, corrupt or no dump of its kind,
            or if the folder cannot be written.
    """
    if not (posts and comments):
        raise InputError("a build needs at least one file of posts and one of comments")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is there already and is no folder")
    making = _Making(options, allow_partial=allow_partial, progress=progress)
    with _garbage_collection_paused():
        threads = making.threads(posts, comments)
    answered = [
        thread for thread in threads if all(turn.answer for turn in thread.turns)
    ]
    manifest = making.manifest(threads, answered)
    _write(out, threads, answered, manifest)
    return manifest


class _Making:
    """A build under way."""

    def __init__(
        self,
        options: BuildOptions,
        *,
        allow_partial: bool,
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        self.options = options
        self.inputs: list[InputFile] = []
        self.funnel = Funnel()
        self.account = Account()
        self.scrubbed: Counter[str] = Counter()
        self._allow_partial = allow_partial
        self._progress = progress or (lambda _what, _done, _total: None)
        self._roles = Roles(options)
        self._limits = Limits(
            start=_first_second(options.window_start),
            end=_first_second(options.window_end),
            min_words=options.min_words,
            bots=BOTS | {name.casefold() for name in options.known_bots},
        )

    def threads(
        self, post_files: Sequence[Path], comment_files: Sequence[Path]
    ) -> list[Thread]:
        """Read all files, the posts first, and make threads, in order of their names."""
        posts = Posts(self._limits, self.options)
        for path in post_files:
            self._read(path, RawPost, posts.accept, side="posts")
        kept = posts.kept()
        left = self.funnel.step("keep posts", "posts", posts.read, posts.dropped)
        comments = Comments(kept, self._roles)
        for path in comment_files:
            self._read(path, RawComment, comments.accept, side="comments")
        made = self._turns(comments)
        account = self.account
        self.funnel.step(
            "keep comments",
            "comments",
            comments.read,
            comments.dropped + account.comments,
        )
        left = self.funnel.step("select branch", "posts", left, account.posts)
        self.funnel.step("keep threads", "threads", left, account.threads)
        names = thread_ids(made, seed=self.options.seed)
        return [
            Thread(thread_id=name, turns=tuple(map(self._scrubbed, made[post])))
            for post, name in names.items()
        ]

    def _read(
        self,
        path: Path,
        kind: type[Raw],
        accept: Callable[[Raw], str | None],
        *,
        side: Literal["posts", "comments"],
    ) -> None:
        self.inputs.append(
            read_dump(
                path,
                kind,
                accept,
                side=side,
                allow_partial=self._allow_partial,
                progress=self._progress,
            )
        )

    def _turns(self, comments: Comments) -> dict[str, tuple[Turn, ...]]:
        """Make the turns of every post that gives a thread, by its id."""
        made = {}
        for post, under in comments.by_post():
            turns = thread_of(
                post,
                under,
                limits=self._limits,
                options=self.options,
                roles=self._roles,
                account=self.account,
            )
            if turns is not None:
                made[post.id] = turns
        return made

    def _scrubbed(self, turn: Turn) -> Turn:
        return Turn(
            question=scrub(turn.question, counts=self.scrubbed),
            answer=turn.answer and scrub(turn.answer, counts=self.scrubbed),
        )

    def manifest(
        self, threads: Sequence[Thread], answered: Sequence[Thread]
    ) -> Manifest:
        """Say what was done."""
        orphans = len(threads) - len(answered)
        dropped = Counter({"unanswered_question": orphans} if orphans else {})
        self.funnel.step("fully answered", "threads", len(threads), dropped)
        census = sorted(self.account.flair.items(), key=lambda item: (-item[1], item))
        return Manifest(
            tool=f"threadmed {__version__}",
            partial=any(file.cut_at is not None for file in self.inputs),
            inputs=tuple(sorted(self.inputs, key=_input_order)),
            options=self.options,
            funnel=tuple(self.funnel.rows),
            statistics=BothStatistics(
                complete=describe(threads), answered=describe(answered)
            ),
            flair=tuple(
                RoleCount(
                    flair=scrub(flair, counts=Counter()),
                    role=self._roles.of(flair),
                    comments=count,
                )
                for flair, count in census
            ),
            scrubbed=dict(sorted(self.scrubbed.items())),
            observed=dict(sorted((+self.account.observed).items())),
        )


def _input_order(file: InputFile) -> tuple[bool, str, str]:
    return file.side == "comments", file.name, file.sha256


def _first_second(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Keep the collector from walking millions of records that all live on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _write(
    out: Path, threads: Sequence[Thread], answered: Sequence[Thread], manifest: Manifest
) -> None:
    """Write all files beside their places, and move them there once all are whole."""
    with ExitStack() as stack:

        def place(name: str) -> Path:
            return stack.enter_context(atomic(out / name))

        # The places are filled in the reverse order, so that the manifest comes last.
        write_json(place("manifest.json"), manifest)
        write_text(place("flair_census.csv"), _census(manifest.flair))
        for name, those in (("complete", threads), ("answered", answered)):
            write_records(place(f"{name}.jsonl"), those)
            write_parquet(place(f"{name}.parquet"), those)


def _census(flair: Sequence[RoleCount]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(RoleCount.__struct_fields__)
    rows.writerows((row.flair, row.role, row.comments) for row in flair)
    return text.getvalue()
