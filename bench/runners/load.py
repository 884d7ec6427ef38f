"""Asks the server alone, as fast as raw sockets can: how much can it take?

One request at a time on each of a hundred connections, at no latency.
"""

import asyncio
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

from bench.runners import by_hand
from bench.runners.measuring import report

ASKED = 10_000


def request(work: by_hand.Workload, turn: int) -> bytes:
    """Give the bytes of a request to a judge or, every other time, to the target."""
    thread = work.threads[turn % len(work.threads)]
    question = thread.questions[0]
    parameters = work.answering() if turn % 2 else work.scoring()
    messages = (
        [{"role": "user", "content": question}]
        if turn % 2
        else work.to_judge(question, question)
    )
    body = json.dumps({"model": "load", "messages": messages, **parameters}).encode()
    head = (
        "POST /0/v1/chat/completions HTTP/1.1\r\nHost: server\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def conduct(work: by_hand.Workload, url: str) -> int:
    """Ask so many times; give the number of verdicts that came."""
    at = urlsplit(url)
    requests = [request(work, turn) for turn in range(len(work.threads))]
    turns = iter(range(ASKED))
    verdicts = 0

    async def caller() -> None:
        nonlocal verdicts
        reader, writer = await asyncio.open_connection(at.hostname, at.port)
        for turn in turns:
            writer.write(requests[turn % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
            body = await reader.readexactly(int(length))
            verdicts += b'\\"score\\"' in body
        writer.close()
        await writer.wait_closed()

    async with asyncio.TaskGroup() as group:
        for _ in range(work.in_flight):
            group.create_task(caller())
    return verdicts


def main() -> None:
    """Run, and say what it took."""
    work = by_hand.read(Path(sys.argv[1]))
    report(lambda: asyncio.run(conduct(work, sys.argv[2])))


if __name__ == "__main__":
    main()
