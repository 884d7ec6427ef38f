"""Small dumps with one fault each, and what must come of them."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from threadmed.dataset.build import build
from threadmed.dataset.flair import role_of
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.manifest import Manifest
from threadmed.records import Thread
from threadmed.store import read_records

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """A pair of files, and how many threads, all of three answered questions."""

    name: str
    comments: str
    threads: int = 1
    dropped: dict[str, int] = field(default_factory=dict)
    records: int = 5
    bad: dict[str, int] = field(default_factory=dict)
    repaired: dict[str, int] = field(default_factory=dict)
    format: str = "plain"


TABLE = (
    Case("01_window31", "zst", format="zstd"),
    Case("02_multiframe", "zst", format="zstd"),
    Case("05_utf8_boundary", "zst", format="zstd"),
    Case("06_created_utc_types", "jsonl"),
    Case("07_no_is_submitter", "jsonl"),
    Case("08_parent_id_int_null_bare", "jsonl", threads=2, records=10),
    Case(
        "10_deleted_author_match",
        "jsonl",
        threads=0,
        dropped={"author_deleted": 1, "post_not_kept": 5},
    ),
    Case(
        "11_removal_markers",
        "jsonl",
        threads=2,
        records=40,
        dropped={
            "deleted": 1,
            "deleted_by_user": 1,
            "deleted_later": 1,
            "removed_by_automod": 1,
            "removed_by_moderator": 1,
            "removed_by_reddit": 1,
            "post_not_kept": 30,
        },
    ),
    Case("12_duplicates", "jsonl", records=8, dropped={"duplicate": 1 + 3}),
    Case("13_entities", "jsonl"),
    Case(
        "14_line_noise",
        "jsonl",
        records=6,
        bad={"not_json": 1, "not_object": 3},
        repaired={"bom": 1, "crlf": 3, "nul": 1, "utf8": 1},
    ),
    Case("19_num_comments_stale", "jsonl", dropped={"no_comments": 1}),
    Case(
        "20_image_only",
        "jsonl",
        records=25,
        dropped={"image_only": 4, "post_not_kept": 20},
    ),
    Case("22_bots", "jsonl", records=12, dropped={"bot": 1 + 2, "post_not_kept": 5}),
    Case("23_suffix", "plain.zst"),
    Case("23_suffix", "gz", format="gzip"),
    Case("23_suffix", "gz.zst", format="gzip"),
    Case("23_suffix", "bz2", format="bzip2"),
    Case("23_suffix", "xz", format="xz"),
    Case("23_suffix", "array.json", format="json"),
    Case("23_suffix", "api.json", format="json"),
    Case(
        "25_mixed_window",
        "jsonl",
        threads=3,
        records=35,
        dropped={"other_subreddit": 2, "outside_window": 2, "post_not_kept": 20},
    ),
)


def files(name: str, suffix: str) -> tuple[Path, Path]:
    (posts,) = CASES.glob(f"{name}_submissions.*")
    return posts, CASES / f"{name}_comments.{suffix}"


def dropped(manifest: Manifest) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in manifest.funnel:
        counts[row.reason] += row.dropped
    return +counts


@pytest.mark.parametrize("case", TABLE, ids=lambda case: f"{case.name}.{case.comments}")
def test_a_faulty_dump_gives_its_threads_and_an_account(
    case: Case, tmp_path: Path
) -> None:
    posts, comments = files(case.name, case.comments)

    manifest = build(find_dump([posts], [comments]), tmp_path)

    complete = manifest.statistics.complete
    assert complete.threads == case.threads
    assert complete.questions == complete.answered == 3 * case.threads
    assert manifest.statistics.answered.threads == case.threads
    assert dropped(manifest) == case.dropped
    read = manifest.inputs[1]
    assert read.records == case.records
    assert read.bad == case.bad
    assert read.repaired == case.repaired
    assert read.format == case.format
    assert read.cut_at is None
    assert not manifest.partial


def threads(name: str, out: Path) -> list[Thread]:
    posts, comments = files(name, "jsonl" if not name.startswith("05") else "zst")
    build(find_dump([posts], [comments]), out)
    return read_records(out / "complete.jsonl", Thread)


def test_entities_are_undone_once_and_no_address_is_left(tmp_path: Path) -> None:
    (thread,) = threads("13_entities", tmp_path)
    text = " ".join(turn.question + (turn.answer or "") for turn in thread.turns)

    assert "&gt;" in text
    assert "&amp;" not in text
    for trace in ("http", "www", "#x200B", "\u200b", "\ufeff", "\u00a0", "]("):
        assert trace not in text
    assert text.count("(") == text.count(")")


def test_no_character_is_lost_between_two_blocks(tmp_path: Path) -> None:
    (thread,) = threads("05_utf8_boundary", tmp_path)

    assert "\ufffd" not in "".join(turn.question for turn in thread.turns)


def test_what_only_speaks_of_removing_is_kept(tmp_path: Path) -> None:
    first = {t.turns[0].question for t in threads("11_removal_markers", tmp_path)}

    assert any("Removed my appendix" in question for question in first)
    assert any("[removed]" in question for question in first)


def test_every_trap_among_the_flairs_is_avoided() -> None:
    traps = json.loads((CASES / "18_flair_traps.json").read_text(encoding="utf-8"))
    wrong = [
        flair
        for flair, is_physician in traps
        if (role_of(flair) == "physician") != bool(is_physician)
    ]

    assert wrong == []


def test_a_debatable_flair_is_a_physicians_only_where_that_is_asked_for() -> None:
    flairs = json.loads((CASES / "18_flair_policy.json").read_text(encoding="utf-8"))
    asked = [
        role_of(
            flair,
            physicians_also=(
                "dentist",
                "podiatrist",
                "bare_specialty",
                "intern",
                "altdoc",
            ),
        )
        for flair in flairs
    ]

    assert "physician" not in [role_of(flair) for flair in flairs]
    for flair, role in zip(flairs, asked, strict=True):
        assert role == ("student" if "Student" in flair else "physician"), flair
