"""Templates and styles: one look with the report, and text that stays text."""

import re

import pytest

from threadmed.annotate.pages import STATIC, embedded, page, static
from threadmed.report.theme import DARK, LIGHT


def test_the_colours_are_those_of_the_report() -> None:
    style = static("rate.css")
    light, _, dark = style.partition("prefers-color-scheme:dark")
    found = [
        dict(re.findall(r"--([a-z0-9-]+):(#[0-9a-f]{6});", part))
        for part in (light, dark)
    ]

    assert found == [LIGHT, DARK]


def test_nothing_that_is_given_out_names_another_server() -> None:
    for name in (*STATIC, "kit.js"):
        assert "://" not in static(name)


def test_only_our_own_files_are_given_out() -> None:
    with pytest.raises(KeyError):
        static("../ledger.py")


def test_text_in_pages_is_escaped_and_cannot_turn_the_page() -> None:
    html = page("message.html.j2", text="<script>1</script>\u202eback")

    assert "<script>" not in html
    assert "\u202e" not in html


def test_json_in_a_page_cannot_end_its_element() -> None:
    assert "</script>" not in embedded({"a": "</script><!-- \u2028"})
    assert "\u2028" not in embedded({"a": "\u2028"})
