"""What a report shows, as data; `page`, `tables` and `figures` only draw it.

A report is a summary and numbered sections; a section is a row of blocks.
Every number is kept twice: as it is, for files that other tools read, and as it is
printed, which `numbers` decides.
"""

from typing import Literal

from threadmed.records import Record, Setting

Align = Literal["text", "number", "interval", "drawing"]
"""Text stands left, numbers right, an interval beside its number in a lighter ink;
drawings are left out of files."""


class Words(Record, frozen=True, kw_only=True, tag="words", tag_field="kind"):
    """Text in a cell."""

    text: str
    value: str = ""
    """What stands in CSV instead, where the page has another name for it."""
    href: str = ""


class Quantity(Record, frozen=True, kw_only=True, tag="quantity", tag_field="kind"):
    """A number in a cell."""

    value: float | int | None
    """None where there is none; `note` then says why."""
    text: str
    note: str = ""
    """What a reader must know of this number; shown under the table."""
    href: str = ""
    shade: float | None = None
    """Share of its row, from 0 to 1, that the ground of the cell shows; None is none."""


class Interval(Record, frozen=True, kw_only=True, tag="interval", tag_field="kind"):
    """The interval of the number before it; both ends None where there is none."""

    low: float | None
    high: float | None
    text: str


class Strip(Record, frozen=True, kw_only=True, tag="strip", tag_field="kind"):
    """One estimate with its interval, drawn in a cell on the scale of its column."""

    value: float | None
    low: float | None = None
    high: float | None = None
    label: str
    band: tuple[float, float] | None = None
    """What it is held against, drawn as a band behind it."""


class Part(Record, frozen=True, kw_only=True):
    """A share of a whole and the colour that it is drawn in."""

    share: float
    colour: Literal["blue", "blue-2", "pale", "orange", "orange-2", "rest"]


class Stack(Record, frozen=True, kw_only=True, tag="stack", tag_field="kind"):
    """Parts of a whole, drawn in a cell from good to bad."""

    parts: tuple[Part, ...]
    label: str


Cell = Words | Quantity | Interval | Strip | Stack


class Scale(Record, frozen=True, kw_only=True):
    """The axis of a column of strips."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    zero: bool = False
    """Whether a line is drawn at 0, as for differences."""


class Column(Record, frozen=True, kw_only=True):
    """A column of a table."""

    key: str
    """Its name in files."""
    title: str
    align: Align = "number"
    scale: Scale | None = None


class Swatch(Record, frozen=True, kw_only=True):
    """An entry of a legend."""

    text: str
    colour: Literal["blue", "blue-2", "pale", "orange", "orange-2", "mid", "rest"]


class Table(Record, frozen=True, kw_only=True, tag="table", tag_field="kind"):
    """A table with its caption."""

    id: str
    """Name of its files, and its anchor on the page."""
    title: str
    caption: str = ""
    key: tuple[Swatch, ...] = ()
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: tuple[Cell, ...] = ()
    """A last row that sums the others up."""
    note: str = ""
    judged: bool = True
    """Whether judges' scores are in it."""
    number: int = 0
    """Its place among the tables; set when the report is put together."""


class Point(Record, frozen=True, kw_only=True):
    """One estimate in a chart."""

    value: float | None
    """None where there is none; `note` then says why."""
    low: float | None
    high: float | None
    n: int
    note: str = ""


class Loss(Record, frozen=True, kw_only=True):
    """One model's turn 0 and turn 2, and what lies between."""

    model: str
    first: Point
    third: Point
    seam: Point
    """PCR of target_turn at turn 2: splits the loss into harder questions and the
    model's own earlier answers."""
    lost: Point
    own: Point
    """The part that goes to its own earlier answers, with its interval."""


class LossChart(Record, frozen=True, kw_only=True, tag="loss", tag_field="kind"):
    """From the first question to the third (visual language, Figure 1)."""

    rows: tuple[Loss, ...]


class Rates(Record, frozen=True, kw_only=True):
    """One model's share of corrected and of uncorrected answers."""

    model: str
    corrected: Point
    uncorrected: Point


class RatesChart(Record, frozen=True, kw_only=True, tag="rates", tag_field="kind"):
    """PCR and Uncorrected by model (paper, Figure 4)."""

    rows: tuple[Rates, ...]


class TurnPoint(Record, frozen=True, kw_only=True):
    """One model's estimate at one turn."""

    turn: int
    point: Point


class TurnsPanel(Record, frozen=True, kw_only=True):
    """One model's estimates by turn."""

    model: str
    points: tuple[TurnPoint, ...]


class TurnsChart(Record, frozen=True, kw_only=True, tag="turns", tag_field="kind"):
    """Shares by turn, one panel a model (paper, Figure 5)."""

    panels: tuple[TurnsPanel, ...]
    axis: str = "turn"
    """What is counted along the axis."""
    is_stepped: bool = False
    """Whether a share holds until the next one, as in a life table."""


class SettingPoint(Record, frozen=True, kw_only=True):
    """One model's estimate in one setting."""

    setting: Setting
    point: Point


class SettingsRow(Record, frozen=True, kw_only=True):
    """One model's estimates in each setting."""

    model: str
    points: tuple[SettingPoint, ...]


class SettingsChart(
    Record, frozen=True, kw_only=True, tag="settings", tag_field="kind"
):
    """PCR by setting (paper, Figure 6)."""

    rows: tuple[SettingsRow, ...]
    is_paired: bool = False
    """Whether a model's settings hold the same items: then lines join them."""


class Leaving(Record, frozen=True, kw_only=True):
    """How many a reason took."""

    reason: str
    count: int


class Stage(Record, frozen=True, kw_only=True):
    """What came into a step of a build, and what became of it."""

    name: str
    came: int
    stayed: int | None
    """None where nothing follows."""
    left: tuple[Leaving, ...] = ()
    """Those who left, by reason, the commonest first."""


class FunnelChart(Record, frozen=True, kw_only=True, tag="funnel", tag_field="kind"):
    """What each step of a build kept and dropped (paper, Figure 2)."""

    stages: tuple[Stage, ...]


class Bar(Record, frozen=True, kw_only=True):
    """A count and what it counts."""

    label: str
    count: int


class BarsPanel(Record, frozen=True, kw_only=True):
    """Counts of one kind of thing, on a scale of their own."""

    name: str
    bars: tuple[Bar, ...]


class BarsChart(Record, frozen=True, kw_only=True, tag="bars", tag_field="kind"):
    """Counts as bars, one panel a kind of thing."""

    panels: tuple[BarsPanel, ...]


Chart = LossChart | RatesChart | TurnsChart | SettingsChart | FunnelChart | BarsChart


class Figure(Record, frozen=True, kw_only=True, tag="figure", tag_field="kind"):
    """A chart with its caption and the table of its numbers."""

    id: str
    """Name of its files, and its anchor on the page."""
    title: str
    """The finding."""
    method: str
    """What is drawn, with which interval."""
    alt: str
    """A sentence with the numbers, for those who do not see the chart."""
    chart: Chart
    numbers: Table
    judged: bool = True
    number: int = 0


class Prose(Record, frozen=True, kw_only=True, tag="prose", tag_field="kind"):
    """A paragraph."""

    text: str


class Note(Record, frozen=True, kw_only=True, tag="note", tag_field="kind"):
    """A paragraph that must not be missed."""

    text: str
    items: tuple[str, ...] = ()
    """What it heads, each as a clause."""


class Heading(Record, frozen=True, kw_only=True, tag="heading", tag_field="kind"):
    """A heading within a section."""

    text: str


class Fact(Record, frozen=True, kw_only=True):
    """A name and what it is."""

    name: str
    text: str
    is_code: bool = False


class Facts(Record, frozen=True, kw_only=True, tag="facts", tag_field="kind"):
    """Names and what they are."""

    facts: tuple[Fact, ...]


class Prompts(Record, frozen=True, kw_only=True, tag="prompts", tag_field="kind"):
    """Prompts in full; name and text."""

    prompts: tuple[Fact, ...]


Block = Prose | Note | Heading | Facts | Prompts | Table | Figure


class Section(Record, frozen=True, kw_only=True):
    """A section of the report."""

    id: str
    title: str
    short: str = ""
    """What stands in the contents instead of a long title."""
    blocks: tuple[Block, ...]
    number: int = 0


class Question(Record, frozen=True, kw_only=True):
    """One of the questions that a report answers at a glance."""

    question: str
    answer: str
    detail: str
    is_warning: bool = False


class Summary(Record, frozen=True, kw_only=True):
    """The first screen."""

    headline: str
    lead: str
    figure: Figure | None
    questions: tuple[Question, ...]


class Report(Record, frozen=True, kw_only=True):
    """Everything that a report shows but the conversations."""

    version: int = 1
    study: str
    threadmed: str
    notice: str
    mark: str
    """What every judged figure and table is marked with, as in "Judges not validated:
    not evidence"."""
    marks_all: bool
    """Whether tables and figures without scores are marked too."""
    complete: bool
    summary: Summary
    sections: tuple[Section, ...]
