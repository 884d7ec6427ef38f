"""Ratings tables: what was said, where it belongs, and how likely it was drawn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.small_ledger import gold, small_ledger
from threadmed.annotate.export import export, ratings
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.tasks import Said
from threadmed.errors import InputError
from threadmed.labels.experts import read_ratings
from threadmed.records import ADJUDICATED
from threadmed.study import Folder, study_folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return study_folder(tmp_path)


@pytest.fixture
def ledger(folder: Folder) -> Iterator[Ledger]:
    opened = small_ledger(folder.ratings / "annotation.sqlite")
    yield opened
    opened.close()


def test_a_table_holds_what_was_typed_and_reads_as_it_was_written(
    ledger: Ledger, folder: Folder
) -> None:
    item = gold(ledger)[0]
    note = 'He said "no", twice;\nso ... nothing.'
    ledger.save("scoring", "bob", Said(item=item, value="-1", note=note), at=1)
    ledger.save("scoring", "ann", Said(item=item, value="1"), at=2)
    ledger.save("scoring", ADJUDICATED, Said(item=item, value="0"), at=3)

    written = export(ledger, folder)
    rows = read_ratings(written[0])
    assert written == (folder.ratings / "scoring.csv",)
    assert tuple(rows) == ratings(ledger, "scoring")
    assert [(row.rater, row.value) for row in rows] == [
        ("adjudicated", "0"),
        ("ann", "1"),
        ("bob", "-1"),
    ]
    assert rows[2].note == note
    assert (rows[0].target, rows[0].setting, rows[0].turn) == ("Aster 5", "oracle", 1)
    assert rows[0].probability == 0.5
    assert rows[0].stratum == "score 1"


def test_unsure_counts_as_no_and_is_marked_as_is_a_flag(ledger: Ledger) -> None:
    item = gold(ledger, "identification")[0]
    said = Said(item=item, value="unsure", note="look up", flag=True)
    ledger.save("identification", "ann", said, at=1)
    yes = Said(item=item, value="yes", belief="Colds need antibiotics.")
    ledger.save("identification", "bob", yes, at=2)

    first, second = ratings(ledger, "identification")
    assert (first.value, first.note) == ("no", "[unsure] [flagged] look up")
    assert (second.value, second.belief) == ("yes", "Colds need antibiotics.")
    assert (second.target, second.setting) == ("", None)


def test_nothing_said_is_nothing_written(ledger: Ledger, folder: Folder) -> None:
    assert export(ledger, folder) == ()


def test_a_table_is_written_again_but_never_over_another_hand(
    ledger: Ledger, folder: Folder
) -> None:
    item = gold(ledger)[0]
    ledger.save("scoring", "ann", Said(item=item, value="1"), at=1)
    export(ledger, folder)
    ledger.save("scoring", "ann", Said(item=item, value="0"), at=2)
    (path,) = export(ledger, folder)
    assert read_ratings(path)[0].value == "0"

    path.write_text(path.read_text() + "\n")
    with pytest.raises(InputError, match="was changed since; move it away"):
        export(ledger, folder)
    path.unlink()
    assert export(ledger, folder) == (path,)
