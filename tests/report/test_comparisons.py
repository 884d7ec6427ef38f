from pathlib import Path

import pytest

from report.section_content import column, table, values, words
from report.study_factory import write_run
from report.test_summary import scores
from threadmed.metrics import measure
from threadmed.report.material import Found, read_found
from threadmed.report.sections.comparisons import (
    _settled,
    comparisons,
    settings_table,
)
from threadmed.report.sections.settings import settings, unlike


def test_models_are_compared_on_the_items_of_both(rated: Found) -> None:
    compared = table(comparisons(rated), "table-comparisons")
    assert rated.measured is not None
    (only,) = rated.measured.comparisons

    assert (column(compared, "first"), column(compared, "second")) == (
        ["gpt-5"],
        ["claude-haiku-4.5"],
    )
    assert values(compared, "difference") == [only.difference.value]
    assert values(compared, "left_out") == [only.n_left_out]


def test_one_model_is_compared_with_nothing(tmp_path: Path) -> None:
    assert comparisons(read_found(write_run(tmp_path, targets=["a"]))) is None


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        ((50, 51), "The two cannot be told apart by this study"),
        ((90, 10), "Every adjusted p is below 0.05."),
        ((90, 10, 11), "1 of 3 pairs cannot be told apart by this study"),
    ],
)
def test_the_pairs_that_cannot_be_told_apart_are_counted(
    rights: tuple[int, ...], said: str
) -> None:
    rows = [
        row
        for name, right in zip("abc", rights, strict=False)
        for row in scores(name, "multi_turn", 0, right, 100)
    ]

    assert _settled(measure(rows).comparisons).startswith(said)


def test_what_one_setting_alone_corrected_leads_to_the_answers(rated: Found) -> None:
    changes = table(settings(rated), "table-settings")
    place = [c.key for c in changes.columns].index("first_only")

    assert changes.rows[0][place].href == (
        "conversations.html#model=gpt-5&flip=target_turn.multi_turn"
    )
    assert changes.rows[0][place + 1].href == (
        "conversations.html#model=gpt-5&flip=multi_turn.target_turn"
    )


def test_what_one_model_alone_corrected_leads_to_the_answers_of_both(
    rated: Found,
) -> None:
    compared = table(comparisons(rated), "table-comparisons")
    place = [c.key for c in compared.columns].index("first_only")
    first, second = (cell.text for cell in compared.rows[0][:2])

    assert compared.rows[0][place].href == (
        f"conversations.html#model={first}&setting=multi_turn&than={second}"
    )
    assert compared.rows[0][place + 1].href == (
        f"conversations.html#model={second}&setting=multi_turn&than={first}"
    )


def test_one_setting_has_no_table_of_changes() -> None:
    assert settings_table("table-settings", []) is None


def test_settings_that_hold_the_same_items_need_no_warning() -> None:
    rows = [
        row
        for setting in ("multi_turn", "target_turn", "oracle")
        for row in scores("a", setting, 1, 10, 20)
    ]

    assert unlike(measure(rows).settings_same_items) == []


def test_settings_that_lack_scores_are_told_of_once(rated: Found) -> None:
    assert "Some settings lack scores that others have (gpt-5 and" in words(
        settings(rated)
    )
