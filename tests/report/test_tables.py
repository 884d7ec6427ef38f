import csv
import io

from threadmed.report.blocks import (
    Column,
    Interval,
    Quantity,
    Strip,
    Table,
    Words,
)
from threadmed.report.tables import cell_notes, latex, letter, to_csv, to_latex

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
    assert text.count("{") == text.count("}")


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
