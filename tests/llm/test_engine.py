import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from quick_engine import Desk, SlowModel, counted, failing, quickly, request
from threadmed.errors import InputError, ModelUnavailable, Stopped, StudyError
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import (
    Failed,
    Replied,
    Reply,
    Request,
    RetryLater,
    ScriptedModel,
    request_key,
)
from threadmed.records import Model


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


def test_a_reply_is_in_the_journal_before_it_is_used(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(lambda _: "hi"))

    said = quickly(desk.ask(request()))

    assert isinstance(said, Replied)
    assert said.key == request_key(desk.model, request())
    assert journal.get(said.key) == said.reply


def test_a_request_that_was_paid_for_is_not_sent_again(journal: Journal) -> None:
    model = ScriptedModel(lambda _: "hi")
    quickly(Desk(journal, model).ask(request()))
    desk = Desk(journal, model)

    again = quickly(desk.ask(request()))

    assert isinstance(again, Replied)
    assert len(model.requests) == 1
    assert (desk.stats.sent, desk.stats.reused) == (0, 1)


def test_a_repeat_is_paid_for_anew(journal: Journal) -> None:
    model = ScriptedModel(lambda _: "hi")
    desk = Desk(journal, model)

    async def both() -> None:
        await desk.ask(request())
        await desk.ask(request(repeat=1))

    quickly(both())

    assert len(model.requests) == 2


def test_equal_requests_in_flight_are_one_call(journal: Journal) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi"))

    replies = quickly(desk.ask_all(["hello"] * 20))

    assert len(desk.model.requests) == 1
    assert len({reply.key for reply in replies}) == 1
    assert (desk.stats.sent, desk.stats.shared) == (1, 19)


def test_no_more_calls_are_under_way_than_the_model_may_have(journal: Journal) -> None:
    model = SlowModel(lambda _: "hi")

    quickly(Desk(journal, model, in_flight=7).ask_all([str(n) for n in range(30)]))

    assert model.most == 7


def test_the_longest_conversations_go_first(journal: Journal) -> None:
    model = SlowModel(lambda _: "hi")
    desk = Desk(journal, model, in_flight=1)

    async def many() -> None:
        await asyncio.gather(*(desk.ask(request(str(n)), priority=n) for n in range(5)))

    quickly(many())

    asked = [each.messages[0].content for each in model.requests]
    assert asked == ["0", "4", "3", "2", "1"]


def test_attempts_are_bounded_and_the_failure_is_not_kept(journal: Journal) -> None:
    desk = Desk(
        journal, ScriptedModel(failing(RetryLater("HTTP 500: broken", status=500)))
    )

    said = quickly(desk.ask(request()))

    assert said == Failed(key=said.key, why="HTTP 500: broken")
    assert len(desk.model.requests) == 3
    assert journal.get(said.key) is None
    assert desk.stats.retried == {"HTTP 500": 3}
    assert desk.stats.waited_s > 0
    assert desk.stats.failed == 1


def test_a_failed_request_is_tried_anew_by_the_next_run(journal: Journal) -> None:
    quickly(Desk(journal, ScriptedModel(failing(RetryLater("x")))).ask(request()))

    said = quickly(Desk(journal, ScriptedModel(lambda _: "hi")).ask(request()))

    assert isinstance(said, Replied)


def test_an_attempt_that_takes_too_long_is_tried_again(journal: Journal) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi", takes_s=6.0))

    said = quickly(desk.ask(request()))

    assert isinstance(said, Failed)
    assert said.why == "no reply within 5 s"
    assert desk.stats.retried == {"timed out": 3}


def test_all_attempts_together_take_no_longer_than_they_may(journal: Journal) -> None:
    model = SlowModel(failing(RetryLater("HTTP 500: broken", status=500)), takes_s=4.0)
    desk = Desk(journal, model, attempts=100, total_timeout_s=30.0)

    async def timed() -> tuple[Replied | Failed, float]:
        began = asyncio.get_running_loop().time()
        said = await desk.ask(request())
        return said, asyncio.get_running_loop().time() - began

    said, took_s = quickly(timed())

    assert isinstance(said, Failed)
    assert 20 < took_s < 31
    assert 3 <= len(model.times) <= 8


def test_the_last_attempt_is_cut_off_where_the_time_for_all_ends(
    journal: Journal,
) -> None:
    model = SlowModel(lambda _: "hi", takes_s=4.0)
    desk = Desk(journal, model, total_timeout_s=3.0)

    said = quickly(desk.ask(request()))

    assert isinstance(said, Failed)
    assert said.why == "no reply within the time for all attempts"


def test_a_request_that_cannot_succeed_is_tried_once(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(failing(ModelUnavailable("too long"))))

    said = quickly(desk.ask(request()))

    assert isinstance(said, Failed)
    assert len(desk.model.requests) == 1


def test_an_unknown_price_is_an_error_before_anything_is_sent(journal: Journal) -> None:
    entry = Model(name="m", model="openai:nobody-knows-this")

    with pytest.raises(StudyError, match="no list price is known for m"):
        Engine(
            {"m": ScriptedModel(lambda _: "hi")},
            entries={"m": entry},
            journal=journal,
            clock=lambda: 1.0,
        )


def test_a_sent_call_lands_in_the_journal_though_nobody_waits_for_it(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi"), in_flight=1)

    async def leave() -> None:
        sent = asyncio.create_task(desk.ask(request("sent")))
        waiting = asyncio.create_task(desk.ask(request("waiting")))
        await asyncio.sleep(0.005)
        for task in (sent, waiting):
            task.cancel()
        await asyncio.gather(sent, waiting, return_exceptions=True)
        await desk.engine.close()

    quickly(leave())

    assert [each.messages[0].content for each in desk.model.requests] == ["sent"]
    assert sum(spend.calls for spend in journal.spend()) == 1
    assert journal.unsettled().attempts == 0


def test_what_was_sent_is_let_go_of_at_once_when_it_is_abandoned(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi", takes_s=4.0))

    async def leave() -> float:
        loop = asyncio.get_running_loop()
        asked = asyncio.create_task(desk.ask(request()))
        await asyncio.sleep(1.0)
        closing = asyncio.create_task(desk.engine.close())
        await asyncio.sleep(1.0)
        desk.engine.abandon()
        await asyncio.gather(closing, asked, return_exceptions=True)
        return loop.time()

    async def timed() -> float:
        began = asyncio.get_running_loop().time()
        return await leave() - began

    assert 2.0 <= quickly(timed()) < 3.0
    # It may be on the bill: the journal knows.
    assert journal.unsettled().attempts == 1


def test_nothing_is_sent_once_the_engine_is_closed(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(lambda _: "hi"))

    async def late() -> None:
        await desk.engine.close()
        with pytest.raises(Stopped, match="being stopped"):
            await desk.ask(request())

    quickly(late())

    assert not desk.model.requests


def test_a_pause_before_another_attempt_is_not_waited_for_at_the_end(
    journal: Journal,
) -> None:
    model = ScriptedModel(failing(RetryLater("busy", after_s=100.0), times=1))
    desk = Desk(journal, model)

    async def leave() -> float:
        began = asyncio.get_running_loop().time()
        asked = asyncio.create_task(desk.ask(request()))
        await asyncio.sleep(1.0)
        await desk.engine.close()
        with pytest.raises(asyncio.CancelledError):
            await asked
        return asyncio.get_running_loop().time() - began

    assert quickly(leave()) < 2.0
    assert len(model.requests) == 1


def test_a_call_that_fails_while_the_engine_closes_is_not_tried_again(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(failing(RetryLater("busy"))))

    async def leave() -> Replied | Failed:
        asked = asyncio.create_task(desk.ask(request()))
        await asyncio.sleep(0.005)
        await desk.engine.close()
        return await asked

    assert isinstance(quickly(leave()), Failed)
    assert len(desk.model.requests) == 1


def test_what_was_paid_is_told_by_stage_and_model(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(counted(20)), price=1e6)

    quickly(desk.ask(request("hello")))

    (spend,) = desk.engine.spend()
    assert (spend.stage, spend.model, spend.calls) == ("answer", "m", 1)
    assert (spend.tokens_in, spend.cost_usd) == (20, 20.0)


def test_one_waiter_that_leaves_does_not_take_the_others_reply(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi"))

    async def two() -> Replied | Failed:
        leaver = asyncio.create_task(desk.ask(request()))
        stayer = asyncio.create_task(desk.ask(request()))
        await asyncio.sleep(0.005)
        leaver.cancel()
        return await stayer

    assert isinstance(quickly(two()), Replied)


def test_the_numbers_of_a_run_can_be_looked_at_while_it_goes_on(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi", takes_s=1.0), in_flight=4)

    async def look() -> None:
        asked = asyncio.create_task(desk.ask_all([str(n) for n in range(9)]))
        await asyncio.sleep(1.5)
        now = desk.stats
        # The first three were probes, and brought a reply each.
        assert (now.sent, now.replied, now.under_way) == (7, 3, 4)
        assert (now.waiting, now.width, now.broken) == (2, 4, "")
        assert now.latency_s == pytest.approx(1.0, abs=0.1)
        await asked

    quickly(look())


def test_a_bug_in_a_provider_is_not_swallowed_and_blocks_nobody(
    journal: Journal,
) -> None:
    def odd(asked: Request) -> Reply | str:
        if asked.messages[0].content == "odd":
            raise KeyError("bug")
        return "fine"

    desk = Desk(journal, ScriptedModel(odd), in_flight=1)

    async def both() -> Replied | Failed:
        with pytest.raises(KeyError):
            await desk.ask(request("odd"))
        return await desk.ask(request("even"))

    assert isinstance(quickly(both()), Replied)


def test_nothing_is_sent_when_the_journal_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Journal(path):
        pass
    other = sqlite3.connect(path, isolation_level=None)
    with Journal(path, patience_s=0.01) as journal:
        desk = Desk(journal, SlowModel(lambda _: "hi"))
        other.execute("BEGIN IMMEDIATE")

        async def two() -> list[object]:
            paid = await asyncio.gather(desk.ask(request("a")), return_exceptions=True)
            late = await asyncio.gather(desk.ask(request("b")), return_exceptions=True)
            return [*paid, *late]

        said = quickly(two())
        other.execute("ROLLBACK")
        other.close()

    assert [type(each) for each in said] == [InputError, InputError]
    assert "another program has it open" in str(said[1])
    assert len(desk.model.requests) == 1
    # What was paid for is kept all the same, now that it can be.
    with Journal(path) as journal:
        assert journal.get(request_key(desk.model, request("a")))


def test_a_call_that_is_dropped_while_it_is_noted_was_never_made(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi"), price=1.0, budget=1.0)

    async def leave() -> None:
        asked = asyncio.create_task(desk.ask(request()))
        for _ in range(3):
            await asyncio.sleep(0)
        await desk.engine.close()
        with pytest.raises(asyncio.CancelledError):
            await asked

    quickly(leave())

    assert not desk.model.requests
    assert journal.unsettled().attempts == 0
