"""The page on several studies in a real browser."""

from typing import Any

import pytest

from report.study_factory import write_run
from report.viewed_study import CHROMIUM
from threadmed.report.compare_files import write_comparison

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("studies")
    folders = [write_run(root / name, n_threads=12) for name in ("one", "two")]
    return write_comparison(folders, root / "out").as_uri()


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_quietly_and_axe_finds_no_serious_fault(
    page: Any, address: str, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    faults = Axe().run(page).response["violations"]

    assert asked == [address]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert [f["id"] for f in faults if f["impact"] in {"serious", "critical"}] == []
