"""Journals and batches after what hardly ever happens: no reply lost, none spoilt."""

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from batch_engine import PRICE, QUICK
from quick_engine import request
from threadmed.errors import InputError
from threadmed.llm.batchbook import Batch
from threadmed.llm.batches import BatchApi, Line, Look, Results
from threadmed.llm.carrier import Carrier, Trip
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Attempt, Entry, Journal
from threadmed.llm.model import Replied, Reply, ScriptedModel
from threadmed.records import Model, Usage

REPLY = Reply(
    outcome="answered",
    text="first",
    usage=Usage(tokens_in=9, tokens_out=5),
    served_by="s",
)


def entry(key: str, *, text: str = "first", cost: float = 0.5) -> Entry:
    return Entry(
        key=key,
        stage="answer",
        model="m",
        request=b"{}",
        reply=replace(REPLY, text=text),
        cost_usd=cost,
        at=1.0,
    )


def attempt(key: str) -> Attempt:
    return Attempt(
        key=key, stage="answer", model="m", most_usd=1.0, most_tokens=10, at=1.0
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def test_a_reply_that_comes_twice_is_paid_twice_and_stays_as_it_was(path: Path) -> None:
    with Journal(path) as journal:
        journal.put(entry("k"))
        journal.put(entry("k", text="second", cost=0.25))

        (spend,) = journal.spend()

        assert journal.get("k") == REPLY
        assert (spend.calls, spend.cost_usd) == (1, 0.75)
        assert (spend.tokens_in, spend.tokens_out) == (18, 10)


@pytest.mark.parametrize("why", ["half a letter: \ud800", "a zero: \x00"])
def test_a_failure_in_odd_letters_costs_no_reply(path: Path, why: str) -> None:
    async def both(journal: Journal) -> None:
        number = await journal.begin(attempt("a"), wait=True)
        journal.fail(number, why, most_usd=0.0, most_tokens=0)
        async with asyncio.timeout(10):
            await journal.keep(entry("b"), attempt=number + 1)

    with Journal(path) as journal:
        asyncio.run(both(journal))

        assert journal.get("b") == REPLY
        assert journal.unsettled().attempts == 0


def test_a_row_that_no_database_holds_is_one_line(path: Path) -> None:
    journal = Journal(path)
    with pytest.raises(InputError, match="writing to the journal"):
        journal.put(replace(entry("k"), model="\ud800"))
    with pytest.raises(InputError, match="writing to the journal"):
        journal.put(replace(entry("k"), charged=Usage(tokens_in=2**70)))
    with pytest.raises(InputError, match="writing to the journal"):
        journal.put(entry("k", cost=math.nan))

    assert journal.get("k") is None
    with pytest.raises(InputError):
        journal.close()


@pytest.mark.parametrize("ending", ["", ".lock"])
def test_a_folder_in_a_journals_place_is_one_line_that_says_what_to_do(
    path: Path, ending: str
) -> None:
    path.with_name(path.name + ending).mkdir()

    with pytest.raises(InputError, match="whether its folder may be written to"):
        Journal(path)


class Slow:
    """A provider of batches that takes a while to say what became of them."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.look_s = 0.0
        self.looked_at = asyncio.Event()

    async def submit(self, ticket: str, lines: Sequence[Line]) -> str:
        del ticket
        self.batches.append([line.key for line in lines])
        return str(len(self.batches) - 1)

    async def find(self, *_: object, **__: object) -> str | None:
        return None

    async def look(self, batch: str) -> Look:
        self.looked_at.set()
        await asyncio.sleep(self.look_s if batch == "0" else 0.0)
        return Look(state="ended")

    async def results(self, batch: str) -> Results:
        return dict.fromkeys(self.batches[int(batch)], REPLY)


class BatchModel(ScriptedModel):
    def __init__(self, provider: Slow) -> None:
        super().__init__(lambda _: "by itself", identity="one")
        self.provider = provider

    def batches(self) -> BatchApi:
        return self.provider


def ask(provider: Slow, path: Path, *texts: str, name: str = "m") -> list[object]:
    """Ask one of two names of one model, with a new engine."""
    entries = {
        each: Model(name=each, model="openai:m", batch=True, price=PRICE)
        for each in ("m", "twin")
    }

    async def main(journal: Journal) -> list[object]:
        engine = Engine(
            {each: BatchModel(provider) for each in entries},
            entries=entries,
            journal=journal,
            clock=lambda: 1_000.0,
            pace=replace(QUICK, settle_s=0.02),
        )
        asks = (engine.ask(name, request(t), stage="judge", batch=True) for t in texts)
        try:
            async with asyncio.timeout(10):
                return list(await asyncio.gather(*asks, return_exceptions=True))
        finally:
            await engine.close()

    with Journal(path) as journal:
        return asyncio.run(main(journal))


def reopen(path: Path, *, keep: int) -> None:
    """Bring a journal back to where a kill left it while a batch landed."""
    with Journal(path) as journal:
        rows = journal.select("SELECT ticket FROM batches")
        keys = [key for (key,) in journal.select("SELECT key FROM replies")]

        async def back() -> None:
            await journal.commit(
                ("UPDATE batches SET state = 'submitted'", ()),
                *(
                    (
                        "INSERT INTO batch_lines VALUES (?, ?, ?, ?)",
                        (number, rows[0][0], b"\xc0", b"{}"),
                    )
                    for number in range(1, keep + 1)
                ),
            )

        assert len(keys) >= keep
        asyncio.run(back())


def test_a_kill_while_a_batch_lands_leaves_room_for_the_next_batch(path: Path) -> None:
    provider = Slow()
    ask(provider, path, "a", "b", "c")
    reopen(path, keep=3)
    provider.look_s = 1.0

    said = ask(provider, path, "d", "e")

    assert [type(each) for each in said] == [Replied, Replied], said
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 0


def test_a_batch_under_another_name_of_the_model_is_waited_for(path: Path) -> None:
    provider = Slow()
    provider.look_s = 30.0
    left_in_a_batch(provider, path, "a")
    provider.look_s = 0.0

    said = ask(provider, path, "a", name="twin")

    assert [type(each) for each in said] == [Replied]
    assert len(provider.batches) == 1


def left_in_a_batch(provider: Slow, path: Path, text: str) -> None:
    """Ask, and leave when the batch has been handed in."""
    entry = Model(name="m", model="openai:m", batch=True, price=PRICE)

    async def main(journal: Journal) -> None:
        engine = Engine(
            {"m": BatchModel(provider)},
            entries={"m": entry},
            journal=journal,
            clock=lambda: 1_000.0,
            pace=replace(QUICK, settle_s=0.02),
        )
        asked = asyncio.ensure_future(
            engine.ask("m", request(text), stage="judge", batch=True)
        )
        async with asyncio.timeout(10):
            await provider.looked_at.wait()
            await engine.close()
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)

    with Journal(path) as journal:
        asyncio.run(main(journal))


def test_a_clock_that_was_set_back_holds_no_batch_up() -> None:
    batch = Batch(ticket="t", id="", items=(), at=1e9)
    carrier = Carrier(
        Slow(), pace=replace(QUICK, settle_s=0.01), clock=lambda: 1e9 - 86_400
    )

    async def found() -> str | None:
        async with asyncio.timeout(5):
            return await carrier.find(batch, Trip(is_new=False))

    assert asyncio.run(found()) is None
