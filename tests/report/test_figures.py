import itertools
import re

import pytest

from threadmed.report.bars import bars_drawing, bars_width
from threadmed.report.blocks import (
    Bar,
    BarsChart,
    BarsPanel,
    Chart,
    Figure,
    FunnelChart,
    Leaving,
    Loss,
    LossChart,
    Point,
    Rates,
    RatesChart,
    SettingPoint,
    SettingsChart,
    SettingsRow,
    Stage,
    Table,
    TurnPoint,
    TurnsChart,
    TurnsPanel,
)
from threadmed.report.figures import legend, page_drawings, tidy
from threadmed.report.funnels import BAR, funnel_rows
from threadmed.report.losses import loss_rows
from threadmed.report.panels import panel_drawing, panel_width
from threadmed.report.rates import rate_rows, setting_rows
from threadmed.report.theme import SETTING_READS

NAME = 'x</text><script>alert("1.23456")</script>'
NONE = Point(value=None, low=None, high=None, n=3, note="few")


def at(value: float, n: int = 150) -> Point:
    return Point(value=value, low=max(0, value - 0.1), high=min(1, value + 0.1), n=n)


def loss(first: float, seam: float, third: float) -> Loss:
    return Loss(
        model=NAME,
        first=at(first),
        seam=at(seam),
        third=at(third),
        lost=Point(value=first - third, low=0, high=0.5, n=300),
        own=Point(value=seam - third, low=-0.1, high=0.4, n=200),
    )


LOSS = LossChart(rows=(loss(0.9, 0.7, 0.4), loss(0.3, 0.2, 0.25)))
RATES = RatesChart(
    rows=(
        Rates(model=NAME, corrected=at(0.95), uncorrected=at(0.05, n=20)),
        Rates(model="none", corrected=NONE, uncorrected=NONE),
    )
)
TURNS = TurnsChart(
    panels=tuple(
        TurnsPanel(
            model=model,
            points=(
                TurnPoint(turn=0, point=at(0.8)),
                TurnPoint(turn=1, point=NONE),
                TurnPoint(turn=2, point=at(0.5, n=40)),
                TurnPoint(turn=3, point=at(0.4)),
                TurnPoint(turn=14, point=at(0.4)),
            ),
        )
        for model in (NAME, "b", "c")
    )
)
SETTINGS = SettingsChart(
    rows=(
        SettingsRow(
            model=NAME,
            points=(
                SettingPoint(setting="multi_turn", point=at(0.2)),
                SettingPoint(setting="target_turn", point=at(0.5)),
                SettingPoint(setting="oracle", point=at(0.9)),
                SettingPoint(setting="isolated", point=NONE),
            ),
        ),
    ),
    is_paired=True,
)
FUNNEL = FunnelChart(
    stages=(
        Stage(
            name=NAME,
            came=1_000,
            stayed=500,
            left=(
                Leaving(reason="removed for some very long reason", count=250),
                Leaving(reason="patient perhaps deleted", count=200),
                Leaving(reason="no answer", count=30),
                Leaving(reason="bot", count=15),
                Leaving(reason="notice", count=5),
            ),
        ),
        Stage(name="threads", came=0, stayed=0),
        Stage(name="fully answered threads", came=500, stayed=None),
    )
)
BARS = BarsChart(
    panels=tuple(
        BarsPanel(
            name=name,
            bars=(Bar(label="2015", count=1_204), Bar(label="2016", count=0)),
        )
        for name in (NAME, "b", "c")
    )
)
CHARTS = [LOSS, RATES, TURNS, SETTINGS, FUNNEL, BARS]


def figure(chart: Chart) -> Figure:
    numbers = Table(id="f", title="", columns=(), rows=())
    return Figure(
        id="f",
        title="A finding",
        method="Lines are intervals.",
        alt="50% & more\nof b\nof c",
        chart=chart,
        numbers=numbers,
        number=1,
    )


@pytest.mark.parametrize("chart", CHARTS)
def test_a_drawing_is_an_image_with_a_sentence_and_tokens_for_colours(
    chart: Chart,
) -> None:
    for drawn in page_drawings(figure(chart)):
        assert 'role="img" aria-label="' in drawn.svg
        assert not re.search(r'(fill|stroke)="#[0-9a-f]{6}"', drawn.svg)
        assert "var(--" in drawn.svg
        assert " id=" not in drawn.svg
        assert "<script" not in drawn.svg


def test_a_model_named_like_markup_keeps_every_letter() -> None:
    wide, _ = page_drawings(figure(LossChart(rows=(loss(0.9, 0.7, 0.4),))))

    assert "x&lt;/text&gt;" in wide.svg


def test_rows_have_a_wide_drawing_and_one_for_phones() -> None:
    wide, narrow = page_drawings(figure(RATES))

    assert 'class="chart wide"' in wide.svg
    assert 'width="880"' in wide.svg
    assert 'width="340"' in narrow.svg


def test_text_in_a_drawing_is_never_smaller_than_twelve_px() -> None:
    for chart in CHARTS:
        for drawn in page_drawings(figure(chart)):
            sizes = re.findall(r'font-size="([\d.]+)px"', drawn.svg)

            assert sizes
            assert min(float(size) for size in sizes) >= 12


def test_each_model_has_a_panel_with_its_own_sentence() -> None:
    drawn = page_drawings(figure(TURNS))

    assert [each.heading for each in drawn] == [NAME, "b", "c"]
    assert 'aria-label="of c"' in drawn[2].svg


@pytest.mark.parametrize(
    ("panels", "last", "width"),
    [
        (2, 2, 340),  # the widest
        (3, 2, 286),  # (880 + 10) / 3 - 10
        (5, 2, 168),  # (880 + 10) / 5 - 10, and two beside each other on a phone
        (9, 2, 168),
        (5, 40, 310),  # 30 + 16, and 24 for each of eleven turns
    ],
)
def test_panels_share_the_width_of_the_page_and_have_room_for_every_turn(
    panels: int, last: int, width: float
) -> None:
    points = tuple(TurnPoint(turn=turn, point=at(0.5)) for turn in (0, last))
    chart = TurnsChart(
        panels=tuple(TurnsPanel(model=f"m{n}", points=points) for n in range(panels))
    )

    assert panel_width(chart) == width


def test_a_rate_stands_under_a_line_that_rises_from_it() -> None:
    rising = TurnsPanel(
        model="a",
        points=(
            TurnPoint(turn=0, point=at(0.5)),
            TurnPoint(turn=1, point=at(0.8)),
            TurnPoint(turn=2, point=at(0.3)),
        ),
    )
    drawing = panel_drawing(TurnsChart(panels=(rising,)), rising, named=False)
    shifts = {text.text: text.dy for text in drawing.texts if text.weight == "bold"}

    assert shifts["50"] > 0 > shifts["30"]


def test_the_axis_of_two_shares_names_what_both_are_of() -> None:
    titles = {text.text for text in rate_rows(RATES, is_narrow=False).texts}

    assert "scored answers, %" in titles
    assert "answers that fully correct the false belief, %" not in titles


def test_turns_far_out_are_left_to_the_table() -> None:
    assert ">14<" not in page_drawings(figure(TURNS))[0].svg


def test_points_on_few_items_are_hollow() -> None:
    wide, _ = page_drawings(figure(RATES))

    assert wide.svg.count('fill="var(--paper)" stroke="var(--orange)"') == 1
    assert wide.svg.count('fill="var(--blue)" stroke="var(--paper)"') == 1


def test_labels_that_would_lie_on_each_other_become_a_key() -> None:
    apart = loss_rows(LossChart(rows=(loss(0.9, 0.7, 0.4),)), is_narrow=False)
    close = loss_rows(LossChart(rows=(loss(0.3, 0.2, 0.25),)), is_narrow=False)

    assert "harder questions" in {text.text for text in apart.texts}
    assert "thick: harder questions" in {text.text for text in close.texts}


def test_on_phones_a_long_name_ends_before_what_was_lost() -> None:
    import msgspec

    name = "organisation/a-model-of-a-rather-long-name-2026"
    row = msgspec.structs.replace(loss(0.9, 0.7, 0.4), model=name)

    drawn = loss_rows(LossChart(rows=(row,)), is_narrow=True)

    label = next(text for text in drawn.texts if text.text.endswith("\u2026"))
    lost = next(text for text in drawn.texts if "points" in text.text)
    assert label.y == lost.y
    assert 7.0 * len(label.text) + 6.2 * len(lost.text) < 330


def test_signs_that_no_picture_can_hold_are_shown_as_such() -> None:
    import msgspec

    row = msgspec.structs.replace(loss(0.9, 0.7, 0.4), model="aster\x1b[31m\u202e5")

    wide, narrow = page_drawings(figure(LossChart(rows=(row,))))

    assert "aster\ufffd[31m\ufffd5" in wide.svg
    assert "\x1b" not in wide.svg + narrow.svg


def test_a_loss_without_a_number_is_not_drawn() -> None:
    import msgspec

    row = msgspec.structs.replace(loss(0.9, 0.7, 0.4), seam=NONE)

    with pytest.raises(ValueError, match="few"):
        loss_rows(LossChart(rows=(row,)), is_narrow=False)


def test_settings_are_joined_only_where_they_hold_the_same_items() -> None:
    import msgspec

    paired = setting_rows(SETTINGS, is_narrow=False)
    unpaired = setting_rows(
        msgspec.structs.replace(SETTINGS, is_paired=False), is_narrow=False
    )

    assert "pale" in {line.colour for line in paired.lines}
    assert "pale" not in {line.colour for line in unpaired.lines}


def test_phones_get_a_key_for_what_the_wide_drawing_labels() -> None:
    assert [text for _, text, _ in legend(figure(RATES))] == [
        "corrected",
        "not corrected",
    ]
    assert len(legend(figure(SETTINGS))) == 4
    assert len(legend(figure(LOSS))) == 4
    assert len(legend(figure(FUNNEL))) == 2
    assert legend(figure(TURNS)) == ()
    assert legend(figure(BARS)) == ()


@pytest.mark.parametrize("is_narrow", [False, True])
def test_the_parts_of_a_stage_are_to_scale_and_fill_its_bar(*, is_narrow: bool) -> None:
    drawing = funnel_rows(FUNNEL, is_narrow=is_narrow)
    y = drawing.lines[0].y
    parts = [line for line in drawing.lines[1:] if line.y == y]
    gap = 1.5 / drawing.axes.width

    assert [part.colour for part in parts] == ["blue", "mid", "pale", "rest", "rest"]
    assert [part.x for part in parts] == pytest.approx([0, 0.5, 0.75, 0.95, 0.98])
    assert parts[0].x2 == pytest.approx(0.5 - gap)
    assert parts[-1].x2 == 1
    assert {line.width for line in drawing.lines} == {BAR}


def test_a_stage_into_which_nothing_came_is_an_empty_bar() -> None:
    drawing = funnel_rows(FUNNEL, is_narrow=False)
    outlines, grounds = (
        [line.y for line in lines if line.colour == colour]
        for lines, colour in ((drawing.behind, "line-2"), (drawing.lines, "paper"))
    )

    assert len(outlines) == 2  # the last stage has none
    assert outlines == grounds
    assert [line.colour for line in drawing.lines if line.y == grounds[1]] == ["paper"]


def test_reasons_are_named_in_lines_that_fit_and_the_rest_is_summed() -> None:
    wide, narrow = (
        [
            text.text.replace("\N{NO-BREAK SPACE}", " ")
            for text in funnel_rows(FUNNEL, is_narrow=is_narrow).texts
            if text.text.startswith("\u2212")
        ]
        for is_narrow in (False, True)
    )

    assert (
        " ".join(wide)
        == " ".join(narrow)
        == (
            "\u2212250 removed for some very long reason, "
            "\u2212200 patient perhaps deleted, \u221230 no answer, \u221220 others"
        )
    )
    assert len(narrow) > len(wide) > 1
    assert max(map(len, narrow)) <= 326 / 6.2  # px of the plot, px a character


def test_lines_of_a_funnel_do_not_lie_on_each_other() -> None:
    for is_narrow in (False, True):
        drawing = funnel_rows(FUNNEL, is_narrow=is_narrow)
        starts = sorted({text.y for text in drawing.texts if text.anchor == "start"})

        assert min(b - a for a, b in itertools.pairwise(starts)) >= 16
        assert starts[-1] < drawing.axes.height


def test_bars_begin_at_zero_and_their_panel_ends_at_the_largest() -> None:
    drawing = bars_drawing(BARS, BARS.panels[0], named=True)

    assert drawing.axes.x == (0, 1_204)
    assert [(line.x, line.x2) for line in drawing.lines] == [(0, 1_204)]
    assert {"1,204", "0", "2015", "2016", NAME} == {t.text for t in drawing.texts}
    assert drawing.width == bars_width(BARS) == 286  # (880 + 10) / 3 - 10


def test_tidying_leaves_text_alone() -> None:
    drawn = '<text role="x" font-family="A" x="1.23456">role="x" 1.23456</text>'

    assert tidy(drawn) == '<text x="1.23">role="x" 1.23456</text>'
    assert 'font-family="A"' in tidy(drawn, fonts=True)


def test_columns_of_numbers_have_the_interval_and_n() -> None:
    texts = [text.text for text in setting_rows(SETTINGS, is_narrow=False).texts]
    rates = [text.text for text in rate_rows(RATES, is_narrow=False).texts]

    assert {"20.0", "10\u201330", "n 150", "n 3"} <= set(texts)
    assert any(re.fullmatch(r"\d+\u2013\d+", text) for text in rates)


@pytest.mark.parametrize(
    ("values", "anchor"),
    [((0.6, 0.7, 0.85), "end"), ((0.2, 0.3, 0.4), "start"), ((0.2, 0.5, 0.85), None)],
)
def test_what_settings_show_stands_on_one_side_or_not_at_all(
    values: tuple[float, ...], anchor: str | None
) -> None:
    settings = ("multi_turn", "target_turn", "oracle")
    points = tuple(
        SettingPoint(setting=setting, point=at(value))  # type: ignore[arg-type]
        for setting, value in zip(settings, values, strict=True)
    )
    chart = SettingsChart(
        rows=(SettingsRow(model="a", points=points),), is_paired=False
    )
    said = {SETTING_READS[setting] for setting in settings}
    texts = setting_rows(chart, is_narrow=False).texts
    found = {text.anchor for text in texts if text.text in said}

    assert found == ({anchor} if anchor else set())


@pytest.mark.parametrize("chart", [RATES, SETTINGS])
def test_a_rate_on_a_phone_has_its_n_clear_of_the_plot(
    chart: RatesChart | SettingsChart,
) -> None:
    draw = rate_rows if isinstance(chart, RatesChart) else setting_rows
    drawing = draw(chart, is_narrow=True)  # type: ignore[operator]
    counts = [text for text in drawing.texts if text.text.startswith("n ")]
    left, right = drawing.margins.left, drawing.margins.right
    plot = 340 - left - right
    ends = [left + text.x * plot for text in counts]

    wanted = ["n 150", "n 3"] if chart is RATES else ["n 150"] * 3 + ["n 3"]
    assert [text.text for text in counts] == wanted
    assert {text.anchor for text in counts} == {"end"}
    assert ends == pytest.approx([336] * len(counts))
    # "n 12,345" in the smallest text, of which a character takes 6 px
    assert left + plot < 336 - 8 * 6


def test_a_legend_of_settings_says_what_each_had_read() -> None:
    said = {text for _, text, _ in legend(figure(SETTINGS))}

    assert "Target-turn: after the patient\u2019s messages alone" in said
    assert len(said) == 4


def test_on_phones_no_line_of_the_grid_crosses_a_name() -> None:
    drawing = setting_rows(SETTINGS, is_narrow=True)
    names = [text for text in drawing.texts if text.weight == "bold"]

    assert len(names) == len(SETTINGS.rows)
    assert drawing.behind
    for name in names:
        assert not any(line.y < name.y + 7 < line.y2 for line in drawing.behind)
