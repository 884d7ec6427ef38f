"""Which questions carry a misconception, and by whose word."""

from collections import Counter
from collections.abc import Mapping

from threadmed.records import Label, Labelled, Question
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Prose,
    Quantity,
    Section,
    Table,
    Words,
)
from threadmed.report.material import Found
from threadmed.report.numbers import count, listed, of, percent, things
from threadmed.report.readings import whole
from threadmed.report.sections.doubt import expert_check

Pairs = Counter[tuple[str, str]]
"""How often the deciding source said the first word and the other the second."""


def identification(found: Found) -> Section | None:
    """Count the labels of each source, and lay two sources side by side."""
    by_source: dict[str, dict[Question, Label]] = {}
    for label in found.labels:
        by_source.setdefault(label.source, {})[label.thread_id, label.turn] = label
    if not by_source:
        return None
    chosen = found.manifest.label_source
    blocks: list[Block] = [
        Prose(text=_opening(found, by_source.get(chosen, {}))),
        _counts(by_source, chosen),
    ]
    others = [source for source in sorted(by_source) if source != chosen]
    if chosen in by_source:
        for number, source in enumerate(others):
            blocks += _beside(by_source, chosen, source, number)
    blocks += expert_check(found)
    return Section(id="identification", title="Identification", blocks=tuple(blocks))


def _opening(found: Found, labels: Mapping[Question, Label]) -> str:
    marked = len(found.marked)
    threads = len({label.thread_id for label in found.marked})
    source = found.manifest.label_source
    who = "the labels that came with the data" if source == "reference" else source
    return (
        f"What is answered below was decided by {who}: {count(marked)} of "
        f"{things(len(labels), 'labelled question')} carry a misconception, in "
        f"{things(threads, 'thread')}. An unlabelled question is counted and never "
        "taken for one without."
    )


def _counts(by_source: Mapping[str, Mapping[Question, Label]], chosen: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for source, labels in sorted(by_source.items()):
        said = Counter(_word(label) for label in labels.values())
        decided = said["yes"] + said["no"]
        share = (
            Quantity(value=said["yes"] / decided, text=percent(said["yes"] / decided))
            if decided
            else Quantity(value=None, text="\u2013", note="no question was labelled")
        )
        rows.append(
            (
                Words(text=f"{source} (decides)" if source == chosen else source),
                whole(len(labels)),
                whole(said["yes"]),
                whole(said["no"]),
                share,
                whole(said["malformed"]),
                whole(said["refused"]),
                whole(said["failed"]),
            )
        )
    return Table(
        id="table-labels",
        title="Labels by source",
        columns=(
            Column(key="source", title="Source", align="text"),
            Column(key="questions", title="Questions"),
            Column(key="misconception", title="Misconception"),
            Column(key="none", title="None"),
            Column(key="share", title="Share, %"),
            Column(key="malformed", title="Malformed"),
            Column(key="refused", title="Refused"),
            Column(key="failed", title="Failed"),
        ),
        rows=tuple(rows),
        note="Share: of the questions that the source labelled.",
        judged=False,
    )


def _word(label: Label) -> str:
    if isinstance(label, Labelled):
        return "yes" if label.misconception else "no"
    return label.why


def _beside(
    by_source: Mapping[str, Mapping[Question, Label]],
    chosen: str,
    other: str,
    number: int,
) -> list[Block]:
    """Cross the labels of two sources on the questions that both labelled."""
    pairs = Counter(
        (_word(label), _word(by_source[other][question]))
        for question, label in by_source[chosen].items()
        if question in by_source[other]
        and isinstance(label, Labelled)
        and isinstance(by_source[other][question], Labelled)
    )
    if not pairs.total():
        return []
    return [
        Prose(text=_agreement(pairs, chosen, other)),
        _crossed(pairs, chosen, other, name=f"table-labels-beside-{number + 1}"),
    ]


def _agreement(pairs: Pairs, chosen: str, other: str) -> str:
    agreed = pairs["yes", "yes"] + pairs["no", "no"]
    total = things(pairs.total(), "question")
    text = (
        f"Of {total} that both {listed([chosen, other])} labelled, they agree on "
        f"{of(agreed, pairs.total())}."
    )
    marked = pairs["yes", "yes"] + pairs["yes", "no"]
    if marked:
        text += (
            f" {other} found {of(pairs['yes', 'yes'], marked)} of those that {chosen} "
            "marks as carrying a misconception."
        )
    return text + " Agreement is raw; it is no measure of who is right."


def _crossed(pairs: Pairs, chosen: str, other: str, *, name: str) -> Table:
    """Cross what two sources said."""
    names = {"yes": "misconception", "no": "none"}
    return Table(
        id=name,
        title=f"{chosen} beside {other}",
        caption="Questions that both labelled.",
        columns=(
            Column(key="source", title="", align="text"),
            Column(key="other_misconception", title=f"{other}: misconception"),
            Column(key="other_none", title=f"{other}: none"),
            Column(key="both", title="Both"),
        ),
        rows=tuple(
            (
                Words(text=f"{chosen}: {names[mine]}"),
                *(whole(pairs[mine, theirs]) for theirs in ("yes", "no")),
                whole(pairs[mine, "yes"] + pairs[mine, "no"]),
            )
            for mine in ("yes", "no")
        ),
        judged=False,
    )
