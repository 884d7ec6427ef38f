"""A dump sorted into parts: its posts, then the comments under those kept; edge."""

from collections import Counter
from collections.abc import Mapping
from functools import partial

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
from threadmed.dataset.passes.gather import keep_posts
from threadmed.records import Record


class SortedDump(Record, frozen=True, kw_only=True):
    """What lies in the parts once a dump is read."""

    posts: Sorted[Pass]
    comments: Sorted[Pass]
    """Those under the posts that are kept, or that were asked for."""
    dropped: dict[str, int]
    """Posts that are not kept, by reason."""
    years: dict[int, int]
    """Posts that are kept, by the year, UTC, in which they were written."""

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
) -> SortedDump:
    """Sort the posts of a dump, and the comments under those that are kept.

    Args:
        dump: The files.
        reader: How they are read.
        executor: Where the work is done.
        progress: Told the file that is being read, the bytes read, and all bytes.
        wanted: Authors, by the ids of the only posts that are wanted, kept or not; empty
            where nobody knows them. None for all posts.
        all_words: Keep the words of all comments.

    Raises:
        InputError: If a file is missing, truncated, corrupt or no dump of its kind.
    """
    told = progress or (lambda _what, _done, _total: None)
    sort = partial(executor.sort, parts=parts_for(dump), progress=told)
    only = None if wanted is None else Live(authors=dict(wanted))
    authors = dict(wanted or {})
    dropped: Counter[str] = Counter()
    years: Counter[int] = Counter()
    with memory_kept():
        posts = sort(partial(read_posts, reader=reader), dump.posts, only)
        for kept in executor.each_part(partial(keep_posts, reader=reader), posts):
            authors.update(kept.authors)
            dropped.update(kept.dropped)
            years.update(kept.years)
        live = Live(authors=authors, all_words=all_words)
        comments = sort(partial(read_comments, reader=reader), dump.comments, live)
    return SortedDump(posts=posts, comments=comments, dropped=dropped, years=years)
