"""Write a dump of real size that nobody's words are in: `python -m bench.dump`.

The same settings give the same records.
The one stream is packed twice: `long`, with a window of 2 GB as the published dumps
are, and `small`, with that of an ordinary zstd file.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import zstandard

from bench import forest, phrases
from bench.layouts import MIXED, Kind, Look, templates
from bench.recipe import COMMENTS, SIDES, SUBMISSIONS, WINDOW_LOGS, Made, Recipe

BATCH = 20_000
"""Records that are drawn at a time."""
COPIES = 1_000
"""One record in so many comes a second time, at the end, as merged archives have it."""

MONTHS = [f"{year}-{month:02}" for year in range(2015, 2024) for month in range(1, 13)]
MONTH_STARTS = np.array(MONTHS, dtype="datetime64[M]").astype("datetime64[s]")

LAY = (
    ("2017-01", b"null"),
    ("2019-07", b'"This user has not yet been verified."'),
    ("2021-07", b'"Layperson/not verified as healthcare professional"'),
    ("9999-12", b'"Layperson/not verified as healthcare professional."'),
)
"""What a layperson's flair says until a month."""
PHYSICIANS = tuple(
    f'"{flair}"'.encode()
    for flair in (
        "Physician", "Physician", "Physician | Moderator", "M.D.", "General Practitioner",
        "Physician - Internal Medicine", "Physician - Emergency Medicine", "Urologist",
        "Physician - Family Medicine", "FY1 Doctor", "Peds &amp; Neonatology, Physician",
    )
)  # fmt: skip
CLINICIANS = tuple(
    f'"{flair}"'.encode()
    for flair in (
        "Registered Nurse", "Medical Student", "Pharmacist", "Physician Assistant",
        "EMT", "Paramedic", "Physical Therapist", "Nurse Practitioner", "Dentist",
    )
)  # fmt: skip
FLAIRS = {forest.PHYSICIAN: PHYSICIANS, forest.CLINICIAN: CLINICIANS}
MARKS = {forest.REMOVED: b"[removed]", forest.DELETED: b"[deleted]"}
CATEGORIES = {
    forest.THERE: b"null",
    forest.REMOVED: b'"moderator"',
    forest.DELETED: b'"deleted"',
}
WELCOME = (
    b"Welcome. Nobody here can examine you. Please add your age, how long it has "
    b"lasted, and the medicines that you take. If it is urgent, call for help instead."
)

POST_CHARACTERS = 1_100
COMMENT_CHARACTERS = 300

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
TRIPLES = [(a + b + c).encode() for a in DIGITS for b in DIGITS for c in DIGITS]


def post_id(number: int) -> bytes:
    """Make an id that the forum has not come to."""
    return b"zz" + TRIPLES[number // 46_656] + TRIPLES[number % 46_656]


def comment_id(number: int) -> bytes:
    """Make an id that no post has, in the order of time."""
    return b"zzc" + TRIPLES[number // 46_656] + TRIPLES[number % 46_656]


def patient(post: int) -> bytes:
    """Name the writer of a post; longer than a name may be, so that it is nobody's."""
    return b"throwaway_invented_%07d" % post


def lay_flairs() -> list[bytes]:
    """Give the flair of laypeople in each month."""
    return [next(flair for until, flair in LAY if month < until) for month in MONTHS]


LAY_FLAIRS = lay_flairs()


def month_numbers(times: forest.Numbers) -> list[int]:
    """Say in which month each moment lies."""
    starts = MONTH_STARTS.astype(np.int64)
    return (np.searchsorted(starts, times, side="right") - 1).tolist()


class Drawn(NamedTuple):
    """What is drawn for a batch of records."""

    months: list[int]
    texts: list[bytes]
    numbers: list[int]
    """Anything from 0 to a million, for all that does not matter."""


def draw(rng: np.random.Generator, times: forest.Numbers, mean: float) -> Drawn:
    """Draw texts and numbers for the records that were written at these times."""
    count = len(times)
    return Drawn(
        months=month_numbers(times),
        texts=list(phrases.texts(rng, phrases.sizes(rng, count, mean=mean))),
        numbers=rng.integers(1_000_000, size=count).tolist(),
    )


def form(kind: Kind, month: str, look: Look, number: int) -> bytes:
    """Pick one of the forms that records of a month have."""
    forms = templates(kind, month, look)
    return forms[number % len(forms)] if month in MIXED else forms[0]


class PostRow(NamedTuple):
    """All that is drawn for one post."""

    number: int
    time: int
    state: int
    is_image: bool
    comments: int
    month: int
    text: bytes
    drawn: int
    title: bytes


class CommentRow(NamedTuple):
    """All that is drawn for one comment."""

    number: int
    time: int
    post: int
    parent: int
    speaker: int
    state: int
    month: int
    text: bytes
    drawn: int


def submission_lines(rng: np.random.Generator, posts: forest.Posts) -> Iterator[bytes]:
    """Give the lines of all posts, in the order of time."""
    for start in range(0, len(posts.time), BATCH):
        part = slice(start, start + BATCH)
        times = posts.time[part]
        drawn = draw(rng, times, POST_CHARACTERS)
        titles = phrases.texts(rng, [60] * len(times))
        rows = zip(
            range(start, start + len(times)), times.tolist(),
            posts.state[part].tolist(), posts.is_image[part].tolist(),
            posts.comments[part].tolist(), *drawn, titles, strict=True,
        )  # fmt: skip
        yield from map(submission_line, map(PostRow._make, rows))


def submission_line(row: PostRow) -> bytes:
    """Fill the gaps of one post."""
    look: Look = "image" if row.is_image else "there"
    if row.state == forest.DELETED:
        look = "gone"
    text = b"" if look == "image" else row.text
    return form("submission", MONTHS[row.month], look, row.drawn) % {
        b"id": post_id(row.number),
        b"author": patient(row.number),
        b"number": b"%d" % row.number,
        b"flair": b"null" if look == "gone" else LAY_FLAIRS[row.month],
        b"created": b"%d" % row.time,
        b"retrieved": b"%d" % (row.time + 90_000),
        b"score": b"%d" % (1 + row.drawn % 40),
        b"title": row.title,
        b"text": MARKS.get(row.state, text),
        # Archives came too early or too late to count rightly.
        b"comments": b"%d" % max(0, row.comments + (-1, 0, 0, 0, 0, 2)[row.drawn % 6]),
        b"slug": row.title[:50].lower().replace(b" ", b"_").replace(b"\\", b""),
        b"category": CATEGORIES[row.state],
    }


def comment_lines(
    rng: np.random.Generator, comments: forest.Comments, *, lay_text: int
) -> Iterator[bytes]:
    """Give the lines of all comments in the order of time, and then some again."""
    order = np.argsort(comments.time, kind="stable")
    names = np.empty(len(order), dtype=np.int64)
    names[order] = np.arange(len(order))
    parents = np.where(comments.parent >= 0, names[comments.parent], -1)
    again: list[bytes] = []
    for start in range(0, len(order), BATCH):
        part = order[start : start + BATCH]
        times = comments.time[part]
        rows = zip(
            range(start, start + len(times)), times.tolist(),
            comments.post[part].tolist(), parents[part].tolist(),
            comments.speaker[part].tolist(), comments.state[part].tolist(),
            *draw(rng, times, COMMENT_CHARACTERS), strict=True,
        )  # fmt: skip
        for row in map(CommentRow._make, rows):
            line = comment_line(row, lay_text=lay_text)
            if row.number % COPIES == COPIES - 1:
                again.append(line)
            yield line
    yield from again


def comment_line(row: CommentRow, *, lay_text: int) -> bytes:
    """Fill the gaps of one comment."""
    name, flair = writer(row.speaker, row.post, row.drawn, LAY_FLAIRS[row.month])
    look: Look = "gone" if row.state == forest.DELETED else "there"
    text = row.text
    if row.speaker == forest.MACHINE:
        look, text = "notice", WELCOME
    elif lay_text > 1 and row.speaker in {forest.LAY, forest.CLINICIAN}:
        text = b" ".join([text] * lay_text)
    is_patient = row.speaker == forest.PATIENT and look != "gone"
    post = post_id(row.post)
    parent = b"t3_" + post if row.parent < 0 else b"t1_" + comment_id(row.parent)
    return form("comment", MONTHS[row.month], look, row.drawn) % {
        b"id": comment_id(row.number),
        b"post": post,
        b"parent": parent,
        b"author": name,
        b"number": b"%d" % row.drawn,
        b"flair": b"null" if look == "gone" else flair,
        b"created": b"%d" % row.time,
        b"retrieved": b"%d" % (row.time + 90_000),
        b"score": b"%d" % (1 + row.drawn % 15),
        b"text": MARKS.get(row.state, text),
        b"is_submitter": b"true" if is_patient else b"false",
        b"slug": b"about_%d" % row.post,
    }


def writer(speaker: int, post: int, drawn: int, lay: bytes) -> tuple[bytes, bytes]:
    """Name the writer of a comment, and give the flair as JSON."""
    if speaker == forest.PATIENT:
        return patient(post), lay
    if speaker == forest.MACHINE:
        return b"AutoModerator", b"null"
    if speaker == forest.LAY:
        return b"reader_invented_%07d" % (drawn % 90_000), lay
    flairs = FLAIRS[speaker]
    # Under one post it is mostly the same physician who goes on.
    who = (post if drawn % 8 else drawn) % 300
    return b"professional_invented_%04d" % who, flairs[who % len(flairs)]


def write(folder: Path, recipe: Recipe) -> Made:
    """Write a dump unless the folder holds it already.

    Raises:
        ValueError: If there are too few comments for so many posts.
    """
    note = folder / "made.json"
    if note.exists():
        made = msgspec.json.decode(note.read_bytes(), type=Made)
        if made.recipe == recipe:
            return made
        note.unlink()
    for packing in WINDOW_LOGS:
        (folder / packing).mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(recipe.seed)
    # What comes again counts: the file has as many lines as were asked for.
    once = recipe.comments * COPIES // (COPIES + 1)
    while once + once // COPIES < recipe.comments:
        once += 1
    posts, comments = forest.grow(rng, submissions=recipe.submissions, comments=once)
    sides = (
        submission_lines(rng, posts),
        comment_lines(rng, comments, lay_text=recipe.lay_text),
    )
    raw = sum(
        pack(folder, side, lines) for side, lines in zip(SIDES, sides, strict=True)
    )
    made = Made(recipe=recipe, raw_bytes=raw)
    note.write_bytes(msgspec.json.encode(made))
    return made


def compressor(window_log: int) -> zstandard.ZstdCompressor:
    """Give a compressor that is not told how much is coming, nor tells it."""
    way = zstandard.ZstdCompressionParameters.from_level(
        3, window_log=window_log, enable_ldm=window_log > 27
    )
    return zstandard.ZstdCompressor(compression_params=way)


def pack(folder: Path, side: str, lines: Iterator[bytes]) -> int:
    """Write lines in both packings; give their size before."""
    size = 0
    packers = {name: compressor(log).compressobj() for name, log in WINDOW_LOGS.items()}
    files = {name: (folder / name / side).open("wb") for name in packers}
    try:
        for piece in pieces(lines):
            size += len(piece)
            for name, packer in packers.items():
                files[name].write(packer.compress(piece))
        for name, packer in packers.items():
            files[name].write(packer.flush())
    finally:
        for file in files.values():
            file.close()
    return size


def pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Join lines to pieces that are worth a call of the compressor."""
    held: list[bytes] = []
    for line in lines:
        held.append(line)
        if len(held) == 2_000:
            yield b"".join(held)
            held.clear()
    yield b"".join(held)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write a dump into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--submissions", type=int, default=SUBMISSIONS)
    parser.add_argument("--comments", type=int, default=COMMENTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lay-text", type=int, default=1)
    options = vars(parser.parse_args(arguments))
    folder: Path = options.pop("out")
    made = write(folder, Recipe(**options))
    print(f"{folder}: {made.raw_bytes / 1e6:,.0f} MB before packing")


if __name__ == "__main__":
    main()
