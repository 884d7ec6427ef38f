"""Batches through the real SDKs, at the fake servers, for all three providers."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from asking import KEY, WIRES, request
from batch_engine import (
    A_REPLY,
    QUESTIONS,
    QUICK,
    BatchDesk,
    ask_all,
    batched,
    rows,
    set_options,
    spent,
    stopped,
    texts,
)
from conftest import Server, Wire
from threadmed.errors import Stopped
from threadmed.llm.batches import Batching, Line
from threadmed.llm.journal import Journal
from threadmed.llm.model import Failed, Replied
from threadmed.llm.providers import open_model

HOURS = 3_600.0
"""A batch that takes longer than a test."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    found: Wire = request.param
    return found


@pytest.fixture
def server(wire: Wire, serve: Callable[..., Server]) -> Server:
    return serve(wire=wire)


def test_replies_are_those_of_single_calls_at_half_the_price(
    path: Path, tmp_path: Path, wire: Wire, server: Server
) -> None:
    in_batch = ask_all(path, batched(wire, server), QUESTIONS)
    single = tmp_path / "single.sqlite"
    alone = ask_all(single, batched(wire, server, batch=False), QUESTIONS)

    assert in_batch == alone
    assert all(isinstance(said, Replied) for said in in_batch)
    assert spent(path) == pytest.approx(30 * A_REPLY / 2)
    assert spent(single) == pytest.approx(30 * A_REPLY)
    assert server.count("batches") == 1
    assert server.count("batch_lines") == server.count() == 30


def test_a_batch_that_is_done_leaves_its_name_and_price_and_nothing_in_doubt(
    path: Path, wire: Wire, server: Server
) -> None:
    ask_all(path, batched(wire, server), QUESTIONS[:2])

    ((name, model, state, lines, share),) = rows(
        path, "SELECT id, model, state, lines, price_share FROM batches"
    )
    assert name.endswith("0")
    assert (model, state, lines, share) == ("m", "done", 2, 0.5)
    assert rows(path, "SELECT * FROM batch_lines") == []
    assert rows(path, "SELECT * FROM attempts") == []


def test_only_what_is_independent_goes_into_a_batch(
    path: Path, wire: Wire, server: Server
) -> None:
    async def main(journal: Journal) -> list[object]:
        desk = BatchDesk(journal, batched(wire, server))
        asks = (desk.ask("a"), desk.ask("b", batch=False), desk.ask("a", batch=False))
        said = await asyncio.gather(*asks)
        await desk.engine.close()
        return list(said)

    with Journal(path) as journal:
        first, _, third = asyncio.run(main(journal))

    assert first == third
    assert server.count("batch_lines") == server.count() == 1


def test_a_line_that_expired_is_failed_and_costs_nothing_until_it_is_asked_anew(
    path: Path, wire: Wire, server: Server
) -> None:
    model = batched(wire, server)

    good, bad = ask_all(path, model, ["fine", "late [expired]"])

    assert isinstance(good, Replied)
    assert isinstance(bad, Failed)
    assert "expired" in bad.why or "not in time" in bad.why
    assert spent(path) == pytest.approx(A_REPLY / 2)
    assert server.count() == 0
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 0
    ask_all(path, model, ["fine", "late [expired]"])
    assert server.count("batches") == 2
    assert server.count("batch_lines") == 1


def test_a_line_with_an_error_is_asked_by_itself_at_the_full_price(
    path: Path, wire: Wire, server: Server
) -> None:
    said = ask_all(path, batched(wire, server), ["fine", "bad [errored]"])

    assert all(isinstance(each, Replied) for each in said)
    assert server.count("batch_lines") == server.count() == 1
    assert spent(path) == pytest.approx(1.5 * A_REPLY)


@pytest.mark.parametrize("fate", ["cancelled", "expired"])
def test_a_batch_that_was_cancelled_or_expired_costs_nothing_and_is_never_paid_in_full(
    path: Path, wire: Wire, server: Server, fate: str
) -> None:
    said = ask_all(path, batched(wire, server), ["one", f"two [whole {fate}]"])

    assert all(isinstance(each, Failed) for each in said)
    assert fate in texts(said)[0]
    assert server.count() == 0
    assert spent(path) == 0.0
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 0


def test_a_batch_that_failed_as_a_whole_says_why(
    path: Path, serve: Callable[..., Server]
) -> None:
    server = serve()

    (said,) = ask_all(path, batched("openai", server), ["one [whole failed]"])

    assert isinstance(said, Failed)
    assert "failed: too many tokens" in said.why


def test_a_batch_that_the_provider_has_forgotten_may_be_on_the_bill(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, lasts_s=HOURS)
    model = batched(wire, server)
    assert stopped(path, model, ["one"])
    set_options(server, forget=True)

    (said,) = ask_all(path, model, ["one"])

    assert isinstance(said, Failed)
    assert "404" in said.why
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 1
    set_options(server, forget=False, lasts_s=0.0)
    (said,) = ask_all(path, model, ["one"])
    assert isinstance(said, Replied)


def test_a_run_that_does_not_wait_stops_and_a_later_one_fetches_the_replies(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, lasts_s=HOURS)
    model = batched(wire, server)

    first = stopped(path, model, QUESTIONS)
    second = stopped(path, model, QUESTIONS)
    set_options(server, lasts_s=0.0)
    said = ask_all(path, model, QUESTIONS)

    assert first is not None
    assert first.startswith("30 requests are under way, in 1 batch; ")
    assert second == first
    assert all(isinstance(each, Replied) for each in said)
    assert server.count("batches") == 1
    assert spent(path) == pytest.approx(30 * A_REPLY / 2)


def test_a_run_that_does_not_wait_goes_on_with_all_that_needs_no_waiting(
    path: Path, wire: Wire, serve: Callable[..., Server]
) -> None:
    server = serve("--latency", "0.5", wire=wire)
    set_options(server, lasts_s=HOURS)

    async def main(journal: Journal) -> None:
        desk = BatchDesk(
            journal, batched(wire, server), pace=replace(QUICK, waits=False)
        )

        async def conversation() -> None:
            for turn in range(3):
                await desk.ask(f"turn {turn}", batch=False)

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(conversation())
                group.create_task(desk.ask("in a batch"))
        finally:
            await desk.engine.close()

    with Journal(path) as journal, pytest.raises(ExceptionGroup) as caught:
        asyncio.run(main(journal))

    assert caught.group_contains(Stopped)
    assert server.count() == 3


def test_the_worst_case_of_what_is_in_a_batch_counts_against_the_budget_over_a_stop(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, lasts_s=HOURS)
    model = batched(wire, server)
    assert stopped(path, model, QUESTIONS)
    with Journal(path) as journal:
        most = journal.unsettled().most_usd

    assert most > 30 * A_REPLY / 2
    why = stopped(path, model, ["one more"], budget=most)
    assert why is not None
    assert "30 requests are under way" in why
    assert server.count("batches") == 1
    set_options(server, lasts_s=0.0)
    said = ask_all(path, model, [*QUESTIONS, "one more"], budget=most)
    assert all(isinstance(each, Replied) for each in said)
    assert server.count("batches") == 2


def test_a_batch_is_fetched_though_the_study_wants_no_batches_any_more(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, lasts_s=HOURS)
    assert stopped(path, batched(wire, server), ["one"])
    set_options(server, lasts_s=0.0)

    said = ask_all(path, batched(wire, server, batch=False), ["one", "two"])

    assert all(isinstance(each, Replied) for each in said)
    assert server.count("batch_lines") == server.count() == 1


def test_a_submission_whose_reply_was_lost_is_found_and_not_made_again(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, cut=1)

    said = ask_all(path, batched(wire, server), QUESTIONS)

    assert all(isinstance(each, Replied) for each in said)
    assert server.count("batches") == 1
    assert server.count("batch_lists") >= 1


def test_a_submission_that_is_told_to_wait_is_made_again(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, refuse=2, status=429)

    said = ask_all(path, batched(wire, server), ["one"])

    assert isinstance(said[0], Replied)
    assert server.count("batches") == 1


@pytest.mark.parametrize(("status", "broken"), [(400, False), (403, True)])
def test_a_batch_that_the_provider_will_not_have_is_failed_and_costs_nothing(
    path: Path, wire: Wire, server: Server, status: int, *, broken: bool
) -> None:
    set_options(server, refuse=9, status=status)

    async def main(journal: Journal) -> bool:
        desk = BatchDesk(journal, batched(wire, server))
        (said,) = await desk.ask_all(["one"])
        assert isinstance(said, Failed)
        assert f"HTTP {status}" in said.why
        return bool(desk.engine.broken)

    with Journal(path) as journal:
        assert asyncio.run(main(journal)) == broken
        assert journal.unsettled().attempts == 0


def test_what_came_of_a_submission_nobody_knows_of_stays_in_doubt_and_is_looked_for(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, refuse=9, status=500)
    model = batched(wire, server)

    (said,) = ask_all(path, model, ["one"])

    assert isinstance(said, Failed)
    assert "run again to look for it" in said.why
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 1
    set_options(server, refuse=0)
    (said,) = ask_all(path, model, ["one"])
    assert isinstance(said, Replied)
    assert server.count("batches") == 1
    assert spent(path) == pytest.approx(A_REPLY / 2)


def test_a_run_that_is_closed_before_its_batch_goes_out_leaves_no_trace(
    path: Path, wire: Wire, server: Server
) -> None:
    async def main(journal: Journal) -> None:
        desk = BatchDesk(journal, batched(wire, server), budget=1.0)
        task = asyncio.create_task(desk.ask("one"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.wait_for(desk.engine.close(), 5)
        assert task.cancelled() or isinstance(task.exception(), asyncio.CancelledError)

    with Journal(path) as journal:
        asyncio.run(main(journal))
    assert server.count("batches") == 0
    assert rows(path, "SELECT * FROM batches") == []
    assert rows(path, "SELECT * FROM attempts") == []


def test_a_file_of_replies_that_breaks_off_is_fetched_again(
    path: Path, wire: Wire, server: Server
) -> None:
    set_options(server, half=1)

    said = ask_all(path, batched(wire, server), QUESTIONS[:3])

    assert all(isinstance(each, Replied) for each in said)
    assert server.count("batch_lines") == 3


def test_a_reply_in_a_batch_that_is_none_is_asked_for_by_itself(
    path: Path, wire: Wire, server: Server
) -> None:
    (said,) = ask_all(path, batched(wire, server), ["what [garbled]"])

    assert isinstance(said, Replied)
    assert server.count() == 1


def test_results_that_are_no_longer_kept_may_be_on_the_bill(
    path: Path, serve: Callable[..., Server]
) -> None:
    server = serve(wire="anthropic")
    set_options(server, archived=True)

    (said,) = ask_all(path, batched("anthropic", server), ["one"])

    assert isinstance(said, Failed)
    assert said.why == "the provider keeps its results no longer"
    with Journal(path) as journal:
        assert journal.unsettled().attempts == 1


async def _found(wire: Wire, server: Server) -> list[str | None]:
    """Look for a batch among others, for one that never was, and for a later one."""
    model = open_model(batched(wire, server), environment={"MY_KEY": KEY})
    assert isinstance(model, Batching)
    api = model.batches()
    lines = [Line(key=f"{n}" * 64, request=request(f"{n}")) for n in range(5)]
    for ticket, some in (("a", lines[:2]), ("b", lines[2:3]), ("c", lines[3:4])):
        await api.submit(ticket, some)
    await asyncio.sleep(0.2)
    now = time.time()
    keys = [line.key for line in lines]
    found = [
        await api.find("b", keys=keys[2:3], since=now),
        await api.find("never", keys=keys[4:], since=now),
    ]
    if wire != "google":
        found.append(await api.find("d", keys=keys[2:3], since=now + 86_400))
    await model.close()
    return found


def test_a_batch_is_found_among_others(wire: Wire, server: Server) -> None:
    mine, *others = asyncio.run(_found(wire, server))

    assert mine is not None
    assert mine.endswith("1")
    assert set(others) == {None}


def test_half_a_character_in_a_reply_spoils_no_batch(
    path: Path, wire: Wire, server: Server
) -> None:
    said = ask_all(path, batched(wire, server), ["half [surrogate]", "whole"])

    assert texts(said) == ["An answer of 1 messages.?", "An answer of 1 messages."]
    assert server.count() == 0
