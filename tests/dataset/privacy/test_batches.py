from threadmed.dataset.privacy.batches import (
    Batch,
    Open,
    batches,
    joined,
    scrub_batch,
    texts_of,
)
from threadmed.dataset.privacy.known import Known
from threadmed.records import Thread, ThreadId, Turn

ONE, TWO = ThreadId("THREAD_0001"), ThreadId("THREAD_0002")
KNOWN = Known(accounts=frozenset({"Jo_Doe"}), ids=frozenset({"x9"}))


def scrubbed(*threads: Open) -> Batch:
    return scrub_batch(threads, words=(), tokens=len)


def a_thread(name: ThreadId = ONE, *, beside: tuple[bytes, ...] = ()) -> Open:
    turns = (Turn(question="by Jo_Doe", answer="hm"), Turn(question="x9", answer=None))
    return Open(name=name, turns=turns, known=KNOWN, beside=beside)


def test_batches_are_joined_in_the_order_of_their_threads() -> None:
    whole = joined([scrubbed(a_thread()), scrubbed(a_thread(TWO))], beside=())

    turns = (
        Turn(question="by [user]", answer="hm"),
        Turn(question="[id]", answer=None),
    )
    assert whole.threads == [Thread(thread_id=n, turns=turns) for n in (ONE, TWO)]
    assert whole.replaced == {"user": 2, "id": 2}
    assert whole.tokens == {"by [user]": 9, "hm": 2, "[id]": 4}
    assert whole.clean == set(whole.lines)
    assert whole.answered() == []


def test_a_line_beside_with_a_trace_is_not_clean() -> None:
    lines = [b'{"thread_id":"THREAD_0001","by":"%s"}' % by for by in (b"jo_doe", b"jo")]
    whole = joined([scrubbed(a_thread(beside=tuple(lines)))], beside=lines)

    assert whole.clean == {*whole.lines, lines[1]}


def test_an_answer_that_is_missing_has_no_length() -> None:
    assert texts_of(a_thread().turns) == ["by Jo_Doe", "hm", "x9"]
    assert scrubbed(a_thread()).tokens == [9, 2, 4]


def test_the_last_batch_may_be_smaller() -> None:
    assert [len(batch) for batch in batches(range(5), size=2)] == [2, 2, 1]
