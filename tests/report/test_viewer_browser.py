"""Filters, searches and links of the viewer, in a real browser and from disk."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from report.armed_study import write_armed
from report.full_study import NEEDLE
from report.viewed_study import CHROMIUM, Study, found, searched
from threadmed.records import PanelScore
from threadmed.report.blocks import Quantity, Section
from threadmed.report.links import answers_link, flips_link
from threadmed.report.sections.arms import arms
from threadmed.report.sections.comparisons import comparisons
from threadmed.report.viewer import SCRIPTS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

NOT_CORRECTED = (0, -1)


def test_a_full_study_opens_at_once_and_loads_no_words(page: Any, full: Study) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    page.goto(full.at("conversations.html"))
    page.wait_for_selector(".list a")

    assert page.evaluate("performance.now()") < 5_000
    assert found(page) == len(full.found.scores) > 20_000
    assert sorted(asked) == sorted(
        ("conversations.html", "viewer.css", "index.js", *SCRIPTS)
    )


def test_index_and_pieces_stay_small(full: Study) -> None:
    sizes = {
        path.name: path.stat().st_size
        for path in (full.report / "conversations").iterdir()
    }

    assert sizes["index.js"] < 300_000
    assert max(sizes.values()) < 1_500_000
    words = sum(path.stat().st_size for path in _words(full))
    assert sum(sizes.values()) < 1.1 * words


def _words(study: Study) -> list[Path]:
    """The files of the study that hold the same words."""
    root = study.report.parent
    return [root / name for name in ("answers.jsonl", "verdicts.jsonl")]


def test_to_open_a_thread_loads_its_piece_alone(page: Any, full: Study) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(full.at("conversations.html"))
    page.locator(".list a").nth(3).click()
    page.wait_for_selector("#compared")

    assert sum("piece-" in url for url in asked) == 1


def test_filters_take_no_tenth_of_a_second(page: Any, full: Study) -> None:
    page.goto(full.at("conversations.html"))
    page.wait_for_selector(".list a")
    times = []
    for name, value in (
        ("score", "-1"),
        ("model", "Aster 4"),
        ("judges", "differ"),
        ("turn", "2"),
        ("score", ""),
    ):
        times.append(page.evaluate(FILTERED, [name, value]))

    # Measured at 20 to 80 ms; the rest is for a machine that does other things.
    assert sorted(times)[len(times) // 2] < 300


FILTERED = """([name, value]) => new Promise((resolve) => {
  const form = document.getElementById("filters");
  form.elements[name].value = value;
  const start = performance.now();
  form.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(() => requestAnimationFrame(() => setTimeout(() =>
    resolve(performance.now() - start))));
})"""


@pytest.mark.parametrize(
    ("link", "fits"),
    [
        (
            answers_link("Aster 4", "oracle", -1),
            lambda row: (
                (row.target, row.setting, row.score) == ("Aster 4", "oracle", -1)
            ),
        ),
        (
            answers_link(score=NOT_CORRECTED, turn=0),
            lambda row: row.score in NOT_CORRECTED and row.turn == 0,
        ),
        (answers_link(outcome="blocked"), lambda row: row.outcome == "blocked"),
        (
            answers_link("Dill 70B", "isolated", turn=2, outcome="scored"),
            lambda row: (
                (row.target, row.setting, row.turn, row.outcome)
                == ("Dill 70B", "isolated", 2, "scored")
            ),
        ),
        ("conversations.html#turn=3%2B", lambda row: row.turn >= 3),
        ("conversations.html#score=none", lambda row: row.score is None),
    ],
)
def test_a_link_finds_the_answers_that_its_number_counts(
    page: Any, full: Study, link: str, fits: Callable[[PanelScore], bool]
) -> None:
    page.goto(full.at(link))
    page.wait_for_selector(".list a")

    assert found(page) == full.count(fits) > 0


def test_judges_who_differ_are_found_as_far_apart_as_they_are(
    page: Any, full: Study
) -> None:
    given: dict[object, list[int]] = {}
    for verdict in full.found.verdicts:
        if verdict.__class__.__name__ == "Scored":
            place = (verdict.target, verdict.setting, verdict.thread_id, verdict.turn)
            given.setdefault(place, []).append(verdict.score)
    spread = [max(s) - min(s) if len(s) > 1 else None for s in given.values()]
    for wanted, apart in (("differ", {1, 2}), ("opposed", {2}), ("agree", {0})):
        page.goto(full.at(answers_link(disagreement=wanted)))
        page.wait_for_selector(".list a")
        assert found(page) == sum(each in apart for each in spread)


def test_what_one_setting_corrects_and_another_does_not_is_found(
    page: Any, full: Study
) -> None:
    scores = {
        (row.target, row.thread_id, row.turn, row.setting): row.score
        for row in full.found.scores
    }
    flips = sum(
        scores[target, thread, turn, "multi_turn"] in NOT_CORRECTED
        for (target, thread, turn, setting), score in scores.items()
        if setting == "target_turn" and score == 1
    )
    page.goto(full.at(flips_link("target_turn", "multi_turn")))
    page.wait_for_selector(".list a")

    assert found(page) == 2 * flips > 0


def test_every_count_of_what_one_model_alone_corrected_leads_to_both_answers(
    page: Any, full: Study
) -> None:
    counted = links_of(comparisons(full.found), "table-comparisons")
    for cell in counted:
        page.goto(full.at(cell.href))
        page.wait_for_selector(".list a")

        assert found(page) == 2 * cell.value, cell.href
    assert len(counted) > 2


def test_what_an_arm_alone_corrected_leads_to_its_answer_and_the_plain_one(
    page: Any, tmp_path: Path
) -> None:
    study = Study(write_armed(tmp_path))
    counted = links_of(arms(study.found), "table-arms")
    for cell in counted:
        page.goto(study.at(cell.href))
        page.wait_for_selector(".list a")

        assert found(page) == 2 * cell.value, cell.href
    assert {"flip=" in cell.href for cell in counted} == {True, False}


def links_of(section: Section | None, name: str) -> list[Quantity]:
    """Give the counts of items that one side alone corrected, and that are not 0."""
    assert section is not None
    (compared,) = (
        block for block in section.blocks if getattr(block, "id", "") == name
    )
    keys = [column.key for column in compared.columns]  # type: ignore[union-attr]
    places = [keys.index(key) for key in ("first_only", "second_only")]
    cells = (row[at] for row in compared.rows for at in places)  # type: ignore[union-attr]
    return [cell for cell in cells if isinstance(cell, Quantity) and cell.href]


def test_of_any_model_what_one_did_not_correct_is_found(page: Any, full: Study) -> None:
    scores = {
        (row.target, row.thread_id, row.turn, row.setting): row.score
        for row in full.found.scores
    }
    name = full.found.scores[0].target
    better = {
        key
        for key, score in scores.items()
        if score == 1 and scores.get((name, *key[1:])) in NOT_CORRECTED
    }
    page.goto(full.at(f"conversations.html#than={quote(name)}"))
    page.wait_for_selector(".list a")

    # Each of the others once, and the one that did not, however many did.
    assert found(page) == len(better) + len({key[1:] for key in better}) > 0


def test_words_are_found_in_every_piece(page: Any, full: Study) -> None:
    page.goto(full.at("conversations.html"))
    page.fill("[name=q]", NEEDLE.upper())
    searched(page)

    assert found(page) == 1
    page.locator(".list a").click()
    assert page.locator(".text mark").inner_text().lower() == NEEDLE
    page.fill("[name=q]", "words that nobody wrote")
    searched(page)
    assert found(page) == 0


def test_a_search_holds_all_words_and_quoted_ones_together(
    page: Any, small: Study
) -> None:
    page.goto(small.at("conversations.html#q=HONEY+good"))
    searched(page)
    answers = {
        (each.target, each.setting, each.thread_id, each.turn): each
        for each in small.found.answers
    }
    speaking = [
        row
        for row in small.found.scores
        if "honey" in answers[row.target, row.setting, row.thread_id, row.turn].text
    ]

    assert found(page) == len(speaking) > 0
    page.fill("[name=q]", '"honey good"')
    searched(page)
    assert found(page) == 0
    page.fill("[name=q]", "THREAD_0003")
    searched(page)
    assert {
        row.split(" ")[0] for row in page.locator(".list .id").all_inner_texts()
    } == {"THREAD_0003"}


def test_filters_live_in_the_address_and_come_back_from_it(
    page: Any, small: Study
) -> None:
    page.goto(small.at("conversations.html"))
    page.select_option("[name=model]", "Aster 5")
    page.select_option("[name=score]", "0,-1")
    page.wait_for_function("() => location.hash.includes('score')")
    number = found(page)
    page.locator(".list a").first.click()
    page.wait_for_selector("#compared")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#compared")

    assert "model=Aster+5" in address
    assert found(page) == number
    assert page.input_value("[name=score]") == "0,-1"
    page.click("button[type=reset]")
    page.wait_for_function("() => !location.hash.includes('score')")
    assert found(page) == len(small.found.scores)


def test_the_way_back_leads_to_what_was_read_before(page: Any, small: Study) -> None:
    page.goto(small.at("conversations.html"))
    for place in (2, 5):
        page.locator(".list a").nth(place).click()
        page.wait_for_selector(f"li:nth-child({place + 1}) a[aria-current]")
    page.go_back()
    page.wait_for_selector("li:nth-child(3) a[aria-current]")

    assert page.locator("#place").inner_text().startswith("3 of")


def test_an_arm_is_read_with_what_was_changed(
    page: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    study = Study(write_armed(tmp_path_factory.mktemp("arms"), n_threads=12))
    page.goto(study.at(answers_link("a+mend", "intervention", turn=2)))
    shown = found(page)
    page.keyboard.press("j")
    changes = page.locator(".changed")
    changes.first.wait_for()

    assert shown == study.count(
        lambda row: row.target == "a+mend" and row.turn == 2 and row.misconception
    )
    assert all(
        text.startswith(("then replaced by the physician", "not changed: it did not"))
        for text in changes.all_inner_texts()
    )
    assert page.locator(".h").all_inner_texts()[0].startswith("Intervention")
