"""Raters in a real browser: with the keyboard alone, interrupted, offline, watched."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.rating_server import Server, rated_study
from command_line import threadmed
from threadmed.labels.experts import read_ratings
from threadmed.records import Rating
from threadmed.study import Folder

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]
HOSTILE = "\n<img src=x onerror=document.title='broken'> </script> \u202edrowkcab"
TEN = ("--size", "10", "--raters", "ann,bob", "--gold-share", "1")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return rated_study(tmp_path / "study", words=HOSTILE)


@pytest.fixture
def server(folder: Folder) -> Iterator[Server]:
    running = Server(folder, *TEN)
    yield running
    running.stop()


class Watched:
    """A page of a context, and all that it asked for and complained of."""

    def __init__(self, context: Any) -> None:
        self.page = context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda told: self.complaints.append(told.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def is_quiet(self, address: str) -> bool:
        """Tell whether the page kept to its own server, and had nothing to say."""
        return self.complaints == [] and all(
            url.startswith((address, "data:", "blob:")) for url in self.asked
        )


def come_in(
    context: Any, server: Server, name: str, *, task: str = "scoring"
) -> Watched:
    from playwright.sync_api import expect

    watched = Watched(context)
    watched.page.goto(server.links[name])
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Enter")
    watched.page.wait_for_url("**/rate/**")
    watched.page.goto(f"{server.url}/rate/{task}")
    expect(watched.page.locator("#saved")).to_have_text("Ready")
    return watched


def rate(page: Any, key: str, note: str = "") -> str:
    """Answer with the keyboard; give the belief that was shown."""
    from playwright.sync_api import expect

    count = page.locator("#count")
    before = count.inner_text()
    shown = page.locator(".card.q .words").inner_text()
    page.keyboard.press(key)
    if note:
        page.keyboard.press("o")
        page.keyboard.type(note)
        page.keyboard.press("Control+Enter")
    else:
        page.keyboard.press("Enter")
    expect(count).not_to_have_text(before)
    return str(shown)


VALUES = {"1": "-1", "2": "0", "3": "1"}


def exported(folder: Folder, rater: str) -> list[tuple[str, str]]:
    """Export, and give a rater's values and notes."""
    assert threadmed("annotate", folder.root, "--export").returncode == 0
    return sorted((row.value or "", row.note) for row in rows_of(folder, rater))


def rows_of(folder: Folder, rater: str) -> list[Rating]:
    rows = read_ratings(folder.ratings / "scoring.csv")
    return [row for row in rows if row.rater == rater]


def test_a_rater_does_ten_items_by_keyboard_and_closes_the_tab_in_the_middle(
    browser: Any, server: Server, folder: Folder
) -> None:
    from playwright.sync_api import expect

    context = browser.new_context()
    first = come_in(context, server, "ann")
    typed = [
        ("1", ""),
        ("2", "half of it"),
        ("3", ""),
        ("3", "well said, it\u2019s so"),
    ]
    for key, note in typed:
        rate(first.page, key, note)
    first.page.keyboard.press("2")
    first.page.keyboard.press("o")
    first.page.keyboard.type("not sent yet")
    first.page.close()

    second = Watched(context)
    second.page.goto(f"{server.url}/rate/scoring")
    expect(second.page.locator("#count")).to_have_text("4 of 10")
    expect(second.page.locator("#note")).to_have_value("not sent yet")
    expect(second.page.get_by_label("0, partly")).to_be_checked()
    second.page.keyboard.press("Control+Enter")
    expect(second.page.locator("#count")).to_have_text("5 of 10")
    for key in "12312":
        rate(second.page, key)
    expect(second.page.locator("h1")).to_have_text("All done, thank you.")
    for button in ("#flag", "#later"):
        expect(second.page.locator(button)).to_be_disabled()
        expect(second.page.locator(button)).to_have_css("cursor", "not-allowed")
    second.page.keyboard.press("u")
    expect(second.page.locator("#count")).to_have_text("9 of 10")
    expect(second.page.get_by_label("0, partly")).to_be_checked()
    rate(second.page, "1")
    assert first.is_quiet(server.url)
    assert second.is_quiet(server.url)
    context.close()

    typed += [("2", "not sent yet"), *((key, "") for key in "12311")]
    assert exported(folder, "ann") == sorted((VALUES[key], note) for key, note in typed)


def test_two_raters_at_once_each_have_their_own(
    browser: Any, server: Server, folder: Folder
) -> None:
    contexts = [browser.new_context() for _ in range(2)]
    ann, bob = (
        come_in(context, server, name)
        for context, name in zip(contexts, ("ann", "bob"), strict=True)
    )
    for _ in range(10):
        rate(ann.page, "3", "from ann")
        rate(bob.page, "1")
    for context in contexts:
        context.close()

    threadmed("annotate", folder.root, "--export")
    assert {row.value for row in rows_of(folder, "ann")} == {"1"}
    assert {row.value for row in rows_of(folder, "bob")} == {"-1"}
    assert {row.note for row in rows_of(folder, "ann")} == {"from ann"}
    assert len(rows_of(folder, "ann")) == len(rows_of(folder, "bob")) == 10


def test_a_belief_must_be_said_and_hostile_text_is_shown_as_text(
    browser: Any, server: Server
) -> None:
    from playwright.sync_api import expect

    context = browser.new_context()
    watched = come_in(context, server, "ann", task="identification")
    page = watched.page
    shown = page.locator(".card.q .words").inner_text()
    page.keyboard.press("y")

    assert "<img src=x" in shown
    assert "\u202e" not in shown
    assert page.locator("main img").count() == 0
    expect(page.locator("#belief")).to_be_focused()
    expect(page.locator("#why")).to_have_text("Say which belief")
    expect(page.locator("#save")).to_be_disabled()
    expect(page.locator("#save kbd")).to_have_text("Ctrl Enter")
    page.keyboard.type("Colds need antibiotics")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#save kbd")).to_have_text("Enter")
    expect(page.locator("#count")).to_have_text("1 of 10")
    assert "broken" not in page.title()
    assert watched.is_quiet(server.url)
    context.close()


def test_keys_act_outside_of_text_only_and_can_be_switched_off(
    browser: Any, server: Server
) -> None:
    from playwright.sync_api import expect

    context = browser.new_context()
    page = come_in(context, server, "ann").page
    page.keyboard.press("o")
    page.keyboard.type("123fsu?")
    expect(page.locator("#note")).to_have_value("123fsu?")
    assert page.locator("[name=choice]:checked").count() == 0
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(page.locator("#flag")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("?")
    expect(page.locator("#keylist")).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press("Escape")
    assert page.locator("[name=choice]:checked").count() == 0
    page.locator("#keys").uncheck()
    page.locator("h1").focus()
    page.keyboard.press("3")
    assert page.locator("[name=choice]:checked").count() == 0
    context.close()


def test_later_puts_an_item_at_the_end_and_a_last_answer_opens_again(
    browser: Any, server: Server
) -> None:
    from playwright.sync_api import expect

    context = browser.new_context()
    page = come_in(context, server, "ann").page
    put_off = page.locator(".card.a .words").inner_text()
    question = page.locator(".card.q .words").inner_text()
    # The first item says the same in #live: only the reply tells that it is another.
    with page.expect_response(lambda reply: reply.request.method == "POST"):
        page.keyboard.press("s")
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    expect(page.locator("#live")).to_have_text("Item 1 of 10.")
    for _ in range(9):
        assert (rate(page, "2"), put_off) != (question, "")
    expect(page.locator(".card.q .words")).to_have_text(question)
    page.locator("aside .hist button").first.click()
    expect(page.locator(".step")).to_have_text("Item 9 of 10, answered before")
    expect(page.get_by_label("0, partly")).to_be_checked()
    context.close()


def test_an_answer_that_the_server_did_not_take_stays_and_is_sent_again(
    browser: Any, server: Server, folder: Folder
) -> None:
    from playwright.sync_api import expect

    context = browser.new_context()
    page = come_in(context, server, "ann").page
    server.process.kill()
    server.process.wait()
    page.keyboard.press("3")
    page.keyboard.press("Enter")

    expect(page.locator("#saved")).to_have_text(
        "Not saved: the server cannot be reached"
    )
    expect(page.get_by_label("+1, corrected")).to_be_checked()
    expect(page.locator("#count")).to_have_text("0 of 10")
    expect(page.locator("#save")).to_be_enabled()
    again = Server(folder, "--port", server.url.rpartition(":")[2])
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("1 of 10")
    again.stop()
    context.close()


def test_a_kit_is_rated_without_a_server_and_comes_back(
    browser: Any, folder: Folder, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    kit, back = tmp_path / "kit.html", tmp_path / "back.json"
    threadmed("annotate", folder.root, *TEN, "--kit", "bob", "--out", kit)
    context = browser.new_context()
    watched = Watched(context)
    page = watched.page
    page.goto(kit.as_uri())
    rate(page, "m")
    expect(page.locator("#count")).to_have_text("1 of 10")
    page.get_by_role("link", name="Scoring").click()
    expect(page.locator("#count")).to_have_text("0 of 10")
    for key in "1231":
        rate(page, key, f"typed {key}")
    page.keyboard.press("u")
    expect(page.locator("#count")).to_have_text("3 of 10")
    page.close()
    finish_kit(context, kit, back)
    assert watched.is_quiet(kit.as_uri())
    context.close()
    reopen_kit(browser, kit, back)

    merged = threadmed("annotate", folder.root, "--merge", back)
    assert "11 new answers, 0 changed, 0 known, 0 in conflict" in merged.stdout
    expected = [("-1", "typed 1"), ("0", "typed 2"), ("1", "typed 3")]
    # What was undone lies in its field again, and is said with the key that follows.
    expected += [("1", "typed 1"), *[("1", "")] * 6]
    assert exported(folder, "bob") == sorted(expected)


def finish_kit(context: Any, kit: Path, back: Path) -> None:
    """Go on in the same browser where the tab was closed, and save the file."""
    from playwright.sync_api import expect

    again = Watched(context)
    again.page.goto(kit.as_uri() + "#scoring")
    expect(again.page.locator("#count")).to_have_text("3 of 10")
    expect(again.page.locator("#note")).to_have_value("typed 1")
    for key in "3333333":
        rate(again.page, key)
    with again.page.expect_download() as download:
        again.page.locator("#download").click()
    download.value.save_as(back)
    expect(again.page.locator("#kitstate")).to_contain_text("holds all of your answers")
    assert again.is_quiet(kit.as_uri())


def reopen_kit(browser: Any, kit: Path, back: Path) -> None:
    """Open the saved file in a browser that has kept nothing."""
    from playwright.sync_api import expect

    context = browser.new_context()
    page = Watched(context).page
    page.goto(kit.as_uri() + "#scoring")
    page.locator("#load").set_input_files(back)
    expect(page.locator("h1")).to_have_text("All done, thank you.")
    page.locator("#copy").click()
    copied = json.loads(page.locator("#copied textarea").input_value())
    assert copied["answers"] == json.loads(back.read_text())["answers"]
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_every_page_is_accessible_and_never_scrolls_sideways(
    browser: Any, server: Server, folder: Folder, scheme: str, width: int
) -> None:
    look = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    contexts = [browser.new_context(**look) for _ in range(3)]
    ann, bob, host = (context.new_page() for context in contexts)
    seen = raters_faults(ann, server, width)
    bob.goto(server.links["bob"])
    bob.get_by_role("button").click()
    bob.goto(f"{server.url}/rate/scoring")
    for _ in range(10):
        rate(bob, "1")
    seen += faults(bob, width)
    seen += organisers_faults(host, server, width)
    kit = folder.root / "kit.html"
    threadmed("annotate", folder.root, "--kit", "ann", "--out", kit)
    ann.goto(kit.as_uri())
    seen += faults(ann, width)
    for context in contexts:
        context.close()

    assert seen == []


def raters_faults(page: Any, server: Server, width: int) -> list[str]:
    """Look at the page of the link, at both tasks, and at what opens over them."""
    page.goto(server.links["ann"])
    seen = faults(page, width)
    page.get_by_role("button").click()
    page.locator(".card.q").wait_for()
    page.keyboard.press("y")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    seen += faults(page, width)
    page.goto(f"{server.url}/rate/scoring")
    rate(page, "3", "a note")
    page.keyboard.press("f")
    seen += faults(page, width)
    page.locator("#rubricopen" if width < 980 else "#help").click()
    return seen + faults(page, width)


def organisers_faults(page: Any, server: Server, width: int) -> list[str]:
    """Look at the numbers, at a fresh link, and at a disagreement."""
    page.goto(server.links["organiser"])
    page.get_by_role("button").click()
    page.locator("#numbers table").first.wait_for()
    seen = faults(page, width)
    page.get_by_role("button", name="Make it").click()
    page.locator(".told").wait_for()
    seen += faults(page, width)
    page.goto(f"{server.url}/rate/scoring")
    page.locator(".card.said").wait_for()
    return seen + faults(page, width)


def faults(page: Any, width: int) -> list[str]:
    """Name what axe finds, and whether the page is wider than its window."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    told = [f"{each['id']}: {each['nodes'][0]['html']}" for each in found]
    wide = page.evaluate("document.documentElement.scrollWidth")
    return told + ([f"{wide} px wide"] if wide > width else [])


def test_long_threads_and_rubrics_leave_room_for_the_answer(
    browser: Any, server: Server
) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 760})
    page = come_in(context, server, "ann", task="identification").page
    while not page.locator("#fold").count():
        rate(page, "n")
    folded = page.locator("#ctx").bounding_box()["height"]
    page.keyboard.press("e")
    unfolded = page.locator("#ctx").bounding_box()["height"]
    assert page.locator("#ctx .last dd").is_visible()

    assert folded < 120 < unfolded
    assert not page.locator("aside").is_visible()
    page.locator("#rubricopen").click()
    assert page.locator("#sheet .rubric:visible").count() == 1
    page.get_by_role("button", name="Back to the item").click()
    assert not page.locator("#sheet").is_visible()
    context.close()


def test_who_has_nothing_to_rate_is_offered_nothing_to_open_again(
    browser: Any, folder: Folder
) -> None:
    from playwright.sync_api import expect

    options = ("--size", "1", "--raters", "ann,bob", "--gold-share", "0")
    server = Server(folder, *options, "--task", "scoring")
    ends = {}
    for name in ("ann", "bob"):
        context = browser.new_context()
        page = come_in(context, server, name).page
        if page.locator("#count").inner_text() == "0 of 1":
            rate(page, "1")
        expect(page.locator(".end h1")).to_be_visible()
        ends[page.locator("#count").inner_text()] = page.locator(".end").inner_text()
        context.close()
    server.stop()

    assert "open one of your last answers again" in ends["1 of 1"]
    assert "There is nothing for you here." in ends["0 of 0"]
    assert "again" not in ends["0 of 0"]
