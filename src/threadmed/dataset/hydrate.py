"""From an ids-only release and a person's own dump back to threads.

What has been deleted since, or is not in the dump, is not in the threads either: a
question that is gone takes its thread with it, and an answer that is gone leaves its
question an orphan.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from threadmed.dataset.clean import (
    RULES_AS_READ,
    cleaned,
    limits_of,
    question_of,
    why_drop_comment,
    why_drop_post,
    words_left,
)
from threadmed.dataset.collect import Live, Reader, read_comments, read_posts
from threadmed.dataset.executors import Executor
from threadmed.dataset.funnel import Funnel
from threadmed.dataset.gather import (
    Found,
    Pieces,
    TurnSource,
    by_post,
    keep_posts,
    known_by,
    merged,
    year_of,
)
from threadmed.dataset.inputs import Dump, parts_for
from threadmed.dataset.manifest import InputFile, Manifest
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.reddit import Comment, Post
from threadmed.dataset.release import Release, ThreadSource, write_release
from threadmed.dataset.streams import Progress
from threadmed.errors import InputError
from threadmed.records import Record, ThreadId, Turn
from threadmed.store import read_json, read_records

Gone = Literal["post_gone", "question_gone", "all_answers_gone"]
"""Why a thread cannot be made again."""


class Restored(Record, frozen=True, kw_only=True):
    """What a part gave of the threads that are wanted."""

    found: dict[ThreadId, Found]
    gone: dict[str, int]
    """Threads that cannot be made again, by reason."""


def hydrate(
    ids: Path,
    dump: Dump,
    out: Path,
    *,
    executor: Executor,
    progress: Progress | None = None,
) -> Manifest:
    """Make the threads of an ids-only release again, and write them to a folder.

    Threads keep their names, so that labels and scores made elsewhere fit.

    Args:
        ids: Folder of the release.
        dump: The files to take the words from.
        out: Folder for the dataset.
        executor: Where the work is done.
        progress: Told the file that is being read, the bytes read, and all bytes.

    Raises:
        InputError: If the folder holds no such release, if none of its threads is in
            the dump, if a file cannot be read, or if `out` cannot be written.
    """
    sources, manifest = _read(ids)
    inputs, restored = _restored(sources, manifest.options, dump, executor, progress)
    found: dict[ThreadId, Found] = {}
    gone: Counter[str] = Counter()
    for part in restored:
        found |= part.found
        gone.update(part.gone)
    gone["post_not_in_dump"] = len(sources) - len(found) - gone.total()
    if not found:
        raise InputError(
            f"{ids}: none of its {len(sources):,} threads can be made of these files "
            f"({dict(+gone)}); are they of r/{manifest.options.subreddit} and of its "
            "years?"
        )
    funnel = Funnel()
    funnel.step("hydrate", "threads", len(sources), +gone)
    release = Release(
        options=manifest.options,
        inputs=inputs,
        found={name: found[name] for name in sorted(found)},
        funnel=(*manifest.funnel, *funnel.rows),
        years={year.year: year.posts for year in manifest.years},
        flair=manifest.flair,
        observed=manifest.observed,
    )
    return write_release(release, out)


def _restored(
    sources: Sequence[ThreadSource],
    options: BuildOptions,
    dump: Dump,
    executor: Executor,
    progress: Progress | None,
) -> tuple[tuple[InputFile, ...], tuple[Restored, ...]]:
    """Read the files, the posts first, and make the threads that are wanted."""
    told = progress or (lambda _what, _done, _total: None)
    reader = Reader(
        options=options, limits=limits_of(options), allow_partial=dump.allow_partial
    )
    wanted = Live(authors={source.post: "" for source in sources}, all_words=True)
    parts = parts_for(dump)
    posts = executor.sort(
        partial(read_posts, reader=reader),
        dump.posts,
        wanted,
        parts=parts,
        progress=told,
    )
    for kept in executor.each_part(partial(keep_posts, reader=reader), posts):
        wanted.authors.update(kept.authors)
    comments = executor.sort(
        partial(read_comments, reader=reader),
        dump.comments,
        wanted,
        parts=parts,
        progress=told,
    )
    restored = executor.each_part(
        partial(restore, sources=sources, reader=reader), posts, comments
    )
    return (
        tuple(one.file for one in (*posts.results, *comments.results)),
        tuple(restored),
    )


def _read(folder: Path) -> tuple[Sequence[ThreadSource], Manifest]:
    sources = read_records(folder / "ids.jsonl", ThreadSource)
    manifest = read_json(folder / "manifest.json", Manifest)
    if not sources:
        raise InputError(f"{folder / 'ids.jsonl'}: has no threads")
    return sources, manifest


def restore(
    posts: Pieces,
    comments: Pieces,
    *,
    sources: Sequence[ThreadSource],
    reader: Reader,
) -> Restored:
    """Make the threads again whose posts are in a part."""
    wanted = {source.post: source for source in sources}
    under, _ = by_post(comments, reader)
    found: dict[ThreadId, Found] = {}
    gone: Counter[str] = Counter()
    for post in merged(posts, wanted, reader):
        source = wanted[post.id]
        made = _made(post, under.get(post.id, []), source, reader)
        if isinstance(made, Found):
            found[source.thread_id] = made
        else:
            gone[made] += 1
    return Restored(found=found, gone=dict(gone))


def _made(
    post: Post, comments: Sequence[Comment], source: ThreadSource, reader: Reader
) -> Found | Gone:
    limits = reader.limits
    if why_drop_post(post, limits, rules=RULES_AS_READ):
        return "post_gone"
    words = {
        comment.id: text
        for comment in comments
        if why_drop_comment(comment, limits) is None
        and (text := words_left(comment.body, limits))
    }
    asked = {identity for turn in source.turns for identity in turn.questions}
    if not asked <= words.keys():
        return "question_gone"
    opening = question_of(cleaned(post, limits), reader.options.text)
    sources = tuple(
        TurnSource(
            questions=turn.questions,
            answers=tuple(answer for answer in turn.answers if answer in words),
        )
        for turn in source.turns
    )
    if not any(turn.answers for turn in sources):
        return "all_answers_gone"
    return Found(
        post=post.id,
        year=year_of(post.created),
        turns=tuple(_turns(opening, sources, words)),
        sources=sources,
        flags=(),
        known=known_by(post, comments, limits),
    )


def _turns(
    opening: str, sources: Iterable[TurnSource], words: Mapping[str, str]
) -> Iterator[Turn]:
    for place, source in enumerate(sources):
        asked = [words[identity] for identity in source.questions]
        answers = [words[identity] for identity in source.answers]
        yield Turn(
            question="\n\n".join([opening, *asked] if place == 0 else asked),
            answer="\n\n".join(answers) or None,
        )
