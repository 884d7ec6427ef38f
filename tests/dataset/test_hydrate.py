import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dump_factory import Line, comment, post, talk, written
from threadmed.dataset.build import gather
from threadmed.dataset.hydrate import hydrate
from threadmed.dataset.inputs import Dump, find_dump
from threadmed.dataset.manifest import Manifest
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.executors import local
from threadmed.dataset.release import ThreadSource, write_release
from threadmed.errors import InputError
from threadmed.records import Thread
from threadmed.store import read_records

POSTS = [post(f"p{n}") for n in range(5)]
COMMENTS = [line for n in range(5) for line in talk(f"p{n}")]


def dump(folder: Path, posts: list[Line], comments: list[Line]) -> Dump:
    folder.mkdir(exist_ok=True)
    return find_dump(
        [written(folder / "RS.jsonl", posts)], [written(folder / "RC.jsonl", comments)]
    )


def released(folder: Path, comments: list[Line] = COMMENTS, **options: Any) -> Path:
    """Build both kinds of release of one dump."""
    with local(beside=folder / "out") as executor:
        gathering = gather(
            dump(folder / "dump", POSTS, comments),
            options=BuildOptions(**options),
            executor=executor,
        )
        write_release(gathering.release(), folder / "text")
        write_release(gathering.release(), folder / "ids", kind="ids")
    return folder


def hydrated(folder: Path, posts: list[Line], comments: list[Line]) -> Manifest:
    with local(beside=folder / "again") as executor:
        return hydrate(
            folder / "ids",
            dump(folder / "now", posts, comments),
            folder / "again",
            executor=executor,
        )


def changed(lines: list[Line], name: str, **fields: Any) -> list[Line]:
    return [{**line, **fields} if line["id"] == name else line for line in lines]


def threads(folder: Path) -> dict[str, Thread]:
    return {
        thread.thread_id: thread
        for thread in read_records(folder / "complete.jsonl", Thread)
    }


def name_of(folder: Path, post_id: str) -> str:
    sources = read_records(folder / "ids" / "ids.jsonl", ThreadSource)
    return next(source.thread_id for source in sources if source.post == post_id)


def gone(manifest: Manifest) -> dict[str, int]:
    return {
        row.reason: row.dropped
        for row in manifest.funnel
        if row.step == "hydrate" and row.dropped
    }


def test_a_release_of_ids_holds_no_words(tmp_path: Path) -> None:
    released(tmp_path)
    files = {
        path.name: path.read_text("utf-8") for path in (tmp_path / "ids").iterdir()
    }

    assert {"ids.jsonl", "manifest.json", "README.md"} <= files.keys()
    assert not any("complete" in name or "answered" in name for name in files)
    for text in files.values():
        assert "Pain in my knee" not in text
        assert "rest the knee" not in text
        assert "patient_p" not in text
    assert json.loads(files["manifest.json"])["release"] == "ids"


def test_an_own_dump_gives_the_threads_back_byte_for_byte(tmp_path: Path) -> None:
    released(tmp_path)
    hydrated(tmp_path, POSTS, COMMENTS[::-1])

    for name in ("complete.jsonl", "answered.jsonl", "complete.parquet"):
        ours, theirs = tmp_path / "text" / name, tmp_path / "again" / name
        assert ours.read_bytes() == theirs.read_bytes(), name


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("p1", {"selftext": "[deleted]"}, "post_gone"),
        ("p1", {"author": "[deleted]"}, "post_gone"),
        ("p1_2", {"body": "[deleted]", "author": "[deleted]"}, "question_gone"),
        ("p1_2", {"body": "[removed]"}, "question_gone"),
    ],
)
def test_what_was_deleted_since_takes_its_thread_along(
    name: str, fields: dict[str, Any], why: str, tmp_path: Path
) -> None:
    released(tmp_path)
    manifest = hydrated(
        tmp_path, changed(POSTS, name, **fields), changed(COMMENTS, name, **fields)
    )

    before, after = threads(tmp_path / "text"), threads(tmp_path / "again")
    lost = name_of(tmp_path, "p1")
    assert gone(manifest) == {why: 1}
    assert after == {name: one for name, one in before.items() if name != lost}


def test_an_answer_that_is_gone_leaves_an_orphan(tmp_path: Path) -> None:
    released(tmp_path)
    manifest = hydrated(tmp_path, POSTS, changed(COMMENTS, "p1_3", body="[removed]"))

    name = name_of(tmp_path, "p1")
    before, after = threads(tmp_path / "text"), threads(tmp_path / "again")
    assert [turn.answer for turn in after[name].turns] == [
        before[name].turns[0].answer, None, before[name].turns[2].answer,
    ]  # fmt: skip
    assert manifest.statistics.answered.threads == 4


def test_a_thread_without_any_answer_left_is_none(tmp_path: Path) -> None:
    released(tmp_path)
    comments = COMMENTS
    for name in ("p1_1", "p1_3", "p1_5"):
        comments = changed(comments, name, body="[removed]")

    assert gone(hydrated(tmp_path, POSTS, comments)) == {"all_answers_gone": 1}


def test_an_answer_stays_one_though_its_flair_is_gone(tmp_path: Path) -> None:
    released(tmp_path)
    bare = [{**line, "author_flair_text": None} for line in COMMENTS]
    hydrated(tmp_path, POSTS, bare)

    assert threads(tmp_path / "again") == threads(tmp_path / "text")


def test_posts_that_are_not_in_the_dump_are_counted(tmp_path: Path) -> None:
    released(tmp_path)

    assert gone(hydrated(tmp_path, POSTS[:2], COMMENTS)) == {"post_not_in_dump": 3}


def test_what_came_since_changes_nothing(tmp_path: Path) -> None:
    released(tmp_path)
    more = [post("new"), *POSTS], [*COMMENTS, comment("p1_9", "p1_5", "P", "and now")]
    hydrated(tmp_path, *more)

    assert threads(tmp_path / "again") == threads(tmp_path / "text")


def test_merged_questions_come_back(tmp_path: Path) -> None:
    more = [
        *COMMENTS,
        comment("p1_6", "p1_5", "P", "may I cycle"),
        comment("p1_7", "p1_6", "P", "or row"),
    ]
    released(tmp_path, more, questions="merged")
    hydrated(tmp_path, POSTS, more)

    after = threads(tmp_path / "again")
    assert after == threads(tmp_path / "text")
    last = after[name_of(tmp_path, "p1")].turns[-1]
    assert last.question == "may I cycle\n\nor row"


def test_a_dump_of_something_else_is_an_error(tmp_path: Path) -> None:
    released(tmp_path)

    with pytest.raises(InputError, match=r"none of its 5 threads.*post_not_in_dump"):
        hydrated(tmp_path, [post("other")], talk("other"))


def test_a_folder_without_ids_is_an_error(tmp_path: Path) -> None:
    released(tmp_path)
    (tmp_path / "ids" / "ids.jsonl").unlink()

    with pytest.raises(InputError, match="holds no release of ids"):
        hydrated(tmp_path, POSTS, COMMENTS)


def test_a_release_of_nothing_is_an_error(tmp_path: Path) -> None:
    released(tmp_path)
    (tmp_path / "ids" / "ids.jsonl").write_bytes(msgspec.json.encode(None)[:0])

    with pytest.raises(InputError, match="has no threads"):
        hydrated(tmp_path, POSTS, COMMENTS)
