"""What a rater's page shows, and what may be done there."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotate.small_ledger import gold, small_ledger
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.tasks import Said
from threadmed.annotate.view import View, disputed, put_off, save, view
from threadmed.errors import InputError
from threadmed.records import ADJUDICATED


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = small_ledger(tmp_path / "annotation.sqlite")
    yield opened
    opened.close()


def say(ledger: Ledger, value: str, *, rater: str = "ann", item: str = "") -> View:
    item = item or view(ledger, "scoring", rater).item or ""
    save(ledger, "scoring", rater, Said(item=item, value=value), at=1)
    return view(ledger, "scoring", rater)


def test_a_page_shows_the_next_item_and_how_far_one_is(ledger: Ledger) -> None:
    first = view(ledger, "scoring", "ann")
    second = say(ledger, "1")

    assert (first.number, first.done, first.total) == (1, 0, 8)
    assert (second.number, second.done, second.total) == (2, 1, 8)
    assert second.item != first.item
    assert [(past.number, past.value) for past in second.recent] == [(1, "1")]


def test_a_page_never_names_target_setting_thread_or_stratum(ledger: Ledger) -> None:
    sent = msgspec.json.encode(say(ledger, "1")).decode()

    for name in ("Aster", "oracle", "THREAD", "stratum", "probability", "gold"):
        assert name not in sent


def test_all_done_leaves_no_item_and_the_last_seven_to_open_again(
    ledger: Ledger,
) -> None:
    for _ in range(8):
        end = say(ledger, "0")

    assert end.item is None
    assert end.done == end.total == 8
    assert [past.number for past in end.recent] == [8, 7, 6, 5, 4, 3, 2]
    again = view(ledger, "scoring", "ann", item=end.recent[0].item)
    assert again.answered
    assert again.number == 8
    assert again.draft == Said(item=end.recent[0].item, value="0")


def test_what_is_left_for_later_comes_at_the_end(ledger: Ledger) -> None:
    first = view(ledger, "scoring", "ann").item
    assert first is not None
    put_off(ledger, "scoring", "ann", first)
    order = []
    for _ in range(8):
        order.append(view(ledger, "scoring", "ann").item)
        say(ledger, "0")

    assert order[-1] == first


def test_nobody_opens_answers_or_puts_off_what_is_not_theirs(ledger: Ledger) -> None:
    own = set(ledger.queue("scoring", "ann"))
    other = next(i for i in ledger.queue("scoring", "bob") if i not in own)

    with pytest.raises(InputError, match="not on your list"):
        view(ledger, "scoring", "ann", item=other)
    with pytest.raises(InputError, match="not on your list"):
        say(ledger, "1", item=other)
    with pytest.raises(InputError, match="not on your list"):
        put_off(ledger, "scoring", "ann", other)


def test_an_answer_that_is_not_complete_is_not_kept(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="expected one of -1, 0, 1"):
        say(ledger, "yes")
    assert view(ledger, "scoring", "ann").done == 0


def test_disagreements_are_settled_blind_and_stay_settled(ledger: Ledger) -> None:
    one, other, *_ = gold(ledger)
    for item, values in ((one, ("1", "-1")), (other, ("0", "0"))):
        for rater, value in zip(("ann", "bob"), values, strict=True):
            say(ledger, value, rater=rater, item=item)

    assert disputed(ledger, "scoring") == (one,)
    found = view(ledger, "scoring", ADJUDICATED)
    assert (found.item, found.total) == (one, 1)
    assert [opinion.value for opinion in found.opinions] == ["-1", "1"]
    assert "ann" not in msgspec.json.encode(found.opinions).decode()

    say(ledger, "0", rater=ADJUDICATED)
    say(ledger, "1", rater="bob", item=one)
    after = view(ledger, "scoring", ADJUDICATED)
    assert (after.item, after.done, after.total) == (None, 1, 1)
    assert disputed(ledger, "scoring") == ()


def test_unsure_and_no_are_no_disagreement(ledger: Ledger) -> None:
    item = gold(ledger, "identification")[0]
    for rater, value in (("ann", "no"), ("bob", "unsure")):
        said = Said(item=item, value=value)
        save(ledger, "identification", rater, said, at=1)

    assert disputed(ledger, "identification") == ()
