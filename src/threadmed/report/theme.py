"""The look of the page and of the charts, in one place: colours, type, Altair's theme.

Two data colours and greys.
Blue is corrected, oracle and physician; orange is not corrected, multi-turn and
warnings.
Models have no colour of their own: they have a row or a panel.
Colour never stands alone: a shape, a place or a printed number repeats it.
"""

import re
from typing import Literal

from threadmed.records import Act, Setting

Token = Literal[
    "paper", "wash", "wash-2", "ink", "ink-2", "ink-3", "line", "line-2",
    "blue", "blue-2", "blue-wash", "orange", "orange-2", "orange-wash",
    "pale", "mid", "rest", "focus", "on-data", "mark",
]  # fmt: skip
"""A colour by its use; the page knows it as the CSS variable of that name."""

LIGHT: dict[Token, str] = {
    "paper": "#ffffff",
    "wash": "#f5f7f8",
    "wash-2": "#e9eef1",
    "ink": "#18222d",
    "ink-2": "#45525f",
    "ink-3": "#5f6c79",
    "line": "#dce2e7",
    "line-2": "#7b8894",
    "blue": "#08426d",
    "blue-2": "#2f7fb5",
    "blue-wash": "#e8f1f7",
    "orange": "#b5460a",
    "orange-2": "#d67a32",
    "orange-wash": "#fbefe6",
    "pale": "#bccbd7",
    "mid": "#8293a2",
    "rest": "#e3e7ea",
    "focus": "#08426d",
    "on-data": "#ffffff",
    "mark": "#fff3c4",
}
"""For screens in light mode, for print and for all files: lightness falls from rest
over pale, orange-2 and orange to blue, so that grey print keeps the order."""

DARK: dict[Token, str] = {
    "paper": "#12181f",
    "wash": "#1a222b",
    "wash-2": "#232d38",
    "ink": "#e8edf2",
    "ink-2": "#b9c4cf",
    "ink-3": "#98a5b2",
    "line": "#2d3945",
    "line-2": "#6d7b89",
    "blue": "#7fbde8",
    "blue-2": "#4f9fd6",
    "blue-wash": "#172c3d",
    "orange": "#f0935a",
    "orange-2": "#c56a2b",
    "orange-wash": "#36231a",
    "pale": "#5a7187",
    "mid": "#7d92a6",
    "rest": "#2a343f",
    "focus": "#9fd0f2",
    "on-data": "#0d1319",
    "mark": "#4a3f12",
}

DRAWN: tuple[Token, ...] = (
    "paper", "ink", "ink-2", "ink-3", "line", "line-2",
    "blue", "blue-2", "orange", "orange-2", "pale", "mid", "rest",
)  # fmt: skip
"""The tokens that charts may use: no two of them have one light colour, so that a
colour in a drawing can be led back to its token."""

SANS = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Type of charts in files; on the page the style sheet replaces it. The first comes
with what draws them, so that all machines draw alike; the second is as wide."""

LABEL, SMALL = 12.5, 12.0
"""Sizes of text in charts, in px; 12 is the smallest."""

Shape = Literal["circle", "diamond", "triangle-up", "square", "triangle-down"]

SYMBOLS: dict[Shape, str] = {
    "circle": "\u25cf",
    "diamond": "\u25ca",
    "triangle-up": "\u25b2",
    "square": "\u25a0",
    "triangle-down": "\u25bc",
}
"""How a shape is written in text: signs that plain fonts have, so that the words
beside them keep their own. A filled diamond is not among them."""

SETTING_NAMES: dict[Setting, str] = {
    "multi_turn": "Multi-turn",
    "target_turn": "Target-turn",
    "oracle": "Oracle",
    "isolated": "Isolated",
    "intervention": "Intervention",
}
SETTING_READS: dict[Setting, str] = {
    "multi_turn": "after its own answers",
    "target_turn": "after the patient\u2019s messages alone",
    "oracle": "after the physician\u2019s answers",
    "isolated": "with the question alone",
    "intervention": "after changed answers",
}
SETTING_COLOURS: dict[Setting, Token] = {
    "multi_turn": "orange",
    "target_turn": "ink-3",
    "oracle": "blue",
    "isolated": "ink-2",
    "intervention": "blue-2",
}
SETTING_SHAPES: dict[Setting, Shape] = {
    "multi_turn": "diamond",
    "target_turn": "circle",
    "oracle": "triangle-up",
    "isolated": "square",
    "intervention": "triangle-down",
}


def style_variables() -> str:
    """Give the style rules that set the tokens: light, dark by wish, dark by system."""
    light, dark = _declared(LIGHT, "light"), _declared(DARK, "dark")
    return (
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]"
        f"{{{light}}}}}\n"
    )


def _declared(colours: dict[Token, str], scheme: str) -> str:
    tokens = ";".join(f"--{token}:{colour}" for token, colour in colours.items())
    return f"{tokens};color-scheme:{scheme}"


def themed(drawing: str) -> str:
    """Replace the light colours of an SVG by the tokens, so that dark mode works.

    Example:
        >>> themed('<path fill="#08426d" stroke="white"/>')
        '<path fill="var(--blue)" stroke="white"/>'
    """
    tokens = {LIGHT[token]: token for token in DRAWN}

    def variable(match: re.Match[str]) -> str:
        token = tokens.get(match[2])
        return f'{match[1]}="var(--{token})"' if token else match[0]

    def tag(match: re.Match[str]) -> str:
        return re.sub(r'\b(fill|stroke)="(#[0-9a-f]{6})"', variable, match[0])

    return re.sub(r"<[^<>]*>", tag, drawing)


def altair_config() -> dict[str, object]:
    """Give the configuration that every chart carries."""
    text = {"font": SANS, "fontSize": LABEL, "color": LIGHT["ink"]}
    axis = {
        "domain": False,
        "ticks": False,
        "grid": True,
        "gridColor": LIGHT["line"],
        "labelColor": LIGHT["ink-2"],
        "labelFont": SANS,
        "labelFontSize": SMALL,
        "labelFlush": False,
        "labelPadding": 6,
        "titleColor": LIGHT["ink-2"],
        "titleFont": SANS,
        "titleFontSize": SMALL,
        "titleFontWeight": "normal",
        "titlePadding": 6,
    }
    return {
        "aria": False,
        "background": None,
        "padding": 0,
        "font": SANS,
        "axis": axis,
        "text": text,
        "view": {"stroke": None},
    }


ACTS: dict[Act, str] = {
    "replace": "replaced by the physician\u2019s",
    "flag": "followed by a note",
    "flag_and_correct": "followed by a note that corrects",
}
WHY_CHANGED = {
    "policy": "the policy names the turn",
    "failing": "it failed",
    "not_failing": "it did not fail",
    "unscored": "nobody scored it",
    "nothing_to_say": "there was nothing to put in its place",
}
