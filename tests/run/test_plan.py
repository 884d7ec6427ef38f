"""A plan beside the run that it foresees."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study_factory import STUDY, Scripts, say, thread, write_study
from threadmed.errors import ModelError, StudyError
from threadmed.llm.model import ChatModel, Request, ScriptedModel
from threadmed.records import SETTINGS, Labelled, Model, Setting, Stage, Thread
from threadmed.run import run
from threadmed.run.forecast import Plan, Row
from threadmed.run.plan import plan, plan_path
from threadmed.store import read_json, write_records, write_text
from threadmed.study import Folder, Panel, study_folder

Open = Callable[[Model], ChatModel]

PRICE = "price = { input = 1.0, output = 1.0 }\n"


def foresee(folder: Folder, open_model: Open | None = None) -> Plan:
    return asyncio.run(plan(folder, open_model=open_model or Scripts().open))


def conduct(folder: Folder, open_model: Open, *, only: Stage | None = None) -> None:
    asyncio.run(
        run(
            folder,
            open_model=open_model,
            clock=lambda: 1.0,
            progress=lambda *_: None,
            only=only,
        )
    )


def row_of(made: Plan, stage: Stage, model: str) -> Row:
    (found,) = [row for row in made.rows if (row.stage, row.model) == (stage, model)]
    return found


class Unlike(Scripts):
    """Models that say something else to every request."""

    def open(self, entry: Model) -> ScriptedModel:
        model = super().open(entry)
        scripted = model.answer

        def answer(request: Request) -> str:
            if entry.name not in {"good", "bad"}:
                said = scripted(request)
                assert isinstance(said, str)
                return said
            return f"{entry.name} {hash(request.messages)}"

        model.answer = answer
        return model


def write_own(
    root: Path,
    threads: Sequence[Thread],
    marked: Collection[tuple[str, int]],
    *,
    asked: Sequence[Setting] = ("isolated",),
    more: str = "",
) -> Folder:
    """Write a study of one target that has its labels and one judge."""
    text = (
        'name = "own"\nthreads = "threads.jsonl"\ntargets = ["good"]\n'
        f"settings = {json.dumps(list(asked))}\n"
        '[identify]\nlabels = "reference.jsonl"\n'
        '[panel]\njudges = ["judge-a"]\n'
        + more
        + "".join(
            f'[[models]]\nname = "{name}"\nmodel = "openai:{name}"\n{PRICE}'
            for name in ("good", "judge-a")
        )
    )
    write_text(study_folder(root).study, text)
    write_records(root / "threads.jsonl", threads)
    labels = [
        Labelled(
            thread_id=each.thread_id,
            turn=turn,
            misconception=(each.thread_id, turn) in marked,
            source="reference",
        )
        for each in threads
        for turn in range(len(each.turns))
    ]
    write_records(root / "reference.jsonl", labels)
    return study_folder(root)


@st.composite
def studies(
    draw: st.DrawFn,
) -> tuple[list[Thread], list[tuple[str, int]], list[Setting]]:
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    threads = [thread(f"T{n}", *["A"] * length) for n, length in enumerate(lengths)]
    places = [(each.thread_id, t) for each in threads for t in range(len(each.turns))]
    marked = draw(st.lists(st.sampled_from(places), unique=True))
    asked = draw(
        st.lists(st.sampled_from(SETTINGS), unique=True, min_size=1, max_size=4)
    )
    return threads, [(str(name), turn) for name, turn in marked], asked


INTERVENTIONS = (
    'policy = "first"',
    'policy = "last", act = "flag"',
    'policy = "turns", turns = [0, 2], act = "flag_and_correct"',
    'policy = "random", k = 2',
)
"""All but those that depend on what judges say."""


@st.composite
def arms(draw: st.DrawFn) -> str:
    """Arms, of which those that intervene need multi_turn."""
    drawn = draw(
        st.lists(st.sampled_from(("warn", "recap", *INTERVENTIONS)), max_size=3)
    )
    text = ""
    for number, what in enumerate(drawn):
        way = f"intervention = {{ {what} }}" if "=" in what else f'prompt = "{what}"'
        text += f'[[arms]]\nname = "arm{number}"\n{way}\n'
    return text


@settings(max_examples=40, deadline=None)
@given(studies(), arms())
def test_the_planned_calls_are_those_that_a_run_makes(
    drawn: tuple[list[Thread], list[tuple[str, int]], list[Setting]], more: str
) -> None:
    threads, marked, asked = drawn
    if "intervention" in more and "multi_turn" not in asked:
        asked = [*asked, "multi_turn"]
    with tempfile.TemporaryDirectory() as root:
        folder = write_own(Path(root), threads, marked, asked=asked, more=more)
        before, scripts = foresee(folder), Unlike()

        conduct(folder, scripts.open)

        calls = {name: len(model.requests) for name, model in scripts.models.items()}
        planned = {"good": 0, "judge-a": 0} | {
            row.model: row.calls for row in before.rows
        }
        assert planned == calls
        after = foresee(folder)
        assert sum(row.paid_calls for row in after.rows) == sum(calls.values())
        assert after.to_pay.calls == 0
        assert all(row.naive_calls >= row.calls for row in before.rows)


def test_a_whole_study_is_planned_as_it_is_run(tmp_path: Path) -> None:
    folder, scripts = write_study(tmp_path), Unlike()
    made = foresee(folder)

    conduct(folder, scripts.open)

    planned: dict[str, int] = dict.fromkeys(scripts.models, 0)
    for row in made.rows:
        planned[row.model] += row.calls
    assert planned == {
        name: len(each.requests) for name, each in scripts.models.items()
    }


def test_what_is_spared_adds_up_to_the_naive_calls(tmp_path: Path) -> None:
    made = foresee(write_study(tmp_path))

    # Multi_turn naively goes to the end of both threads with a marked turn: 3 + 4;
    # target_turn and isolated have 3 each, oracle 2.
    answers = row_of(made, "answer", "good")
    assert (answers.naive_calls, answers.calls) == (15, 11)
    # Eleven answers of two targets; that to the marked turn 0 stands in three settings.
    verdicts = row_of(made, "judge", "judge-b")
    assert (verdicts.naive_calls, verdicts.calls) == (22, 18)
    assert {saving.by: saving.calls for saving in made.savings} == {
        "stopping": 2 * 2,
        "sharing": 2 * 2,
        "judging_once": 3 * 4,
    }
    naive = sum(row.naive_calls for row in made.rows)
    spared = sum(saving.calls for saving in made.savings)
    assert naive - spared == sum(row.calls for row in made.rows)


def test_tokens_are_counted_on_the_messages_as_they_are_sent(tmp_path: Path) -> None:
    one = thread("T", "A", "A")
    folder = write_own(tmp_path, [one], {("T", 1)}, asked=["multi_turn"])

    answers = row_of(foresee(folder), "answer", "good")

    # "Question 0 of T?" has 6 tokens and each message 4 around it. Turn 1 has two
    # questions, and an answer of 450 tokens between them, or of 1,024 at most.
    assert answers.to_pay.tokens_in == (6 + 4) + (6 + 4 + 450 + 4 + 6 + 4)
    assert answers.to_pay.tokens_out == 2 * 450
    assert answers.to_pay.usd == pytest.approx((484 + 900) / 1e6)
    assert answers.at_most.tokens_in == (6 + 4) + (6 + 4 + 1024 + 4 + 6 + 4)
    assert answers.at_most.tokens_out == 2 * 1024


def test_a_judge_reads_the_answer_and_may_be_asked_twice(tmp_path: Path) -> None:
    folder = write_own(tmp_path, [thread("T", "A")], {("T", 0)})

    verdicts = row_of(foresee(folder), "judge", "judge-a")

    assert verdicts.to_pay.calls == 1
    assert verdicts.at_most.calls == 2
    # The second asking shows the unreadable reply, of 512 tokens, again.
    longer = 1024 - 450
    least = 2 * (verdicts.to_pay.tokens_in + longer) + 512
    assert least < verdicts.at_most.tokens_in < least + 60
    assert verdicts.at_most.tokens_out == 2 * 512


def test_a_reasoning_model_is_expected_to_write_more_than_it_shows(
    tmp_path: Path,
) -> None:
    folder = write_own(tmp_path, [thread("T", "A", "A")], {("T", 1)}, asked=SETTINGS)
    plain = row_of(foresee(folder), "answer", "good")
    folder.study.write_text(
        folder.study.read_text().replace('"openai:good"', '"openai:gpt-5"')
    )

    made = foresee(folder)

    answers = row_of(made, "answer", "good")
    assert answers.to_pay.tokens_out == plain.to_pay.tokens_out + 1_000 * answers.calls
    assert answers.to_pay.tokens_in == plain.to_pay.tokens_in
    assert any("of reasoning for good" in line for line in made.assumptions)


def test_without_labels_the_papers_share_carries_a_misconception(
    tmp_path: Path,
) -> None:
    text = STUDY.replace('labels = "reference.jsonl"\n', "")
    folder = write_study(tmp_path, text=text)
    write_records(
        tmp_path / "threads.jsonl",
        [thread(f"T{n:03}", "A", "A", "A") for n in range(100)],
    )

    made = foresee(folder)

    assert made.questions == 300
    assert made.misconceptions == round(300 * 604 / 8_204) == 22
    assert row_of(made, "identify", "judge-a").calls == 300
    assert any("as in the paper (604 of 8,204)" in each for each in made.assumptions)


def test_the_smallest_study_is_expected_to_have_one_misconception(
    tmp_path: Path,
) -> None:
    text = STUDY.replace('labels = "reference.jsonl"\n', "")
    folder = write_study(tmp_path, text=text)
    write_records(tmp_path / "threads.jsonl", [thread("T", "A", "A", "A")])

    made = foresee(folder)

    assert made.misconceptions == 1
    assert made.expected_misconceptions == pytest.approx(3 * 604 / 8_204)


def test_questions_that_nobody_is_to_label_are_counted(tmp_path: Path) -> None:
    folder = write_own(tmp_path, [thread("T", "A", "A", "A")], [("T", 0)])
    kept = (tmp_path / "reference.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "reference.jsonl").write_text(kept[0])

    assert foresee(folder).left_out == 2
    assert foresee(write_study(tmp_path / "with-identifier")).left_out == 0


def test_a_guess_is_no_longer_than_max_tokens(tmp_path: Path) -> None:
    text = "[answer]\nmax_tokens = 60\n"
    folder = write_own(tmp_path, [thread("T", "A")], [("T", 0)], more=text)

    made = foresee(folder)

    assert row_of(made, "answer", "good").to_pay.tokens_out == 60
    assert any(
        "guesses: an answer 60 (max_tokens), a verdict 80. " in each
        for each in made.assumptions
    )


def test_the_rest_is_labelled_as_what_was_seen(tmp_path: Path) -> None:
    text = STUDY.replace('labels = "reference.jsonl"\n', "")
    folder = write_study(tmp_path, text=text)
    threads = [thread(f"T{n:03}", *["A"] * 4) for n in range(40)]
    write_records(tmp_path / "threads.jsonl", threads[:30])
    conduct(folder, Scripts().open, only="identify")
    write_records(tmp_path / "threads.jsonl", threads)

    made = foresee(folder)

    # The scripted identifier marks turn 1 of each thread: 30 of 120 are seen.
    assert row_of(made, "identify", "judge-a").to_pay.calls == 40
    assert made.misconceptions == 30 + 10
    assert any("25.0%" in each and "among the 120" in each for each in made.assumptions)


def test_the_rest_is_as_long_as_what_was_seen(tmp_path: Path) -> None:
    threads = [thread(f"T{n:02}", "A") for n in range(14)]
    marked = {(each.thread_id, 0) for each in threads}
    folder = write_own(tmp_path, threads[:10], marked)
    conduct(folder, Scripts().open)
    write_own(tmp_path, threads, marked)

    made = foresee(folder)

    answers = row_of(made, "answer", "good")
    assert (answers.calls, answers.paid_calls, answers.to_pay.calls) == (14, 10, 4)
    # The target says "That is not so.", and the scripted model counts words: 4 in
    # "Question 0 of T00?", of which our count makes 7 or 8 tokens and 4 around them.
    assert answers.to_pay.tokens_out == 4 * 4
    assert answers.to_pay.tokens_in == pytest.approx(4 * 4, abs=2)
    assert answers.spent.tokens_out == 10 * 4
    assert made.spent.calls == 20
    assert any("as seen: good 4" in each for each in made.assumptions)


def test_a_plan_says_how_far_the_last_one_was_off(tmp_path: Path) -> None:
    threads = [thread(f"T{n:02}", "A") for n in range(14)]
    marked = {(each.thread_id, 0) for each in threads}
    folder = write_own(tmp_path, threads, marked)
    first = foresee(folder)
    assert first.miss is None
    select = "[select]\nthread_ids = " + json.dumps([f"T{n:02}" for n in range(10)])
    write_own(tmp_path, threads, marked, more=select + "\n")
    conduct(folder, Scripts().open)
    write_own(tmp_path, threads, marked)

    second = foresee(folder)

    assert second.miss is not None
    assert second.miss.calls == 20
    assert second.miss.said.tokens_out == pytest.approx(10 * 450 + 10 * 80)
    assert second.miss.cost.tokens_out == second.spent.tokens_out
    assert (second.miss.calls_said, second.miss.calls_now) == (28, 28)
    # A third plan, with nothing paid since, has nothing better to say.
    assert foresee(folder).miss == second.miss


def test_a_plan_is_kept_in_the_study_folder(tmp_path: Path) -> None:
    folder = write_study(tmp_path)

    made = foresee(folder)

    assert read_json(plan_path(folder), Plan) == made


def test_a_plan_of_another_version_is_passed_over(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    plan_path(folder).write_text('{"study": 3}')

    assert foresee(folder).miss is None


def test_an_unknown_price_is_one_line_and_no_plan(tmp_path: Path) -> None:
    models = "".join(
        f'[[models]]\nname = "{name}"\nmodel = "openai:no-such-{name}"\n'
        for name in ("good", "bad", "judge-a", "judge-b", "judge-c")
    )
    folder = write_study(tmp_path, models=models)

    with pytest.raises(StudyError, match="no list price is known for judge-a"):
        foresee(folder)

    assert not plan_path(folder).exists()


def test_a_model_that_cannot_be_set_up_is_planned_all_the_same(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    usual = foresee(folder)

    def refuse(entry: Model) -> ChatModel:
        raise ModelError(f"{entry.name}: install its package")

    made = foresee(folder, refuse)

    assert [row.calls for row in made.rows] == [row.calls for row in usual.rows]
    assert not any("not recognised" in each for each in made.assumptions)
    conduct(folder, Scripts().open)
    lost = [
        each for each in foresee(folder, refuse).assumptions if "recognised" in each
    ]
    assert "good: install its package" in lost[1]


def test_planning_asks_no_model(tmp_path: Path) -> None:
    scripts = Scripts()

    foresee(write_study(tmp_path), scripts.open)

    assert len(scripts.models) == 5
    assert scripts.calls() == 0


@pytest.mark.skipif(
    "lazy" not in Panel.__struct_fields__, reason="panels are not lazy yet"
)
def test_a_lazy_panel_is_planned_between_two_thirds_and_all(tmp_path: Path) -> None:
    text = STUDY.replace("[panel]", "[panel]\nlazy = true")
    folder, scripts = write_study(tmp_path, text=text), Unlike()

    made = foresee(folder)

    assert made.verdicts is not None
    assert (made.verdicts.least, made.verdicts.most) == (36, 54)
    conduct(folder, scripts.open)
    real = sum(len(scripts.models[f"judge-{n}"].requests) for n in "abc") - 10
    assert 36 <= real <= 54
    assert foresee(folder).to_pay.calls == 0


def test_what_a_scripted_judge_says_is_what_the_plan_goes_on_from(
    tmp_path: Path,
) -> None:
    folder = write_study(tmp_path)

    def unreadable(entry: Model) -> ScriptedModel:
        def answer(request: Request) -> str:
            return "?" if entry.name == "judge-c" else say(entry.name, request)

        return ScriptedModel(answer, identity=entry.name)

    conduct(folder, unreadable)
    made = foresee(folder, unreadable)

    # Every verdict of judge-c was asked for twice; equal answers once.
    asked = row_of(made, "judge", "judge-c")
    assert asked.paid_calls == 2 * row_of(made, "judge", "judge-b").paid_calls
    assert made.to_pay.calls == 0


def test_calls_that_go_in_batches_are_planned_at_the_price_of_batches(
    tmp_path: Path,
) -> None:
    alone, in_batches = tmp_path / "alone", tmp_path / "batches"
    for root in (alone, in_batches):
        root.mkdir()
    threads = [thread("T1", "A", "A"), thread("T2", "A")]
    plain = foresee(write_own(alone, threads, [("T1", 1), ("T2", 0)]))
    folder = write_own(in_batches, threads, [("T1", 1), ("T2", 0)])
    text = folder.study.read_text().replace(PRICE, PRICE + "batch = true\n")
    write_text(folder.study, text)

    batched = foresee(folder)

    # OpenAI asks half the list price of a batch; settings but multi_turn may wait.
    assert batched.to_pay.calls == plain.to_pay.calls
    assert batched.to_pay.usd == pytest.approx(plain.to_pay.usd / 2)
    assert batched.at_most.usd == pytest.approx(plain.at_most.usd)
    (saved,) = [each for each in batched.savings if each.by == "batches"]
    assert saved.usd == pytest.approx(plain.to_pay.usd / 2)
    assert any("50% of the list price" in each for each in batched.assumptions)


def test_a_plan_says_where_a_model_cannot_be_asked_as_wanted(tmp_path: Path) -> None:
    folder = write_own(tmp_path, [thread("T1", "A")], [("T1", 0)])
    text = folder.study.read_text().replace("openai:judge-a", "openai:gpt-5")
    write_text(folder.study, text)

    said = foresee(folder).assumptions

    assert "judge-a takes no temperature but 1, so 1 is sent and not 0" in said
