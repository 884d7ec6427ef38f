import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from report.study_factory import dataset_manifest
from threadmed.dataset.datasheet import datasheet
from threadmed.dataset.manifest import (
    BothStatistics,
    FunnelStep,
    Manifest,
    Statistics,
)
from threadmed.dataset.options import BuildOptions
from threadmed.records import Thread, ThreadId, Turn
from threadmed.store import write_json, write_parquet, write_records, write_text

THREADS = [
    Thread(
        thread_id=ThreadId("THREAD_0001"),
        turns=(
            Turn(
                question="Is it \u201cnormal\u201d?\n\n| a, b |", answer="Yes.\nIt is."
            ),
            Turn(question="Really?", answer=None),
            Turn(question="---\nthanks: yes", answer="Yes."),
        ),
    ),
    Thread(
        thread_id=ThreadId("THREAD_0002"),
        turns=tuple(Turn(question=f"q{n}", answer=f"a{n}") for n in range(3)),
    ),
]


def changed_manifest(**changes: Any) -> Manifest:
    return msgspec.structs.replace(dataset_manifest(40), **changes)


def write_folder(root: Path, threads: list[Thread]) -> None:
    """Write what a build writes, so that no file beside the tables disturbs."""
    answered = [t for t in threads if all(turn.answer for turn in t.turns)]
    manifest = dataset_manifest(40)
    for name, those in (("complete", threads), ("answered", answered)):
        write_records(root / f"{name}.jsonl", those)
        write_parquet(root / f"{name}.parquet", those)
    write_json(root / "manifest.json", manifest)
    write_text(
        root / "flair_census.csv", "flair,role,comments\nPhysician,physician,3\n"
    )
    write_text(root / "README.md", datasheet(manifest))


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Load a subset as a user of `datasets` does, without a network."""
    # Read once, where the library is first imported.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()

    def load_subset(root: Path, *name: str) -> Any:
        return datasets.load_dataset(
            str(root), *name, split="test", cache_dir=str(tmp_path / "cache")
        )

    return load_subset


def test_the_library_of_the_hub_reads_the_folder_as_it_was_written(
    tmp_path: Path, load: Any
) -> None:
    write_folder(tmp_path / "data", THREADS)
    complete = load(tmp_path / "data", "complete")
    answered = load(tmp_path / "data", "answered")

    written = msgspec.json.decode(msgspec.json.encode(THREADS))
    assert list(complete) == written
    assert list(answered) == written[1:]


def test_without_a_name_the_library_gives_the_complete_threads(
    tmp_path: Path, load: Any
) -> None:
    write_folder(tmp_path / "data", THREADS)

    assert len(load(tmp_path / "data")) == 2


def test_a_subset_without_a_thread_is_not_offered(tmp_path: Path, load: Any) -> None:
    write_folder(tmp_path / "data", THREADS[:1])
    both = dataset_manifest(40).statistics
    none = msgspec.structs.replace(both.answered, threads=0)
    text = datasheet(
        changed_manifest(statistics=msgspec.structs.replace(both, answered=none))
    )
    write_text(tmp_path / "data" / "README.md", text)

    assert [config["config_name"] for config in header(text)["configs"]] == ["complete"]
    assert len(load(tmp_path / "data")) == 1


def test_the_library_reads_ids_too(tmp_path: Path, load: Any) -> None:
    line = {
        "thread_id": "THREAD_0001",
        "post": "zz1",
        "turns": [{"questions": [], "answers": ["zz2", "zz3"]}],
    }
    write_text(tmp_path / "data" / "ids.jsonl", msgspec.json.encode(line).decode())
    text = datasheet(changed_manifest(release="ids"))
    write_text(tmp_path / "data" / "README.md", text)

    assert list(load(tmp_path / "data")) == [line]


def header(text: str) -> dict[str, Any]:
    import yaml

    _, head, _ = text.split("---\n", maxsplit=2)
    return yaml.safe_load(head)


def test_the_header_says_what_a_hub_asks_for() -> None:
    head = header(datasheet(dataset_manifest(40)))

    assert head["license"] == "other"
    assert head["language"] == ["en"]
    assert head["size_categories"] == ["1K<n<10K"]  # 1,533 threads
    assert [config["config_name"] for config in head["configs"]] == [
        "complete", "answered",
    ]  # fmt: skip
    assert [config.get("default", False) for config in head["configs"]] == [True, False]
    assert "synthetic" not in head["tags"]


def test_the_numbers_are_the_manifests() -> None:
    text = datasheet(dataset_manifest(40))

    assert "1,533 conversations between patients and physicians on r/AskDocs" in text
    assert "| share answered | 78.4% | 100.0% |" in text  # 4,100 of 5,230
    assert "| tokens in a question | mean 121.4, median 70," in text
    assert "| 2021 | 20,000 | 1,000 | 40 |" in text
    assert "| 4 | 631 | 40 |" in text
    assert "| phone numbers | 3 |" in text
    assert "physician 9,181 (2 flairs)" in text
    assert (
        "- keep posts: 41,870 posts came in, 3,916 were dropped (deleted 3,004, "
        "too few words 900, bot 6, other reasons 6), 37,954 stayed.\n"
    ) in text


def test_every_section_of_a_datasheet_is_there_in_order() -> None:
    headings = re.findall(r"^## (.+)$", datasheet(dataset_manifest(40)), re.MULTILINE)

    assert headings == [
        "In short",
        "Motivation",
        "Composition",
        "Collection",
        "Preprocessing",
        "Uses",
        "Distribution",
        "Maintenance",
    ]


def test_only_what_differs_from_the_defaults_is_listed() -> None:
    default = datasheet(dataset_manifest(40))
    options = BuildOptions(
        seed=7, roles="clinician", physicians_also=("dentist",), select_first=False
    )
    text = datasheet(changed_manifest(options=options))
    listed = re.search(r"```toml\n(.*?)```", text, re.DOTALL)

    assert "All options are at their defaults." in default
    assert "--config" not in default
    assert listed is not None
    assert set(listed[1].splitlines()) == {
        'roles = "clinician"',
        'physicians_also = ["dentist"]',
        "select_first = false",
        "seed = 7",
    }
    assert "--out FOLDER --config build.toml\n" in text
    assert "between patients and health professionals" in text


def test_the_options_listed_are_a_build_toml_that_gives_them_back() -> None:
    import datetime as dt

    options = BuildOptions(
        subreddit='a "b"', window_end=dt.date(2024, 1, 1), max_removed_share=0.25
    )
    text = datasheet(changed_manifest(options=options))
    listed = re.search(r"```toml\n(.*?)```", text, re.DOTALL)

    assert listed is not None
    assert msgspec.toml.decode(listed[1].encode(), type=BuildOptions) == options


def test_names_of_accounts_and_flairs_stay_out() -> None:
    options = BuildOptions(
        known_bots=("some_account",), flair_roles={"Dr. Some Body": "physician"}
    )
    text = datasheet(changed_manifest(options=options))

    assert "# known_bots: 1 entry\n" in text
    assert "# flair_roles: 1 entry\n" in text
    assert "some_account" not in text
    assert "Some Body" not in text
    assert "Moderator" not in text  # a flair of the census


def test_an_invented_dump_is_called_so_at_the_top_and_in_the_header() -> None:
    text = datasheet(dataset_manifest(40), invented=True)

    assert "**Everything in here is invented.**" in text
    assert text.index("invented") < text.index("## In short")
    assert "synthetic" in header(text)["tags"]
    assert "belong to those who wrote them" not in text
    assert "invented" not in datasheet(dataset_manifest(40))


def test_a_release_of_ids_says_how_to_get_the_words() -> None:
    text = datasheet(changed_manifest(release="ids"))
    head = header(text)

    assert [config["config_name"] for config in head["configs"]] == ["ids"]
    assert "threadmed hydrate" in text
    assert "`ids.jsonl`" in text
    assert "--release ids" in text
    assert "complete.parquet" not in text
    assert "No user name, id, address" not in text
    assert "threadmed hydrate" not in datasheet(dataset_manifest(40))


def test_threads_made_again_do_not_promise_what_the_build_gave() -> None:
    row = FunnelStep(step="hydrate", reason="", unit="threads", dropped=0, threads=9)
    funnel = (*dataset_manifest(40).funnel, row)
    text = datasheet(changed_manifest(funnel=funnel))

    assert "- hydrate: 9 threads came in, 0 were dropped, 9 stayed.\n" in text
    assert "made again from an ids-only release" in text
    assert "of them fully answered" not in text
    assert "of them fully answered" in datasheet(dataset_manifest(40))


def test_a_partial_build_says_so_and_how_to_repeat_it() -> None:
    text = datasheet(changed_manifest(partial=True))

    assert "**This build is partial.**" in text
    assert "--allow-partial\n" in text
    assert "partial" not in datasheet(dataset_manifest(40))


def test_an_empty_dataset_has_a_datasheet_too() -> None:
    none = Statistics(
        threads=0,
        questions=0,
        answered=0,
        answered_share=None,
        turns=None,
        turn_counts=(),
        tokens_question=None,
        tokens_answer=None,
    )
    text = datasheet(
        changed_manifest(
            statistics=BothStatistics(complete=none, answered=none),
            years=(),
            flair=(),
            funnel=(),
            scrubbed={},
            inputs=(),
        )
    )

    assert "| share answered | none | none |" in text
    assert "nothing of the kind was found" in text
    assert "No flair was met." in text
    assert header(text)["size_categories"] == ["n<1K"]
    assert "configs" not in header(text)
    assert not re.search(r"\n{3,}", text)


def test_what_a_file_is_called_cannot_draw_in_the_page() -> None:
    file = dataset_manifest(40).inputs[0]
    name = "a`|<img src=x>\n# b.zst"
    manifest = changed_manifest(
        inputs=(msgspec.structs.replace(file, name=name),),
        options=BuildOptions(subreddit="A: [b](c) <script>"),
        scrubbed={"a|b": 1},
    )
    text = datasheet(manifest)

    # In a block of code nothing is markup.
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL).replace("1K<n<10K", "")
    assert "<" not in prose
    assert "\n# b.zst" not in text
    assert "| ab | 1 |" in text
    assert header(text)["pretty_name"] == (
        "Patient-physician threads of r/A: b(c) script"
    )


def test_the_same_manifest_gives_the_same_text_whatever_the_order_of_its_counts() -> (
    None
):
    one = changed_manifest(scrubbed={"user": 1, "phone": 2})
    two = changed_manifest(scrubbed={"phone": 2, "user": 1})

    assert datasheet(one) == datasheet(two)


def test_input_files_are_told_by_their_hashes() -> None:
    assert f"| `posts.zst` | posts | 41,870 | `{'e' * 64}` |" in datasheet(
        dataset_manifest(40)
    )
