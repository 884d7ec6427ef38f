import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Server
from quick_engine import Desk, SlowModel, counted, failing, quickly, request
from threadmed.errors import Stopped
from threadmed.llm.budget import Purse, Worst, reply_limit, worst_of
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import (
    Failed,
    Replied,
    Reply,
    Request,
    RetryLater,
    Schema,
    ScriptedModel,
)
from threadmed.llm.providers.openai import OpenAIModel
from threadmed.records import Message, Model, Price, Usage


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


def spent(journal: Journal) -> float:
    return sum(spend.cost_usd for spend in journal.spend())


def test_the_worst_case_counts_every_byte_as_a_token() -> None:
    asked = Request(
        messages=(
            Message(role="system", content="é"),  # two bytes
            Message(role="user", content="abcd"),
        ),
        max_tokens=100,
        schema=Schema(name="s", json="{}"),
    )

    worst = worst_of(asked, price=Price(input=1e6, output=2e6), max_tokens=100)

    assert worst.usage == Usage(tokens_in=2 + 4 + 2 + 2 * 16, tokens_out=100)
    assert worst.usd == 40 + 200
    assert worst.tokens == 140


def test_the_worst_case_pays_the_dearest_price_of_what_goes_in() -> None:
    price = Price(input=1e6, output=0.0, cached_input=1e5, cache_write=2e6)

    assert worst_of(request("hello"), price=price, max_tokens=9).usd == 2 * (5 + 16)


@pytest.mark.parametrize(
    ("sent", "most"),
    [
        ({"max_tokens": 300}, 300),
        ({"max_completion_tokens": 8704}, 8704),
        ({"generationConfig": {"maxOutputTokens": 900}}, 900),
        ({"max_tokens": 12, "other": {"temperature": 1}}, 100),
        ({"max_tokens": "many"}, 100),
        ({}, 100),
    ],
)
def test_the_worst_case_knows_what_room_for_a_reply_is_really_sent(
    sent: dict[str, object], most: int
) -> None:
    assert reply_limit(sent, least=100) == most


def worst(usd: float, tokens: int = 0) -> Worst:
    return Worst(usd=usd, usage=Usage(tokens_in=tokens), expected=0)


@given(
    limit=st.floats(0, 20),
    calls=st.lists(
        st.tuples(st.floats(0.01, 5), st.floats(0, 1), st.floats(0, 3)), max_size=30
    ),
)
def test_whatever_calls_cost_and_however_long_they_take_the_limit_holds(
    limit: float, calls: list[tuple[float, float, float]]
) -> None:
    purse = Purse(usd=limit)

    async def one(most: float, share: float, takes_s: float) -> None:
        try:
            await purse.hold(worst(most), model="m")
        except Stopped:
            return
        await asyncio.sleep(takes_s)
        purse.pay(most * share, 1)
        purse.release(worst(most))

    async def all_of_them() -> None:
        await asyncio.gather(*(one(*call) for call in calls))

    quickly(all_of_them())

    assert purse.spent_usd <= limit


def test_a_call_starts_only_if_its_worst_case_fits_the_budget(journal: Journal) -> None:
    # One USD a token; the worst case of "hello" is 5 + 16 bytes and 10 tokens out.
    desk = Desk(journal, ScriptedModel(counted(20)), price=1e6, budget=60.0)

    async def spend() -> None:
        await desk.ask(request("hello"))
        await desk.ask(request("world"))
        with pytest.raises(Stopped, match=r"budget of 60\.00 USD .* 40\.0000 USD are"):
            await desk.ask(request("again"))

    quickly(spend())

    assert spent(journal) == 40.0


def test_a_call_that_fits_only_when_others_have_landed_waits_for_them(
    journal: Journal,
) -> None:
    model = SlowModel(counted(20), takes_s=1.0)
    desk = Desk(journal, model, price=1e6, budget=61.0)

    said = quickly(desk.ask_all(["hello", "world"]))

    # 31 and 31 would be too much at once; 20 and 31 are not.
    assert [type(each) for each in said] == [Replied, Replied]
    assert model.times[1] - model.times[0] >= 1.0


def test_a_stop_by_budget_lets_land_what_is_in_flight(journal: Journal) -> None:
    model = SlowModel(counted(20), takes_s=1.0)
    desk = Desk(journal, model, price=1e6, budget=62.0)

    async def stop() -> None:
        first = asyncio.create_task(desk.ask(request("hello")))
        await asyncio.sleep(0.5)
        with pytest.raises(Stopped):
            await desk.ask(request("a text that is too long to be paid for"))
        assert model.at_once == 1
        await desk.engine.close()
        assert isinstance(await first, Replied)

    quickly(stop())

    assert spent(journal) == 20.0


def test_the_worst_case_knows_the_models_own_limit_of_tokens(journal: Journal) -> None:
    # 5 + 16 bytes in and 80 tokens out, not the 10 of the stage.
    desk = Desk(
        journal, ScriptedModel(counted(1)), price=1e6, budget=100.0, max_tokens=80
    )

    with pytest.raises(Stopped, match=r"could cost up to 101\.0000"):
        quickly(desk.ask(request("hello")))


def test_a_text_without_a_count_of_tokens_is_charged_as_the_worst_case(
    journal: Journal,
) -> None:
    desk = Desk(journal, ScriptedModel(counted(0)), price=1e6, budget=60.0, tokens=60)

    quickly(desk.ask(request("hello")))

    (spend,) = journal.spend()
    assert (spend.cost_usd, spend.tokens_in, spend.tokens_out) == (31.0, 21, 10)
    with pytest.raises(Stopped):
        quickly(desk.ask(request("world")))


def test_a_blocked_request_without_a_count_of_tokens_costs_nothing(
    journal: Journal,
) -> None:
    blocked = Reply(outcome="blocked", text="", usage=Usage(), served_by="m")
    desk = Desk(journal, ScriptedModel(lambda _: blocked), price=1e6, budget=60.0)

    quickly(desk.ask(request("hello")))

    assert spent(journal) == 0.0


def test_the_budget_counts_what_earlier_runs_have_spent(journal: Journal) -> None:
    earlier = Desk(journal, ScriptedModel(counted(20)), price=1e6)
    quickly(earlier.ask(request("hello")))

    desk = Desk(journal, ScriptedModel(counted(20)), price=1e6, budget=50.0)

    with pytest.raises(Stopped, match=r"20\.0000 USD are spent"):
        quickly(desk.ask(request("world")))


def test_a_budget_of_tokens_holds_where_nothing_costs_money(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(counted(20)), tokens=60)

    async def spend() -> None:
        await desk.ask(request("hello"))
        await desk.ask(request("world"))
        with pytest.raises(
            Stopped, match=r"budget of 60 tokens is used up: 40 are .* up to 31"
        ):
            await desk.ask(request("again"))

    quickly(spend())


def test_what_costs_nothing_goes_on_where_no_money_is_left(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(counted(20)), budget=0.0)

    assert isinstance(quickly(desk.ask(request("hello"))), Replied)


def test_what_never_came_back_counts_as_if_it_were_on_the_bill(
    journal: Journal,
) -> None:
    model = SlowModel(counted(20), takes_s=60.0)
    desk = Desk(journal, model, price=1e6, budget=80.0, attempts=2)

    async def lose() -> Failed | Replied:
        return await desk.ask(request("hello"))

    assert isinstance(quickly(lose()), Failed)

    # In this run and in the next ones: twice 31 of 80.
    for again in (desk, Desk(journal, model, price=1e6, budget=80.0)):
        with pytest.raises(
            Stopped,
            match=r"0\.0000 USD are spent, up to 62\.0000 more may be on the bill "
            "for 2 attempts that brought no reply",
        ):
            quickly(again.ask(request("world")))
    assert journal.unsettled().most_usd == 62.0


def test_what_was_refused_is_not_on_the_bill(journal: Journal) -> None:
    model = ScriptedModel(failing(RetryLater("HTTP 500: broken", status=500), times=2))
    desk = Desk(journal, model, price=1e6, budget=32.0)

    assert isinstance(quickly(desk.ask(request("hello"))), Replied)
    assert journal.unsettled().attempts == 0


def test_a_budget_holds_to_the_cent_against_a_server_that_counts(
    tmp_path: Path, serve: Callable[..., Server]
) -> None:
    server = serve()
    # The server says 100 tokens in and 20 out for each: two cents, one for either.
    entry = Model(
        name="m",
        model="openai:m",
        base_url=server.url,
        price=Price(input=100.0, output=500.0),
        in_flight=8,
    )

    async def spend(journal: Journal) -> list[object]:
        engine = Engine(
            {"m": OpenAIModel(entry, environment={})},
            entries={"m": entry},
            journal=journal,
            budget_usd=1.0,
            clock=lambda: 1.0,
        )
        asks = (
            engine.ask("m", request(f"{n:03}" * 40, most=20), stage="answer")
            for n in range(100)
        )
        said = await asyncio.gather(*asks, return_exceptions=True)
        await engine.close()
        return list(said)

    with Journal(tmp_path / "j.sqlite") as journal:
        said = asyncio.run(spend(journal))
        paid = spent(journal)

    replied = [each for each in said if isinstance(each, Replied)]
    assert len(replied) == server.count()
    assert all(isinstance(each, Replied | Stopped) for each in said)
    assert paid == pytest.approx(0.02 * len(replied), abs=1e-9)
    # A call could cost 120 + 16 tokens in and 20 out: 0.0236 USD. Only where that does
    # not fit any more is the rest left.
    assert 1.0 - 0.0236 < paid <= 1.0


def test_a_small_budget_is_written_with_all_of_its_digits(journal: Journal) -> None:
    desk = Desk(journal, ScriptedModel(counted(20)), price=1e3, budget=0.005)

    async def spend() -> None:
        said = r"budget of 0\.005 USD is used up: 0\.0000 USD are .* up to 0\.0310;"
        with pytest.raises(Stopped, match=said):
            await desk.ask(request("hello"))

    quickly(spend())
