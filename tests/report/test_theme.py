import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from threadmed.report.theme import (
    DARK,
    DRAWN,
    LIGHT,
    SETTING_SHAPES,
    SYMBOLS,
    Token,
    style_variables,
    themed,
)

BESIDE: tuple[tuple[Token, ...], ...] = (
    ("blue", "orange", "orange-2", "pale", "rest"),
    ("blue", "mid", "pale", "rest"),
)
"""Colours that lie beside each other: parts of scores, parts of a funnel."""

SEEN: dict[str, list[list[float]]] = {
    "with all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "in grey": [[0.2126, 0.7152, 0.0722]] * 3,
    "without red cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "without green cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "without blue cones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""Linear RGB to what is seen of it (Machado, Oliveira and Fernandes, 2009)."""


def lab(colour: str, seen: Sequence[Sequence[float]]) -> np.ndarray:
    """Give a colour as it is seen, in CIELAB (D65)."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    to_xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    xyz = to_xyz @ np.clip(seen @ linear, 0, 1) / np.array([0.95047, 1, 1.08883])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", SEEN)
def test_colours_beside_each_other_differ_for_everyone_and_in_grey(seen: str) -> None:
    for tokens in BESIDE:
        for one, other in itertools.combinations(tokens, 2):
            matrix = np.array(SEEN[seen])
            apart = np.linalg.norm(lab(LIGHT[one], matrix) - lab(LIGHT[other], matrix))
            assert apart >= 10, (one, other)


def test_every_setting_has_a_shape_of_its_own_that_can_be_written() -> None:
    shapes = list(SETTING_SHAPES.values())

    assert len(set(shapes)) == len(shapes)
    assert set(shapes) <= SYMBOLS.keys()


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
