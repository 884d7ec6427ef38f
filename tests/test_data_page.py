"""docs/data.md names every record that is written to disk, with all that it holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import inspect

from threadmed.annotate.items import Item
from threadmed.annotate.kit import KitFile, KitPart
from threadmed.annotate.sampling import Plan as DrawnPlan
from threadmed.dataset.manifest import Manifest
from threadmed.dataset.release import ThreadFlags, ThreadSource
from threadmed.labels.control import DrawnControl
from threadmed.llm.books import Call
from threadmed.llm.model import Reply
from threadmed.metrics.agreement.records import Agreement
from threadmed.metrics.agreement.validation import Validation
from threadmed.metrics.controls.questions import WithQuestions
from threadmed.metrics.planning.plan import StudyPower
from threadmed.records import (
    Answer,
    Intervention,
    Labelled,
    PanelScore,
    Rating,
    Record,
    Scored,
    Thread,
    Unlabelled,
    Unscored,
)
from threadmed.run.export.held_out import HeldOut
from threadmed.run.export.preferences import Pair
from threadmed.run.forecast import Plan
from threadmed.study import RunManifest

PAGE = Path(__file__).parent.parent / "docs/data.md"

WRITTEN: tuple[type[Record], ...] = (
    Thread, Labelled, Unlabelled, Answer, Intervention, Scored, Unscored, PanelScore,
    DrawnControl, Rating, Plan, RunManifest, Manifest, ThreadFlags, ThreadSource,
    Reply, Call, DrawnPlan, Item, KitFile, KitPart, Pair, HeldOut, Agreement,
    Validation, WithQuestions, StudyPower,
)  # fmt: skip
"""report.json has a page of its own, which is made from its records."""


def within(kind: inspect.Type) -> Iterator[inspect.Type]:
    """What a type is made of."""
    if isinstance(kind, inspect.StructType):
        yield from (field.type for field in kind.fields)
        return
    for name in kind.__struct_fields__:
        value = getattr(kind, name)
        parts = value if isinstance(value, tuple) else (value,)
        yield from (part for part in parts if isinstance(part, inspect.Type))


def records_in(kind: inspect.Type, found: dict[str, inspect.Type]) -> None:
    if isinstance(kind, inspect.StructType):
        if kind.cls.__name__ in found:
            return
        found[kind.cls.__name__] = kind
    for part in within(kind):
        records_in(part, found)


@pytest.mark.parametrize("written", WRITTEN, ids=lambda written: written.__name__)
def test_a_record_that_is_written_is_named_with_those_in_it(
    written: type[Record],
) -> None:
    page = PAGE.read_text()
    found: dict[str, inspect.Type] = {}

    records_in(inspect.type_info(written), found)

    assert written.__name__ in found
    assert [name for name in found if f"`{name}`" not in page] == []
