"""The batch APIs of the three wire formats, for the fake servers.

A batch is made as soon as it is asked for, and ends after a while. What is in a
request's text decides what becomes of it: one that holds "[expired]" or "[errored]" is
that, one that holds "[garbled]" gets a reply that is none, one that
holds "[surrogate]" gets half of a character, and one with "[whole expired]", "[whole cancelled]" or "[whole failed]" makes the
whole batch so. POST /batch-options says how the server behaves:

    lasts_s    how long a batch takes
    create_s   how long the server takes to say that it made a batch
    cut        how many of the next replies to a new batch never leave the server
    refuse     how many of the next batches are refused, with which status
    forget     whether batches that were made are no longer known
    archived   whether what came of them is no longer kept (Anthropic)
    half       how many of the next files of replies break off
"""

import asyncio
import json
import re
import time
from datetime import UTC, datetime
from typing import Any, Protocol

from faults import Body, Wire, counts, text_of
from http1 import Call, Routes

options: dict[str, Any] = {
    "lasts_s": 0.05,
    "create_s": 0.0,
    "cut": 0,
    "refuse": 0,
    "status": 429,
    "forget": False,
    "archived": False,
    "half": 0,
}
counts.update(batches=0, batch_lines=0, batch_lists=0)
WHOLE = re.compile(r"\[whole (\w+)\]")


class Line:
    """One request of a batch."""

    def __init__(self, wire: Wire, name: str, body: Body) -> None:
        self.name = name
        self.asked = wire.asked(body)
        half = "\ud800" if "[surrogate]" in self.asked else ""
        self.reply = wire.answer(body, text_of(wire, body) + half)
        if "[garbled]" in self.asked:
            self.reply = {"content": "none"}

    @property
    def fate(self) -> str:
        return next((f for f in ("expired", "errored") if f"[{f}]" in self.asked), "")


class Batch:
    """A batch that was made."""

    def __init__(self, number: int, label: str, lines: list[Line]) -> None:
        self.number = number
        self.label = label
        self.lines = lines
        self.made_at = time.time()
        found = WHOLE.search(" ".join(line.asked for line in lines))
        self.fate = found[1] if found else "completed"
        counts["batches"] += 1
        if self.fate == "completed":
            counts["batch_lines"] += sum(not line.fate for line in lines)

    @property
    def has_ended(self) -> bool:
        return time.time() - self.made_at >= options["lasts_s"]


class Dialect(Protocol):
    """What sets one batch API apart."""

    def shown(self, batch: Batch) -> Body:
        """Describe a batch."""


class Store:
    """The batches of one server."""

    def __init__(self, wire: Wire, dialect: Dialect) -> None:
        self.wire = wire
        self.dialect = dialect
        self.batches: list[Batch] = []
        self.files: dict[str, bytes] = {}

    def keep(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def lines(self, name: str, *, key: str, body: str) -> list[Line]:
        rows = [json.loads(line) for line in self.files[name].splitlines()]
        return [Line(self.wire, row[key], row[body]) for row in rows]

    def find(self, call: Call) -> Batch | None:
        assert call.found is not None
        number = int(call.found[1])
        return None if options["forget"] else self.batches[number]

    async def make(self, call: Call, label: str, lines: list[Line]) -> None:
        if options["refuse"]:
            options["refuse"] -= 1
            error = {"error": {"message": "not now", "code": options["status"]}}
            await reply(call, error, status=options["status"])
            return
        self.batches.append(Batch(len(self.batches), label, lines))
        await asyncio.sleep(options["create_s"])
        if options["cut"]:
            options["cut"] -= 1
            call.hang_up()
            return
        await reply(call, self.dialect.shown(self.batches[-1]))

    async def show(self, call: Call) -> None:
        batch = self.find(call)
        if batch is None:
            error = {"error": {"message": "no such batch", "code": 404}}
            await reply(call, error, status=404)
            return
        await reply(call, self.dialect.shown(batch))

    def shown(self) -> list[Body]:
        """Describe all, the newest first."""
        counts["batch_lists"] += 1
        return [self.dialect.shown(batch) for batch in reversed(self.batches)]


async def reply(call: Call, body: Any, *, status: int = 200) -> None:
    await call.send(status, json.dumps(body).encode())


async def set_options(call: Call) -> None:
    options.update(call.json())
    await reply(call, options)


def jsonl(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


async def send_rows(call: Call, rows: list[Any]) -> None:
    body = jsonl(rows)
    if options["half"]:
        options["half"] -= 1
        body = body[: len(body) // 2]
    await call.send(200, body, kind="application/octet-stream")


CONTROL: Routes = {("POST", "/batch-options"): set_options}


class OpenAIBatches:
    """Files, and batches of files."""

    def __init__(self, wire: Wire) -> None:
        self.store = Store(wire, self)

    def shown(self, batch: Batch) -> Body:
        status = batch.fate if batch.has_ended else "in_progress"
        is_whole = status == "completed"
        lost = any(line.fate for line in batch.lines)
        errors = {"data": [{"message": "too many tokens", "code": "limit"}]}
        return {
            "id": f"batch_{batch.number}",
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-x",
            "completion_window": "24h",
            "created_at": int(batch.made_at),
            "status": status,
            "errors": errors if status == "failed" else None,
            "metadata": {"threadmed": batch.label},
            "output_file_id": f"out-{batch.number}" if is_whole else None,
            "error_file_id": f"err-{batch.number}" if is_whole and lost else None,
        }

    async def upload(self, call: Call) -> None:
        # Of the form's parts the file is the one with a file's name.
        boundary = (
            b"--" + call.headers["content-type"].partition("boundary=")[2].encode()
        )
        part = next(p for p in call.body.split(boundary) if b"filename=" in p)
        content = part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
        name = self.store.keep(content)
        await reply(
            call,
            {
                "id": name,
                "object": "file",
                "bytes": len(content),
                "created_at": 0,
                "filename": "f",
                "purpose": "batch",
                "status": "processed",
            },
        )

    async def make(self, call: Call) -> None:
        body = call.json()
        lines = self.store.lines(body["input_file_id"], key="custom_id", body="body")
        await self.store.make(call, body["metadata"]["threadmed"], lines)

    async def list(self, call: Call) -> None:
        await reply(
            call, {"object": "list", "data": self.store.shown(), "has_more": False}
        )

    async def content(self, call: Call) -> None:
        assert call.found is not None
        batch = self.store.batches[int(call.found[2])]
        wanted = call.found[1] == "err"
        rows = [self.row(line) for line in batch.lines if bool(line.fate) == wanted]
        await send_rows(call, rows)

    def row(self, line: Line) -> Body:
        response: Body | None = {
            "status_code": 200,
            "request_id": "r",
            "body": line.reply,
        }
        error = None
        if line.fate == "expired":
            response = None
            error = {"code": "batch_expired", "message": "not executed in time"}
        elif line.fate == "errored":
            response = {"status_code": 400, "body": {"error": {"message": "bad"}}}
        return {"id": "x", "custom_id": line.name, "response": response, "error": error}

    def routes(self) -> Routes:
        return CONTROL | {
            ("POST", "/v1/files"): self.upload,
            ("POST", "/v1/batches"): self.make,
            ("GET", "/v1/batches"): self.list,
            ("GET", r"/v1/batches/batch_(\d+)"): self.store.show,
            ("GET", r"/v1/files/(out|err)-(\d+)/content"): self.content,
        }


class AnthropicBatches:
    """Batches in one piece, without a name of the sender's."""

    def __init__(self, wire: Wire) -> None:
        self.store = Store(wire, self)

    def shown(self, batch: Batch) -> Body:
        ended = batch.has_ended
        fates = [self.fate(batch, line) for line in batch.lines] if ended else []
        return {
            "id": f"msgbatch_{batch.number}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else len(batch.lines),
                **{
                    fate: fates.count(fate)
                    for fate in ("succeeded", "errored", "canceled", "expired")
                },
            },
            "created_at": datetime.fromtimestamp(batch.made_at, UTC).isoformat(),
            "expires_at": datetime.fromtimestamp(
                batch.made_at + 86_400, UTC
            ).isoformat(),
            "ended_at": None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"/v1/messages/batches/msgbatch_{batch.number}/results"
            if ended and not options["archived"]
            else None,
        }

    def fate(self, batch: Batch, line: Line) -> str:
        whole = {"completed": line.fate or "succeeded", "cancelled": "canceled"}
        return whole.get(batch.fate, batch.fate)

    async def make(self, call: Call) -> None:
        rows = call.json()["requests"]
        lines = [Line(self.store.wire, row["custom_id"], row["params"]) for row in rows]
        await self.store.make(call, "", lines)

    async def list(self, call: Call) -> None:
        page = {"data": self.store.shown(), "has_more": False}
        await reply(call, page | {"first_id": None, "last_id": None})

    async def results(self, call: Call) -> None:
        batch = self.store.find(call)
        assert batch is not None
        rows = [
            {
                "custom_id": line.name,
                "result": self.result(self.fate(batch, line), line),
            }
            for line in batch.lines
        ]
        await send_rows(call, rows)

    def result(self, fate: str, line: Line) -> Body:
        if fate == "succeeded":
            return {"type": fate, "message": line.reply}
        error = {"type": "error", "error": {"type": "api_error", "message": "bad"}}
        return {"type": fate} | ({"error": error} if fate == "errored" else {})

    def routes(self) -> Routes:
        one = r"/v1/messages/batches/msgbatch_(\d+)"
        return CONTROL | {
            ("POST", "/v1/messages/batches"): self.make,
            ("GET", "/v1/messages/batches"): self.list,
            ("GET", one): self.store.show,
            ("GET", f"{one}/results"): self.results,
        }


class GoogleBatches:
    """Files, and batches of files, as long-running operations."""

    def __init__(self, wire: Wire) -> None:
        self.store = Store(wire, self)

    def shown(self, batch: Batch) -> Body:
        fate = {"completed": "SUCCEEDED"}.get(batch.fate, batch.fate.upper())
        state = fate if batch.has_ended else "RUNNING"
        metadata = {
            "displayName": batch.label,
            "state": f"BATCH_STATE_{state}",
            "createTime": datetime.fromtimestamp(batch.made_at, UTC).isoformat(),
            "model": "models/m",
        }
        if state == "SUCCEEDED":
            metadata["output"] = {"responsesFile": f"files/out-{batch.number}"}
        return {"name": f"batches/b{batch.number}", "metadata": metadata}

    async def begin(self, call: Call) -> None:
        url = f"http://{call.headers['host']}/upload-here"
        await call.send(200, b"{}", headers={"X-Goog-Upload-URL": url})

    async def upload(self, call: Call) -> None:
        name = self.store.keep(call.body)
        body = {"file": {"name": f"files/{name}", "mimeType": "jsonl"}}
        headers = {"X-Goog-Upload-Status": "final"}
        await call.send(200, json.dumps(body).encode(), headers=headers)

    async def make(self, call: Call) -> None:
        batch = call.json()["batch"]
        name = batch["inputConfig"]["fileName"].removeprefix("files/")
        lines = self.store.lines(name, key="key", body="request")
        await self.store.make(call, batch["displayName"], lines)

    async def list(self, call: Call) -> None:
        await reply(call, {"operations": self.store.shown()})

    async def content(self, call: Call) -> None:
        assert call.found is not None
        batch = self.store.batches[int(call.found[1])]
        rows = [self.row(line) for line in batch.lines]
        await send_rows(call, rows)

    def row(self, line: Line) -> Body:
        if line.fate == "expired":
            return {"key": line.name, "error": {"code": 4, "message": "not in time"}}
        if line.fate == "errored":
            return {"key": line.name, "error": {"code": 3, "message": "bad"}}
        return {"key": line.name, "response": line.reply}

    def routes(self) -> Routes:
        return CONTROL | {
            ("POST", "/upload/v1beta/files"): self.begin,
            ("POST", "/upload-here"): self.upload,
            ("POST", r"/v1beta/models/[^/]+:batchGenerateContent"): self.make,
            ("GET", "/v1beta/batches"): self.list,
            ("GET", r"/v1beta/batches/b(\d+)"): self.store.show,
            ("GET", r"/v1beta/files/out-(\d+):download"): self.content,
        }
