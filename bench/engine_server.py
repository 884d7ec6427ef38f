"""A chat completions server that costs little, so that the caller is what is measured.

`python -m bench.engine_server` prints its port. The path says how long a reply takes:
`/0.2/v1/chat/completions`. Equal requests get equal replies, at the same latency; those
that ask for a schema get a verdict, others get an answer. `GET /count` gives what was
counted since the last time, and begins anew.
"""

import asyncio
import json
import re
import time
import zlib
from typing import Any

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
END = b"\r\n\r\n"

SENTENCE = (
    "What you describe is common, and it mostly passes by itself within a few weeks. ",
    "The dose on the packet is the one to keep to, even when the ache comes back. ",
    "I would not stop the tablets before somebody has looked at the blood test. ",
    "That belief is widespread, but nothing that was measured speaks for it. ",
    "Rest, plenty of water and a little movement do more here than any cream. ",
    "See a doctor soon if there is fever, numbness or a pain that wakes you. ",
    "A scan would show little at this point, and may well lead you astray. ",
    "Both can be true at once, so keep a diary of when it gets better or worse. ",
)
SENTENCES = 16
"""Of an answer: some 250 tokens."""


class Counted:
    """What came in for one model."""

    def __init__(self) -> None:
        self.calls = 0
        self.in_flight = 0
        self.most_in_flight = 0

    def come(self) -> None:
        """Count a request in."""
        self.calls += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)


class Counts:
    """What came in, by model, and what it cost this process."""

    def __init__(self) -> None:
        self.models: dict[str, Counted] = {}
        self.cpu_s = time.process_time()

    def of(self, model: str) -> Counted:
        """Give the counts of a model."""
        return self.models.setdefault(model, Counted())

    def report(self) -> bytes:
        """Say what was counted, and begin anew."""
        models = {
            name: {"calls": each.calls, "most_in_flight": each.most_in_flight}
            for name, each in self.models.items()
        }
        now = time.process_time()
        said = {"cpu_s": now - self.cpu_s, "models": models}
        self.models, self.cpu_s = {}, now
        return json.dumps(said).encode()


def answer(lot: int) -> str:
    """Give an answer; another lot gives another."""
    picked = (SENTENCE[(lot >> 2 * place) % 8] for place in range(SENTENCES))
    return f"{''.join(picked)}That is number {lot}."


def verdict(lot: int) -> str:
    """Give a judge's reply."""
    return json.dumps({"explanation": SENTENCE[lot % 8] * 2, "score": lot % 3 - 1})


def completion(asked: dict[str, Any]) -> dict[str, Any]:
    """Give the reply to a request, of the real shape."""
    texts = [str(message["content"]) for message in asked["messages"]]
    lot = zlib.crc32("\n".join(texts).encode())
    text = verdict(lot) if "response_format" in asked else answer(lot)
    tokens_in, tokens_out = sum(map(len, texts)) // 4, len(text) // 4
    return {
        "id": f"chatcmpl-{lot}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{asked['model']}-2026-01-01",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


class Connection(asyncio.Protocol):
    """One caller's connection, kept open between its requests."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._held = b""
        self._out: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101 - for types
        self._out = transport

    def data_received(self, data: bytes) -> None:
        """Take in bytes; deal with every request that is whole."""
        self._held += data
        while (end := self._held.find(END)) >= 0:
            head, start = self._held[:end], end + len(END)
            found = LENGTH.search(head)
            stop = start + (int(found[1]) if found else 0)
            if len(self._held) < stop:
                return
            body, self._held = self._held[start:stop], self._held[stop:]
            self._take(head.split(b" ", 2)[1].decode(), body)

    def _take(self, path: str, body: bytes) -> None:
        if path == "/count":
            self._send(self._counts.report())
            return
        asked = json.loads(body)
        counted = self._counts.of(asked["model"])
        counted.come()
        loop = asyncio.get_running_loop()
        latency = float(path.split("/", 2)[1])
        reply = json.dumps(completion(asked)).encode()
        loop.call_later(latency, self._reply, counted, reply)

    def _reply(self, counted: Counted, reply: bytes) -> None:
        counted.in_flight -= 1
        self._send(reply)

    def _send(self, body: bytes) -> None:
        if self._out is None or self._out.is_closing():
            return
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._out.write(head.encode() + body)


async def serve() -> None:
    """Print the port and serve until the process is killed."""
    counts = Counts()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(counts), "127.0.0.1", 0, backlog=2_000
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
