"""The demo's study fits the bundled sample; the demo itself takes minutes."""

import tomllib
from importlib.resources import files

import msgspec

from threadmed.dataset.sample import sample_folder
from threadmed.records import Labelled
from threadmed.store import read_records
from threadmed.study import Study


def demo_study() -> Study:
    text = files("threadmed.cli").joinpath("demo.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Study)


def test_the_demo_takes_threads_of_the_sample_with_enough_misconceptions() -> None:
    study = demo_study()

    marked = [
        label
        for label in read_records(sample_folder() / "labels.jsonl", Labelled)
        if label.thread_id in study.select.thread_ids and label.misconception
    ]
    assert {label.thread_id for label in marked} == set(study.select.thread_ids)
    # Fewer than five scored items would give counts and no rate to look at.
    assert len(marked) >= 5
    assert any(label.turn == 0 for label in marked)


def test_the_demo_says_that_it_is_no_evidence() -> None:
    assert demo_study().notice.startswith("Demonstration, not evidence")


def test_the_demo_needs_no_key_and_no_network() -> None:
    assert all(entry.model.startswith("embedded:") for entry in demo_study().models)
