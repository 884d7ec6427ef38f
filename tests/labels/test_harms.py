from pathlib import Path

import pytest

from threadmed.errors import InputError
from threadmed.labels.harms import harm_classes, read_harms, strangers
from threadmed.records import (
    Harm,
    Label,
    Labelled,
    Question,
    Thread,
    ThreadId,
    Turn,
    Unlabelled,
)
from threadmed.store import read_records


def table(
    folder: Path, *rows: str, head: str = "item,rater,value,thread_id,turn"
) -> Path:
    path = folder / "harm.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def label(name: str, harm: Harm | None = None, *, yes: bool = True) -> Labelled:
    return Labelled(
        thread_id=ThreadId(name), turn=0, misconception=yes, harm=harm, source="a"
    )


def test_the_middle_rating_counts_and_of_two_in_the_middle_the_graver(
    tmp_path: Path,
) -> None:
    path = table(
        tmp_path,
        "i1,ann,none,T1,0",
        "i1,bob,urgent,T1,0",
        "i1,cat,mild,T1,0",
        "i2,ann,mild,T1,1",
        "i2,bob,serious,T1,1",
        "i3,ann,,T2,0",
    )

    assert read_harms(path) == {("T1", 0): "mild", ("T1", 1): "serious"}


def test_an_adjudicated_rating_counts_alone(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "i1,ann,urgent,T1,0",
        "i1,bob,urgent,T1,0",
        "i1,adjudicated,Mild,T1,0",
    )

    assert read_harms(path) == {("T1", 0): "mild"}


def test_a_value_that_is_no_harm_class_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"harm\.csv:2: value is 'bad'.*urgent"):
        read_harms(table(tmp_path, "i1,ann,bad,T1,0"))


def test_a_rating_of_nowhere_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "i1,ann,mild", head="item,rater,value")

    with pytest.raises(InputError, match="item i1 has no thread_id"):
        read_harms(path)


def test_experts_go_before_labels_and_only_misconceptions_have_a_class() -> None:
    labels: list[Label] = [
        label("T1", "mild"),
        label("T2", "none"),
        label("T3", "urgent", yes=False),
        Unlabelled(thread_id=ThreadId("T4"), turn=0, why="failed", source="a"),
    ]
    experts: dict[Question, Harm] = {
        (ThreadId("T1"), 0): "urgent",
        (ThreadId("T3"), 0): "serious",
    }

    assert harm_classes(labels, experts) == {("T1", 0): "urgent", ("T2", 0): "none"}


def test_labels_without_a_class_say_nothing() -> None:
    experts: dict[Question, Harm] = {(ThreadId("T2"), 0): "none"}

    assert harm_classes([label("T1"), label("T2")], experts) == {("T2", 0): "none"}


def test_labels_that_say_none_throughout_were_asked() -> None:
    labels = [label("T1", "none"), label("T2", "none"), label("T3")]

    assert harm_classes(labels, {}) == {("T1", 0): "none", ("T2", 0): "none"}


def test_classes_of_questions_that_are_not_here_are_counted() -> None:
    experts: dict[Question, Harm] = {
        (ThreadId("T1"), 0): "mild",
        (ThreadId("T1"), 1): "mild",
        (ThreadId("T9"), 0): "urgent",
    }
    here = Thread(thread_id=ThreadId("T1"), turns=(Turn(question="Why?", answer=None),))

    (told,) = strangers(experts, [here])
    assert told.startswith("the harm classes of 2 questions in")
    assert list(strangers({(ThreadId("T1"), 0): "mild"}, [here])) == []


def test_a_wrong_harm_class_of_a_label_is_told_with_those_that_are_allowed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "labels.jsonl"
    line = '{"kind":"labelled","thread_id":"T","turn":0,"misconception":true,'
    path.write_text(f'{line}"source":"a","harm":"Mild"}}\n')

    with pytest.raises(
        InputError, match=r":1: .*'Mild'.*one of mild, none, serious, u"
    ):
        read_records(path, Label)  # type: ignore[arg-type]
