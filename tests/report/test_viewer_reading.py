"""One conversation in the viewer: what stands where, by keyboard, phone and print."""

import re
from pathlib import Path
from typing import Any

import pytest

from report.study_factory import write_run
from report.test_viewer import HOSTILE
from report.viewed_study import CHROMIUM, Study, found, searched
from threadmed.records import Answer, Thread
from threadmed.report.links import answer_link, answers_link
from threadmed.store import read_records

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


def test_a_link_to_one_answer_opens_it_and_says_which(page: Any, small: Study) -> None:
    page.goto(small.at(answer_link("THREAD_0001", 2, "borage-4.5", "oracle")))
    page.wait_for_selector("#compared")
    answers = read_records(small.report.parent / "answers.jsonl", Answer)
    (text,) = (
        each.text
        for each in answers
        if (each.target, each.setting, each.thread_id, each.turn)
        == ("Borage 4.5", "oracle", "THREAD_0001", 2)
    )

    assert page.locator(".h.hit h3").inner_text().startswith("Oracle")
    assert page.locator(".col:has(.hit) .text").inner_text() == text
    assert page.locator("[id='t-0001-2-borage-4.5-oracle']").count() == 1
    assert page.locator("[name=target]:checked + span").inner_text() == "Borage 4.5"


def test_settings_show_side_by_side_what_each_model_had_read(
    page: Any, small: Study
) -> None:
    page.goto(small.at(answer_link("THREAD_0001", 2, "aster-5")))
    page.wait_for_selector("#compared")
    thread = read_records(small.report.parent / "data/answered.jsonl", Thread)[1]
    own = page.locator(".c0.msg")
    boxes = [page.locator(f".h.c{place}").bounding_box() for place in range(4)]

    assert [box["y"] for box in boxes] == [boxes[0]["y"]] * 4
    assert own.count() == 2
    assert "Its own answer" in own.first.inner_text()
    assert "no answer shown" in page.locator(".c1.msg").first.inner_text()
    assert thread.turns[0].answer in page.locator(".c2.msg").first.inner_text()
    assert "not even the question" in page.locator(".c3.msg").first.inner_text()
    assert page.locator(".asked .facts").inner_text().count(thread.turns[2].answer) == 1
    assert page.locator(".judges dt").count() == page.locator(".judges dd").count() > 8


def test_earlier_turns_are_folded_to_two_lines_until_they_are_opened(
    page: Any, full: Study
) -> None:
    place = next(row for row in full.found.scores if row.turn >= 2)
    page.goto(full.at(answer_link(place.thread_id, place.turn, "aster-5")))
    page.wait_for_selector("#compared")
    folded = page.locator(".msg.own .fold").first
    before = folded.bounding_box()["height"]
    page.keyboard.press("o")

    assert before < 45
    assert folded.bounding_box()["height"] > 2 * before
    assert page.locator("#unfold").get_attribute("aria-expanded") == "true"


def test_settings_of_one_request_share_a_column(page: Any, small: Study) -> None:
    page.goto(small.at(answer_link("THREAD_0000", 0, "aster-5")))
    page.wait_for_selector("#compared")

    assert page.locator(".col").count() == 1
    assert "Multi-turn, target-turn, isolated" in page.locator(".h h3").inner_text()


def test_the_keyboard_alone_finds_reads_and_returns(page: Any, small: Study) -> None:
    page.goto(small.at("conversations.html"))
    page.wait_for_selector(".list a")
    page.keyboard.press("j")
    page.wait_for_selector("#compared")
    first = page.locator(".where").inner_text()
    page.keyboard.press("j")
    page.wait_for_function(
        "t => document.querySelector('.where').innerText !== t", arg=first
    )
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.keyboard.press("k")
    page.wait_for_function(
        "t => document.querySelector('.where').innerText === t", arg=first
    )
    page.keyboard.press("2")
    page.wait_for_selector("[name=target][value='1']:checked")
    page.keyboard.press("]")
    page.wait_for_function(
        "() => document.querySelector('.where').innerText.includes('turn 1')"
    )
    page.keyboard.press("/")
    page.keyboard.type("jjj2")
    assert page.input_value("[name=q]") == "jjj2"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_single_keys_can_be_switched_off(page: Any, small: Study) -> None:
    page.goto(small.at("conversations.html"))
    page.keyboard.press("?")
    page.locator("#single").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("j")

    assert page.locator("#compared").count() == 0


def test_hostile_words_are_shown_as_words(
    page: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write_run(
        tmp_path_factory.mktemp("hostile"), n_threads=3, words=HOSTILE, notice=HOSTILE
    )
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    study = Study(folder)
    page.goto(study.at(answer_link("THREAD_0001", 2, "aster-5")))
    page.wait_for_selector("#compared")

    assert page.locator("img").count() == 0
    assert page.locator("#compared").inner_text().count("</script><img") > 10
    page.fill("[name=q]", "</script>")
    searched(page)
    assert found(page) == len(study.found.scores)


def test_odd_addresses_open_the_list_and_are_named(page: Any, small: Study) -> None:
    for odd, named in (
        ("%E0%A4%A", "%E0%A4%A"),
        ("at=t-9999-1", "t-9999-1"),
        ("t-0000-7", "t-0000-7"),
        ("model=Nobody", ""),
        ("turn=x", ""),
    ):
        page.goto("about:blank")
        page.goto(small.at(f"conversations.html#{odd}"))
        page.wait_for_selector(".empty dl")
        assert page.locator("#compared").count() == 0
        alerts = page.locator("[role=alert]").all_inner_texts()
        assert alerts == (
            [f"This study has no answer with the name {named}."] if named else []
        )


def test_a_piece_that_is_gone_or_of_another_report_is_said(
    browser: Any, tmp_path: Path
) -> None:
    study = Study(write_run(tmp_path, n_threads=3))
    piece = study.report / "conversations" / "piece-000.js"
    text = piece.read_text()
    page = browser.new_page()
    for changed in (text.replace(',"', ',"x', 1), "", "threadmed.piece("):
        piece.write_text(changed)
        page.goto("about:blank")
        page.goto(study.at(answer_link("THREAD_0001", 2)))
        page.wait_for_selector("[role=alert]")
        assert "could not be read" in page.locator("[role=alert]").inner_text()
    page.fill("[name=q]", "honey")
    page.wait_for_function(
        "() => document.querySelector('.searching').innerText.includes('1 pieces')"
    )
    page.close()


@pytest.mark.parametrize("width", [1280, 1024, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_size_is_accessible_and_never_scrolls_sideways(
    browser: Any, full: Study, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    place = next(row for row in full.found.scores if row.turn >= 2)
    for link in (
        answers_link("Aster 5", score=0),
        answer_link(place.thread_id, place.turn, "aster-5", "oracle"),
    ):
        page.goto("about:blank")
        page.goto(full.at(link))
        page.wait_for_selector("#compared" if "-" in link else ".list a")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        faults = Axe().run(page).response["violations"]
        assert [(fault["id"], fault["nodes"][0]["html"]) for fault in faults] == []
    context.close()


def test_on_a_phone_one_setting_is_seen_at_a_time(browser: Any, small: Study) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 800})
    page.goto(small.at("conversations.html"))
    page.locator(".list a").nth(4).click()
    page.wait_for_selector("#compared")

    assert page.locator(".col:visible").count() == 1
    assert not page.locator(".list").is_visible()
    page.locator(".tabs label").nth(2).click()
    assert page.locator(".col:visible").get_attribute("aria-label") == "Answer, Oracle"
    page.click("#back")
    assert page.locator(".list").is_visible()
    page.goto(small.at("conversations.html#t-9999-1"))
    assert page.locator("[role=alert]").is_visible()
    assert page.locator(".list").is_visible()
    page.close()


def test_print_shows_all_settings_unfolded_and_fills_its_pages(
    browser: Any, full: Study
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    place = next(row for row in full.found.scores if row.turn >= 2)
    page.goto(full.at(answer_link(place.thread_id, place.turn, "aster-5")))
    page.wait_for_selector("#compared")
    words = page.locator("#compared").evaluate("node => node.textContent.length")
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    page.emulate_media(media="print")

    assert page.locator(".col:visible").count() == 4
    assert not page.locator(".side").is_visible()
    assert not page.locator(".where button:visible").count()
    folded = page.locator(".msg.own .fold").first
    assert folded.evaluate("node => node.scrollHeight - node.clientHeight") <= 1
    # A page of A4 in these sizes holds some 4,500 characters; no page is left white.
    assert pages <= 1 + words / 3_000
    page.close()


def test_without_a_script_the_page_says_where_the_words_are(
    browser: Any, small: Study
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(small.at("conversations.html"))

    assert "answers.jsonl" in page.locator("noscript .notice").inner_text()
    context.close()


@pytest.mark.parametrize("filters", ["than=nobody", "q=zzzzqqqq", "flip=a.b&turn=0"])
@pytest.mark.parametrize("width", [1280, 375])
def test_where_nothing_is_found_a_button_clears_the_filter(
    page: Any, small: Study, filters: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(small.at(f"conversations.html#{filters}"))
    clear = page.get_by_role("button", name="Clear the filter")
    clear.wait_for()
    assert "No answer is like that." in page.locator(".list").inner_text()
    assert "Choose a question" not in page.locator("#reading").inner_text()

    clear.click()
    page.wait_for_selector(".list a")

    assert not clear.count()
    assert page.evaluate("location.hash") in {"", "#"}
    assert page.evaluate("document.activeElement.matches('.list a')")


def test_the_place_in_a_thread_counts_as_turns_do(page: Any, small: Study) -> None:
    page.goto(small.at(answer_link("THREAD_0001", 2, "borage-4.5")))
    page.wait_for_selector("#compared")
    n = len(_turns(small, "THREAD_0001"))

    assert f"turn 2 of turns 0 to {n - 1}" in page.locator(".where").inner_text()


def _turns(study: Study, thread_id: str) -> tuple[object, ...]:
    return next(t.turns for t in study.found.threads if t.thread_id == thread_id)


def test_one_request_names_no_setting_that_was_asked_apart(
    page: Any, small: Study
) -> None:
    page.goto(small.at(answers_link(turn=0)))
    page.locator(".list a").first.click()
    page.wait_for_selector("#compared")

    assert "one request in these settings" in page.locator(".sub").inner_text()
