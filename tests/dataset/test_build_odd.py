"""Builds of records, files and folders that nobody would have thought of."""

import json
from pathlib import Path

import pytest

from dump_factory import START, built, comment, post, talk, written
from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.manifest import Manifest
from threadmed.errors import InputError


def reasons(manifest: Manifest) -> dict[str, int]:
    return {row.reason: row.dropped for row in manifest.funnel if row.dropped}


UPPER = ("id", "parent_id", "link_id")


def test_ids_in_any_case_are_one_whatever_stands_beside_them(tmp_path: Path) -> None:
    comments = talk()
    loud = [{**line, **{key: line[key].upper() for key in UPPER}} for line in comments]
    odd = comment("p1_9", "p1", "L", "hm", created_utc=str(START + 9))
    for number, lines in enumerate(
        (comments, loud, [*comments, *loud], [*comments, *loud, odd])
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        manifest, threads = built(folder, [post()], lines)

        assert len(threads) == 1
        assert reasons(manifest).get("duplicate", 0) == (5 if number > 1 else 0)


@pytest.mark.parametrize("value", [10**30, 2**63, 1e300, "1e300", -(10**18)])
@pytest.mark.parametrize("field", ["created_utc", "retrieved_on", "num_comments"])
def test_a_number_that_cannot_be_ends_no_build(
    field: str, value: object, tmp_path: Path
) -> None:
    odd = comment("p1_9", "p1", "L", "hm", **{field: value})
    posts = [post(), post("p2", **{field: value})]
    manifest, threads = built(tmp_path, posts, [*talk(), odd])

    assert len(threads) == 1
    bad = [file.bad for file in manifest.inputs]
    assert bad == [{"no_time": 1}] * 2 if field == "created_utc" else bad == [{}, {}]


def test_a_cut_array_is_refused_or_used_and_marked(tmp_path: Path) -> None:
    posts = written(tmp_path / "RS", [post()])
    cut = tmp_path / "RC.json"
    cut.write_text(json.dumps(talk(), indent=1)[:-40])

    with pytest.raises(InputError, match=r"RC.json: is truncated or corrupt"):
        build(find_dump([posts], [cut]), tmp_path / "out")
    manifest = build(find_dump([posts], [cut], allow_partial=True), tmp_path / "out")

    assert manifest.partial
    assert manifest.inputs[1].records == 4


def test_a_name_that_only_an_older_copy_has_is_scrubbed_too(tmp_path: Path) -> None:
    comments = talk()
    old = {**comments[0], "author": "Jane_Old", "retrieved_on": 5}
    comments[0]["retrieved_on"] = 9
    comments[1]["body"] = "thanks jane_old, how long"
    _, threads = built(tmp_path, [post()], [*comments, old])

    assert threads[0].turns[1].question == "thanks [user], how long"


@pytest.mark.parametrize(
    "name", ["text-generation", "cl100k_base", "title_and_body", "multi-turn"]
)
def test_a_user_named_like_a_word_of_the_program_ends_no_build(
    name: str, tmp_path: Path
) -> None:
    comments = [
        {**line, "author": name} if line["author"] == "user_D" else line
        for line in talk()
    ]

    assert len(built(tmp_path, [post()], comments)[1]) == 1


def test_a_flair_that_holds_an_id_or_a_time_ends_no_build(tmp_path: Path) -> None:
    comments = [
        {**line, "author_flair_text": f"Physician p1_1 {START + 1}"}
        if line["author"] == "user_D" else line
        for line in talk()
    ]  # fmt: skip
    comments[0]["id"] = "p1q1"
    comments[1]["parent_id"] = "t1_p1q1"
    for line in comments[::2]:
        line["author_flair_text"] = f"Physician p1q1 {START + 1}"
    manifest, _ = built(tmp_path, [post()], comments)

    assert manifest.flair[0].flair == "Physician [id] [time]"


def test_what_a_flair_role_names_is_scrubbed_in_the_manifest(tmp_path: Path) -> None:
    manifest, _ = built(
        tmp_path, [post()], talk(), flair_roles={"Doc, jane@x.org": "physician"}
    )

    assert list(manifest.options.flair_roles) == ["Doc, [e-mail]"]


def test_a_folder_in_the_place_of_a_file_is_seen_before_anything_is_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "out" / "complete.jsonl").mkdir(parents=True)

    with pytest.raises(InputError, match="complete.jsonl: is a folder"):
        built(tmp_path, [post()], talk())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["complete.jsonl"]
