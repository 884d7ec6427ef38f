"""A chat completions server for tests, to be run as a process of its own.

It prints its port, counts what it was paid for, and does what the last message asks
of it: one that holds "[500]" gets that status, "[500 once]" gets it the first time,
and what follows "[raw]" is sent back as it stands.
GET /count gives the number of completions that were sent out.
"""

import argparse
import json
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

counts: dict[str, int] = {"completions": 0, "requests": 0}
once: set[str] = set()
lock = threading.Lock()


def completion(
    text: str | None, *, finish: str = "stop", refusal: str | None = None
) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "served-model-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """Reply to what is asked by rule: the same request gets the same reply."""
    asked = body["messages"][-1]["content"]
    special = {
        "[length]": completion("cut o", finish="length"),
        "[filter]": completion("", finish="content_filter"),
        "[refusal]": completion(None, refusal="I cannot help with that."),
        "[empty]": completion("  "),
    }
    for mark, reply in special.items():
        if mark in asked:
            return reply
    schema = json.dumps(body.get("response_format", ""))
    if '"score"' in schema:
        score = len(asked) % 3 - 1
        text = json.dumps({"explanation": "by rule", "score": score})
    elif '"misconception"' in schema:
        text = json.dumps({"belief": "by rule", "misconception": len(asked) % 2 == 0})
    else:
        text = f"An answer of {len(body['messages'])} messages."
    return completion(text)


class Handler(BaseHTTPRequestHandler):
    latency_s = 0.0
    key: str | None = None
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def send(
        self, status: int, body: bytes, *, kind: str = "application/json", **head: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in head.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def fail(
        self, status: int, message: str, code: str | None = None, **head: str
    ) -> None:
        error = {"error": {"message": message, "type": "error", "code": code}}
        self.send(status, json.dumps(error).encode(), **head)

    def half(self) -> None:
        """Promise a whole body, send a part of it, and hang up."""
        body = json.dumps(completion("whole")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:40])
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        self.send(200, json.dumps(counts).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            counts["requests"] += 1
        time.sleep(self.latency_s)
        if self.key and self.headers["Authorization"] != f"Bearer {self.key}":
            self.fail(
                401, f"wrong key {self.headers['Authorization']}", "invalid_api_key"
            )
            return
        asked = body["messages"][-1]["content"]
        if not self.misbehave(asked):
            with lock:
                counts["completions"] += 1
            _, raw, rest = asked.partition("[raw]")
            self.send(200, (rest if raw else json.dumps(answer(body))).encode())

    def misbehave(self, asked: str) -> bool:
        """Do what the message asks for, once where it says so; whether it did."""
        with lock:
            first = asked not in once
            once.add(asked)
        for mark, act in FAULTS.items():
            if mark in asked and (first or "once" not in mark):
                act(self)
                return True
        return False


FAULTS: dict[str, Callable[[Handler], None]] = {
    "[429 once]": lambda h: h.fail(
        429, "slow down", "rate_limit_exceeded", Retry_After="0.2"
    ),
    "[500 once]": lambda h: h.fail(500, "broken"),
    "[drop once]": lambda h: h.connection.shutdown(socket.SHUT_RDWR),
    "[half once]": lambda h: h.half(),
    "[garbage once]": lambda h: h.send(200, b'{"choices": [{"mess'),
    "[html once]": lambda h: h.send(200, b"<html>busy</html>", kind="text/html"),
    "[500]": lambda h: h.fail(500, "broken"),
    "[400]": lambda h: h.fail(400, "temperature is not supported", "unsupported_value"),
    "[azure filter]": lambda h: h.fail(
        400, "the prompt was filtered", "content_filter"
    ),
    "[quota]": lambda h: h.fail(429, "no quota left", "insufficient_quota"),
    "[404]": lambda h: h.fail(404, "no such model", "model_not_found"),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--key")
    options = parser.parse_args()
    Handler.latency_s = options.latency
    Handler.key = options.key
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
