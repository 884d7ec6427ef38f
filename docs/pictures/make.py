#!/usr/bin/env python
"""Take the pictures of the README in a real browser; run by `make pictures`.

It writes the sample study with made-up scores, its report, and its annotation page,
and takes a picture of each in Chromium, as a laptop shows them.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from sample_study import write_sample_study

from threadmed.report import write

HERE = Path(__file__).parent
SIZE = {"width": 1240, "height": 840}


def main() -> None:
    """Write the pictures beside this script, or into another folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE)
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as temporary, browser() as page:
        folder = write_sample_study(Path(temporary))
        address = write(folder).as_uri()
        take_report(page, address, out=out)
        with annotating(folder.root) as link:
            take_annotation(page, link, out=out)


@contextmanager
def browser() -> Iterator[Any]:
    """Open a page of the size of a laptop's window."""
    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield chromium.new_page(viewport=SIZE, color_scheme="light")
        chromium.close()


def take_report(page: Any, address: str, *, out: Path) -> None:
    """Take the first screen of the report, and one conversation."""
    page.goto(address)
    page.screenshot(path=out / "report.png")
    page.goto(address.replace("index.html", "conversations.html"))
    page.keyboard.press("j")
    page.locator("#thread, main h1, main h2").first.wait_for()
    page.wait_for_timeout(500)
    page.screenshot(path=out / "conversations.png")


def take_annotation(page: Any, link: str, *, out: Path) -> None:
    """Take the page on which a rater scores an answer."""
    page.goto(link)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rate/**")
    page.goto(re.sub(r"/rate/.*", "/rate/scoring", page.url))
    page.locator("#saved").filter(has_text="Ready").wait_for()
    page.keyboard.press("2")
    page.screenshot(path=out / "annotate.png")


@contextmanager
def annotating(root: Path) -> Iterator[str]:
    """Serve the annotation page of a study; give the link of its rater."""
    command = [sys.executable, "-m", "threadmed", "annotate", str(root)]
    options = ["--port", "0", "--size", "20", "--raters", "ann"]
    process = subprocess.Popen(  # noqa: S603 -- our own command
        [*command, *options], stdout=subprocess.PIPE, text=True
    )
    try:
        printed = process.stdout or []
        found = (re.match(r"  ann: (http\S+)", line) for line in printed)
        yield next(match[1] for match in found if match)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
