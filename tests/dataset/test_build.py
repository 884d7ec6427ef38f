import csv
import gc
import gzip
import json
import random
from pathlib import Path

import polars as pl
import pytest

from dump_factory import START, built, comment, post, talk, written
from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.manifest import Manifest
from threadmed.dataset.privacy.known import Known, together
from threadmed.dataset.release import refuse_leaks
from threadmed.dataset.sample import sample_folder
from threadmed.errors import InputError
from threadmed.records import Thread
from threadmed.store import read_json, read_records

FILES = {
    "complete.jsonl",
    "complete.parquet",
    "answered.jsonl",
    "answered.parquet",
    "README.md",
    "flags.jsonl",
    "funnel.csv",
    "flair_census.csv",
    "manifest.json",
}


def words(threads: list[Thread]) -> list[tuple[str, str | None]]:
    return [(turn.question, turn.answer) for turn in threads[0].turns]


def reasons(manifest: Manifest) -> dict[str, int]:
    return {row.reason: row.dropped for row in manifest.funnel if row.dropped}


def test_a_dump_becomes_a_folder_of_threads(tmp_path: Path) -> None:
    manifest, threads = built(tmp_path, [post()], talk())

    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert words(threads) == [
        ("Pain in my knee\n\nIt hurts when I run", "rest the knee"),
        ("how long", "a week"),
        ("and then", "slowly again"),
    ]
    assert manifest.statistics.answered.threads == 1
    assert read_json(tmp_path / "out" / "manifest.json", Manifest) == manifest


def test_parquet_holds_what_the_lines_hold(tmp_path: Path) -> None:
    built(tmp_path, [post("p1"), post("p2")], [*talk("p1"), *talk("p2")[:-1]])

    for name, count in (("complete", 2), ("answered", 1)):
        lines = (tmp_path / "out" / f"{name}.jsonl").read_text("utf-8").splitlines()
        table = pl.read_parquet(tmp_path / "out" / f"{name}.parquet")
        assert table.to_dicts() == [json.loads(line) for line in lines]
        assert len(lines) == count


def test_a_thread_has_one_name_in_both_sets(tmp_path: Path) -> None:
    posts = [post(f"p{n}") for n in range(9)]
    comments = [line for n in range(9) for line in talk(f"p{n}")[: 5 - n % 2]]
    _, complete = built(tmp_path, posts, comments)
    answered = read_records(tmp_path / "out" / "answered.jsonl", Thread)

    assert len(answered) == 5
    assert set(answered) < set(complete)
    assert [one.thread_id for one in complete] == sorted(t.thread_id for t in complete)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_records_and_files_changes_no_byte(
    seed: int, tmp_path: Path
) -> None:
    shuffle = random.Random(seed).sample
    posts = [post(f"p{n}") for n in range(6)]
    posts += [post("p2", selftext="new and long enough", retrieved_on=9)]
    comments = [line for n in range(6) for line in talk(f"p{n}")]
    comments += [{**comments[0], "author_flair_text": None}]
    built(tmp_path, posts, comments)
    mixed = shuffle(comments, len(comments))
    parts = [
        written(tmp_path / "a.jsonl", mixed[:11]),
        written(tmp_path / "b.jsonl", mixed[11:]),
    ]

    build(
        find_dump(
            [written(tmp_path / "c.jsonl", shuffle(posts, len(posts)))],
            shuffle(parts, 2),
        ),
        tmp_path / "again",
    )

    for name in FILES - {"manifest.json", "README.md"}:
        ours, theirs = tmp_path / "out" / name, tmp_path / "again" / name
        assert ours.read_bytes() == theirs.read_bytes(), name


def test_every_row_of_the_funnel_follows_from_the_one_before(tmp_path: Path) -> None:
    sample = sample_folder()
    manifest = build(
        find_dump(
            [sample / "AskDocs_submissions.zst"], [sample / "AskDocs_comments.zst"]
        ),
        tmp_path,
    )
    left = 0
    for row in manifest.funnel:
        counts = {"posts": row.posts, "comments": row.comments, "threads": row.threads}
        now = counts.pop(row.unit)
        assert now is not None
        assert set(counts.values()) == {None}
        if row.reason:
            assert row.dropped > 0
            assert now == left - row.dropped
        left = now
    ends = {row.step: row for row in manifest.funnel}

    assert ends["keep threads"].threads == manifest.statistics.complete.threads
    assert ends["fully answered"].threads == manifest.statistics.answered.threads
    assert ends["select branch"].posts == manifest.funnel[0].posts - sum(
        row.dropped for row in manifest.funnel if row.unit == "posts"
    )


def test_an_interrupted_build_leaves_what_was_there_before(tmp_path: Path) -> None:
    built(tmp_path, [post()], talk())
    out = tmp_path / "out"
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def interrupt(_what: str, _done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(
            find_dump([tmp_path / "RS.jsonl"], [tmp_path / "RC.jsonl"]),
            out,
            progress=interrupt,
        )

    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert gc.isenabled()


def test_a_folder_that_cannot_be_is_an_error_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "out").write_text("a file")

    with pytest.raises(InputError, match="is there already and is no folder"):
        built(tmp_path, [post()], talk())
    assert (tmp_path / "out").read_text() == "a file"


def test_a_build_needs_both_sides(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least one file of posts and one of"):
        find_dump([], [written(tmp_path / "c", talk())])


def test_a_cut_file_is_refused_or_used_and_marked(tmp_path: Path) -> None:
    posts = written(tmp_path / "p", [post()])
    lines = talk() + [comment(f"q_{n}", "q", "L", str(n**50)) for n in range(3_000)]
    packed = gzip.compress(written(tmp_path / "c", lines).read_bytes())
    cut = tmp_path / "RC.gz"
    cut.write_bytes(packed[:-5_000])

    with pytest.raises(InputError, match=r"RC\.gz: is truncated"):
        build(find_dump([posts], [cut]), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    manifest = build(find_dump([posts], [cut], allow_partial=True), tmp_path / "out")

    assert manifest.partial
    assert manifest.inputs[1].cut_at == len(packed) - 5_000
    assert manifest.statistics.complete.threads == 1


def test_nothing_that_is_written_leads_back_to_a_post_or_a_person(
    tmp_path: Path,
) -> None:
    posts = [
        post(
            "zzq9",
            title="Pain of zzq9",
            selftext="I asked u/jo_doe and jo@mail.example.org before",
        )
    ]
    comments = talk("zzq9")
    comments[1]["body"] = "as in https://reddit.com/r/AskDocs/comments/zzq9 by @jo_doe"
    manifest, threads = built(tmp_path, posts, comments)
    everything = b"".join(
        path.read_bytes()
        for path in (tmp_path / "out").iterdir()
        if path.suffix != ".parquet"
    ).decode()

    for trace in ("patient_zzq9", "user_D", "jo_doe", "mail.example", str(START)[:8],
                  "reddit.com", str(tmp_path)):  # fmt: skip
        assert trace not in everything
    assert "zzq9" not in everything
    assert manifest.scrubbed == {"e-mail": 1, "handle": 1, "id": 1, "user": 1}
    assert words(threads)[1][0] == "as in by [handle]"


def test_a_user_name_in_a_flair_does_not_stand_in_the_census(tmp_path: Path) -> None:
    flair = "Physician | dr_joe77"
    comments = [
        {**line, "author": "Dr_Joe77", "author_flair_text": flair}
        if line["author"] == "user_D" else line
        for line in talk()
    ]  # fmt: skip
    manifest, _ = built(tmp_path, [post()], comments)

    assert [row.flair for row in manifest.flair] == ["Physician | [user]", ""]
    assert manifest.flair[0].role == "physician"


def test_a_trace_of_a_person_in_any_file_is_an_error_that_does_not_repeat_it(
    tmp_path: Path,
) -> None:
    """The audit shares no rule with the scrubbing, whose gap is played here."""
    known = {"THREAD_0001": Known(accounts=frozenset({"jo_doe"}))}
    lines = tmp_path / "complete.jsonl"
    lines.write_text('{"thread_id": "THREAD_0001", "turns": ["Jo_Doe said"]}\n')
    page = tmp_path / "README.md"
    page.write_text("by jo_doe\n")
    places = {path.name: path for path in (lines, page)}

    with pytest.raises(InputError) as caught:
        refuse_leaks(places, known, together(known.values()), frozenset())
    refuse_leaks(places, known, together(known.values()), frozenset({"jo_doe"}))

    assert "found 2 traces" in str(caught.value)
    assert "complete.jsonl:1: user name; README.md:1: user name" in str(caught.value)
    assert "jo_doe" not in str(caught.value).lower()


def test_the_census_names_every_flair_and_its_role(tmp_path: Path) -> None:
    comments = [*talk(), comment("p1_8", "p1", "N", "me too"),
                comment("p1_9", "p1", "L", "hm")]  # fmt: skip
    manifest, _ = built(tmp_path, [post()], comments)
    with (tmp_path / "out" / "flair_census.csv").open(newline="") as file:
        rows = list(csv.reader(file))

    assert rows == [
        ["flair", "role", "comments"],
        ["", "lay", "3"],
        ["Physician", "physician", "3"],
        ["Registered Nurse", "clinician", "1"],
    ]
    assert [one.comments for one in manifest.flair] == [3, 3, 1]


def test_a_nurse_answers_only_where_clinicians_do(tmp_path: Path) -> None:
    comments = talk()
    comments[2] = comment("p1_3", "p1_2", "N", "a fortnight")

    manifest, threads = built(tmp_path, [post()], comments)
    assert words(threads)[1] == ("how long", None)
    assert reasons(manifest) == {"unanswered_question": 1}
    _, threads = built(tmp_path, [post()], comments, roles="clinician")
    assert words(threads)[1] == ("how long", "a fortnight")


def test_a_role_can_be_given_to_a_flair_by_hand(tmp_path: Path) -> None:
    comments = [
        {**line, "author_flair_text": line["author_flair_text"] and "Top Doc"}
        for line in talk()
    ]

    manifest, threads = built(tmp_path, [post()], comments)
    assert threads == []
    assert reasons(manifest) == {"no_physician": 1}
    _, threads = built(
        tmp_path, [post()], comments, flair_roles={"Top Doc": "physician"}
    )
    assert len(threads) == 1


def test_the_first_question_may_be_the_body_alone(tmp_path: Path) -> None:
    _, threads = built(tmp_path, [post()], talk(), text="body")
    assert words(threads)[0][0] == "It hurts when I run"
    untitled = post(selftext="", title="My knee hurts when I run")
    _, threads = built(tmp_path, [untitled], talk())
    assert words(threads)[0][0] == "My knee hurts when I run"


def test_more_bots_can_be_named(tmp_path: Path) -> None:
    manifest, threads = built(tmp_path, [post()], talk(), known_bots=("USER_D",))

    assert threads == []
    assert reasons(manifest) == {"bot": 3, "no_physician": 1}


def test_comments_of_no_use_are_counted_each_with_its_reason(tmp_path: Path) -> None:
    comments = [
        *talk(),
        comment("p1_6", "p1_3", "L", "[removed]"),
        comment("p1_7", "p1_77", "L", "who"),
        comment("p1_8", "p1_3", "D", "&amp;#x200B;"),
        comment("p2_1", "p2", "L", "elsewhere"),
        comment("p1_9", "p1_3", "L", "hm", author="AutoModerator"),
        comment("p1_10", "p1_3", "L", "hm", author="[deleted]"),
    ]
    manifest, _ = built(tmp_path, [post()], comments)

    assert reasons(manifest) == {
        "removed": 1,
        "detached": 1,
        "empty": 1,
        "post_not_kept": 1,
        "bot": 1,
        "author_deleted": 1,
    }


def test_a_branch_under_a_bot_counts_and_the_bots_words_do_not(tmp_path: Path) -> None:
    comments = talk()
    comments[0]["parent_id"] = "t1_p1_0"
    bot = comment("p1_0", "p1", "L", "Welcome, knee", author="AutoModerator")
    _, threads = built(tmp_path, [post()], [bot, *comments])

    assert words(threads)[0][1] == "rest the knee"


def test_what_a_rule_decided_is_counted(tmp_path: Path) -> None:
    comments = talk()
    comments[1] |= {"author": "other_name", "is_submitter": True}
    comments[3] |= {"author_flair_text": "Physician", "edited": 1_600_000_100}
    rival = comment("p1_8", "p1", "D", "no")
    manifest, threads = built(tmp_path, [post(edited=True)], [*comments, rival])

    assert [question for question, _ in words(threads)][1:] == ["how long", "and then"]
    assert manifest.observed == {
        "edited_comments": 1,
        "edited_posts": 1,
        "patient_under_other_name": 1,
        "patient_with_answering_flair": 1,
        "rival_branches": 1,
    }


def test_words_of_a_patient_whose_account_is_gone_are_still_the_patients(
    tmp_path: Path,
) -> None:
    comments = talk()
    comments[1] |= {"author": "[deleted]", "is_submitter": True}
    _, threads = built(tmp_path, [post()], comments)

    assert words(threads)[1] == ("how long", "a week")


def test_a_deleted_message_of_the_patient_drops_the_thread(tmp_path: Path) -> None:
    comments = talk()
    comments[1] |= {"author": "[deleted]", "body": "[deleted]"}

    manifest, threads = built(tmp_path, [post()], comments)
    assert threads == []
    assert reasons(manifest)["patient_perhaps_deleted"] == 1


def test_records_without_a_post_are_bad_and_counted(tmp_path: Path) -> None:
    manifest, _ = built(
        tmp_path, [post()], [*talk(), comment("p1_7", "p1", "L", "x", link_id=None)]
    )

    assert manifest.inputs[1].bad == {"no_post": 1}
    assert manifest.inputs[1].examples == ("no_post at RC.jsonl:6",)


def test_a_build_can_be_watched(tmp_path: Path) -> None:
    seen = []
    build(
        find_dump(
            [written(tmp_path / "RS", [post()])], [written(tmp_path / "RC", talk())]
        ),
        tmp_path / "out",
        progress=lambda *at: seen.append(at),
    )

    assert {what for what, _, _ in seen} == {"reading RS", "reading RC"}
    assert all(done == total for _, done, total in seen)
