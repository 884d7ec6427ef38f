import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.errors import InputError
from threadmed.records import Thread, ThreadId, Turn
from threadmed.run.export.held_out import hold_out, telling, thread_hash
from threadmed.store import write_json

NAMES = [ThreadId(f"THREAD_{n:04}") for n in range(40)]


@given(
    number=st.integers(2, 60),
    share=st.floats(0.01, 0.9),
    seed=st.integers(0, 2**32),
)
def test_a_share_of_threads_is_held_out_and_some_are_left(
    number: int, share: float, seed: int
) -> None:
    names = [ThreadId(f"T{n}") for n in range(number)]
    try:
        held, record = hold_out(names, by=str(share), seed=seed)
    except InputError:
        assert number * share > number - 1  # nothing would be left
        return

    assert 0 < len(held) < number
    assert share * number <= len(held) < share * number + 1
    assert (record.threads, record.of) == (len(held), number)


def test_the_hashes_are_those_of_seed_and_name() -> None:
    held, record = hold_out(NAMES, by="0.25", seed=7)

    assert set(record.hashes) == {
        hashlib.sha256(f"7:{name}".encode()).hexdigest() for name in held
    }
    assert len(held) == 10
    assert not any(name in json.dumps(record.hashes) for name in NAMES)


def test_the_draw_depends_on_the_seed_and_not_on_the_order() -> None:
    first, _ = hold_out(NAMES, by="0.25", seed=7)
    again, _ = hold_out(NAMES[::-1], by="0.25", seed=7)
    other, _ = hold_out(NAMES, by="0.25", seed=8)

    assert first == again
    assert first != other


def test_an_earlier_split_goes_on_when_threads_are_added(tmp_path: Path) -> None:
    held, record = hold_out(NAMES[:20], by="0.3", seed=7)
    write_json(tmp_path / "held-out.json", record)

    later, again = hold_out(NAMES, by=str(tmp_path / "held-out.json"), seed=99)
    fewer, kept = hold_out(
        [*sorted(held)[1:], NAMES[30]], by=str(tmp_path / "held-out.json"), seed=99
    )

    assert later == held
    assert (again.seed, again.hashes) == (7, record.hashes)
    assert len(fewer) == len(held) - 1
    assert kept.hashes == record.hashes  # those of absent threads stay


def test_names_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("THREAD_0003\n\n THREAD_0001\n")

    held, record = hold_out(NAMES, by=str(path), seed=7)

    assert held == {"THREAD_0001", "THREAD_0003"}
    assert record.how == "file names.txt"
    assert thread_hash(7, NAMES[1]) in record.hashes


@pytest.mark.parametrize(
    ("by", "complaint"),
    [
        ("0", "expected a share between 0 and 1"),
        ("1.0", "expected a share between 0 and 1"),
        ("nan", "expected a share between 0 and 1"),
        ("0.99", "holds out all of the 40 threads"),
        ("nowhere.txt", "nowhere.txt: no such file"),
        ("nowhere.json", "nowhere.json: no such file"),
    ],
)
def test_what_is_no_share_and_no_file_is_one_line(by: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        hold_out(NAMES, by=by, seed=7)


def test_files_that_name_no_thread_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("THREAD_0001\nTHREAD_9999\n")
    with pytest.raises(InputError, match="names.txt:2: 'THREAD_9999' is no thread"):
        hold_out(NAMES, by=str(path), seed=7)
    path.write_text("\n")
    with pytest.raises(InputError, match="holds out none"):
        hold_out(NAMES, by=str(path), seed=7)
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not a text file"):
        hold_out(NAMES, by=str(path), seed=7)


def test_short_later_questions_do_not_tell_a_thread() -> None:
    def thread(*questions: str) -> Thread:
        turns = tuple(Turn(question=text, answer=None) for text in questions)
        return Thread(thread_id=ThreadId("T"), turns=turns)

    first = telling(
        thread("Is it so?", "Thanks a lot!", "May I take two of them, then?")
    )

    assert first == {"is it so?", "may i take two of them, then?"}
    assert not first & telling(thread("Something else?", "Thanks a lot!"))
