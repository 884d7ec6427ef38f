"""The limits, seen through the engine."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from quick_engine import Desk, SlowModel, failing, quickly, request
from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.breaker import BREAK_AFTER, OUTAGE_S
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.limits import PROBES
from threadmed.llm.model import Failed, Replied, Reply, Request, RetryLater
from threadmed.records import Model, Price

FREE = Price(input=0.0, output=0.0)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


def texts(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def kinds(said: list[Replied | Failed]) -> set[str]:
    return {type(outcome).__name__ for outcome in said}


class Crowded(SlowModel):
    """Refuses whatever comes while it has enough to do, as a server with a limit."""

    def __init__(self, room: int, *, after_s: float | None = None) -> None:
        super().__init__(lambda _: "hi", takes_s=1.0)
        self.room = room
        self.after_s = after_s
        self.refused: list[float] = []

    async def chat(self, request: Request) -> Reply:
        if self.at_once >= self.room:
            self.refused.append(asyncio.get_running_loop().time())
            raise RetryLater("HTTP 429: slow down", status=429, after_s=self.after_s)
        return await super().chat(request)


def test_a_model_with_less_room_than_was_thought_loses_no_request(
    journal: Journal,
) -> None:
    model = Crowded(room=5)
    desk = Desk(journal, model, in_flight=50, attempts=5)

    async def timed() -> tuple[list[Replied | Failed], float]:
        began = asyncio.get_running_loop().time()
        said = await desk.ask_all(texts(400))
        return said, asyncio.get_running_loop().time() - began

    said, took_s = quickly(timed())

    assert kinds(said) == {"Replied"}
    # 400 calls of 1 s, five at once, take 80 s at best: it does not collapse.
    assert took_s < 80 * 1.6
    assert desk.stats.width < 15
    assert len(model.refused) < 400


def test_a_model_that_has_room_again_is_asked_as_much_as_before(
    journal: Journal,
) -> None:
    model = Crowded(room=4)
    desk = Desk(journal, model, in_flight=30)

    async def relieved() -> int:
        await desk.ask_all(texts(100))
        narrow = desk.stats.width
        model.room = 100
        await desk.ask_all(texts(1_200)[100:])
        return narrow

    narrow = quickly(relieved())

    assert narrow < 15
    assert desk.stats.width == 30
    assert model.most == 30


def test_the_wait_that_a_provider_asks_for_is_kept_by_all_requests_to_the_model(
    journal: Journal,
) -> None:
    model = Crowded(room=3, after_s=42.0)
    desk = Desk(journal, model, in_flight=6)

    said = quickly(desk.ask_all(texts(40)))

    assert kinds(said) == {"Replied"}
    first = model.refused[0]
    later = [at for at in model.times + model.refused if at > first + 0.01]
    assert min(later) >= first + 42.0


def test_the_wait_that_a_provider_asks_for_has_an_end(journal: Journal) -> None:
    model = SlowModel(
        failing(RetryLater("HTTP 429: no", status=429, after_s=1e6), times=1)
    )
    desk = Desk(journal, model)

    assert isinstance(quickly(desk.ask(request())), Replied)
    assert 300 <= model.times[1] - model.times[0] < 301


def test_a_model_may_be_asked_so_many_times_a_minute(journal: Journal) -> None:
    model = SlowModel(lambda _: "hi", takes_s=0.1)
    desk = Desk(journal, model, in_flight=50, requests_per_minute=30)

    quickly(desk.ask_all(texts(20)))

    gaps = [b - a for a, b in zip(model.times, model.times[1:], strict=False)]
    assert min(gaps) > 1.99


def test_a_model_may_use_so_many_tokens_a_minute(journal: Journal) -> None:
    # A reply of 1 token counts for 1,000 until it is there.
    model = SlowModel(lambda _: "hi", takes_s=0.1)
    desk = Desk(journal, model, in_flight=50, tokens_per_minute=60_000, max_tokens=1000)

    quickly(desk.ask_all(texts(10)))

    assert 0.5 < model.times[-1] - model.times[0] < 10


def test_a_wrong_key_stops_the_model_after_three_calls_and_the_others_go_on(
    journal: Journal,
) -> None:
    models = {
        "locked": SlowModel(failing(ModelError("wrong key"))),
        "open": SlowModel(lambda _: "hi"),
    }
    engine = Engine(
        models,
        entries={
            name: Model(name=name, model="openai:m", price=FREE, in_flight=100)
            for name in models
        },
        journal=journal,
        clock=lambda: 1.0,
    )

    async def ask(model: str, text: str) -> Replied | Failed:
        return await engine.ask(model, request(model + text), stage="judge")

    async def both() -> list[list[Replied | Failed]]:
        return [
            await asyncio.gather(*(ask(model, text) for text in texts(200)))
            for model in models
        ]

    locked, free = quickly(both())

    assert {outcome.why for outcome in locked if isinstance(outcome, Failed)} == {
        "wrong key"
    }
    assert kinds(free) == {"Replied"}
    assert len(models["locked"].requests) == PROBES
    assert engine.broken == {"locked": "wrong key"}
    assert engine.stats()["locked"].broken == "wrong key"


def test_what_was_paid_for_is_there_though_the_model_is_given_up(
    journal: Journal,
) -> None:
    quickly(Desk(journal, SlowModel(lambda _: "hi")).ask(request("paid")))
    desk = Desk(journal, SlowModel(failing(ModelError("quota gone"))))

    said = quickly(desk.ask_all(["new", "paid"]))
    again = quickly(desk.ask_all(["newer", "paid"]))

    assert [type(each) for each in said + again] == [Failed, Replied] * 2
    assert len(desk.model.requests) == 1


def test_a_model_that_was_never_there_is_given_up_after_a_few_requests(
    journal: Journal,
) -> None:
    desk = Desk(journal, SlowModel(failing(RetryLater("gone"))), in_flight=1)

    said = quickly(desk.ask_all(texts(50)))

    assert len(desk.model.requests) == 3 * BREAK_AFTER
    assert kinds(said) == {"Failed"}
    assert "5 requests in a row failed, the last one with: gone" in desk.stats.broken


class Absent(SlowModel):
    """Is away for some time, from its tenth second on."""

    def __init__(self, away_s: float) -> None:
        super().__init__(lambda _: "hi", takes_s=0.5)
        self.away_s = away_s
        self.began: float | None = None

    async def chat(self, request: Request) -> Reply:
        now = asyncio.get_running_loop().time()
        self.began = now if self.began is None else self.began
        if 10 <= now - self.began < 10 + self.away_s:
            self.times.append(now)
            raise RetryLater("ConnectionRefusedError: [Errno 111]")
        return await super().chat(request)


def test_an_outage_of_minutes_costs_a_few_requests_and_not_the_model(
    journal: Journal,
) -> None:
    model = Absent(away_s=240.0)
    desk = Desk(journal, model, in_flight=5)

    said = quickly(desk.ask_all(texts(1_000)))

    lost = [each for each in said if isinstance(each, Failed)]
    assert 0 < len(lost) <= 15
    assert desk.engine.broken == {}
    assert desk.stats.retried["no connection"] < 40


def test_an_outage_without_end_gives_the_model_up(journal: Journal) -> None:
    model = Absent(away_s=1e9)
    desk = Desk(journal, model, in_flight=5)

    said = quickly(desk.ask_all(texts(1_000)))

    assert "cannot be reached" in desk.engine.broken["m"]
    assert model.times[-1] - model.times[0] < OUTAGE_S + 200
    assert sum(isinstance(each, Replied) for each in said) >= 90


def test_requests_that_cannot_succeed_do_not_stop_the_ones_that_can(
    journal: Journal,
) -> None:
    def choosy(asked: Request) -> str:
        if asked.messages[0].content != "short":
            raise ModelUnavailable("too long")
        return "fine"

    desk = Desk(journal, SlowModel(choosy))

    async def some() -> list[Replied | Failed]:
        first = await desk.ask(request("short"))
        return [first, *await desk.ask_all(texts(50))]

    said = quickly(some())

    assert [type(each) for each in said] == [Replied] + [Failed] * 50
    assert desk.engine.broken == {}


def test_a_request_that_rests_is_let_go_when_its_model_is_given_up(
    journal: Journal,
) -> None:
    class Moody(SlowModel):
        async def chat(self, request: Request) -> Reply:
            if request.messages[0].content == "patient":
                await asyncio.sleep(0.5)
                raise RetryLater("HTTP 500: broken", status=500, after_s=250.0)
            await asyncio.sleep(1.0)
            raise ModelError("wrong key")

    desk = Desk(journal, Moody(lambda _: "hi"))

    async def timed() -> float:
        began = asyncio.get_running_loop().time()
        said = await desk.ask_all(["patient", "locked out"])
        assert kinds(said) == {"Failed"}
        return asyncio.get_running_loop().time() - began

    assert quickly(timed()) < 2.0
