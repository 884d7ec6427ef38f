import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from report.test_figures import BARS, CHARTS, LOSS, NAME, RATES, TURNS, figure
from threadmed.report.blocks import Chart
from threadmed.report.prints import COLUMN, PAGE, WIDTHS, Width, caption, printed

MARK = "Demonstration, not evidence"
SVG = "{http://www.w3.org/2000/svg}"


def tree(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 -- drawn here


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("chart", CHARTS)
def test_the_three_formats_are_as_wide_as_they_are_printed(
    chart: Chart, width: Width
) -> None:
    made = printed(figure(chart), mark=MARK, width=width)

    root = tree(made.svg)
    pixels, _ = struct.unpack(">II", made.png[16:24])
    box = re.search(rb"/MediaBox \[0 0 (\S+) \S+\]", made.pdf)
    assert root.get("width") == f"{width.inches:g}in"
    assert abs(pixels - width.inches * 300) <= 1
    assert box is not None
    assert float(box[1]) == pytest.approx(width.inches * 72, abs=0.1)
    # 11,811 px a metre are 300 an inch: the picture opens at its size.
    assert made.png.find(b"pHYs" + struct.pack(">IIB", 11_811, 11_811, 1)) > 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("chart", CHARTS)
def test_what_a_file_draws_lies_within_its_edges(chart: Chart, width: Width) -> None:
    made = printed(figure(chart), mark=MARK, width=width)
    _, _, wide, high = map(float, tree(made.svg).get("viewBox", "").split())
    page = re.search(r'<g transform="translate\((\S+?),(\S+?)\)"', made.svg)

    assert page is not None
    assert float(page[1]) >= 0
    drawn = re.findall(r'<text x="0" y="(\S+)"', made.svg)
    assert 0 < max(map(float, drawn)) < high - 4
    assert wide == width.px + 8


def test_a_file_says_its_mark_and_has_words_for_those_who_do_not_see_it() -> None:
    made = printed(figure(RATES), mark=MARK, width=PAGE)
    root = tree(made.svg)

    assert root.findtext(f"{SVG}title") == "A finding"
    assert MARK in str(root.findtext(f"{SVG}desc"))
    assert MARK in [text.text for text in root.iter(f"{SVG}text")]
    assert "Demonstration" not in printed(figure(RATES), mark="", width=PAGE).svg


def test_a_column_names_its_symbols_and_a_page_labels_them_in_place() -> None:
    column = printed(figure(LOSS), mark="", width=COLUMN).svg
    page = printed(figure(LOSS), mark="", width=PAGE).svg

    assert "</tspan> own earlier answers" in column
    assert "<tspan" not in page


def test_hostile_names_stay_text_in_a_file() -> None:
    root = tree(printed(figure(TURNS), mark=NAME, width=COLUMN).svg)

    assert [each for each in root.iter() if each.tag.endswith("script")] == []
    assert NAME in "".join(root.itertext())


def test_parts_of_a_loss_differ_without_their_colours() -> None:
    made = printed(figure(LOSS), mark="", width=PAGE).svg
    widths = {
        re.search(r'stroke-width="(\S+)"', tag)[1]  # type: ignore[index]
        for tag in re.findall(r"<line[^>]*>", made)
        if "#8293a2" in tag or ("#b5460a" in tag and 'stroke-width="3.5"' in tag)
    }

    assert widths == {"8", "3.5"}


def test_another_process_writes_the_same_bytes() -> None:
    code = (
        "import hashlib, sys; sys.path.insert(0, 'tests')\n"
        "from report.test_prints import *\n"
        "made = [printed(figure(c), mark=MARK, width=PAGE) for c in (LOSS, BARS)]\n"
        "print([hashlib.sha256(m.svg.encode() + m.pdf + m.png).hexdigest() for m in made])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(4)
    }

    assert len(runs) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_a_caption_is_latex_that_shows_hostile_words_as_text(width: Width) -> None:
    import msgspec

    hostile = msgspec.structs.replace(figure(BARS), title="50% of a_b & {c}")
    text = caption(hostile, mark=MARK, width=width)

    assert rf"\includegraphics[width={width.inches:g}in]" in text
    assert r"\caption{50\% of a\_b \& \{c\}. " in text
    assert f"{MARK}.}}" in text
    assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
