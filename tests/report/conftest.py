"""A browser, and studies for it to look at."""

from collections.abc import Iterator
from typing import Any

import pytest

from report.armed_study import write_armed
from report.full_study import write_full_study
from report.rated_study import write_rated
from report.study_factory import write_run
from report.viewed_study import CHROMIUM, Study
from threadmed.report.material import Found, read_found


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(write_full_study(tmp_path_factory.mktemp("full")))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(write_run(tmp_path_factory.mktemp("small"), n_threads=12))


@pytest.fixture(scope="session")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """A study that experts rated."""
    return read_found(write_rated(tmp_path_factory.mktemp("rated")))


@pytest.fixture(scope="session")
def armed(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """A study with arms and controls."""
    return read_found(write_armed(tmp_path_factory.mktemp("armed")))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that may not complain."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()
    assert complaints == []
