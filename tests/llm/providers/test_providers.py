"""What holds for every provider, through its SDK."""

import asyncio
import sys
import time
import traceback
from collections.abc import Mapping

import pytest

from asking import KEY, NAMES, WIRES, ask, chat, entry, request
from conftest import Server, Wire
from threadmed.errors import ModelError, StudyError
from threadmed.llm.model import Reply, RetryLater, Schema
from threadmed.llm.providers import open_model
from threadmed.records import Model


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_brings_its_text_its_tokens_and_who_served_it(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    reply = ask(entry(wire, servers[wire]), "hello")

    assert (reply.outcome, reply.text) == ("answered", "An answer of 1 messages.")
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (100, 20)
    assert reply.served_by.startswith("served-")


# Google's own word for it, in the body, goes before a header.
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_time_to_come_again_may_be_a_date(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    with pytest.raises(RetryLater) as caught:
        ask(entry(wire, servers[wire]), "[429 date]")

    assert caught.value.after_s in {2.0, 3.0}


@pytest.mark.parametrize("wire", WIRES)
def test_a_model_can_be_asked_again_after_a_fault(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    async def twice() -> Reply:
        model = entry(wire, servers[wire])
        opened = open_model(model, environment={"MY_KEY": KEY})
        for name in ("drop", "half", "garbage", "503"):
            with pytest.raises(RetryLater):
                await opened.chat(request(f"[{name}]"))
        try:
            return await opened.chat(request("[slow]"))
        finally:
            await opened.close()

    assert asyncio.run(twice()).outcome == "answered"


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_that_drips_is_given_up_at_once_when_nobody_waits(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    asked = chat(entry(wire, servers[wire]), request("[drip]"), wait_s=0.5)
    begin = time.monotonic()

    with pytest.raises((TimeoutError, RetryLater)):
        asyncio.run(asked)

    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("wire", WIRES)
def test_a_server_that_says_nothing_for_too_long_asks_for_another_attempt(
    wire: Wire,
) -> None:
    server = Server("--latency", "5", wire=wire)
    begin = time.monotonic()
    try:
        with pytest.raises(RetryLater, match="Timeout"):
            ask(entry(wire, server, timeout_s=0.1), "hello")
    finally:
        server.stop()

    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("wire", WIRES)
def test_a_server_that_is_not_there_asks_for_another_attempt(wire: Wire) -> None:
    model = entry(wire, base_url="http://127.0.0.1:9")

    with pytest.raises(RetryLater, match="ConnectionRefused|Connect call failed"):
        ask(model, "hello")


@pytest.mark.parametrize("wire", WIRES)
def test_a_key_is_in_no_error_though_the_server_shows_it(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    with pytest.raises(ModelError, match=r"\*\*\*") as caught:
        ask(entry(wire, servers[wire]), "[401]")

    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert KEY in str(servers[wire].last()["headers"])


@pytest.mark.parametrize("wire", WIRES)
def test_a_key_with_a_line_end_is_sent_without_it(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    async def once() -> None:
        model = entry(wire, servers[wire])
        opened = open_model(model, environment={"MY_KEY": KEY + "\n"})
        await opened.chat(request("hello"))
        await opened.close()

    asyncio.run(once())

    assert KEY in str(servers[wire].last()["headers"])


@pytest.mark.parametrize(
    ("wire", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("google", "GEMINI_API_KEY"),
    ],
)
def test_a_missing_key_names_the_variable_to_set(wire: Wire, variable: str) -> None:
    with pytest.raises(ModelError, match=f"the environment has no {variable}"):
        open_model(entry(wire, api_key_env=None), environment={})


@pytest.mark.parametrize("wire", WIRES)
def test_a_key_that_the_study_names_must_be_there_for_a_server_of_ones_own(
    wire: Wire,
) -> None:
    model = entry(wire, base_url="http://127.0.0.1:9")

    with pytest.raises(ModelError, match="no MY_KEY"):
        open_model(model, environment={"OPENAI_API_KEY": KEY})


@pytest.mark.parametrize("wire", WIRES)
def test_a_server_of_ones_own_needs_no_key(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    reply = ask(entry(wire, servers[wire], api_key_env=None), "hello")

    assert reply.outcome == "answered"


@pytest.mark.parametrize("wire", WIRES)
def test_a_password_in_an_address_is_refused_and_not_shown(wire: Wire) -> None:
    model = entry(wire, base_url=f"http://me:{KEY}@127.0.0.1:9")

    with pytest.raises(StudyError, match="m: base_url holds a password") as caught:
        open_model(model, environment={"MY_KEY": KEY})

    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("wire", "package"),
    [
        ("openai", "openai"),
        ("anthropic", "anthropic"),
        ("google", "google.genai"),
        ("google", "aiohttp"),
    ],
)
def test_a_package_that_is_not_installed_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, wire: Wire, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(
        ModelError, match=rf"pip install 'threadmed\[{wire}\]'"
    ) as caught:
        open_model(entry(wire), environment={"MY_KEY": KEY})

    assert "m: " in str(caught.value)


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_sent_is_what_the_parameters_say(
    servers: Mapping[Wire, Server], wire: Wire
) -> None:
    schema = Schema(name="form", json='{"type": "object", "properties": {}}')
    model = entry(wire, servers[wire])
    asked = request("first", "second", schema=schema)
    opened = open_model(model, environment={"MY_KEY": KEY})
    said = dict(opened.parameters(asked))

    asyncio.run(chat(model, asked))
    sent = servers[wire].last()["body"]

    asyncio.run(opened.close())
    changed = said.pop("messages_changed", [])
    if wire == "google":
        assert NAMES["google"] in servers[wire].last()["path"]
        del said["model"]
    messages = sent.pop("contents" if wire == "google" else "messages")
    assert sent == said
    assert changed == ([] if wire == "openai" else ["joined"])
    assert len(messages) == (2 if wire == "openai" else 1)


def test_a_fake_server_can_be_told_to_fail_now_and_then() -> None:
    server = Server("--fault", "503", "--every", "2")
    model = entry("openai", server)
    try:
        assert ask(model, "one").outcome == "answered"
        with pytest.raises(RetryLater, match="HTTP 503"):
            ask(model, "two")
        assert ask(model, "three").outcome == "answered"
        assert (server.count("requests"), server.count("paid")) == (3, 2)
    finally:
        server.stop()


def test_a_fake_server_turns_away_what_is_more_than_its_limit() -> None:
    server = Server("--limit", "2", "--latency", "0.2")
    model = entry("openai", server)

    async def crowd() -> list[Reply | BaseException]:
        asked = (chat(model, request(f"question {n}")) for n in range(5))
        return await asyncio.gather(*asked, return_exceptions=True)

    try:
        said = asyncio.run(crowd())
        assert sum(isinstance(each, Reply) for each in said) == 2
        assert sum(isinstance(each, RetryLater) for each in said) == 3
    finally:
        server.stop()


@pytest.mark.parametrize("wire", WIRES)
def test_two_servers_are_two_models_though_they_name_it_alike(wire: Wire) -> None:
    def identity(url: str) -> str:
        model = entry(wire, base_url=url)
        opened = open_model(model, environment={"MY_KEY": KEY})
        asyncio.run(opened.close())
        return opened.identity

    assert identity("http://127.0.0.1:1") != identity("http://127.0.0.1:2")
    assert identity("http://127.0.0.1:1") == identity("http://127.0.0.1:1/")


def test_an_unknown_provider_lists_those_that_there_are() -> None:
    with pytest.raises(
        StudyError, match="expected PROVIDER:MODEL .*openai, anthropic, google, embed"
    ):
        open_model(Model(name="m", model="gpt-4o"), environment={})
