import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.dumps.raw import RawComment, RawPost
from threadmed.dataset.dumps.reader import Reading, blocks, read_file
from threadmed.dataset.manifest import InputFile
from threadmed.errors import InputError


class Pieces:
    """A stream that comes in the pieces that a test wants."""

    def __init__(self, pieces: Sequence[bytes], cut_at: int | None = None) -> None:
        self.cut_at = cut_at
        self._pieces = pieces

    def chunks(self) -> Iterator[bytes]:
        yield from self._pieces


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def bodies(pieces: Sequence[bytes], size: int) -> tuple[list[str | None], object]:
    got: list[str | None] = []

    def accept(raws: list[RawComment]) -> list[tuple[int, str]]:
        got.extend(raw.body for raw in raws)
        return [(place, "no_id") for place, raw in enumerate(raws) if not raw.id]

    reading = Reading(RawComment, accept)
    for block in blocks(Pieces(pieces), size=size):
        reading.take_block(block)
    lines = reading.lines
    account = (lines.records, lines.bad, lines.repaired)
    return got, (account, lines.places)


LINES = b"".join(
    [
        '{"id": "a", "body": "naïve 🩺 ärzte"}\n'.encode(),
        b'{"id": "b", "body": "two"}\n',
        b"\n",
        b'{"id": "c", "body": "x"}{"id": "d", "body": "y"}\n',
        b'{"id": "e", "body": "bad byte \xff"}\n',
        b'{"id": "f",\n "body": "over two lines"}\n',
        b'{"body": "no id"}\n',
        b"3\n",
        b'{"id": "g", "body": "last, without a break"}',
    ]
)


@pytest.mark.parametrize("chunk", [*range(1, 65), 128, 1_024])
def test_how_a_file_is_cut_changes_no_record(chunk: int) -> None:
    whole = bodies([LINES], size=1 << 20)

    assert bodies(cut(LINES, chunk), size=chunk) == whole
    assert whole[0] == [
        "naïve 🩺 ärzte", "two", "x", "y", "bad byte \ufffd", "no id",
        "last, without a break",
    ]  # fmt: skip


@given(
    st.lists(st.text(max_size=8), max_size=12),
    st.integers(1, 40),
    st.integers(1, 100),
)
def test_every_text_is_read_from_blocks_of_every_size(
    texts: list[str], chunk: int, size: int
) -> None:
    data = b"".join(
        json.dumps({"id": "a", "body": text}, ensure_ascii=False).encode(
            errors="replace"
        )
        + b"\n"
        for text in texts
    )

    assert bodies(cut(data, chunk), size)[0] == texts


@pytest.mark.parametrize("chunk", [1, 7, 1_000])
@pytest.mark.parametrize(
    "document",
    [
        '[{"id": "a", "body": "one"},\n {"id": "b", "body": "two"}]\n',
        '\ufeff{"data": [\n{"id": "a", "body": "one"}, {"id": "b", "body": "two"}\n]}',
        '{"metadata": {"x": 1}, "data": [{"id": "a", "body": "one"}, {"id": "b", "body": "two"}]}',
    ],
)
def test_a_document_is_read_whole_however_it_is_cut(document: str, chunk: int) -> None:
    pieces = cut(document.encode(), chunk)

    assert bodies(pieces, size=chunk)[0] == ["one", "two"]


def test_lines_that_begin_like_a_document_are_lines() -> None:
    data = b'{"data": {"id": "z"}}\n{"id": "a", "body": "one"}\n'

    assert bodies([data], size=10)[0] == ["one"]


def test_what_follows_the_last_break_of_a_cut_file_is_no_line() -> None:
    stream = Pieces([b'{"a": 1}\n{"a"'], cut_at=9)

    assert list(blocks(stream)) == [b'{"a": 1}\n']


def read(path: Path, data: bytes, *, allow_partial: bool = False) -> InputFile:
    reading = Reading(
        RawPost, lambda raws: [(n, "no_id") for n, raw in enumerate(raws) if not raw.id]
    )
    path.write_bytes(data)
    return read_file(
        path,
        reading,
        side="posts",
        allow_partial=allow_partial,
        progress=lambda *_: None,
    )


def test_the_first_place_of_every_fault_is_kept(tmp_path: Path) -> None:
    lines = [
        '{"id": "a", "title": "t"}', "oops", '{"id": "b"}', "{", '{"title": "t"}',
        '{"id": "c", "title": 4}', '{"title": "t"}',
    ]  # fmt: skip
    found = read(tmp_path / "RS.jsonl", "\n".join(lines).encode())

    assert found.records == 1
    assert found.bad == {"missing_field": 1, "no_id": 2, "not_json": 2, "wrong_type": 1}
    assert found.examples == (
        "missing_field at RS.jsonl:3",
        "no_id at RS.jsonl:5",
        "not_json at RS.jsonl:2",
        "wrong_type at RS.jsonl:6",
    )


def test_faults_of_whole_blocks_have_the_line_in_the_file(tmp_path: Path) -> None:
    good = b'{"id": "a", "title": "%s"}\n' % (b"x" * 1_000)
    found = read(tmp_path / "f", good * 999 + b'{"title": "t"}\n')

    assert found.records == 999
    assert found.examples == ("no_id at f:1000",)


def test_the_name_is_no_path(tmp_path: Path) -> None:
    assert read(tmp_path / "f", b'{"id": "a", "title": "t"}').name == "f"


def test_a_dump_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no posts: 1 lines.* mixed up"):
        read(tmp_path / "f", b'{"id": "a", "body": "b"}\n')


def test_a_file_without_any_line_is_a_dump_of_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "f", gzip.compress(b"")).records == 0


def test_a_cut_file_gives_its_whole_lines_and_is_marked(tmp_path: Path) -> None:
    lines = b"".join(
        b'{"id": "%d", "title": "%s"}\n' % (n, str(n**40).encode())
        for n in range(20_000)
    )
    data = zstandard.ZstdCompressor(level=1).compress(lines)
    data = data[: len(data) // 2]

    with pytest.raises(InputError, match="truncated"):
        read(tmp_path / "f", data)
    found = read(tmp_path / "f", data, allow_partial=True)

    assert found.cut_at == len(data)
    assert 1_000 < found.records < 20_000
    assert found.bad == {}


def test_blocks_come_before_the_file_ends_however_small_its_chunks_are() -> None:
    given = 0

    class Slow(Pieces):
        def chunks(self) -> Iterator[bytes]:
            nonlocal given
            for piece in super().chunks():
                given += 1
                yield piece

    first = next(blocks(Slow(cut(LINES * 100, 50)), size=1_000))

    assert len(first) >= 1_000
    assert given * 50 < 1_200
