"""Ways of reading a dump, each run by itself: `python -m bench.contestants NAME ...`.

None of them builds anything: they only read what a build would need.
"""

import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import zstandard

LARGEST_WINDOW = 2**31
CHUNK = 1 << 20

POST_FIELDS = (
    "id", "author", "title", "selftext", "created_utc", "edited", "is_self",
    "removed_by_category", "distinguished",
)  # fmt: skip
COMMENT_FIELDS = (
    "id", "link_id", "parent_id", "author", "author_flair_text", "body", "created_utc",
    "edited", "is_submitter", "distinguished",
)  # fmt: skip

BOOLEANS = frozenset({"is_self", "is_submitter"})


def unpacker() -> zstandard.ZstdDecompressor:
    """Unpacks files that may have been packed with the largest of windows."""
    return zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)


def opened(
    path: Path, by: zstandard.ZstdDecompressor
) -> zstandard.ZstdDecompressionReader:
    """Open a packed file."""
    return by.stream_reader(path.open("rb"), read_across_frames=True, closefd=True)


def decompress(posts: Path, comments: Path) -> None:
    """Unpack into one buffer again and again, and look at nothing.

    The second file is unpacked in the memory that the first took, as a build does it.
    """
    buffer, by = bytearray(CHUNK), unpacker()
    for path in (posts, comments):
        with opened(path, by) as reader:
            while reader.readinto(buffer):
                pass


def reading(posts: Path, comments: Path) -> None:
    """Read as the build does, up to where threads are made.

    Every line is read, every record of use is sorted into parts, and of the posts those
    that are kept are found: what the readers below do, and more.
    """
    from threadmed.dataset.inputs import find_dump
    from threadmed.dataset.options import BuildOptions
    from threadmed.dataset.passes.collect import Reader
    from threadmed.dataset.passes.dump import read_dump
    from threadmed.dataset.passes.executors import local
    from threadmed.dataset.threads.clean import limits_of

    options = BuildOptions()
    reader = Reader(options=options, limits=limits_of(options), allow_partial=False)
    with local(workers=1) as executor:
        dump = find_dump([posts], [comments])
        read = read_dump(dump, reader=reader, executor=executor)
    for file in read.inputs:
        print(file.records, "records")


def plain(posts: Path, comments: Path) -> None:
    """Read as the field's scripts do: a line at a time, the needed fields kept."""
    kept = []
    for path, fields in ((posts, POST_FIELDS), (comments, COMMENT_FIELDS)):
        with opened(path, unpacker()) as reader:
            for line in io.TextIOWrapper(reader, encoding="utf-8"):
                record = json.loads(line)
                kept.append({field: record.get(field) for field in fields})
    per_post = Counter(record["link_id"] for record in kept if "link_id" in record)
    print(len(per_post), "posts with comments")


def polars(posts: Path, comments: Path) -> None:
    """Read the needed columns and group the comments by post."""
    import polars as pl

    def columns(fields: tuple[str, ...]) -> dict[str, type[pl.DataType]]:
        return {
            field: pl.Boolean if field in BOOLEANS else pl.String for field in fields
        }

    kept = pl.read_ndjson(posts, schema=columns(POST_FIELDS))
    under = pl.read_ndjson(comments, schema=columns(COMMENT_FIELDS))
    per_post = under.group_by("link_id").len()
    print(len(kept), "posts;", len(per_post), "posts with comments")


def duckdb(posts: Path, comments: Path) -> None:
    """Read the needed columns and group the comments by post."""
    import duckdb as db

    sides = (("posts", posts, POST_FIELDS), ("comments", comments, COMMENT_FIELDS))
    with db.connect() as base:
        for table, path, fields in sides:
            columns = {
                field: "BOOLEAN" if field in BOOLEANS else "VARCHAR" for field in fields
            }
            read = base.read_json(
                str(path),
                columns=columns,
                format="newline_delimited",
                compression="zstd",
            )
            read.create(table)
        per_post = base.execute("select count(distinct link_id) from comments")
        print(per_post.fetchone(), "posts with comments")


READERS: Mapping[str, Callable[[Path, Path], None]] = {
    "decompress": decompress,
    "reading": reading,
    "plain": plain,
    "polars": polars,
    "duckdb": duckdb,
}


def main() -> None:
    """Run one of them, and say in one line why it could not read the files."""
    name, posts, comments = sys.argv[1:]
    try:
        READERS[name](Path(posts), Path(comments))
    except Exception as cause:  # noqa: BLE001 - whatever the library raises is shown
        lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
        sys.exit(f"{type(cause).__name__}: {(lines or [''])[0]}")


if __name__ == "__main__":
    main()
