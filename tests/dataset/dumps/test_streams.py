import bz2
import gzip
import hashlib
import lzma
import os
import random
import threading
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import pytest
import zstandard

from threadmed.dataset.dumps import streams
from threadmed.dataset.dumps.streams import Stream, memory_kept
from threadmed.errors import InputError

TEXT = b"".join(b'{"n": %d}\n' % n for n in range(50_000))
zstd = zstandard.ZstdCompressor(level=3).compress
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstd,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
SKIPPABLE = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"


def opened(path: Path, data: bytes, *, allow_partial: bool = False) -> Stream:
    path.write_bytes(data)
    return Stream(path, allow_partial=allow_partial, progress=lambda *_: None)


def unpacked(stream: Stream) -> bytes:
    return b"".join(stream.chunks())


@pytest.mark.parametrize("name", PACKERS)
def test_every_packing_is_found_by_content(name: str, tmp_path: Path) -> None:
    stream = opened(tmp_path / "misnamed.json", PACKERS[name](TEXT))

    assert unpacked(stream) == TEXT
    assert stream.format == name
    assert stream.cut_at is None


@pytest.mark.parametrize("name", PACKERS)
def test_a_file_of_several_frames_is_read_to_its_end(name: str, tmp_path: Path) -> None:
    pack = PACKERS[name]
    stream = opened(tmp_path / "f", pack(TEXT[:100_001]) + pack(TEXT[100_001:]))

    assert unpacked(stream) == TEXT


@pytest.mark.parametrize("name", PACKERS)
def test_zeros_between_and_after_frames_are_passed_over(
    name: str, tmp_path: Path
) -> None:
    pack, zeros = PACKERS[name], bytes(70_000)
    stream = opened(tmp_path / "f", pack(b"a\n") + zeros + pack(b"b\n") + zeros)

    assert unpacked(stream) == b"a\nb\n"


def test_files_that_are_unpacked_in_the_same_memory_are_read_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = zstandard.ZstdDecompressor
    taken = []

    def take(max_window_size: int) -> zstandard.ZstdDecompressor:
        taken.append(max_window_size)
        return new(max_window_size=max_window_size)

    monkeypatch.setattr(streams.zstandard, "ZstdDecompressor", take)
    wide = zstandard.ZstdCompressionParameters.from_level(3, window_log=24)
    files = {
        "small": zstd(b"a\n"),
        "cut": zstd(TEXT)[:-50],
        "corrupt": zstd(TEXT) + zstd(TEXT)[:20_000] + bytes(range(99)),
        "wide": zstandard.ZstdCompressor(compression_params=wide).compress(TEXT * 9),
        "frames": zstd(TEXT) + zstd(b"b\n"),
    }

    def each() -> dict[str, bytes]:
        return {
            name: unpacked(opened(tmp_path / name, data, allow_partial=True))
            for name, data in files.items()
        }

    with memory_kept():
        in_turn = each()
    assert len(taken) == 1
    assert each() == in_turn
    assert len(taken) == 1 + len(files)
    assert in_turn["wide"] == TEXT * 9
    assert in_turn["frames"] == TEXT + b"b\n"
    assert TEXT.startswith(in_turn["cut"])


def test_two_files_are_not_unpacked_in_the_same_memory_at_once(tmp_path: Path) -> None:
    texts = [random.Random(n).randbytes(2_000_000).hex().encode() for n in range(2)]
    with memory_kept():
        unpacked(opened(tmp_path / "before", zstd(TEXT)))
        both = [
            opened(tmp_path / f"f{n}", zstd(text)).chunks()
            for n, text in enumerate(texts)
        ]
        chunks = list(zip_longest(*both, fillvalue=b""))

    assert [b"".join(pieces) for pieces in zip(*chunks, strict=True)] == texts


def test_a_file_may_begin_with_a_frame_that_holds_nothing(tmp_path: Path) -> None:
    stream = opened(tmp_path / "f", SKIPPABLE + zstd(TEXT) + SKIPPABLE)

    assert unpacked(stream) == TEXT
    assert stream.format == "zstd"


@pytest.mark.parametrize("name", PACKERS)
def test_a_cut_file_is_an_error_that_says_where(name: str, tmp_path: Path) -> None:
    data = PACKERS[name](TEXT)[:-20]
    stream = opened(tmp_path / "cut.zst", data)

    with pytest.raises(InputError, match=rf"cut\.zst: is truncated.* {len(data):,} of"):
        unpacked(stream)


@pytest.mark.parametrize("name", PACKERS)
def test_what_is_left_of_a_cut_file_can_be_used(name: str, tmp_path: Path) -> None:
    data = PACKERS[name](TEXT)[:-20]
    stream = opened(tmp_path / "cut", data, allow_partial=True)

    assert TEXT.startswith(unpacked(stream))
    assert stream.cut_at == len(data)


@pytest.mark.parametrize("name", PACKERS)
def test_a_file_with_rubbish_after_its_frame_is_corrupt(
    name: str, tmp_path: Path
) -> None:
    data = PACKERS[name](TEXT) + b"rubbish that is no frame"
    with pytest.raises(InputError, match="is corrupt"):
        unpacked(opened(tmp_path / "f", data))

    partial = opened(tmp_path / "f", data, allow_partial=True)
    assert unpacked(partial) == TEXT
    assert partial.cut_at is not None


@pytest.mark.parametrize(
    "between",
    [b"", bytes(9_000_000), b"rubbish" * 900_000],
    ids=["nothing", "padding", "rubbish"],
)
def test_the_hash_is_that_of_the_whole_file_whatever_stands_between_its_frames(
    between: bytes, tmp_path: Path
) -> None:
    long = zstd(random.Random(0).randbytes(3_000_000).hex().encode())
    data = long + between + long
    stream = opened(tmp_path / "f", data, allow_partial=True)
    unpacked(stream)

    assert stream.sha256 == hashlib.sha256(data).hexdigest()


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty"):
        unpacked(opened(tmp_path / "f", b""))

    assert unpacked(opened(tmp_path / "f", b"", allow_partial=True)) == b""


@pytest.mark.parametrize("start", [b"PAR1\x15", b"PK\x03\x04", b"<html>", b"\x01\x02"])
def test_a_file_that_is_no_dump_is_refused(start: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no dump"):
        unpacked(opened(tmp_path / "f", start + b"more"))


def test_a_file_that_is_not_there_or_no_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.zst", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            Stream(path, allow_partial=False, progress=lambda *_: None)


def test_progress_comes_by_bytes_and_ends_at_all_of_them(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    path = tmp_path / "big.jsonl"
    path.write_bytes(TEXT * 6)
    stream = Stream(path, allow_partial=False, progress=lambda *at: seen.append(at))
    unpacked(stream)

    assert seen[-1] == ("reading big.jsonl", len(TEXT) * 6, len(TEXT) * 6)
    assert len(seen) > 2
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


@pytest.mark.parametrize("name", PACKERS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_file_cut_within_its_first_bytes_is_truncated(
    name: str, size: int, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="is truncated"):
        unpacked(opened(tmp_path / "f", PACKERS[name](TEXT)[:size]))


def test_a_stray_control_sign_in_plain_text_refuses_no_file(tmp_path: Path) -> None:
    text = b'{"id": "a", "body": "x\x01y"}\n'

    assert unpacked(opened(tmp_path / "f", text)) == text


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(zstd(TEXT)))
    writer.start()
    stream = Stream(pipe, allow_partial=False, progress=lambda *_: None)

    assert unpacked(stream) == TEXT
    writer.join()


def test_a_container_of_blocks_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="container that Arctic Shift used"):
        opened(tmp_path / "RS.zst_blocks", b"x")
