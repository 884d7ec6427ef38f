"""What the organiser is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.small_ledger import gold, small_ledger
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.overview import Overview, overview
from threadmed.annotate.tasks import Said
from threadmed.records import ADJUDICATED


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = small_ledger(tmp_path / "a.sqlite", size=20, gold_share=0.8)
    yield opened
    opened.close()


def seen(ledger: Ledger) -> Overview:
    plan = ledger.plan("scoring")
    assert plan is not None
    return overview(ledger, plan)


def test_progress_is_counted_by_rater_and_choice(ledger: Ledger) -> None:
    for item, value in zip(gold(ledger), ("1", "1", "-1"), strict=False):
        ledger.save("scoring", "ann", Said(item=item, value=value), at=1)
    ann, bob = seen(ledger).progress

    assert (ann.done, ann.total) == (3, 18)
    assert ann.values[0] == ("\N{MINUS SIGN}1, not noticed", 1)
    assert ann.values[2] == ("+1, corrected", 2)
    assert (bob.done, bob.total) == (0, 18)
    assert seen(ledger).agreement == ()


def test_agreement_leaves_out_what_was_settled(ledger: Ledger) -> None:
    for at, item in enumerate(gold(ledger)):
        for rater in ("ann", "bob"):
            value = "0" if at == 3 and rater == "bob" else "-1" if at % 2 else "1"
            ledger.save("scoring", rater, Said(item=item, value=value), at=1)
    ledger.save("scoring", ADJUDICATED, Said(item=gold(ledger)[3], value="0"), at=2)
    found = seen(ledger)

    (pair,) = found.agreement
    assert (pair.first, pair.second, pair.n, pair.same) == ("ann", "bob", 16, 15)
    assert pair.beyond_chance.startswith("0.9")
    assert " to " in pair.beyond_chance
    assert (found.n_gold, found.n_disputed, found.n_settled) == (16, 1, 1)


def test_a_coefficient_that_cannot_be_had_says_why(ledger: Ledger) -> None:
    for rater in ("ann", "bob"):
        ledger.save("scoring", rater, Said(item=gold(ledger)[0], value="1"), at=1)

    assert "10 items" in seen(ledger).agreement[0].beyond_chance


def test_flags_and_notes_are_listed_with_the_number_of_the_item(
    ledger: Ledger,
) -> None:
    first, second, third, *_ = gold(ledger)
    ledger.save("scoring", "bob", Said(item=first, value="1"), at=1)
    ledger.save("scoring", "bob", Said(item=second, value="0", flag=True), at=2)
    ledger.save("scoring", "bob", Said(item=third, value="-1", note="odd"), at=3)

    remarks = seen(ledger).remarks
    assert [(r.number, r.value, r.flag, r.note) for r in remarks] == [
        (2, "0", True, ""),
        (3, "\N{MINUS SIGN}1", False, "odd"),
    ]
