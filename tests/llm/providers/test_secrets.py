"""No key is written down, whatever a server sends back."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from conftest import Server, Wire
from threadmed.llm.engine import Engine
from threadmed.llm.journal import Journal
from threadmed.llm.model import Failed, Replied, Request
from threadmed.llm.providers import open_model
from threadmed.records import Message, Model, Price

WIRES: tuple[Wire, ...] = get_args(Wire)
KEY = "sk-very-secret-0123456789"


def request(text: str) -> Request:
    return Request(messages=(Message(role="user", content=text),), max_tokens=50)


@pytest.mark.parametrize("wire", WIRES)
def test_a_key_is_in_no_file_of_the_journal_and_in_no_failure(
    serve: Callable[..., Server], wire: Wire, tmp_path: Path
) -> None:
    model = Model(
        name="m",
        model=f"{wire}:some-model",
        base_url=serve(wire=wire).url,
        api_key_env="MY_KEY",
        price=Price(input=1.0, output=1.0),
        attempts=1,
    )

    written: list[bytes] = []

    async def some() -> list[Replied | Failed]:
        opened = open_model(model, environment={"MY_KEY": KEY})
        with Journal(tmp_path / "j.sqlite") as journal:
            engine = Engine(
                {"m": opened}, entries={"m": model}, journal=journal, clock=lambda: 1.0
            )
            said = [
                await engine.ask("m", request(text), stage="answer")
                for text in ("hello", "[500]", "[400]", "[raw]" + KEY, "[401]")
            ]
            await engine.close()
            # With the journal still open, there is its log of what was written, too.
            written.extend(map(data, journal.path.parent.iterdir()))
        return said

    said = asyncio.run(some())

    assert [text for text in written if KEY.encode() in text] == []
    assert [type(each) for each in said] == [Replied, Failed, Failed, Failed, Failed]
    assert KEY not in repr(said)


def data(path: Path) -> bytes:
    return path.read_bytes() if "lock" not in path.name else b""
