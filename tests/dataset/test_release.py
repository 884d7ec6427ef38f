from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.gather import Found
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.release import Each, Release, write_release
from threadmed.dataset.threads.pairing import TurnFlags
from threadmed.errors import InputError
from threadmed.records import ThreadId, Turn

FLAGS = TurnFlags(physicians=(1,), answers_lay=False, edited=False, thanks=False)
NAMES = tuple(ThreadId(f"THREAD_000{number}") for number in (1, 2))


def release_of(each: Each = map) -> Release:
    found = Found(
        post="p1",
        year=2019,
        turns=(Turn(question="I am jo_doe", answer=None),),
        sources=(),
        flags=(FLAGS,),
        known=Known(accounts=frozenset({"jo_doe"}), ids=frozenset({"p1"})),
    )
    return Release(
        options=BuildOptions(),
        inputs=(),
        found=dict.fromkeys(NAMES, found),
        funnel=(),
        years={2019: 2},
        flair=(),
        observed={},
        each=each,
    )


def changed(**changes: Callable[[list[bytes]], list[bytes]]) -> Each:
    """Run tasks as `map` does, and change what they give."""

    def each(task: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        for item in items:
            done = task(item)
            lines = {name: change(done.lines) for name, change in changes.items()}
            yield done._replace(**lines)

    return each


def leaky(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[1].replace(b"[user]", b"jo_doe")]


def test_what_comes_back_from_a_worker_is_what_is_written(tmp_path: Path) -> None:
    manifest = write_release(release_of(), tmp_path)

    text = '{"thread_id":"%s","turns":[{"question":"I am [user]","answer":null}]}\n'
    assert (tmp_path / "complete.jsonl").read_text() == "".join(
        text % name for name in NAMES
    )
    assert (tmp_path / "answered.jsonl").read_text() == ""
    assert manifest.scrubbed == {"user": 2}
    assert manifest.years[0].complete == 2


def test_nothing_is_written_where_the_audit_of_a_worker_finds_a_trace(
    tmp_path: Path,
) -> None:
    each = changed(lines=leaky, unclean=lambda lines: leaky(lines)[1:])

    with pytest.raises(
        InputError, match=r"found 1 traces.*complete\.jsonl:2: user name"
    ):
        write_release(release_of(each), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_line_that_a_worker_suspects_is_searched_again(tmp_path: Path) -> None:
    manifest = write_release(release_of(changed(unclean=list)), tmp_path)

    assert manifest.statistics.complete.threads == 2
