"""The page of a whole study in a real browser: quick, accessible, and whole on paper."""

from pathlib import Path
from typing import Any

import pytest

from report.viewed_study import CHROMIUM
from threadmed.report.analyses import report_of
from threadmed.report.material import Found
from threadmed.report.page import page as page_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]
A4 = 688
"""Px between the margins of A4."""
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def addresses(
    rated: Found, armed: Found, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    root, found = tmp_path_factory.mktemp("pages"), {}
    for name, study in (("rated", rated), ("armed", armed)):
        path = root / f"{name}.html"
        path.write_text(page_of(report_of(study), None))
        found[name] = path.as_uri()
    return found


def opened(page: Any, address: str) -> None:
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")


@pytest.mark.parametrize("name", ["rated", "armed"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_axe_finds_nothing_and_nothing_scrolls_the_page_sideways(
    page: Any, addresses: dict[str, str], name: str, scheme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    opened(page, addresses[name])
    complaints = [v["id"] for v in Axe().run(page).response["violations"]]

    assert complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["rated", "armed"])
def test_no_table_is_wider_than_paper(
    page: Any, addresses: dict[str, str], name: str
) -> None:
    page.set_viewport_size({"width": A4, "height": 1000})
    opened(page, addresses[name])
    page.emulate_media(media="print")
    too_wide = page.evaluate(
        """(width) => [...document.querySelectorAll("table")]
          .filter((table) => table.getBoundingClientRect().right > width + 1)
          .map((table) => table.closest("[id]").id)""",
        A4,
    )

    assert too_wide == []


def test_what_is_folded_is_printed(page: Any, addresses: dict[str, str]) -> None:
    page.goto(addresses["rated"])
    folded = page.locator("#table-coefficients table")
    assert not folded.is_visible()

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert folded.is_visible()

    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not folded.is_visible()


def test_a_wide_table_scrolls_by_the_keyboard(
    page: Any, addresses: dict[str, str]
) -> None:
    page.set_viewport_size({"width": 375, "height": 900})
    page.goto(addresses["rated"])
    table = page.locator("#table-agreement .scroll")
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "document.querySelector('#table-agreement .scroll').scrollLeft > 0"
    )

    assert table.get_attribute("aria-label").startswith("Table ")


def test_a_study_of_full_size_opens_at_once(
    page: Any, full: Any, tmp_path: Path
) -> None:
    path = tmp_path / "full.html"
    path.write_text(page_of(report_of(full.found), None))
    page.goto(path.as_uri())
    # The page may be loaded before its first frame is drawn.
    page.wait_for_function(
        "performance.getEntriesByName('first-contentful-paint').length"
    )
    seen = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )

    assert path.stat().st_size < MOST_BYTES
    assert seen < 1_000


@pytest.mark.parametrize("name", ["rated", "armed"])
@pytest.mark.parametrize("width", [1200, 1280])
def test_no_table_is_cut_on_a_laptop(
    page: Any, addresses: dict[str, str], name: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(addresses[name])
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".tblock .scroll")]
          .filter((box) => box.scrollWidth > box.clientWidth)
          .map((box) => box.closest("[id]").id)"""
    )

    assert cut == []


@pytest.mark.parametrize("width", [1280, 375])
def test_what_each_setting_had_read_stands_at_its_figure(
    page: Any, addresses: dict[str, str], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(addresses["rated"])
    legend = page.locator("#figure-settings .key")

    assert legend.is_visible()
    assert "Multi-turn: after its own answers" in legend.inner_text()
