"""What leaves the house: threads without anybody's traces, or ids alone."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec

from threadmed import __version__
from threadmed.dataset.census import without_names
from threadmed.dataset.datasheet import datasheet
from threadmed.dataset.manifest import (
    BothStatistics,
    FunnelStep,
    InputFile,
    Manifest,
    RoleCount,
    YearCount,
)
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.executors import collection_paused
from threadmed.dataset.passes.gather import Found, TurnSource
from threadmed.dataset.privacy.audit import (
    leaks_in_text,
    leaks_in_threads,
    likely_in,
    searched,
    vocabulary,
)
from threadmed.dataset.privacy.batches import (
    Open,
    Scrubbed,
    batches,
    is_answered,
    joined,
    scrub_batch,
)
from threadmed.dataset.privacy.known import Known, ordinary_words, together
from threadmed.dataset.privacy.recognise import presidio
from threadmed.dataset.privacy.scrub import scrub_line
from threadmed.dataset.sample import sample_hashes
from threadmed.dataset.statistics import describe, tokens
from threadmed.dataset.threads.pairing import TurnFlags
from threadmed.errors import InputError
from threadmed.records import Record, ThreadId
from threadmed.store import (
    atomic,
    read_bytes,
    write_json,
    write_parquet,
    write_records,
    write_text,
)

Item = TypeVar("Item")
Result = TypeVar("Result")

JOINED = re.compile(r"[\w-]+")
"""Words with dashes and underscores, as user names have them."""

Kind = Literal["text", "ids"]


class Each(Protocol):
    """As `map` is for one iterable."""

    def __call__(
        self, task: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Iterator[Result]:
        """Run the task for each; gives the results in their order."""


class Release(Record, frozen=True, kw_only=True):
    """All that a dataset folder is written from; holds people's traces still."""

    options: BuildOptions
    inputs: tuple[InputFile, ...]
    found: dict[ThreadId, Found]
    """In the order of their names."""
    funnel: tuple[FunnelStep, ...]
    years: dict[int, int]
    """Posts kept by year."""
    flair: tuple[RoleCount, ...]
    observed: dict[str, int]
    each: Each = map
    """Runs a task for each of some values, wherever the build runs its tasks."""


class ThreadSource(Record, frozen=True, kw_only=True):
    """A line of ids.jsonl: what a thread is made of, by the ids on Reddit."""

    thread_id: ThreadId
    post: str
    turns: tuple[TurnSource, ...]


class ThreadFlags(Record, frozen=True, kw_only=True):
    """A line of flags.jsonl: what the words of a thread do not say."""

    thread_id: ThreadId
    turns: tuple[TurnFlags, ...]


def write_release(release: Release, out: Path, *, kind: Kind = "text") -> Manifest:
    """Write a dataset folder, each file whole and the manifest last.

    Args:
        release: What is to leave.
        out: The folder.
        kind: "text" writes threads, with no id of Reddit anywhere; "ids" writes no
            word of anybody, only the ids from which `threadmed hydrate` makes the
            threads again.

    Raises:
        InputError: If the folder cannot be written, or if the audit finds a trace of
            a person in what would be written.
    """
    # The collector would walk all that is held, time and again; but what a library
    # with a model leaves behind has to be collected.
    is_paused = release.options.names != "presidio"
    with collection_paused() if is_paused else nullcontext():
        return _write(release, out, kind=kind)


def _write(release: Release, out: Path, *, kind: Kind) -> Manifest:
    _refuse_other_kind(out, kind)
    known: dict[str, Known] = {
        name: found.known for name, found in release.found.items()
    }
    words = ordinary_words(
        {name: found.turns for name, found in release.found.items()}, known
    )
    everybody = together(known.values())
    flags = _flags(release)
    scrubbed = _scrubbed(release, flags, words)
    flair = without_names(release.flair, everybody)
    release = msgspec.structs.replace(release, flair=flair)
    manifest = _manifest(release, scrubbed, kind=kind)
    files = _files(release, scrubbed, flags, manifest)
    with ExitStack() as stack:
        # Files take their places in the reverse order, so that the manifest comes last.
        places = {
            name: stack.enter_context(atomic(out / name))
            for name in ("manifest.json", *files)
        }
        write_json(places["manifest.json"], manifest)
        for name, write in files.items():
            write(places[name])
        refuse_leaks(
            places,
            known,
            everybody,
            words | _own_words(manifest),
            clean=scrubbed.clean,
        )
    return manifest


def _refuse_other_kind(out: Path, kind: Kind) -> None:
    """Ids beside the words would lead every thread back to its post."""
    for name in ("complete.jsonl", "answered.jsonl", "manifest.json", "README.md"):
        if (out / name).is_dir():
            raise InputError(f"{out / name}: is a folder; take another --out")
    other = "complete.jsonl" if kind == "ids" else "ids.jsonl"
    if (out / other).exists():
        raise InputError(
            f"{out}: holds a release of {'text' if kind == 'ids' else 'ids'} "
            f"({other}), and this is one of {kind}; take another folder"
        )


def _is_invented(inputs: Sequence[InputFile]) -> bool:
    """Whether all files are those of the bundled sample, which nobody wrote."""
    return {file.sha256 for file in inputs} <= sample_hashes()


def _files(
    release: Release, scrubbed: Scrubbed, flags: Sequence[bytes], manifest: Manifest
) -> dict[str, Callable[[Path], None]]:
    """Give what writes each file of a folder but the manifest."""
    sheet = datasheet(manifest, invented=_is_invented(release.inputs))
    files = (
        _files_of_ids(release)
        if manifest.release == "ids"
        else _files_of_text(scrubbed)
    )
    return files | {
        "flags.jsonl": partial(_write_lines, lines=flags),
        "README.md": partial(write_text, text=sheet),
        "flair_census.csv": partial(write_text, text=_table(manifest.flair)),
        "funnel.csv": partial(write_text, text=_table(manifest.funnel)),
    }


def _files_of_text(scrubbed: Scrubbed) -> dict[str, Callable[[Path], None]]:
    lines = [
        line
        for line, thread in zip(scrubbed.lines, scrubbed.threads, strict=True)
        if is_answered(thread)
    ]
    return {
        "complete.jsonl": partial(_write_lines, lines=scrubbed.lines),
        "complete.parquet": partial(write_parquet, threads=scrubbed.threads),
        "answered.jsonl": partial(_write_lines, lines=lines),
        "answered.parquet": partial(write_parquet, threads=scrubbed.answered()),
    }


def _files_of_ids(release: Release) -> dict[str, Callable[[Path], None]]:
    sources = [
        ThreadSource(thread_id=name, post=found.post, turns=found.sources)
        for name, found in release.found.items()
    ]
    return {"ids.jsonl": partial(write_records, records=sources)}


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with atomic(path) as temporary, temporary.open("wb") as file:
        file.writelines(line + b"\n" for line in lines)


def _flags(release: Release) -> list[bytes]:
    encode = msgspec.json.Encoder().encode
    return [
        encode(ThreadFlags(thread_id=name, turns=found.flags))
        for name, found in release.found.items()
    ]


def _scrubbed(
    release: Release, flags: Sequence[bytes], words: Collection[str]
) -> Scrubbed:
    """Give the threads with placeholders for what leads to a person."""
    scrub = partial(scrub_batch, words=words, tokens=tokens)
    some = batches(
        Open(name=name, turns=found.turns, known=found.known, beside=(line,))
        for (name, found), line in zip(release.found.items(), flags, strict=True)
    )
    each = release.each
    if release.options.names == "presidio":
        # Its model is large, and one is enough.
        each, scrub = map, partial(scrub, recognise=presidio())
    return joined(each(scrub, some), beside=flags)


def _own_words(manifest: Manifest) -> frozenset[str]:
    """Give the words that stand in a folder without anybody's doing.

    Those are what the program writes itself, what the files were named by whoever
    builds, and of what people chose as flair the words of letters alone: among many
    thousand names any word is one.
    """
    bare = msgspec.structs.replace(manifest, flair=())
    flair = vocabulary(one.flair for one in manifest.flair)
    own = [datasheet(bare), msgspec.json.encode(bare).decode(), _table(manifest.funnel)]
    joined = {word for text in own for word in JOINED.findall(text.lower())}
    return vocabulary(own) | joined | frozenset(filter(str.isalpha, flair))


def refuse_leaks(
    places: Mapping[str, Path],
    known: Mapping[str, Known],
    everybody: Known,
    words: Collection[str],
    *,
    clean: Collection[bytes] = (),
) -> None:
    """Search all files for everything that the threads' records are known by.

    Args:
        places: The files by the names that they will have.
        known: What each thread's records are known by, by the thread's new name.
        everybody: All of that together.
        words: User names and ids, in lower case, that are words anybody uses.
        clean: Lines, of any of the files, that were searched already for what their
            thread's records are known by, and in which nothing was found.

    Raises:
        InputError: If anything is found; nothing is then released.
    """
    found: list[str] = []
    whole: dict[str, bytes] = {}
    for name, path in places.items():
        match name.rpartition(".")[2]:
            case "jsonl":
                found += leaks_in_threads(
                    name,
                    read_bytes(path),
                    known=_nameless(known) if name == "ids.jsonl" else known,
                    words=words,
                    clean=clean,
                )
            case "parquet":
                pass  # the same threads as in the lines
            case _:
                whole[name] = read_bytes(path)
    # Few of so many names are in any of them.
    likely = likely_in((searched(*file) for file in whole.items()), everybody)
    for name, data in whole.items():
        found += leaks_in_text(name, data, known=likely, words=words)
    if found:
        raise InputError(
            f"the leak audit found {len(found):,} traces of people, and nothing was "
            f"written: {'; '.join(found[:5])}; this is a fault of threadmed: please "
            "report which kind of name it is, and leave the post out until then"
        )


def _nameless(known: Mapping[str, Known]) -> dict[str, Known]:
    """Leave out the ids, which are what a release of ids is made of."""
    return {
        name: msgspec.structs.replace(its, ids=frozenset())
        for name, its in known.items()
    }


def _manifest(release: Release, scrubbed: Scrubbed, *, kind: Kind) -> Manifest:
    length = scrubbed.tokens.__getitem__
    return Manifest(
        tool=f"threadmed {__version__}",
        release=kind,
        partial=any(file.cut_at is not None for file in release.inputs),
        inputs=tuple(sorted(release.inputs, key=_input_order)),
        options=_without_flairs(release.options),
        funnel=release.funnel,
        statistics=BothStatistics(
            complete=describe(scrubbed.threads, tokens_of=length),
            answered=describe(scrubbed.answered(), tokens_of=length),
        ),
        years=tuple(_years(release, scrubbed)),
        flair=release.flair,
        scrubbed=dict(sorted(scrubbed.replaced.items())),
        observed=dict(sorted(release.observed.items())),
    )


def _without_flairs(options: BuildOptions) -> BuildOptions:
    """Scrub what people typed as their flair, also where an option names it."""
    roles = {scrub_line(flair): role for flair, role in options.flair_roles.items()}
    return msgspec.structs.replace(options, flair_roles=roles)


def _input_order(file: InputFile) -> tuple[bool, str, str]:
    return file.side == "comments", file.name, file.sha256


def _years(release: Release, scrubbed: Scrubbed) -> Iterator[YearCount]:
    complete, full = (
        Counter(release.found[thread.thread_id].year for thread in those)
        for those in (scrubbed.threads, scrubbed.answered())
    )
    for year, posts in sorted(release.years.items()):
        yield YearCount(
            year=year, posts=posts, complete=complete[year], answered=full[year]
        )


def _table(rows: Sequence[Record]) -> str:
    """Write flat records of one kind as CSV."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    if rows:
        table.writerow(rows[0].__struct_fields__)
    table.writerows(map(msgspec.structs.astuple, rows))
    return text.getvalue()
