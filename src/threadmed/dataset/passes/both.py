"""Both passes over a dump, the posts first; edge."""

from collections.abc import Mapping
from functools import partial

import msgspec

from threadmed.dataset.dumps.streams import Progress, memory_kept
from threadmed.dataset.inputs import Dump, parts_for
from threadmed.dataset.manifest import InputFile
from threadmed.dataset.passes.collect import (
    Live,
    Pass,
    Reader,
    read_comments,
    read_posts,
)
from threadmed.dataset.passes.executors import Executor, Sorted
from threadmed.dataset.passes.gather import KeptPosts, keep_posts
from threadmed.records import Record


class Read(Record, frozen=True, kw_only=True):
    """What lies in the parts once a dump is read."""

    posts: Sorted[Pass]
    kept: tuple[KeptPosts, ...]
    """One a part, without the authors, which are many."""
    comments: Sorted[Pass]

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The files, those of posts first."""
        passes = (*self.posts.results, *self.comments.results)
        return tuple(one.file for one in passes)


def read_dump(
    dump: Dump,
    *,
    reader: Reader,
    executor: Executor,
    progress: Progress | None = None,
    wanted: Mapping[str, str] | None = None,
    all_words: bool = False,
) -> Read:
    """Sort the posts of a dump, and the comments under those that are kept.

    Args:
        dump: The files.
        reader: How they are read.
        executor: Where the work is done.
        progress: Told the file that is being read, the bytes read, and all bytes.
        wanted: Authors by the ids of the only posts that are wanted, kept or not, empty
            where nobody knows them; None for all that are kept.
        all_words: Keep the words of all comments.

    Raises:
        InputError: If a file is missing, truncated, corrupt or no dump of its kind.
    """
    told = progress or (lambda _what, _done, _total: None)
    live = Live(authors=dict(wanted or {}), all_words=all_words)
    kept = []
    sort = partial(executor.sort, parts=parts_for(dump), progress=told)
    with memory_kept():
        posts = sort(
            partial(read_posts, reader=reader),
            dump.posts,
            None if wanted is None else live,
        )
        for one in executor.each_part(partial(keep_posts, reader=reader), posts):
            live.authors.update(one.authors)
            kept.append(msgspec.structs.replace(one, authors={}))
        comments = sort(partial(read_comments, reader=reader), dump.comments, live)
    return Read(posts=posts, kept=tuple(kept), comments=comments)
