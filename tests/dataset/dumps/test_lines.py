import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.dumps.lines import Decoded, decode_line, is_blank
from threadmed.dataset.dumps.raw import RawComment

decode = msgspec.json.Decoder(RawComment).decode_lines


@pytest.mark.parametrize(
    ("line", "body", "repairs"),
    [
        (b'{"body": "x"}', "x", ()),
        (b'{"body": "x"}\r', "x", ()),
        (b'\0\0{"body": "x"}\0', "x", ("nul",)),
        (b'{"body": "caf\xe9"}', "caf\ufffd", ("utf8",)),
        (b'{"body": "a\\ud83d"}', "a\ufffd", ("escape",)),
        (b'{"body": "a\tb"}', "a\tb", ("escape",)),
        (b'{"body": "a\\ud83d\xff"}\0', "a\ufffd\ufffd", ("nul", "utf8", "escape")),
        (b'{"body": "\\ud83d\\ude00"}', "\U0001f600", ()),
    ],
)
def test_a_line_is_mended_no_more_than_it_needs(
    line: bytes, body: str, repairs: tuple[str, ...]
) -> None:
    read = decode_line(line, decode)

    assert isinstance(read, Decoded)
    assert [record.body for record in read.records] == [body]
    assert read.repairs == repairs


def test_two_records_on_a_line_are_both_read() -> None:
    read = decode_line(b'{"body": "x"}{"body": "y"}', decode)

    assert isinstance(read, Decoded)
    assert [record.body for record in read.records] == ["x", "y"]
    assert read.repairs == ("glued",)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"body": "x', "not_json"),
        (b'x", "id": "a"}', "not_json"),
        (b'{"x": ' + b"[" * 5_000, "not_json"),
        (b"null", "not_object"),
        (b'"text"', "not_object"),
        (b"[1]", "not_object"),
        (b'{"id": "a"}', "missing_field"),
        (b'{"body": 3}', "wrong_type"),
        (b'{"body": "x", "_meta": {"retrieved_2nd_on": []}}', "wrong_type"),
        (b'{"body": 3, "id": "\\ud83d"}', "wrong_type"),
    ],
)
def test_a_line_that_gives_no_record_says_why(line: bytes, why: str) -> None:
    assert decode_line(line, decode) == why


def test_blanks_and_nuls_are_nothing() -> None:
    assert all(map(is_blank, (b"", b" \t\r", b"\0\0\0")))
    assert not is_blank(b"{}")


@given(st.binary())
def test_no_bytes_break_reading(line: bytes) -> None:
    read = decode_line(line, decode)

    assert isinstance(read, Decoded) or read in {
        "not_json", "not_object", "missing_field", "wrong_type"
    }  # fmt: skip


@given(st.text())
def test_a_text_comes_back_as_it_was_written(text: str) -> None:
    line = json.dumps({"body": text}).encode()
    read = decode_line(line, decode)

    assert isinstance(read, Decoded)
    assert [record.body for record in read.records] == [text]
    assert read.repairs == ()


def test_a_byte_order_mark_in_the_middle_of_a_file_is_taken_off() -> None:
    decode = msgspec.json.Decoder(dict).decode_lines

    assert decode_line(b'\xef\xbb\xbf{"a": 1}', decode) == Decoded(
        records=[{"a": 1}], repairs=("bom",)
    )
