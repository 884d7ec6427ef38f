from threadmed.metrics.estimates import NotEstimable
from threadmed.report.blocks import Table
from threadmed.report.numbers import MISSING
from threadmed.report.readings import (
    agreement,
    derived_rate,
    difference,
    estimate_columns,
    mean,
    rate,
    said,
)
from threadmed.report.tables import to_latex, to_markdown

FEW = NotEstimable(reason="fewer than 10 threads", n=6, hits=1)
NO_SETTING = NotEstimable(reason="the table has no target_turn", n=0)


def test_only_a_share_that_is_refused_shows_its_counts() -> None:
    assert rate(FEW)[0].text == "1/6"
    for make in (mean, difference, agreement, derived_rate):
        shown = make(FEW)[0]
        assert (shown.text, shown.note) == (MISSING, "fewer than 10 threads")


def test_files_show_a_dash_for_a_slope_and_counts_for_a_share() -> None:
    for make, text in ((mean, MISSING), (rate, "1/6")):
        table = Table(
            id="t", title="T", columns=estimate_columns(it="It"), rows=(make(FEW),)
        )
        assert f"| {text}<sup>a</sup> |" in to_markdown(table, mark="")
        assert ("1/6" in to_latex(table, mark="")) == (text == "1/6")


def test_a_setting_that_was_not_asked_is_said_as_the_page_names_it() -> None:
    why = "this study has no target-turn setting"

    assert rate(NO_SETTING)[0].note == why
    assert said(NO_SETTING) == f"not known ({why})"
