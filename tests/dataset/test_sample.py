import io
import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import zstandard

from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.sample import sample_folder
from threadmed.records import Labelled, Thread, Turn
from threadmed.store import read_records

ROOT = Path(__file__).parents[2]
POSTS = sample_folder() / "AskDocs_submissions.zst"
COMMENTS = sample_folder() / "AskDocs_comments.zst"
WRITTEN = json.loads((ROOT / "sample/threads.json").read_text(encoding="utf-8"))


@cache
def records(path: Path) -> list[dict[str, Any]]:
    reader = zstandard.ZstdDecompressor().stream_reader(
        io.BytesIO(path.read_bytes()), read_across_frames=True
    )
    return [json.loads(line) for line in reader.read().splitlines()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    build(find_dump([POSTS], [COMMENTS]), out)
    return out


def conversation(thread: dict[str, Any]) -> tuple[Turn, ...]:
    turns = [Turn(question=t["question"], answer=t["answer"]) for t in thread["turns"]]
    first = Turn(
        question=f"{thread['title']}\n\n{turns[0].question}", answer=turns[0].answer
    )
    return (first, *turns[1:])


def test_a_build_gives_back_the_conversations_word_for_word(built: Path) -> None:
    threads = read_records(built / "complete.jsonl", Thread)

    assert {thread.turns for thread in threads} == set(map(conversation, WRITTEN))
    assert len(threads) == 32


def test_twenty_conversations_are_fully_answered(built: Path) -> None:
    answered = read_records(built / "answered.jsonl", Thread)

    assert len(answered) == 20
    assert all(turn.answer for thread in answered for turn in thread.turns)


def test_every_question_of_the_build_has_its_label(built: Path) -> None:
    threads = read_records(built / "complete.jsonl", Thread)
    labels = read_records(sample_folder() / "labels.jsonl", Labelled)
    written = {conversation(thread): thread["turns"] for thread in WRITTEN}
    expected = [
        Labelled(
            thread_id=thread.thread_id,
            turn=number,
            misconception=turn["misconception"],
            belief=turn["belief"] or "",
            correction=turn["correction"] or "",
            harm=turn["harm"],
            source="reference",
        )
        for thread in threads
        for number, turn in enumerate(written[thread.turns])
    ]

    assert labels == expected
    assert len(labels) == 147
    assert sum(label.misconception for label in labels) == 60


def test_making_the_sample_again_gives_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "sample/make.py", "--out", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert set(made) == {POSTS.name, COMMENTS.name, "labels.jsonl", "README.md"}
    for name, data in made.items():
        assert data == (sample_folder() / name).read_bytes(), name


def test_no_user_can_exist_and_no_id_has_been_given_out() -> None:
    both = [*records(POSTS), *records(COMMENTS)]
    users = {record["author"] for record in both}
    known = {"[deleted]", "AutoModerator", "RemindMeBot"}

    assert known < users
    assert all(len(user) > 20 for user in users - known)
    assert all(record["id"].startswith("zz") for record in both)


def test_only_copies_share_an_id() -> None:
    for path in (POSTS, COMMENTS):
        ids = Counter(record["id"] for record in records(path))
        copies = [one for one in records(path) if ids[one["id"]] > 1]

        assert copies
        assert {ids[one["id"]] for one in copies} == {2}
        assert any(one["author_flair_text"] is None for one in copies)


def test_every_comment_hangs_under_a_record_of_the_dump() -> None:
    posts = {f"t3_{record['id']}" for record in records(POSTS)}
    comments = {f"t1_{record['id']}" for record in records(COMMENTS)}

    assert {record["link_id"] for record in records(COMMENTS)} <= posts
    assert {record["parent_id"] for record in records(COMMENTS)} <= posts | comments


def test_layouts_drift_with_the_years() -> None:
    comments = records(COMMENTS)
    types = {type(record["created_utc"]) for record in comments}
    early = [r for r in comments if int(r["created_utc"]) < 1_490_000_000]
    late = [r for r in comments if int(r["created_utc"]) > 1_510_000_000]

    assert types == {str, int}
    assert {type(record["edited"]) for record in comments} == {bool, int, float}
    assert not any("is_submitter" in record for record in early)
    assert all("is_submitter" in record for record in late)
    assert len({frozenset(record) for record in comments}) > 20


def test_what_a_build_must_meet_is_in_the_sample() -> None:
    posts, comments = records(POSTS), records(COMMENTS)
    categories = {record.get("removed_by_category") for record in posts}
    texts = Counter(record["selftext"] for record in posts)

    assert len(posts) - 32 >= 90
    assert categories >= {"deleted", "moderator", "author", "reddit"}
    assert texts["[deleted]"] > 0
    assert texts["[removed]"] > 0
    assert any(record.get("is_gallery") for record in posts)
    assert any(record["domain"] == "i.redd.it" for record in posts)
    assert any(record["subreddit"] != "AskDocs" for record in posts)
    assert any(record["edited"] for record in posts)
    assert any("&amp;" in record["body"] for record in comments)
    assert any(" u/" in record["selftext"] for record in posts)
    assert any(record["author"] == "RemindMeBot" for record in comments)


def test_further_posts_are_no_copies_of_one_another() -> None:
    texts = [
        record["selftext"]
        for record in records(POSTS)
        if len(record["selftext"].split()) > 20
    ]

    assert len(set(texts)) >= 40 + 32
    assert len(texts) - len(set(texts)) == 2
