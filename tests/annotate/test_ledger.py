"""The store: nothing is lost, nothing is kept twice, everything can be taken back."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.small_ledger import small_ledger
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.tasks import Said
from threadmed.errors import InputError


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = small_ledger(tmp_path / "ratings" / "annotation.sqlite")
    yield opened
    opened.close()


def values(ledger: Ledger, rater: str = "ann") -> list[str]:
    return [entry.said.value for entry in ledger.holding("scoring", rater)]


def test_a_plan_comes_back_as_it_was_drawn(ledger: Ledger, tmp_path: Path) -> None:
    again = Ledger(tmp_path / "ratings" / "annotation.sqlite")
    plan = again.plan("scoring")

    assert plan is not None
    assert (plan.size, plan.population, plan.raters) == (10, 20, ("ann", "bob"))
    assert again.items("scoring") == ledger.items("scoring")
    assert again.queue("scoring", "bob") == ledger.queue("scoring", "bob")
    again.close()


def test_what_is_said_again_holds_and_undoing_it_brings_back_the_first(
    ledger: Ledger,
) -> None:
    item = ledger.queue("scoring", "ann")[0]
    ledger.save("scoring", "ann", Said(item=item, value="0"), at=1)
    ledger.save("scoring", "ann", Said(item=item, value="1", note="better"), at=2)

    assert values(ledger) == ["1"]
    assert ledger.undo("scoring", "ann", at=3) == item
    assert values(ledger) == ["0"]
    assert ledger.undo("scoring", "ann", at=4) == item
    assert values(ledger) == []
    assert ledger.undo("scoring", "ann", at=5) is None
    last = ledger.last_said("scoring", "ann", item)
    assert last is not None
    assert last.note == "better"


def test_undo_takes_back_nothing_of_another_rater(ledger: Ledger) -> None:
    shared = set(ledger.queue("scoring", "ann")) & set(ledger.queue("scoring", "bob"))
    item = min(shared)
    ledger.save("scoring", "ann", Said(item=item, value="0"), at=1)
    ledger.save("scoring", "bob", Said(item=item, value="1"), at=2)
    ledger.undo("scoring", "ann", at=3)

    assert values(ledger) == []
    assert values(ledger, "bob") == ["1"]


def test_an_answer_that_is_sent_twice_is_kept_once(ledger: Ledger) -> None:
    item = ledger.queue("scoring", "ann")[0]
    for at in (1, 2):
        ledger.save("scoring", "ann", Said(item=item, value="0", key="k"), at=at)

    rows = ledger.rows.execute("SELECT count(*) FROM entries").fetchone()
    assert rows == (1,)
    # A key never keeps another answer out.
    ledger.save("scoring", "ann", Said(item=item, value="1", key="k"), at=3)
    assert values(ledger) == ["1"]


def test_answers_come_in_the_order_in_which_items_were_first_answered(
    ledger: Ledger,
) -> None:
    first, second, *_ = ledger.queue("scoring", "ann")
    for item, value in ((first, "0"), (second, "1"), (first, "-1")):
        ledger.save("scoring", "ann", Said(item=item, value=value), at=1)

    assert values(ledger) == ["-1", "1"]


def test_what_is_put_off_comes_last(ledger: Ledger) -> None:
    first, second, *_ = ledger.queue("scoring", "ann")
    ledger.put_off("scoring", "ann", first)
    ledger.put_off("scoring", "ann", second)

    assert ledger.queue("scoring", "ann")[-2:] == (first, second)
    assert ledger.with_put_off("scoring", "bob", [first, second]) == (first, second)


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "annotation.sqlite"
    path.write_text("this is a letter, and no store of ratings at all")

    with pytest.raises(InputError, match="not a store of ratings"):
        Ledger(path)


def test_an_item_that_is_not_there_is_refused(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="no item 'nobody'"):
        ledger.item("nobody")


WRITER = """
import sys
from pathlib import Path
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.tasks import Said

ledger = Ledger(Path(sys.argv[1]))
items = ledger.queue("scoring", "ann")
for at in range(100_000):
    said = Said(item=items[at % len(items)], value="0", note=str(at))
    ledger.save("scoring", "ann", said, at=at)
    print(at, flush=True)
"""


def test_a_process_that_is_killed_loses_nothing_that_it_told(
    ledger: Ledger,
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(ledger.path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    for _ in range(20):
        writer.stdout.readline()
    time.sleep(0.05)
    writer.kill()
    rest = writer.stdout.read().split("\n")[:-1]
    told = int(rest[-1]) if rest else 19
    writer.wait()
    writer.stdout.close()

    kept = ledger.rows.execute("SELECT count(*), max(at) FROM entries").fetchone()
    assert told >= 19
    assert kept[0] >= told + 1
    assert kept[1] == kept[0] - 1
    assert ledger.rows.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_folder_that_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "ratings").write_text("a file in its place")

    with pytest.raises(InputError, match="ratings: cannot keep ratings here: File ex"):
        Ledger(tmp_path / "ratings" / "annotation.sqlite")
