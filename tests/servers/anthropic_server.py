"""A messages server for tests, with a prompt cache; see faults.py."""

import json
from typing import Any

from batches import AnthropicBatches
from faults import Body, main

TOKEN = 4
"""Characters of a token here."""

SHORTEST = 1024
"""Tokens below which nothing is cached."""


class Anthropic:
    name = "anthropic"
    routes = (r"/v1/messages",)

    def __init__(self) -> None:
        self.cache: set[str] = set()

    def key(self, headers: dict[str, str]) -> str:
        # The SDK's second version moved it.
        moved = headers.get("authorization", "").removeprefix("Bearer ")
        return headers.get("x-api-key", moved)

    def asked(self, body: Body) -> str:
        return str(body["messages"][-1]["content"])

    def schema(self, body: Body) -> str:
        return json.dumps(body.get("output_config", ""))

    def size(self, body: Body) -> int:
        return len(body["messages"])

    def answer(self, body: Body, text: str) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "served-claude-1",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": self.usage(body),
        }

    def usage(self, body: Body) -> dict[str, Any]:
        """Count the input as 100 tokens, or truly where it is marked for the cache."""
        read = written = 0
        other = 100
        if "cache_control" in body:
            read, written, other = self.cached(body["messages"])
        return {
            "input_tokens": other,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": 20,
            "service_tier": "standard",
        }

    def cached(self, messages: list[dict[str, Any]]) -> tuple[int, int, int]:
        """Find the longest start that is cached, and keep the whole."""
        starts = [json.dumps(messages[: n + 1]) for n in range(len(messages))]
        tokens = [len(start) // TOKEN for start in starts]
        if tokens[-1] < SHORTEST:
            return 0, 0, tokens[-1]
        known = [n for start, n in zip(starts, tokens, strict=True) if self.has(start)]
        self.cache.add(starts[-1])
        read = max(known, default=0)
        return read, tokens[-1] - read, 0

    def has(self, start: str) -> bool:
        return start in self.cache


if __name__ == "__main__":
    wire = Anthropic()
    main(wire, AnthropicBatches(wire).routes())
