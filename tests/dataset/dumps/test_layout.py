"""Python reads the rows as the scanner in C writes them."""

import re
from pathlib import Path

import numpy as np
import pytest

from threadmed.dataset.dumps import layout, scanner

HEADER = (Path(scanner.__file__).parent / "native" / "scan.h").read_text("utf-8")

TYPES = {"uint64_t": np.uint64, "int64_t": np.int64, "uint32_t": np.uint32}


def test_every_flag_has_the_name_and_the_bit_of_the_header() -> None:
    flags = dict(re.findall(r"((?:POST|COMMENT)_[A-Z_]+) = ([0-9]+)", HEADER))

    assert len(flags) == 14
    for name, bit in flags.items():
        assert getattr(layout, name) == int(bit)


@pytest.mark.parametrize(
    ("name", "row"), [("PostRow", layout.POST_ROW), ("CommentRow", layout.COMMENT_ROW)]
)
def test_a_row_has_the_fields_of_the_header(name: str, row: np.dtype[np.void]) -> None:
    (body,) = re.findall(rf"typedef struct {{([^}}]*)}} {name};", HEADER)
    declared = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL).split(";")[:-1]
    fields = {
        field.strip(): np.dtype(TYPES[kind])
        for kind, names in (line.split(maxsplit=1) for line in declared)
        for field in names.split(",")
    }

    assert row.names == tuple(fields)
    assert [row[field] for field in fields] == [*fields.values()]


def test_a_scanner_of_another_version_is_not_used() -> None:
    source = (Path(scanner.__file__).parent / "native" / "scan.c").read_text("utf-8")

    assert f"scanner_version(void) {{ return {layout.VERSION}; }}" in source
