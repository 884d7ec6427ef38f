"""Batches at a provider that is scripted: outages, disks that fail, clumsy moments."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from batch_engine import PRICE, QUICK
from quick_engine import request
from threadmed.errors import InputError, ModelError, Stopped, StudyError
from threadmed.llm.batches import BatchApi, Line, Look, Results, Undecided
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import Failed, Replied, Reply, RetryLater, ScriptedModel
from threadmed.records import Model, Usage
from threadmed.study import read_study, study_folder

REPLY = Reply(
    outcome="answered",
    text="from a batch",
    usage=Usage(tokens_in=10, tokens_out=1),
    served_by="m",
)
OUT = RetryLater("no connection")
QUIET_CLOCK = 1_000.0


class Provider:
    """Keeps batches, and raises what it is told to."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.raises: dict[str, list[Exception]] = {}
        self.has_ended = True
        self.submission = asyncio.Event()
        self.let_go: asyncio.Event | None = None

    def _maybe_raise(self, what: str) -> None:
        left = self.raises.get(what, [])
        if left:
            raise left.pop(0)

    async def submit(self, ticket: str, lines: Sequence[Line]) -> str:
        del ticket
        self._maybe_raise("submit")
        self.batches.append([line.key for line in lines])
        self.submission.set()
        if self.let_go is not None:
            await self.let_go.wait()
        return str(len(self.batches) - 1)

    async def find(
        self, ticket: str, *, keys: Collection[str], since: float
    ) -> str | None:
        del ticket, since
        self._maybe_raise("find")
        found = (n for n, batch in enumerate(self.batches) if set(batch) == set(keys))
        return next((str(n) for n in found), None)

    async def look(self, batch: str) -> Look:
        del batch
        self._maybe_raise("look")
        return Look(state="ended" if self.has_ended else "under_way")

    async def results(self, batch: str) -> Results:
        self._maybe_raise("results")
        return dict.fromkeys(self.batches[int(batch)], REPLY)


class BatchModel(ScriptedModel):
    """A scripted model with a batch API."""

    def __init__(self, provider: Provider) -> None:
        super().__init__(lambda _: "by itself")
        self.provider = provider

    def batches(self) -> BatchApi:
        return self.provider


def engine_of(
    provider: Provider, journal: Journal, *, waits: bool = True, budget: float = 1e6
) -> Engine:
    entry = Model(name="m", model="openai:m", batch=True, price=PRICE)
    return Engine(
        {"m": BatchModel(provider)},
        entries={"m": entry},
        journal=journal,
        clock=lambda: QUIET_CLOCK,
        budget_usd=budget,
        pace=replace(QUICK, settle_s=0.02, waits=waits),
    )


Said = list[Replied | Failed | BaseException]


def ask(
    provider: Provider, path: Path, *texts: str, waits: bool = True, budget: float = 1e6
) -> Said:
    """Ask with a new engine on a journal; errors are among what is said."""

    async def main(journal: Journal) -> Said:
        engine = engine_of(provider, journal, waits=waits, budget=budget)
        asks = (
            engine.ask("m", request(text), stage="judge", batch=True) for text in texts
        )
        async with asyncio.timeout(20):
            said = await asyncio.gather(*asks, return_exceptions=True)
            await engine.close()
        return said

    with Journal(path) as journal:
        return asyncio.run(main(journal))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.mark.parametrize("what", ["look", "results"])
def test_a_short_outage_of_the_provider_is_waited_out(path: Path, what: str) -> None:
    provider = Provider()
    provider.raises = {what: [OUT, OUT, RetryLater("busy", after_s=0.01)]}

    (said,) = ask(provider, path, "one")

    assert isinstance(said, Replied)
    assert provider.raises == {what: []}


@pytest.mark.parametrize("what", ["look", "results"])
def test_a_long_outage_fails_the_requests_and_a_later_run_fetches_them(
    path: Path, what: str
) -> None:
    provider = Provider()
    provider.raises = {what: [OUT] * 1_000}

    (said,) = ask(provider, path, "one")

    assert isinstance(said, Failed)
    assert said.why == (
        "its batch is out of reach (no connection); run again to look for it"
    )
    provider.raises = {}
    (said,) = ask(provider, path, "one")
    assert isinstance(said, Replied)
    assert len(provider.batches) == 1


def test_a_key_that_is_no_longer_good_gives_the_model_up_and_keeps_the_batch(
    path: Path,
) -> None:
    provider = Provider()
    provider.raises = {"look": [ModelError("m: HTTP 401: wrong key")]}

    async def main(journal: Journal) -> Engine:
        engine = engine_of(provider, journal)
        said = await engine.ask("m", request("one"), stage="judge", batch=True)
        assert isinstance(said, Failed)
        await engine.close()
        return engine

    with Journal(path) as journal:
        assert asyncio.run(main(journal)).broken == {"m": "m: HTTP 401: wrong key"}
    (said,) = ask(provider, path, "one")
    assert isinstance(said, Replied)
    assert len(provider.batches) == 1


def test_a_submission_that_never_arrived_is_made_anew_by_the_next_run(
    path: Path,
) -> None:
    provider = Provider()
    provider.raises = {"submit": [RetryLater("HTTP 500: oh", status=500)] * 5}

    (lost,) = ask(provider, path, "one")
    (said,) = ask(provider, path, "one")

    assert isinstance(lost, Failed)
    assert isinstance(said, Replied)
    assert len(provider.batches) == 1
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 0
        states = journal.select("SELECT state FROM batches ORDER BY state")
    assert states == [("done",), ("never arrived",)]


def test_a_batch_that_cannot_be_told_from_others_is_waited_for(path: Path) -> None:
    provider = Provider()
    provider.raises = {"submit": [OUT], "find": [Undecided(), OUT, Undecided()]}

    (said,) = ask(provider, path, "one")

    assert isinstance(said, Replied)
    assert provider.raises == {"submit": [], "find": []}


def test_a_run_that_does_not_wait_leaves_what_cannot_be_told_from_others(
    path: Path,
) -> None:
    provider = Provider()
    provider.raises = {"submit": [OUT], "find": [Undecided() for _ in range(1_000)]}

    (said,) = ask(provider, path, "one", waits=False)

    assert isinstance(said, Stopped)
    provider.raises = {}
    (said,) = ask(provider, path, "one")
    assert isinstance(said, Replied)
    assert len(provider.batches) == 1


def test_what_the_budget_has_no_room_for_goes_into_the_next_batch(path: Path) -> None:
    provider = Provider()
    # The worst case of one request in a batch is a little above 0.0006 USD.
    said = ask(provider, path, "one", "two", "three", budget=0.0016)

    assert all(isinstance(each, Replied) for each in said)
    assert [len(batch) for batch in provider.batches] == [2, 1]


def test_a_request_that_fits_no_budget_is_not_gathered(path: Path) -> None:
    provider = Provider()

    (said,) = ask(provider, path, "one", budget=1e-6)

    assert isinstance(said, Stopped)
    assert provider.batches == []


def test_a_batch_that_cannot_be_journalled_is_not_handed_in(path: Path) -> None:
    provider = Provider()

    async def main(journal: Journal) -> BaseException | None:
        engine = engine_of(provider, journal)
        await journal.commit(("DROP TABLE batch_lines", ()))
        task = asyncio.ensure_future(
            engine.ask("m", request("one"), stage="judge", batch=True)
        )
        await asyncio.wait([task], timeout=10)
        await engine.close()
        return task.exception()

    journal = Journal(path)
    assert isinstance(asyncio.run(main(journal)), InputError)
    assert provider.batches == []
    with pytest.raises(InputError, match="no such table"):
        journal.close()


def test_a_bug_in_a_reply_reaches_who_asked_and_nobody_waits_for_ever(
    path: Path,
) -> None:
    provider = Provider()
    provider.raises = {"results": [AttributeError("a bug")]}

    (said,) = ask(provider, path, "one")

    assert isinstance(said, AttributeError)


def _closed(
    provider: Provider, path: Path, end: Callable[[Engine], None] | None = None
) -> None:
    """Close an engine while a batch is being handed in."""
    provider.let_go = asyncio.Event()

    async def main(journal: Journal) -> None:
        engine = engine_of(provider, journal)
        task = asyncio.ensure_future(
            engine.ask("m", request("one"), stage="judge", batch=True)
        )
        await provider.submission.wait()
        closing = asyncio.ensure_future(engine.close())
        await asyncio.sleep(0.2)
        assert not closing.done()
        if end is None:
            assert provider.let_go is not None
            provider.let_go.set()
        else:
            end(engine)
        await asyncio.wait_for(closing, 5)
        await asyncio.gather(task, return_exceptions=True)

    with Journal(path) as journal:
        asyncio.run(main(journal))
    provider.let_go = None


def test_a_stop_lets_what_is_being_handed_in_go_through(path: Path) -> None:
    provider = Provider()
    provider.has_ended = False

    _closed(provider, path)

    with Journal(path) as journal:
        assert journal.select("SELECT id, state FROM batches") == [("0", "submitted")]


def test_a_second_stop_waits_for_nothing_and_the_batch_is_found_later(
    path: Path,
) -> None:
    provider = Provider()

    _closed(provider, path, Engine.abandon)

    with Journal(path) as journal:
        assert journal.select("SELECT id, state FROM batches") == [("", "submitting")]
    (said,) = ask(provider, path, "one")
    assert isinstance(said, Replied)
    assert len(provider.batches) == 1


def test_a_full_batch_goes_out_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threadmed.llm.batching.MOST_LINES", 2)
    provider = Provider()

    said = ask(provider, path, *"abcde")

    assert all(isinstance(each, Replied) for each in said)
    assert [len(batch) for batch in provider.batches] == [2, 2, 1]


def test_a_model_without_a_batch_api_cannot_be_asked_in_batches(path: Path) -> None:
    entry = Model(name="m", model="openai:m", batch=True, price=PRICE)

    with Journal(path) as journal, pytest.raises(StudyError, match="no batch API"):
        Engine(
            {"m": ScriptedModel(lambda _: "hi")},
            entries={"m": entry},
            journal=journal,
            clock=lambda: QUIET_CLOCK,
        )


@pytest.mark.parametrize("model", ["embedded:smollm2-135m", "inspect:openai/gpt-4o"])
def test_a_study_may_want_batches_only_of_providers_that_have_them(
    tmp_path: Path, model: str
) -> None:
    folder = study_folder(tmp_path)
    folder.study.write_text(
        'name = "s"\nthreads = "t.jsonl"\n[identify]\nlabels = "l.jsonl"\n'
        f'[[models]]\nname = "a"\nmodel = "{model}"\nbatch = true\n'
    )

    with pytest.raises(StudyError, match="batch of a is true, but .* no batch API"):
        read_study(folder)
