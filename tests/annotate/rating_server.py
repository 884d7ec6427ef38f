"""A study to rate, and the command that serves it, as a process with a web client."""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from report.study_factory import FOUR, JUDGES, write_run
from threadmed.records import Label
from threadmed.store import read_records, write_records, write_text
from threadmed.study import Folder

TARGETS = ("Aster 5", "Borage 4.5")
NAMES = (*TARGETS, *JUDGES, "Finder", *FOUR)
"""What no rater may read."""


def rated_study(root: Path, *, n_threads: int = 12, words: str = "") -> Folder:
    """Write a study whose answers are there to be scored."""
    folder = write_run(root, n_threads=n_threads, words=words)
    labels: list[Label] = read_records(folder.labels, Label)
    write_records(
        root / "reference.jsonl",
        [label for label in labels if label.source == "reference"],
    )
    models = "".join(
        f'\n[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n'
        for name in (*TARGETS, *JUDGES, "Finder")
    )
    write_text(
        folder.study,
        'name = "invented-study"\nthreads = "data/answered.jsonl"\n'
        f"targets = {json.dumps(TARGETS)}\nsettings = {json.dumps(FOUR)}\n"
        '[identify]\nmodel = "Finder"\nlabels = "reference.jsonl"\n'
        f"[panel]\njudges = {json.dumps(JUDGES)}\nprimary = {json.dumps(JUDGES[0])}\n"
        + models,
    )
    return folder


class Server:
    """`threadmed annotate`, running."""

    def __init__(self, folder: Folder, *options: str) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "threadmed",
                "annotate",
                str(folder.root),
                "--port",
                "0",
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.links: dict[str, str] = {}
        self.printed = ""
        for line in self.process.stdout:
            self.printed += line
            found = re.match(r"  (.+): (http\S+)", line)
            if found:
                self.links[found[1]] = found[2]
            if found and found[1] == "organiser":
                break
        else:
            assert self.process.stderr is not None
            raise AssertionError(self.printed + self.process.stderr.read())
        self.url = self.links["organiser"].partition("/enter")[0]

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.communicate(timeout=20)

    def stop(self) -> str:
        """End it as Ctrl-C would; give what it said."""
        self.process.terminate()
        told, complaints = self.process.communicate(timeout=20)
        return told + complaints


class Client:
    """A browser without a screen: keeps cookies, sends what a page sends."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self.cookies)
        )
        self.setup: dict[str, Any] = {}

    def ask(
        self,
        path: str,
        body: bytes | None = None,
        *,
        method: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, str, dict[str, str]]:
        """Send a request; give status, text and headers of the reply."""
        sent = {"Origin": self.url} if body is not None else {}
        request = urllib.request.Request(
            f"http://{self.url.removeprefix('http://')}{path}",
            body,
            sent | (headers or {}),
            method=method,
        )
        try:
            with self.opener.open(request, timeout=20) as reply:
                return reply.status, reply.read().decode(), _lower(reply.headers)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), _lower(error.headers)

    def form(self, path: str, **fields: str) -> tuple[int, str, dict[str, str]]:
        """Send a form."""
        return self.ask(path, urllib.parse.urlencode(fields).encode())

    def come_in(self, link: str, *, task: str = "scoring") -> "Client":
        """Use a link, and read what the rater's page tells its script."""
        token = link.partition("token=")[2]
        status, text, _ = self.form("/enter", token=token)
        assert status == 200, text
        status, text, _ = self.ask(f"/rate/{task}")
        found = re.search(r'id="setup">(.*?)</script>', text, re.DOTALL)
        assert status == 200
        assert found is not None
        self.setup = json.loads(found[1])
        return self

    def look(self, task: str = "scoring", item: str = "") -> dict[str, Any]:
        """Give what the rater's page shows."""
        status, text, _ = self.ask(f"/item/{task}" + (f"?item={item}" if item else ""))
        assert status == 200, text
        return dict(json.loads(text))

    def send(self, act: str, body: object, *, task: str = "scoring") -> tuple[int, Any]:
        """Do what a button of the page does."""
        status, text, _ = self.ask(
            f"/item/{task}/{act}",
            json.dumps(body).encode(),
            headers={
                "X-Form": self.setup["form"],
                "Content-Type": "application/json",
            },
        )
        return status, json.loads(text)

    def say(self, value: str, *, task: str = "scoring", **more: object) -> Any:
        """Answer the item that the page shows; give what it shows then."""
        item = self.look(task)["item"]
        status, found = self.send(
            "save", {"item": item, "value": value, **more}, task=task
        )
        assert status == 200, found
        return found


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
