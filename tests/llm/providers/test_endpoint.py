from collections.abc import Callable
from typing import NamedTuple

import pytest

from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.model import Reply, RetryLater
from threadmed.llm.providers.endpoint import Endpoint, endpoint
from threadmed.records import Model, Usage

KEY = "sk-very-secret"
OFFICIAL = "https://api.example.org/v1"


def at(**more: object) -> Endpoint:
    entry = Model(name="m", model="openai:some-model", **more)  # type: ignore[arg-type]
    return endpoint(entry, {"A_KEY": KEY, "B_KEY": "other"}, "A_KEY", official=OFFICIAL)


class Sent(NamedTuple):
    headers: dict[str, str]


class ToldError(Exception):
    def __init__(self, status: int, message: str, **headers: str) -> None:
        self.status_code = status
        self.message = message
        self.response = Sent(headers)


def reader(reply: Reply | None) -> Callable[[bytes], Reply]:
    def read(body: bytes) -> Reply:
        if reply is None:
            raise ValueError(f"{len(body)} bytes of nothing")
        return reply

    return read


def test_a_model_is_at_the_official_address_unless_its_entry_says_another() -> None:
    there = at()
    elsewhere = at(base_url="http://localhost:1/v1/", api_key_env="B_KEY")

    assert there.url == OFFICIAL
    assert (there.who, there.name, there.key) == (
        f"m ({OFFICIAL})",
        "some-model",
        KEY,
    )
    assert (elsewhere.url, elsewhere.key) == ("http://localhost:1/v1", "other")


def test_an_endpoint_never_shows_its_key() -> None:
    there = at()
    said = [
        there.said(400, f"you sent {KEY}"),
        str(there.broken(OSError(KEY))),
        str(there.refused(ToldError(401, KEY))),
        repr(there),
    ]

    assert [text for text in said if KEY in text] == []


@pytest.mark.parametrize(
    ("status", "kind"), [(401, ModelError), (429, RetryLater), (422, ModelUnavailable)]
)
def test_a_status_is_told_with_who_and_why(status: int, kind: type[Exception]) -> None:
    found = at().refused(ToldError(status, "some   reason", **{"retry-after": "2"}))

    assert type(found) is kind
    assert f"HTTP {status}: some reason" in str(found)
    assert not isinstance(found, RetryLater) or found.after_s == 2


def test_a_body_that_is_no_reply_is_asked_for_again_and_its_start_is_shown() -> None:
    with pytest.raises(RetryLater, match=r"is no message \(7 bytes.*\): <html>x"):
        at().read(b"<html>x", by=reader(None), kind="message")


def test_a_body_that_can_be_read_is_the_reply() -> None:
    reply = Reply(outcome="answered", text="t", detail="", usage=Usage(), served_by="s")

    assert at().read(b"x", by=reader(reply), kind="message") is reply


def test_what_a_filter_held_back_is_a_reply_without_text_or_tokens() -> None:
    assert at().blocked("HTTP 400: filtered") == Reply(
        outcome="blocked",
        text="",
        detail="HTTP 400: filtered",
        usage=Usage(),
        served_by="some-model",
    )
