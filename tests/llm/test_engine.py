import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from threadmed.errors import ModelError, ModelUnavailable, Stopped, StudyError
from threadmed.llm.engine import BREAK_AFTER, REFUSED_AFTER, Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import (
    Failed,
    Replied,
    Reply,
    Request,
    RetryLater,
    ScriptedModel,
)
from threadmed.records import Message, Model, Price, Usage


def request(text: str = "hello", *, repeat: int = 0, most: int = 10) -> Request:
    return Request(
        messages=(Message(role="user", content=text),), max_tokens=most, repeat=repeat
    )


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


class Desk:
    """An engine over one model, with pauses that are noted and not slept."""

    def __init__(
        self,
        journal: Journal,
        model: ScriptedModel,
        *,
        price: float = 0.0,
        budget: float | None = None,
        in_flight: int = 2,
        timeout_s: float = 5.0,
        max_tokens: int | None = None,
    ) -> None:
        self.pauses: list[float] = []
        entry = Model(
            name="m",
            model="openai:m",
            price=Price(input=price, output=price),
            in_flight=in_flight,
            attempts=3,
            timeout_s=timeout_s,
            max_tokens=max_tokens,
        )
        self.engine = Engine(
            {"m": model},
            entries={"m": entry},
            journal=journal,
            budget_usd=budget,
            clock=lambda: 1.0,
            sleep=self.pause,
        )

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def ask(self, asked: Request, priority: int = 0) -> Replied | Failed:
        return await self.engine.ask("m", asked, stage="answer", priority=priority)


def failing(error: Exception, times: int = 10_000) -> Callable[[Request], str]:
    left = times

    def say(_: Request) -> str:
        nonlocal left
        left -= 1
        if left >= 0:
            raise error
        return "at last"

    return say


def test_a_reply_is_in_the_journal_before_it_is_used(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(lambda _: "hi"))

    said = asyncio.run(desk.ask(request()))

    assert isinstance(said, Replied)
    assert journal.get(said.key) == said.reply


def test_a_request_that_was_paid_for_is_not_sent_again(journal: Journal) -> None:
    model = ScriptedModel(lambda _: "hi")
    asyncio.run(Desk(journal, model).ask(request()))

    again = asyncio.run(Desk(journal, model).ask(request()))

    assert isinstance(again, Replied)
    assert len(model.requests) == 1


def test_a_repeat_is_paid_for_anew(journal: Journal) -> None:
    model = ScriptedModel(lambda _: "hi")
    desk = Desk(journal, model)

    async def both() -> None:
        await desk.ask(request())
        await desk.ask(request(repeat=1))

    asyncio.run(both())

    assert len(model.requests) == 2


class SlowModel(ScriptedModel):
    """Takes a while, and notes how many it has at once."""

    at_once = 0
    most = 0

    async def chat(self, request: Request) -> Reply:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.02)
        self.at_once -= 1
        return await super().chat(request)


def test_equal_requests_in_flight_are_one_call(journal: Journal) -> None:
    model = SlowModel(lambda _: "hi")
    desk = Desk(journal, model)

    async def many() -> list[Replied | Failed]:
        return await asyncio.gather(*(desk.ask(request()) for _ in range(20)))

    replies = asyncio.run(many())

    assert len(model.requests) == 1
    assert len({reply.key for reply in replies}) == 1


def test_no_more_calls_are_under_way_than_the_model_may_have(journal: Journal) -> None:
    model = SlowModel(lambda _: "hi")
    desk = Desk(journal, model, in_flight=3)

    async def many() -> None:
        await asyncio.gather(*(desk.ask(request(str(n))) for n in range(12)))

    asyncio.run(many())

    assert model.most == 3


def test_the_longest_conversations_go_first(journal: Journal) -> None:
    model = SlowModel(lambda _: "hi")
    desk = Desk(journal, model, in_flight=1)

    async def many() -> None:
        await asyncio.gather(*(desk.ask(request(str(n)), priority=n) for n in range(5)))

    asyncio.run(many())

    asked = [each.messages[0].content for each in model.requests]
    assert asked == ["0", "4", "3", "2", "1"]


def test_attempts_are_bounded_and_the_failure_is_not_kept(journal: Journal) -> None:
    model = ScriptedModel(failing(RetryLater("busy")))
    desk = Desk(journal, model)

    said = asyncio.run(desk.ask(request()))

    assert said == Failed(key=said.key, why="busy")
    assert len(model.requests) == 3
    assert len(desk.pauses) == 2
    assert journal.get(said.key) is None


def test_a_failed_request_is_tried_anew_by_the_next_run(journal: Journal) -> None:
    asyncio.run(Desk(journal, ScriptedModel(failing(RetryLater("x")))).ask(request()))

    said = asyncio.run(Desk(journal, ScriptedModel(lambda _: "hi")).ask(request()))

    assert isinstance(said, Replied)


def test_the_wait_that_the_provider_asks_for_is_honoured(journal: Journal) -> None:
    model = ScriptedModel(failing(RetryLater("busy", after_s=42.0), times=1))
    desk = Desk(journal, model)

    said = asyncio.run(desk.ask(request()))

    assert isinstance(said, Replied)
    assert desk.pauses == [42.0]


def test_an_attempt_that_takes_too_long_is_tried_again(journal: Journal) -> None:
    desk = Desk(journal, SlowModel(lambda _: "hi"), timeout_s=0.001)

    said = asyncio.run(desk.ask(request()))

    assert isinstance(said, Failed)
    assert said.why == "no reply within 0.001 s"


def test_a_request_that_cannot_succeed_is_tried_once(journal: Journal) -> None:
    model = ScriptedModel(failing(ModelUnavailable("too long")))
    desk = Desk(journal, model)

    said = asyncio.run(desk.ask(request()))

    assert isinstance(said, Failed)
    assert len(model.requests) == 1


def test_a_wrong_key_stops_the_model_after_one_call(journal: Journal) -> None:
    model = ScriptedModel(failing(ModelError("wrong key")))
    desk = Desk(journal, model)

    async def both() -> None:
        for text in "ab":
            with pytest.raises(ModelError, match="wrong key"):
                await desk.ask(request(text))

    asyncio.run(both())

    assert len(model.requests) == 1


def test_a_model_that_never_answers_is_given_up_after_a_few_requests(
    journal: Journal,
) -> None:
    model = ScriptedModel(failing(RetryLater("gone")))
    desk = Desk(journal, model)

    async def some() -> None:
        for number in range(BREAK_AFTER - 1):
            assert isinstance(await desk.ask(request(str(number))), Failed)
        for _ in range(2):
            with pytest.raises(ModelError, match="5 requests in a row failed.*gone"):
                await desk.ask(request("last"))

    asyncio.run(some())

    assert len(model.requests) == 3 * BREAK_AFTER


def test_a_model_that_refuses_everything_is_given_up_in_the_end(
    journal: Journal,
) -> None:
    model = ScriptedModel(failing(ModelUnavailable("no such parameter")))
    desk = Desk(journal, model)

    async def some() -> None:
        for number in range(REFUSED_AFTER - 1):
            assert isinstance(await desk.ask(request(str(number))), Failed)
        with pytest.raises(ModelError, match="20 requests in a row .*such parameter"):
            await desk.ask(request("last"))

    asyncio.run(some())


def test_refusals_do_not_break_a_model_that_has_answered_in_this_run_or_before(
    journal: Journal,
) -> None:
    def choosy(asked: Request) -> str:
        if asked.messages[0].content != "short":
            raise ModelUnavailable("too long")
        return "fine"

    async def some(desk: Desk) -> list[type]:
        texts = ["short", *map(str, range(2 * REFUSED_AFTER))]
        return [type(await desk.ask(request(text))) for text in texts]

    expected = [Replied] + 2 * REFUSED_AFTER * [Failed]
    assert asyncio.run(some(Desk(journal, ScriptedModel(choosy)))) == expected
    assert asyncio.run(some(Desk(journal, ScriptedModel(choosy)))) == expected


def test_a_success_between_failures_keeps_a_model_going(journal: Journal) -> None:
    def moody(asked: Request) -> str:
        if int(asked.messages[0].content) % BREAK_AFTER:
            raise RetryLater("bad mood")
        return "fine"

    desk = Desk(journal, ScriptedModel(moody))

    async def some() -> list[bool]:
        return [
            isinstance(await desk.ask(request(str(number))), Replied)
            for number in range(3 * BREAK_AFTER)
        ]

    assert sum(asyncio.run(some())) == 3


def priced(tokens: int) -> ScriptedModel:
    usage = Usage(tokens_in=tokens, tokens_out=0)
    reply = Reply(outcome="answered", text="hi", usage=usage, served_by="m")
    return ScriptedModel(lambda _: reply)


def test_a_call_starts_only_if_its_worst_case_fits_the_budget(journal: Journal) -> None:
    # One USD a token; the worst case of "hello" is 5 + 16 bytes and 10 tokens out.
    desk = Desk(journal, priced(20), price=1e6, budget=60.0)

    async def spend() -> None:
        await desk.ask(request("hello"))
        with pytest.raises(Stopped, match=r"budget of 60\.00 USD .* 40\.0000 USD"):
            await asyncio.gather(desk.ask(request("world")), desk.ask(request("again")))

    asyncio.run(spend())

    assert sum(spend.cost_usd for spend in journal.spend()) == 40.0


def test_what_is_in_flight_counts_against_the_budget(journal: Journal) -> None:
    model = SlowModel(priced(20).answer)
    desk = Desk(journal, model, price=1e6, budget=61.0)

    async def spend() -> list[object]:
        asked = (desk.ask(request("hello")), desk.ask(request("world")))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    first, second = asyncio.run(spend())

    assert isinstance(first, Replied)
    assert isinstance(second, Stopped)


def test_the_worst_case_knows_the_models_own_limit_of_tokens(journal: Journal) -> None:
    # 5 + 16 bytes in and 80 tokens out, not the 10 of the stage.
    desk = Desk(journal, priced(20), price=1e6, budget=100.0, max_tokens=80)

    with pytest.raises(Stopped, match=r"could cost up to 101\.0000"):
        asyncio.run(desk.ask(request("hello")))


def test_a_text_without_a_count_of_tokens_is_charged_as_the_worst_case(
    journal: Journal,
) -> None:
    desk = Desk(journal, priced(0), price=1e6, budget=60.0)

    asyncio.run(desk.ask(request("hello")))

    assert sum(spend.cost_usd for spend in journal.spend()) == 31.0
    with pytest.raises(Stopped):
        asyncio.run(desk.ask(request("world")))


def test_the_budget_counts_what_earlier_runs_have_spent(journal: Journal) -> None:
    asyncio.run(Desk(journal, priced(20), price=1e6).ask(request("hello")))

    desk = Desk(journal, priced(20), price=1e6, budget=50.0)

    with pytest.raises(Stopped, match=r"20\.0000 USD are spent"):
        asyncio.run(desk.ask(request("world")))


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
    model = SlowModel(lambda _: "hi")
    desk = Desk(journal, model, in_flight=1)

    async def leave() -> None:
        sent = asyncio.create_task(desk.ask(request("sent")))
        waiting = asyncio.create_task(desk.ask(request("waiting")))
        await asyncio.sleep(0.005)
        for task in (sent, waiting):
            task.cancel()
        await asyncio.gather(sent, waiting, return_exceptions=True)
        await desk.engine.close()

    asyncio.run(leave())

    assert [each.messages[0].content for each in model.requests] == ["sent"]
    assert sum(spend.calls for spend in journal.spend()) == 1


class Dozing(Desk):
    """Never ends a pause."""

    dozes: asyncio.Event

    async def pause(self, seconds: float) -> None:
        await super().pause(seconds)
        self.dozes.set()
        await asyncio.Event().wait()


def test_a_pause_before_another_attempt_is_not_waited_for_at_the_end(
    journal: Journal,
) -> None:
    model = ScriptedModel(failing(RetryLater("busy"), times=1))
    desk = Dozing(journal, model)
    desk.dozes = asyncio.Event()

    async def leave() -> None:
        asked = asyncio.create_task(desk.ask(request()))
        await desk.dozes.wait()
        await desk.engine.close()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(leave())

    assert len(model.requests) == 1


def test_a_call_that_fails_while_the_engine_closes_is_not_tried_again(
    journal: Journal,
) -> None:
    class Overloaded(SlowModel):
        async def chat(self, request: Request) -> Reply:
            await super().chat(request)
            raise RetryLater("busy")

    model = Overloaded(lambda _: "hi")
    desk = Desk(journal, model)

    async def leave() -> Replied | Failed:
        asked = asyncio.create_task(desk.ask(request()))
        await asyncio.sleep(0.005)
        await desk.engine.close()
        return await asked

    assert isinstance(asyncio.run(leave()), Failed)
    assert len(model.requests) == 1


def test_what_was_paid_is_told_by_stage_and_model(journal: Journal) -> None:
    desk = Desk(journal, priced(20), price=1e6)

    asyncio.run(desk.ask(request("hello")))

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

    assert isinstance(asyncio.run(two()), Replied)
