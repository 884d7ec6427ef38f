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

import msgspec

from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.dumps.streams import Progress
from threadmed.dataset.funnel import Funnel
from threadmed.dataset.inputs import Dump
from threadmed.dataset.manifest import InputFile, Manifest
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.collect import Reader
from threadmed.dataset.passes.dump import read_dump
from threadmed.dataset.passes.executors import Executor
from threadmed.dataset.passes.gather import (
    Found,
    Pieces,
    TurnSource,
    by_post,
    known_by,
    merged,
    year_of,
)
from threadmed.dataset.passes.spill import records
from threadmed.dataset.release import (
    Release,
    ThreadFlags,
    ThreadSource,
    write_release,
)
from threadmed.dataset.threads.clean import (
    RULES_AS_READ,
    cleaned,
    limits_of,
    question_of,
    why_drop_comment,
    why_drop_post,
    words_left,
)
from threadmed.dataset.threads.pairing import TurnFlags
from threadmed.errors import InputError
from threadmed.records import Record, ThreadId, Turn
from threadmed.store import read_json, read_records

Gone = Literal["post_gone", "question_gone", "all_answers_gone"]
"""Why a thread cannot be made again."""


NO_FLAGS = ThreadFlags(thread_id=ThreadId(""), turns=())


class Wanted(Record, frozen=True, kw_only=True):
    """A thread of the release."""

    source: ThreadSource
    flags: tuple[TurnFlags, ...]


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
    wanted, manifest = _read(ids)
    inputs, restored = _restored(wanted, manifest.options, dump, executor, progress)
    found: dict[ThreadId, Found] = {}
    gone: Counter[str] = Counter()
    for part in restored:
        found |= part.found
        gone.update(part.gone)
    gone["post_not_in_dump"] = len(wanted) - len(found) - gone.total()
    if not found:
        raise InputError(
            f"{ids}: none of its {len(wanted):,} threads can be made of these files "
            f"({dict(+gone)}); are they of r/{manifest.options.subreddit} and of its "
            "years?"
        )
    funnel = Funnel()
    funnel.step("hydrate", "threads", len(wanted), +gone)
    release = Release(
        each=executor.each,
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
    threads: Sequence[Wanted],
    options: BuildOptions,
    dump: Dump,
    executor: Executor,
    progress: Progress | None,
) -> tuple[tuple[InputFile, ...], tuple[Restored, ...]]:
    """Read the files, the posts first, and make the threads that are wanted."""
    reader = Reader(
        options=options, limits=limits_of(options), allow_partial=dump.allow_partial
    )
    read = read_dump(
        dump,
        reader=reader,
        executor=executor,
        progress=progress,
        wanted={one.source.post: "" for one in threads},
        all_words=True,
    )
    restored = executor.each_part(
        partial(restore, threads=threads, reader=reader), read.posts, read.comments
    )
    return read.inputs, tuple(restored)


def _read(folder: Path) -> tuple[tuple[Wanted, ...], Manifest]:
    if not (folder / "ids.jsonl").exists():
        raise InputError(
            f"{folder}: holds no release of ids; `threadmed build --release ids` writes one"
        )
    sources = read_records(folder / "ids.jsonl", ThreadSource)
    flags = read_records(folder / "flags.jsonl", ThreadFlags)
    manifest = read_json(folder / "manifest.json", Manifest)
    if not sources:
        raise InputError(f"{folder / 'ids.jsonl'}: has no threads")
    if len({source.post for source in sources}) < len(sources):
        raise InputError(f"{folder / 'ids.jsonl'}: names a post twice")
    by_name = {one.thread_id: one for one in flags}
    for source in sources:
        if len(by_name.get(source.thread_id, NO_FLAGS).turns) != len(source.turns):
            raise InputError(
                f"{folder / 'flags.jsonl'}: does not fit to the turns of "
                f"{source.thread_id} in ids.jsonl; take both from one release"
            )
    return tuple(
        Wanted(source=source, flags=by_name[source.thread_id].turns)
        for source in sources
    ), manifest


def restore(
    posts: Pieces,
    comments: Pieces,
    *,
    threads: Sequence[Wanted],
    reader: Reader,
) -> Restored:
    """Make the threads again whose posts are in a part."""
    wanted = {one.source.post: one for one in threads}
    under, _ = by_post(records(comments, Comment), reader)
    found: dict[ThreadId, Found] = {}
    gone: Counter[str] = Counter()
    for post in merged(posts, wanted, reader):
        made = _made(post, under.get(post.id, []), wanted[post.id], reader)
        if isinstance(made, Found):
            found[wanted[post.id].source.thread_id] = made
        else:
            gone[made] += 1
    return Restored(found=found, gone=dict(gone))


def _made(
    post: Post, comments: Sequence[Comment], wanted: Wanted, reader: Reader
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
    turns = wanted.source.turns
    asked = {identity for turn in turns for identity in turn.questions}
    if not asked <= words.keys():
        return "question_gone"
    opening = question_of(cleaned(post, limits), reader.options.text)
    sources = tuple(
        TurnSource(
            questions=turn.questions,
            answers=tuple(answer for answer in turn.answers if answer in words),
        )
        for turn in turns
    )
    if not opening:
        return "post_gone"
    if not any(turn.answers for turn in sources):
        return "all_answers_gone"
    return Found(
        post=post.id,
        year=year_of(post.created),
        turns=tuple(_turns(opening, sources, words)),
        sources=sources,
        flags=tuple(
            flag if turn.answers else _unanswered(flag)
            for flag, turn in zip(wanted.flags, sources, strict=True)
        ),
        known=known_by(post, comments, limits),
    )


def _unanswered(flag: TurnFlags) -> TurnFlags:
    return msgspec.structs.replace(flag, physicians=(), answers_lay=False)


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
