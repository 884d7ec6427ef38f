import pytest

from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.faults import (
    TimedOut,
    is_busy,
    label_of,
    may_be_billed,
    status_of,
)
from threadmed.llm.model import RetryLater

NO_CONNECTION = [
    "ConnectionRefusedError: [Errno 111] Connect call failed ('127.0.0.1', 9)",
    "gaierror: [Errno -2] Name or service not known",
    "ConnectError: All connection attempts failed",
    "OSError: [Errno 101] Network is unreachable",
]


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_model_that_is_busy_says_so_by_its_status(status: int) -> None:
    cause = RetryLater("slow down", status=status)

    assert is_busy(cause)
    assert status_of(cause) == status
    assert label_of(cause) == f"HTTP {status}"


@pytest.mark.parametrize("why", ["HTTP 500: broken", "cut off", "said HTTP 429", ""])
def test_no_other_failure_is_taken_for_being_busy(why: str) -> None:
    assert not is_busy(RetryLater(why))


@pytest.mark.parametrize("why", NO_CONNECTION)
def test_what_never_reached_the_server_is_not_on_the_bill(why: str) -> None:
    assert not may_be_billed(RetryLater(why))
    assert label_of(RetryLater(why)) == "no connection"


@pytest.mark.parametrize(
    "why",
    ["ServerDisconnectedError: Server disconnected", "TimeoutError: ", "no completion"],
)
def test_what_broke_off_may_be_on_the_bill(why: str) -> None:
    assert may_be_billed(RetryLater(why))
    assert label_of(RetryLater(why)) == "no or broken reply"


def test_a_reply_that_did_not_come_in_time_may_be_on_the_bill() -> None:
    assert may_be_billed(TimedOut("no reply within 5 s"))
    assert label_of(TimedOut("no reply within 5 s")) == "timed out"


def test_a_refusal_is_not_on_the_bill() -> None:
    assert not may_be_billed(RetryLater("HTTP 500: broken", status=500))
    assert not may_be_billed(ModelUnavailable("too long"))
    assert not may_be_billed(ModelError("wrong key"))


def test_a_model_that_says_how_long_to_wait_is_busy_and_has_done_nothing() -> None:
    cause = RetryLater("quota of the minute", after_s=3.0)

    assert is_busy(cause)
    assert not may_be_billed(cause)
    assert label_of(cause) == "asked to wait"
