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


def test_an_address_with_an_anchor_opens_what_it_names(
    browser: Any, address: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}#t-0001-2-borage-4.5")

    assert page.locator("[id='t-0001-2-borage-4.5']").is_visible()
    assert not page.locator("[id='t-0002-2-borage-4.5']").is_visible()
    page.close()


def test_filters_find_answers_and_live_in_the_address(
    browser: Any, address: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}?model=Aster+5&setting=multi_turn&score=-1#conversations")
    said = page.locator(".found").inner_text()
    visible = page.locator(".thread:visible").count()

    assert 0 < int(said.split()[0]) < 100
    assert 0 < visible < 12
    page.select_option("[name=score]", "1")
    assert "score=1" in page.url
    page.fill("[name=q]", "words that nobody wrote")
    assert page.locator(".found").inner_text().startswith("0 of")
    assert page.locator(".thread:visible").count() == 0
    page.click("button[type=reset]")
    page.wait_for_function("!location.search")
    assert page.locator(".thread:visible").count() == 12
    page.close()


def test_the_page_reads_without_a_script(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)

    assert page.locator("#filters").is_hidden()
    page.locator("#t-0000 > summary").click()
    assert page.locator("#t-0000-2").is_visible()
    context.close()


def test_print_shows_wide_drawings_and_no_controls(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(address)
    page.emulate_media(media="print")

    assert page.locator("#figure-correction svg.wide").first.is_visible()
    assert not page.locator(".filters").is_visible()
    assert not page.locator(".toc").is_visible()
    assert page.pdf()[:4] == b"%PDF"
    page.close()
