"""The kit: what goes out tells nothing, what comes back is taken in once."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.small_ledger import small_ledger
from threadmed.annotate.kit import Merged, merge, write_kit
from threadmed.annotate.ledger import Ledger
from threadmed.annotate.tasks import Said
from threadmed.errors import InputError


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = small_ledger(tmp_path / "ratings" / "annotation.sqlite")
    yield opened
    opened.close()


def setup_of(path: Path) -> dict[str, Any]:
    found = re.search(r'id="setup">(.*?)</script>', path.read_text(), re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))


def answers(setup: dict[str, Any], *values: str) -> list[dict[str, Any]]:
    items = setup["parts"]["scoring"]["items"]
    return [
        {"task": "scoring", "said": {"item": each["item"], "value": value}, "at": 5.0}
        for each, value in zip(items, values, strict=False)
    ]


def returned(
    tmp_path: Path, setup: dict[str, Any], *values: str, **changed: object
) -> Path:
    path = tmp_path / "back.json"
    file = {
        "threadmed_kit": 1,
        "kit": setup["kit"],
        "rater": setup["rater"],
        "revision": 3,
        "answers": answers(setup, *values),
    }
    path.write_text(json.dumps(file | changed))
    return path


@pytest.fixture
def setup(ledger: Ledger, tmp_path: Path) -> dict[str, Any]:
    write_kit(ledger, "ann", tmp_path / "kit.html")
    return setup_of(tmp_path / "kit.html")


def counts(merged: Merged) -> tuple[int, int, int, int]:
    return (merged.new, merged.changed, merged.same, len(merged.conflicts))


def test_a_kit_holds_both_tasks_in_the_raters_order_and_names_nothing(
    ledger: Ledger, tmp_path: Path
) -> None:
    items = write_kit(ledger, "bob", tmp_path / "kit.html")
    text = (tmp_path / "kit.html").read_text()
    parts = setup_of(tmp_path / "kit.html")["parts"]

    assert items == 7 + 7
    names = tuple(each["item"] for each in parts["scoring"]["items"])
    assert names == ledger.queue("scoring", "bob")
    for name in ("Aster", "oracle", "THREAD_", "stratum", "probability"):
        assert name not in text
    assert "<b>bold</b>" not in text
    assert "://" not in text


def test_what_comes_back_is_taken_in_once(
    ledger: Ledger, tmp_path: Path, setup: dict[str, Any]
) -> None:
    path = returned(tmp_path, setup, "1", "0", "-1")

    assert counts(merge(ledger, path)) == (3, 0, 0, 0)
    assert counts(merge(ledger, path)) == (0, 0, 3, 0)
    held = ledger.holding("scoring", "ann")
    assert [entry.said.value for entry in held] == ["1", "0", "-1"]
    assert {entry.at for entry in held} == {5.0}
    assert ledger.rows.execute("SELECT count(*) FROM entries").fetchone() == (3,)


def test_a_later_file_of_one_kit_changes_and_an_earlier_does_not(
    ledger: Ledger, tmp_path: Path, setup: dict[str, Any]
) -> None:
    merge(ledger, returned(tmp_path, setup, "1", "0"))

    later = returned(tmp_path, setup, "1", "-1", "0", revision=5)
    assert counts(merge(ledger, later)) == (1, 1, 1, 0)
    earlier = returned(tmp_path, setup, "0", "0", revision=2)
    assert counts(merge(ledger, earlier)) == (0, 0, 2, 0)
    held = ledger.holding("scoring", "ann")
    assert [entry.said.value for entry in held] == ["1", "-1", "0"]


def test_what_was_said_on_the_page_stays_and_the_conflict_is_told(
    ledger: Ledger, tmp_path: Path, setup: dict[str, Any]
) -> None:
    item = setup["parts"]["scoring"]["items"][0]["item"]
    ledger.save("scoring", "ann", Said(item=item, value="-1"), at=1)
    merged = merge(ledger, returned(tmp_path, setup, "1", "0"))

    assert counts(merged) == (1, 0, 0, 1)
    assert merged.conflicts[0] == (
        f"scoring item {item}: ann says '-1' here and '1' in the file; what is here "
        "stays"
    )
    assert ledger.holding("scoring", "ann")[0].said.value == "-1"


def test_a_kit_that_went_out_before_a_second_task_was_drawn_still_comes_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "other.sqlite"
    with_one = small_ledger(path, tasks=("scoring",))
    write_kit(with_one, "ann", tmp_path / "kit.html")
    with_one.close()
    with_two = small_ledger(path, tasks=("identification",))
    back = returned(tmp_path, setup_of(tmp_path / "kit.html"), "1")

    assert counts(merge(with_two, back)) == (1, 0, 0, 0)
    with_two.close()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kit": "0" * 16}, "not of a kit"),
        ({"rater": "bob"}, "not of a kit"),
        ({"rater": "zoe"}, "not of a kit"),
        ({"threadmed_kit": 2}, "form 2"),
        ({"answers": [{"task": "other"}]}, "Invalid enum value 'other'"),
        ({"more": 1}, "unknown field `more`"),
    ],
)
def test_a_file_of_something_else_is_refused(
    ledger: Ledger,
    tmp_path: Path,
    setup: dict[str, Any],
    changed: dict[str, object],
    why: str,
) -> None:
    path = returned(tmp_path, setup, "1", **changed)

    with pytest.raises(InputError, match=why):
        merge(ledger, path)
    assert ledger.holding("scoring") == ()


def test_a_kit_itself_is_refused_with_the_name_of_what_is_expected(
    ledger: Ledger, tmp_path: Path
) -> None:
    write_kit(ledger, "ann", tmp_path / "ann.html")

    with pytest.raises(InputError, match=r"ann\.html: .* threadmed-RATER\.json"):
        merge(ledger, tmp_path / "ann.html")


def test_one_wrong_answer_refuses_the_whole_file(
    ledger: Ledger, tmp_path: Path, setup: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match="answer 2: value is '9'"):
        merge(ledger, returned(tmp_path, setup, "1", "9"))
    given = answers(setup, "1")
    given[0]["said"]["item"] = "elsewhere"
    with pytest.raises(InputError, match="answer 1: item 'elsewhere' is not of ann's"):
        merge(ledger, returned(tmp_path, setup, answers=given))
    assert ledger.holding("scoring") == ()


def test_two_answers_to_one_item_refuse_the_whole_file(
    ledger: Ledger, tmp_path: Path, setup: dict[str, Any]
) -> None:
    given = [*answers(setup, "1"), *answers(setup, "-1")]

    with pytest.raises(InputError, match=r"answer 2: item '\w+' is answered a second"):
        merge(ledger, returned(tmp_path, setup, answers=given))
    assert ledger.holding("scoring") == ()


def test_a_kit_for_nobody_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no rater 'zoe'; there are ann, bob"):
        write_kit(ledger, "zoe", tmp_path / "kit.html")
