"""From dump files to a dataset folder; the door of the room."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.funnel import Funnel
from threadmed.dataset.inputs import Dump
from threadmed.dataset.manifest import FunnelStep, Manifest, RoleCount
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.collect import Pass, Reader
from threadmed.dataset.passes.dump import SortedDump, read_dump
from threadmed.dataset.passes.executors import Executor, local
from threadmed.dataset.passes.gather import (
    Found,
    Gathered,
    explain_post,
    make_threads,
)
from threadmed.dataset.privacy.known import thread_ids
from threadmed.dataset.release import Release, write_release
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import limits_of
from threadmed.dataset.threads.explain import Explanation
from threadmed.dataset.threads.thread import Account
from threadmed.errors import InputError
from threadmed.records import ThreadId

DEFAULTS = BuildOptions()


def build(
    dump: Dump,
    out: Path,
    *,
    options: BuildOptions = DEFAULTS,
    progress: Progress | None = None,
) -> Manifest:
    """Make de-identified threads from dumps and write them to a folder.

    What `gather` and `write_release` do, with the local executor and its parts
    beside the folder.

    Raises:
        InputError: If a file is missing, truncated, corrupt or no dump of its kind,
            or if the folder cannot be written.
    """
    with local(beside=out) as executor:
        gathering = gather(dump, options=options, executor=executor, progress=progress)
        return write_release(gathering.release(), out)


class Gathering:
    """All that was made of a dump, and what it was made of.

    Lasts as long as its executor does.
    """

    def __init__(self, reader: Reader, executor: Executor, read: SortedDump) -> None:
        self._reader = reader
        self._executor = executor
        self._read = read
        self.account = Account()
        self.found: list[Found] = []
        self._duplicates = self._commented = 0
        for gathered in executor.each_part(
            partial(make_threads, reader=reader), read.posts, read.comments
        ):
            self._add(gathered)
        self.names = thread_ids(
            [found.post for found in self.found], seed=reader.options.seed
        )

    def _add(self, gathered: Gathered) -> None:
        self.found += gathered.found
        self.account.add(gathered.account)
        self._duplicates += gathered.duplicates
        self._commented += gathered.commented

    def release(self) -> Release:
        """Give all that a dataset folder is written from."""
        by_post = {found.post: found for found in self.found}
        return Release(
            each=self._executor.each,
            options=self._reader.options,
            inputs=self._read.inputs,
            found={name: by_post[post] for post, name in self.names.items()},
            funnel=self._funnel(),
            years=self._read.years,
            flair=tuple(self._census()),
            observed={name: n for name, n in self.account.observed.items() if n},
        )

    def _census(self) -> Iterator[RoleCount]:
        roles = Roles(self._reader.options)
        by_count = sorted(self.account.flair.items(), key=lambda item: (-item[1], item))
        for flair, count in by_count:
            yield RoleCount(flair=flair, role=roles.of(flair), comments=count)

    def _funnel(self) -> tuple[FunnelStep, ...]:
        funnel, account = Funnel(), self.account
        posts = _dropped(self._read.posts.results) + Counter(self._read.dropped)
        read = sum(one.read for one in self._read.posts.results)
        left = funnel.step("keep posts", "posts", read, +posts)
        comments = _dropped(self._read.comments.results) + Counter(account.comments)
        comments["duplicate"] += self._duplicates
        read = sum(one.read for one in self._read.comments.results)
        funnel.step("keep comments", "comments", read, +comments)
        selected = Counter(account.posts)
        is_stated = self._reader.options.at_least_one_comment == "stated"
        unseen = "no_physician" if is_stated else "no_comments"
        selected[unseen] += left - self._commented
        left = funnel.step("select branch", "posts", left, +selected)
        left = funnel.step("keep threads", "threads", left, Counter(account.threads))
        orphans = sum(
            not all(turn.answer for turn in found.turns) for found in self.found
        )
        unanswered = Counter({"unanswered_question": orphans})
        funnel.step("fully answered", "threads", left, +unanswered)
        return tuple(funnel.rows)

    def explain(self, name: str) -> Explanation:
        """Say why a thread is as it is, or why a post gave none.

        Args:
            name: A thread's name, or the id or address of a post.

        Raises:
            InputError: If the dump holds neither.
        """
        post = self._post_of(name)
        explained = self._executor.each_part(
            partial(explain_post, post=post, reader=self._reader),
            self._read.posts,
            self._read.comments,
        )
        for explanation in explained:
            if explanation is not None:
                return explanation
        raise InputError(
            f"{name}: is neither one of the {len(self.names):,} threads of this build "
            "nor the id of a post of the subreddit in these files"
        )

    def _post_of(self, name: str) -> str:
        posts: dict[ThreadId, str] = {name: post for post, name in self.names.items()}
        address = re.search(r"/comments/(\w+)", name)
        bare = address[1] if address else name
        return posts.get(ThreadId(name.upper()), bare.lower().removeprefix("t3_"))


def gather(
    dump: Dump,
    *,
    options: BuildOptions,
    executor: Executor,
    progress: Progress | None = None,
    all_words: bool = False,
) -> Gathering:
    """Read the files of a dump, posts first, and make threads of them.

    The same records give the same threads in whatever order and in however many files
    they come, and wherever the work is done.

    Args:
        dump: The files.
        options: Choices that decide what a thread is.
        executor: Where the work is done.
        progress: Told the file that is being read, the bytes read, and all bytes.
        all_words: Keep the words of all comments, so that an explanation can show
            them; it changes no thread.

    Raises:
        InputError: If a file is missing, truncated, corrupt or no dump of its kind.
    """
    reader = Reader(
        options=options, limits=limits_of(options), allow_partial=dump.allow_partial
    )
    read = read_dump(
        dump, reader=reader, executor=executor, progress=progress, all_words=all_words
    )
    return Gathering(reader, executor, read)


def _dropped(passes: Sequence[Pass]) -> Counter[str]:
    dropped: Counter[str] = Counter()
    for one in passes:
        dropped.update(one.dropped)
    return dropped
