from threadmed.report.theme import DARK, DRAWN, LIGHT, style_variables, themed


def contrast(one: str, other: str) -> float:
    """Ratio of WCAG 2: (lighter + 0.05) / (darker + 0.05)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_in_light_and_dark() -> None:
    for colours in (LIGHT, DARK):
        for token in ("ink", "ink-2", "ink-3", "blue", "orange"):
            assert contrast(colours[token], colours["paper"]) >= 4.5
        for token in ("blue", "orange"):
            assert contrast(colours[token], colours["on-data"]) >= 4.5


def test_marks_and_borders_stand_out_in_light_and_dark() -> None:
    for colours in (LIGHT, DARK):
        for token in ("line-2", "mid", "orange-2", "blue-2"):
            assert contrast(colours[token], colours["paper"]) >= 3


def test_no_two_tokens_of_drawings_share_a_colour() -> None:
    assert len({LIGHT[token] for token in DRAWN}) == len(DRAWN)


def test_both_schemes_name_the_same_tokens_and_paper_is_printed_light() -> None:
    rules = style_variables()

    assert set(LIGHT) == set(DARK)
    assert rules.count(f"--ink:{DARK['ink']}") == 2
    assert f"--ink:{LIGHT['ink']}" in rules.split("@media print")[1]


def test_only_attributes_are_coloured_and_never_text() -> None:
    drawn = '<text fill="#08426d">fill="#08426d"</text>'

    assert themed(drawn) == '<text fill="var(--blue)">fill="#08426d"</text>'
