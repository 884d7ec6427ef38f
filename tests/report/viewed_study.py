"""Studies with their viewer, and what tests ask of its page."""

import shutil
from collections.abc import Callable
from typing import Any

from threadmed.records import PanelScore
from threadmed.report.analyses import report_of
from threadmed.report.material import Found, read_found
from threadmed.report.viewer import write_viewer

CHROMIUM = shutil.which("chromium")


class Study:
    """A study with its viewer, and the scores that it shows."""

    def __init__(self, folder: Any) -> None:
        self.report = folder.report
        self.found: Found = read_found(folder)
        write_viewer(self.report, self.found, report_of(self.found))

    def at(self, link: str) -> str:
        """Give a link as an address on disk."""
        path, _, fragment = link.partition("#")
        return f"{(self.report / path).as_uri()}#{fragment}"

    def count(self, fits: Callable[[PanelScore], bool]) -> int:
        return sum(fits(row) for row in self.found.scores)


def found(page: Any) -> int:
    """Number of answers found."""
    text = page.locator(".found").inner_text()
    return int(text.split(" of ")[0].replace(",", ""))


def searched(page: Any) -> None:
    """Wait until a search has begun and ended."""
    page.wait_for_timeout(300)
    page.wait_for_selector(".searching", state="hidden", timeout=60_000)
