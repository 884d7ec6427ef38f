"""The build of a dump, beside decompressing it and beside a plain JSON reader.

The dump is the bundled sample many times over, under new ids.
"""

import io
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import zstandard

from threadmed.dataset.build import build
from threadmed.dataset.sample import sample_folder

COPIES = 200
SIDES = ("AskDocs_submissions.zst", "AskDocs_comments.zst")
NEEDED = (
    "id", "link_id", "parent_id", "title", "selftext", "body", "author",
    "created_utc", "author_flair_text", "is_submitter",
)  # fmt: skip


def read(path: Path) -> bytes:
    """Decompress a whole file."""
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31)
        return reader.stream_reader(file, read_across_frames=True).read()


def multiply(source: Path, target: Path) -> int:
    """Write a dump of many copies; give its size before compression."""
    lines = [json.loads(line) for line in read(source).splitlines()]
    out = io.BytesIO()
    for copy in range(COPIES):
        for line in lines:
            renamed = {
                key: f"{value}{copy:03d}"
                if key in {"id", "link_id", "parent_id", "name"} and value
                else value
                for key, value in line.items()
            }
            out.write(json.dumps(renamed).encode() + b"\n")
    target.write_bytes(zstandard.ZstdCompressor(level=3).compress(out.getvalue()))
    return out.tell()


def plain(path: Path) -> None:
    """Read as the field's scripts do: a line at a time, the needed fields kept."""
    kept = []
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for line in io.TextIOWrapper(reader, encoding="utf-8"):
            record = json.loads(line)
            kept.append({name: record.get(name) for name in NEEDED})


def cpu_s(work: Callable[[], object]) -> float:
    """CPU seconds of a piece of work in this process."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    """Print CPU seconds and their ratios."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump = [folder / side for side in SIDES]
        size = sum(
            multiply(sample_folder() / side, path)
            for side, path in zip(SIDES, dump, strict=True)
        )
        bare = cpu_s(lambda: [read(path) for path in dump])
        ours = cpu_s(lambda: build([dump[0]], [dump[1]], folder / "out"))
        theirs = cpu_s(lambda: [plain(path) for path in dump])
    print(
        f"build of {size / 1e6:.0f} MB: {ours:.2f} s of CPU, {ours / bare:.1f} times "
        f"decompressing alone, {ours / theirs:.1f} times a plain reader that builds "
        "nothing (the sample is far denser in conversations than a real dump)"
    )


if __name__ == "__main__":
    main()
