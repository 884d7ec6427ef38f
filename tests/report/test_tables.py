import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from threadmed.report.blocks import (
    Column,
    Interval,
    Quantity,
    Strip,
    Table,
    Words,
)
from threadmed.report.tables import (
    cell_notes,
    latex,
    letter,
    markdown,
    to_csv,
    to_latex,
    to_markdown,
)

TABLE = Table(
    id="table-x",
    title="Rates & more",
    caption="In 50% of cases.",
    columns=(
        Column(key="model", title="Model", align="text"),
        Column(key="pcr", title="PCR, %"),
        Column(key="pcr_ci", title="95% CI", align="interval"),
        Column(key="drawn", title="", align="drawing"),
    ),
    rows=(
        (
            Words(text="a_b, c", value=""),
            Quantity(value=1 / 3, text="33.3"),
            Interval(low=0.25, high=0.5, text="25.0\u201350.0"),
            Strip(value=1 / 3, label=""),
        ),
        (
            Words(text="Multi-turn", value="multi_turn"),
            Quantity(value=None, text="2/3", note="fewer than 5"),
            Interval(low=None, high=None, text="\u2013"),
            Strip(value=None, label=""),
        ),
    ),
    note="All of them.",
)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def balanced(latex: str) -> bool:
    """Say whether the braces that LaTeX sees close each other, in order."""
    depth = 0
    for brace in re.findall(r"\\.|[{}]", latex):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0


def test_csv_has_unrounded_numbers_and_both_ends_of_an_interval() -> None:
    first, _ = rows(to_csv(TABLE, mark=""))

    assert first["model"] == "a_b, c"
    assert float(first["pcr"]) == 1 / 3
    assert (first["pcr_ci_low"], first["pcr_ci_high"]) == ("0.25", "0.5")
    assert "drawn" not in first
    assert "mark" not in first


def test_a_missing_number_is_empty_in_csv_and_has_its_reason_beside_it() -> None:
    _, second = rows(to_csv(TABLE, mark=""))

    assert second["model"] == "multi_turn"
    assert (second["pcr"], second["pcr_note"]) == ("", "fewer than 5")
    assert second["pcr_ci_low"] == ""


def test_a_mark_stands_in_every_row_of_csv_and_in_the_caption_of_latex() -> None:
    mark = "Demonstration, not evidence"

    assert all(row["mark"] == mark for row in rows(to_csv(TABLE, mark=mark)))
    assert f"{mark}}}" in to_latex(TABLE, mark=mark)


def test_latex_escapes_and_ends_every_row() -> None:
    text = to_latex(TABLE, mark="")

    assert r"\caption{Rates \& more. In 50\% of cases.}" in text
    assert r"a\_b, c & 33.3 & 25.0--50.0 \\" in text
    assert r"2/3$^{a}$ & -- \\" in text
    assert r"$^{a}$ fewer than 5." in text
    assert balanced(text)


def test_a_total_stands_under_its_own_rule() -> None:
    import msgspec

    total = (Words(text="All"), *TABLE.rows[0][1:])
    text = to_latex(msgspec.structs.replace(TABLE, total=total), mark="")

    assert text.index("All &") > text.rindex(r"\midrule")


def test_notes_are_listed_once_and_lettered() -> None:
    twice = Table(id="x", title="", columns=TABLE.columns, rows=TABLE.rows * 2)

    assert cell_notes(twice) == ("fewer than 5",)
    assert letter(tuple(str(n) for n in range(30)), "29") == "30"


def test_what_latex_takes_for_commands_is_shown_as_it_is() -> None:
    assert latex("\\x{y}~^#$") == (
        r"\textbackslash{}x\{y\}\textasciitilde{}\textasciicircum{}\#\$"
    )


@given(st.text())
def test_no_text_breaks_a_latex_table(text: str) -> None:
    import msgspec

    row = (Words(text=text), *TABLE.rows[0][1:])
    table = msgspec.structs.replace(TABLE, rows=(row,), caption=text, note=text)
    written = to_latex(table, mark="")
    shown = latex(text)

    assert balanced(written)
    assert written.count("\n\n") == 0  # a blank line ends a caption
    # No character of the text is left that LaTeX gives a meaning.
    assert not re.search(r"(?<!\\)[&%#_^]|(?<!\\)~|^[\[*]", shown)
    assert written.count(r" \\" + "\n") == 2


@given(st.text())
def test_no_text_breaks_a_markdown_table(text: str) -> None:
    import msgspec

    row = (Words(text=text), *TABLE.rows[0][1:])
    table = msgspec.structs.replace(TABLE, rows=(row,), note="")
    lines = to_markdown(table, mark="").splitlines()

    pipes = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines[2:5]]
    assert pipes == [4, 4, 4]
    assert "<" not in markdown(text)


def test_markdown_has_what_the_page_shows() -> None:
    import msgspec

    total = (Words(text="All"), *TABLE.rows[0][1:])
    text = to_markdown(msgspec.structs.replace(TABLE, total=total), mark="A mark")

    assert text == (
        "**Rates &amp; more.** In 50% of cases. A mark.\n"
        "\n"
        "| Model | PCR, % | 95% CI |\n"
        "| --- | ---: | ---: |\n"
        "| a\\_b, c | 33.3 | 25.0\u201350.0 |\n"
        "| Multi-turn | 2/3<sup>a</sup> | \u2013 |\n"
        "| **All** | **33.3** | **25.0\u201350.0** |\n"
        "\n"
        "<sup>a</sup> fewer than 5. All of them.\n"
    )


def test_a_row_that_begins_with_a_bracket_is_no_option_of_the_row_before() -> None:
    assert latex("[b] *c*") == "{[}b{]} {*}c{*}"
