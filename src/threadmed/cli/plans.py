"""What `threadmed plan` does once its line is parsed, and how a plan is printed."""

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from threadmed.cli.commands import say, stoppable
from threadmed.errors import ModelError
from threadmed.llm.model import ChatModel
from threadmed.llm.providers import open_model
from threadmed.records import Model, Stage
from threadmed.run.check import Checked
from threadmed.run.check import check as ask_each
from threadmed.run.forecast import Miss, Plan, Row, Saving
from threadmed.run.plan import plan, plan_path, used_models
from threadmed.run.remarks import left_out_line
from threadmed.store import write_json
from threadmed.study import Folder, read_study, study_folder

HEADS: Mapping[Stage, str] = {
    "identify": "identification",
    "answer": "answers",
    "judge": "verdicts",
}

SAVED_BY: Mapping[str, str] = {
    "stopping": "stopping a thread after its last labelled turn",
    "sharing": "sending equal requests of several settings once",
    "judging_once": "judging equal answers to a question once",
    "lazy_panel": "asking the last judge only where the first differ",
    "batches": "the lower price of calls that go in batches",
}

USUAL_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")
"""A plan sets models up as a run does, and sends nothing: any word does as a key."""

WIDTH = 80


def run_plan(root: Path, *, check: bool, json: Path | None) -> None:
    """Print what a study will cost; with `check` ask each of its models once."""
    folder = study_folder(root)
    with stoppable("nothing was sent"):
        made = asyncio.run(plan(folder, open_model=_opened_without_key))
    for line in printed(drawn(made)):
        say(line, with_colours=True)
    say(f"{plan_path(folder)}: this plan; after a part was run, plan again")
    if json is not None:
        write_json(json, made)
        say(f"{json}: every number")
    if check:
        run_check(folder)


def _opened_without_key(entry: Model) -> ChatModel:
    names = (*USUAL_KEYS, *([entry.api_key_env] if entry.api_key_env else ()))
    return open_model(entry, environment=dict.fromkeys(names, "no-key-is-needed"))


def run_check(folder: Folder) -> None:
    """Ask each model of a study once, and say what came of it.

    Raises:
        ModelError: If one of them cannot be used; all have been asked then.
    """

    def opened(entry: Model) -> ChatModel:
        return open_model(entry, environment=os.environ)

    study = read_study(folder)
    entries = [study.model(name) for name in used_models(study)]
    with stoppable("nothing was kept"):
        found = asyncio.run(ask_each(entries, open_model=opened, timer=time.monotonic))
    for line in printed([_checks(found)]):
        say(line, with_colours=True)
    cost = sum(each.cost_usd for each in found)
    say(f"{len(found)} calls, {cost:.6f} USD; they are not in the journal")
    failed = [each.model for each in found if not each.is_ok]
    if failed:
        raise ModelError(
            f"{len(failed)} of {len(found)} models cannot be used: {', '.join(failed)}; "
            "the reasons stand above"
        )


def printed(parts: Iterable[RenderableType]) -> list[str]:
    """Draw for what the output is: 80 columns on a terminal, else as wide as needed."""
    is_terminal = sys.stdout.isatty()
    console = Console(
        file=StringIO(),
        force_terminal=is_terminal,
        width=WIDTH if is_terminal else 1_000,
        highlight=False,
    )
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return [line.rstrip() for line in capture.get().splitlines()]


def drawn(made: Plan) -> Iterator[RenderableType]:
    """Give a plan part by part."""
    yield Text(
        f"{made.study}: {made.threads:,} threads, {made.questions:,} questions, "
        f"{_carrying(made)}"
    )
    yield from (
        Text(f"{line}.") for line in left_out_line(made.left_out, made.questions)
    )
    yield _calls(made)
    yield Text("Tokens and USD are those still to pay.")
    yield from (Text(line) for line in _money(made))
    yield ""
    if made.savings:
        yield _savings(made.savings)
    if made.verdicts is not None:
        yield Text(
            f"The lazy panel needs {made.verdicts.least:,} verdicts at least and "
            f"{made.verdicts.most:,} at most."
        )
    yield Text("\nWhat this supposes", style="bold")
    yield _list(made.assumptions)


def _carrying(made: Plan) -> str:
    """Say how many questions carry a misconception, or are supposed to."""
    if not made.unlabelled:
        return f"{made.misconceptions:,} of them with a misconception"
    share = f"{100 * made.supposed_share:.1f} %"
    if made.unlabelled < made.questions:
        share += f" of the {made.unlabelled:,} that are not labelled"
    about, counted = f"{made.misconceptions:,}", ""
    if round(made.expected_misconceptions) != made.misconceptions:
        about = f"{made.expected_misconceptions:,.1f}"
        counted = (
            f"; counted as {made.misconceptions:,}: at least one, and all that are "
            "worded alike"
        )
    return f"about {about} of them supposed to carry a misconception ({share}){counted}"


def _table(*columns: str, footer: Sequence[str] = ()) -> Table:
    """Make a table: names to the left, numbers to the right, units in the head."""
    table = Table(
        box=SIMPLE if sys.stdout.isatty() else None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        show_footer=bool(footer),
        header_style="bold",
        footer_style="bold",
    )
    feet = footer or [""] * len(columns)
    for number, (column, foot) in enumerate(zip(columns, feet, strict=True)):
        table.add_column(
            column,
            footer=foot,
            justify="right" if number else "left",
            overflow="fold",
            vertical="bottom",
        )
    return table


def _calls(made: Plan) -> Table:
    """Draw the calls of each stage and model, and what is still to pay for them."""
    written = _Units(made)
    rows = made.rows
    table = _table(
        "stage and model",
        "naive\ncalls",
        "calls\nin all",
        "calls\npaid",
        f"tokens\nin{written.unit}",
        f"tokens\nout{written.unit}",
        "USD\nexpected",
        "USD\nat most",
        footer=(
            "in all",
            f"{sum(row.naive_calls for row in rows):,}",
            f"{sum(row.calls for row in rows):,}",
            f"{sum(row.paid_calls for row in rows):,}",
            written.tokens(made.to_pay.tokens_in),
            written.tokens(made.to_pay.tokens_out),
            written.usd(made.to_pay.usd),
            written.usd(made.at_most.usd),
        ),
    )
    for stage, head in HEADS.items():
        of_stage = [row for row in rows if row.stage == stage]
        if of_stage:
            table.add_row(Text(head, style="italic"))
        for row in of_stage:
            table.add_row(*_cells(row, written))
    return table


def _cells(row: Row, written: "_Units") -> Iterator[str | Text]:
    yield Text(f"  {row.model}")
    yield f"{row.naive_calls:,}"
    yield f"{row.calls:,}"
    yield f"{row.paid_calls:,}"
    yield written.tokens(row.to_pay.tokens_in)
    yield written.tokens(row.to_pay.tokens_out)
    yield written.usd(row.to_pay.usd)
    yield written.usd(row.at_most.usd)


class _Units:
    """Writes tokens and USD so that the largest of a plan still fits."""

    def __init__(self, made: Plan) -> None:
        largest = max(made.to_pay.tokens_in, made.to_pay.tokens_out)
        self._thousands = largest >= 100_000
        self._digits = 2 if made.at_most.usd >= 1 else 4
        self.unit = ", k" if self._thousands else ""

    def tokens(self, number: float) -> str:
        """Write a number of tokens in the unit of the head."""
        return f"{number / 1_000 if self._thousands else number:,.0f}"

    def usd(self, amount: float) -> str:
        """Write an amount."""
        return f"{amount:,.{self._digits}f}"


def _money(made: Plan) -> Iterator[str]:
    """Say what is paid, what the budget holds, and how far the last plan was off."""
    if made.spent.calls:
        yield f"Paid so far: {made.spent.calls:,} calls, {_usd(made.spent.usd)}."
    if made.unsettled_usd:
        yield (
            f"Attempts that brought no reply may be on the bill with up to "
            f"{_usd(made.unsettled_usd)} more."
        )
    if made.budget_usd is not None:
        yield _budget(made, made.budget_usd)
    if made.budget_tokens is not None:
        both = made.to_pay.tokens_in + made.to_pay.tokens_out
        so_far = made.spent.tokens_in + made.spent.tokens_out
        yield (
            f"The budget is {made.budget_tokens:,} tokens; {so_far:,.0f} are used, "
            f"and {both:,.0f} more are expected."
        )
    if made.miss is not None:
        yield from _miss(made.miss)


def _budget(made: Plan, budget: float) -> str:
    """Say how far a budget goes."""
    so_far = made.spent.usd + made.unsettled_usd
    if so_far + made.at_most.usd <= budget:
        holds = "it holds for the worst case, too"
    elif so_far + made.to_pay.usd <= budget:
        holds = "it holds for what is expected, and not for the worst case"
    else:
        holds = "it does not hold for what is expected"
    return f"The budget is {_usd(budget)}; {holds}."


def _miss(miss: Miss) -> Iterator[str]:
    """Say how far the last plan was off."""
    yield (
        f"The last plan said {_usd(miss.said.usd)} for the {miss.calls:,} calls that "
        f"were paid since; they came to {_usd(miss.cost.usd)}"
        f"{_off(miss.said.usd, miss.cost.usd)}."
    )
    yield (
        f"It said {miss.said.tokens_in:,.0f} tokens in and "
        f"{miss.said.tokens_out:,.0f} out for them; there were "
        f"{miss.cost.tokens_in:,.0f}{_off(miss.said.tokens_in, miss.cost.tokens_in)} "
        f"and {miss.cost.tokens_out:,.0f}"
        f"{_off(miss.said.tokens_out, miss.cost.tokens_out)}."
    )
    yield (
        f"It counted on {miss.calls_said:,} calls from then on; now it is "
        f"{miss.calls_now:,}{_off(miss.calls_said, miss.calls_now)}."
    )


def _off(said: float, came: float) -> str:
    """Write how far off something was; nothing can be said of nothing."""
    return f" ({came / said - 1:+.0%})" if said else ""


def _usd(amount: float) -> str:
    return f"{amount:,.{2 if amount >= 1 else 4}f} USD"


def _savings(savings: Sequence[Saving]) -> Table:
    """Draw what a naive run would pay on top."""
    table = _table("spared, against a naive run, by", "calls", "USD, about")
    for saving in savings:
        calls = "-" if saving.by == "batches" else f"{saving.calls:,}"
        table.add_row(SAVED_BY[saving.by], calls, f"{saving.usd:,.2f}")
    return table


def _list(sentences: Sequence[str]) -> Table:
    """Draw sentences one below the other, the lines of each below its first."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column()
    for sentence in sentences:
        table.add_row("-", Text(sentence))
    return table


def _checks(found: Sequence[Checked]) -> Table:
    """Draw what came of asking each model once."""
    table = _table("model", "seconds", "tokens", "USD")
    table.add_column("reply", overflow="fold")
    for each in found:
        table.add_row(*_checked(each))
    return table


def _checked(each: Checked) -> Iterator[str | Text]:
    yield Text(each.model)
    if each.is_ok:
        yield f"{each.latency_s:.2f}"
        yield f"{each.usage.tokens_in + each.usage.tokens_out:,}"
        yield f"{each.cost_usd:.6f}"
        how = "ok" if each.outcome == "answered" else f"ok ({each.outcome})"
        yield Text(f"{how}, by {each.served_by or each.asked}")
    else:
        yield from ("-", "-", "-")
        yield Text(each.trouble, style="red")
