import json

import pytest

from threadmed.dataset.dumps.documents import START, elements

TWO = [{"id": "a", "body": "x"}, {"id": "b", "body": "y"}]


def read(data: bytes) -> list[object]:
    found = elements(data)
    assert found is not None
    assert found.is_whole
    return [json.loads(item, strict=False) for item in found.items]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(TWO).encode(),
        b"\xef\xbb\xbf" + json.dumps(TWO, indent=2).encode() + b"\0\0",
        json.dumps({"data": TWO, "metadata": {"total": 2}}).encode(),
        json.dumps({"metadata": {"data": 1}, "data": TWO}, indent=1).encode(),
        b"\n".join(json.dumps([one]).encode() for one in TWO),
        b"\n".join(json.dumps({"data": [one]}).encode() for one in TWO),
        json.dumps(TWO)[:-1].encode() + b",]",
    ],
)
def test_whatever_form_a_document_has_its_records_are_read(data: bytes) -> None:
    assert START.match(data.removeprefix(b"\xef\xbb\xbf"))
    assert read(data) == TWO


def test_one_bad_sign_costs_no_other_record() -> None:
    data = b'[{"id": "a", "body": "x\x01\xff"}, null, {"id": "b", "body": "\\ud800"}]'

    assert [type(one) for one in read(data)] == [dict, type(None), dict]


@pytest.mark.parametrize("size", range(1, 50))
@pytest.mark.parametrize("page", [False, True])
def test_a_cut_document_is_never_whole(size: int, *, page: bool) -> None:
    whole = json.dumps({"data": TWO} if page else TWO).encode()
    found = elements(whole[: len(whole) - size])

    if found is not None:
        assert not found.is_whole
        assert len(found.items) < 2 or size <= 2


def test_records_a_line_are_no_document() -> None:
    assert elements(b'{"data": {"id": "z"}}\n{"id": "a"}\n') is None
