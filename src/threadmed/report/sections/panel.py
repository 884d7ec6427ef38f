"""How the judges agree among themselves, and what becomes of a rate without one."""

from collections.abc import Sequence

from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.metrics.panel.quality import PanelQuality
from threadmed.metrics.panel.variants import Variant
from threadmed.records import Setting
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Interval,
    Note,
    Prose,
    Quantity,
    Scale,
    Table,
    Words,
)
from threadmed.report.links import answers_link
from threadmed.report.material import Found
from threadmed.report.numbers import (
    MINUS,
    MISSING,
    count,
    listed,
    percent,
    points,
    ratio,
)
from threadmed.report.readings import (
    agreement,
    difference,
    estimate_columns,
    plain,
    rate,
    strip,
    warned,
    whole,
)
from threadmed.report.sections.comparisons import kappa_scale
from threadmed.report.theme import SETTING_NAMES

UNKNOWN = ": it counts as one of its own"
KIN = " is judged by its own family "
"""How warnings begin or end that are said here once for all models."""
CHANGES = Scale(
    low=-0.2,
    high=0.2,
    ticks=((-0.2, f"{MINUS}20"), (0, "0"), (0.2, "+20")),
    zero=True,
)


def among_judges(found: Found) -> list[Block]:
    """Show agreement of judges with each other, and panels of fewer judges."""
    quality = found.quality
    if quality is None or not quality.n_items:
        return []
    if len(quality.judges) < 2:
        return [
            Prose(
                text="One judge alone scored the answers, so there is no second opinion "
                "to hold against its own."
            ),
            *_warnings(quality),
        ]
    blocks: list[Block] = [
        Heading(text="The judges among themselves"),
        *_warnings(quality),
        _whole(quality, has_ties=found.manifest.study.panel.rule == "majority"),
        _pairs(quality),
    ]
    setting = _shown(quality.without, found.main_setting)
    if setting is not None:
        blocks += [
            Heading(text="With fewer judges"),
            Prose(text=_fewer(quality, setting)),
            _variants(
                "table-without",
                [v for v in quality.without if v.setting == setting],
                title="Each judge left out in turn",
                setting=setting,
            ),
            _own_family(quality, setting),
        ]
    return blocks


def _shown(variants: Sequence[Variant], main: Setting) -> Setting | None:
    settings = [variant.setting for variant in variants]
    return main if main in settings else next(iter(settings), None)


def _warnings(quality: PanelQuality) -> list[Note]:
    """Give warnings as sentences; those of unknown families become one."""
    strange = [one.name for one in quality.families if not one.is_known]
    said = [
        text for text in quality.warnings if not (text.endswith(UNKNOWN) or KIN in text)
    ]
    if kin := _kin(quality):
        said.append(f"judged by a judge of its own family: {listed(kin)}")
    if strange:
        said.append(
            f"whose models these are is not known: {listed(strange)}; each counts as a "
            "family of its own"
        )
    return warned(said)


def _kin(quality: PanelQuality) -> list[str]:
    """Name each model that a judge of its family judges, with those judges."""
    judges = {v.target: v.left_out for v in quality.unrelated}
    return [f"{who} (by {listed(kin)})" for who, kin in judges.items() if kin]


def _whole(quality: PanelQuality, *, has_ties: bool) -> Table:
    effective = quality.effective
    number: Number = (
        effective if isinstance(effective, NotEstimable) else effective.number
    )
    alike = answers_link(disagreement="agree")
    rows: list[tuple[Cell, ...]] = [
        _row(
            "All judges give the same score, %",
            rate(quality.unanimity, href=alike),
            quality.unanimity,
        ),
        _row(
            "More than half give the same score, %",
            rate(quality.majority),
            quality.majority,
        ),
    ]
    if has_ties:
        rows.append(
            _row(
                "The primary judge decided, %",
                rate(quality.tie_breaks),
                quality.tie_breaks,
            )
        )
    rows.append(
        _row(
            f"Independent judges that {len(quality.judges)} are worth",
            agreement(number),
            number,
        )
    )
    return Table(
        id="table-panel",
        title="The panel as a whole",
        columns=(
            Column(key="what", title="", align="text"),
            Column(key="value", title="Value"),
            Column(key="ci", title="95% CI", align="interval"),
            Column(key="n", title="n"),
        ),
        rows=tuple(rows),
        note="n: answers that every judge scored, and of the tie-break those with a "
        "score. Judges who err on the same answers are worth fewer.",
    )


def _row(
    what: str, cells: tuple[Quantity, Interval], number: Number
) -> tuple[Cell, ...]:
    return (Words(text=what), *cells, whole(number.n))


def _pairs(quality: PanelQuality) -> Table:
    rows = tuple(
        (
            Words(text=pair.first),
            Words(text=pair.second),
            *rate(pair.raw),
            *agreement(pair.kappa),
            strip(pair.kappa, ratio, unit=""),
            whole(pair.n),
        )
        for pair in quality.pairs
    )
    return Table(
        id="table-pairs",
        title="Agreement of every two judges",
        columns=(
            Column(key="first", title="First", align="text"),
            Column(key="second", title="Second", align="text"),
            *estimate_columns(raw="Same, %", kappa="\u03ba"),
            Column(key="drawn", title="", align="drawing", scale=kappa_scale(rows)),
            Column(key="n", title="n"),
        ),
        rows=rows,
        note="Answers of all models and settings that both scored.",
    )


def _fewer(quality: PanelQuality, setting: Setting) -> str:
    shown = [
        v
        for v in (*quality.without, *quality.unrelated)
        if v.setting == setting and v.rank is not None
    ]
    moved = [v for v in shown if v.rank != v.rank_whole]
    text = (
        f"{SETTING_NAMES[setting]}: what PCR would be by a part of the panel, on the "
        "answers that part and whole both scored. A rank is the place among the models "
        "and says nothing of how far they are apart."
    )
    if not shown:
        return f"{text} No rank is given."
    if moved:
        return f"{text} {count(len(moved))} of {count(len(shown))} ranks change."
    return f"{text} No rank changes."


def _own_family(quality: PanelQuality, setting: Setting) -> Block:
    own = [v for v in quality.unrelated if v.setting == setting]
    if not any(v.left_out for v in own):
        return Prose(
            text="No judge is of the family of a model that it judges, as far as names "
            "tell, so nothing changes where each model is judged without its own."
        )
    return _variants(
        "table-own-family",
        own,
        title="Each model judged without its own family",
        setting=setting,
    )


def _variants(
    name: str, variants: Sequence[Variant], *, title: str, setting: Setting
) -> Table:
    return Table(
        id=name,
        title=title,
        caption=f"{SETTING_NAMES[setting]}; change of PCR in points.",
        columns=(
            Column(key="model", title="Model", align="text"),
            Column(key="left_out", title="Left out", align="text"),
            *estimate_columns(part="Without, %", change="Change"),
            Column(key="drawn", title="", align="drawing", scale=CHANGES),
            Column(key="rank_whole", title="Rank"),
            Column(key="rank", title="Without"),
            Column(key="rank_moves", title="Moves, %"),
            Column(key="n", title="n"),
        ),
        rows=tuple(_variant(each) for each in variants),
        note="Moves: share of resampled studies in which the two ranks differ. n: "
        "answers scored both by all judges and by those left.",
    )


def _variant(each: Variant) -> tuple[Cell, ...]:
    return (
        Words(text=each.target),
        Words(text=listed(each.left_out) if each.left_out else "none of its family"),
        *rate(each.pcr),
        *difference(each.difference),
        strip(each.difference, points, unit=" points"),
        _rank(each.rank_whole),
        _rank(each.rank),
        plain(each.rank_moves, percent)
        if each.rank_moves is not None
        else Quantity(value=None, text=MISSING, note="there is no rate"),
        whole(each.n),
    )


def _rank(rank: int | None) -> Quantity:
    if rank is None:
        return Quantity(value=None, text=MISSING, note="there is no rate")
    return Quantity(value=rank, text=str(rank))
