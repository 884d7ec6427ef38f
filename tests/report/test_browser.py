"""The page in a real browser: quiet, self-contained, usable on a phone."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from report.study_factory import write_run
from threadmed.report import write

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = write_run(tmp_path_factory.mktemp("study"), n_threads=12)
    return write(folder).as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_opens_quietly_and_never_scrolls_sideways(
    browser: Any, address: str, width: int, scheme: str
) -> None:
    page = browser.new_page(
        viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    assert asked == [address]
    assert complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


def test_the_page_reads_without_a_script(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)

    assert page.locator("h1").is_visible()
    assert page.locator("#conversations a").first.is_visible()
    context.close()


def test_print_shows_wide_drawings_and_no_controls(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(address)
    page.emulate_media(media="print")

    assert page.locator("#figure-correction svg.wide").first.is_visible()
    assert not page.locator(".toc").is_visible()
    assert page.pdf()[:4] == b"%PDF"
    page.close()
