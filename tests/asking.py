"""Asking a fake server through a real SDK, for the tests of the providers."""

import asyncio
from collections.abc import Mapping
from typing import get_args

import msgspec

from conftest import Server, Wire
from threadmed.llm.model import Reply, Request, Schema
from threadmed.llm.providers import open_model
from threadmed.records import Message, Model

WIRES: tuple[Wire, ...] = get_args(Wire)
KEY = "sk-very-secret-0123456789"
NAMES: Mapping[Wire, str] = {
    "openai": "some-model",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.0-flash",
}


def entry(wire: Wire, server: Server | None = None, **more: object) -> Model:
    fields: dict[str, object] = {
        "name": "m",
        "model": f"{wire}:{NAMES[wire]}",
        "api_key_env": "MY_KEY",
        "base_url": None if server is None else server.url,
    }
    return msgspec.convert(fields | more, Model)


def request(*texts: str, schema: Schema | None = None) -> Request:
    messages = tuple(Message(role="user", content=text) for text in texts)
    return Request(messages=messages, max_tokens=50, schema=schema)


async def chat(model: Model, asked: Request, *, wait_s: float = 30) -> Reply:
    opened = open_model(model, environment={"MY_KEY": KEY})
    try:
        async with asyncio.timeout(wait_s):
            return await opened.chat(asked)
    finally:
        await opened.close()


def ask(model: Model, *texts: str) -> Reply:
    return asyncio.run(chat(model, request(*texts)))
