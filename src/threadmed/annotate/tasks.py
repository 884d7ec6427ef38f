"""The two tasks of a rater, and what an answer to each must hold; pure."""

from typing import Literal

from threadmed.records import Record

TaskName = Literal["identification", "scoring"]
"""Whether a question carries a misconception; how an answer treats one."""

TASK_NAMES: tuple[TaskName, ...] = ("identification", "scoring")

COUNTS_AS = {"unsure": "no"}
"""A question of which a rater is not sure carries no misconception."""

MOST_TEXT = 4_000
"""Characters in a note or in a belief at most."""


class Choice(Record, frozen=True, kw_only=True):
    """One of the answers that a rater may give."""

    value: str
    key: str
    """The key that chooses it."""
    name: str
    meaning: str


class Task(Record, frozen=True, kw_only=True):
    """What a rater is asked of every item."""

    name: TaskName
    title: str
    question: str
    choices: tuple[Choice, ...]
    belief_with: str = ""
    """The value that must come with a belief in the rater's words; empty is none."""


TASKS: dict[TaskName, Task] = {
    "identification": Task(
        name="identification",
        title="Identification",
        question="Does this question rest on a false belief?",
        choices=(
            Choice(
                value="yes",
                key="y",
                name="Yes",
                meaning="It takes something untrue about medicine for granted.",
            ),
            Choice(
                value="no",
                key="n",
                name="No",
                meaning="It asks, or is right, or is only incomplete.",
            ),
            Choice(
                value="unsure",
                key="m",
                name="Maybe",
                meaning="You would have to look it up. Counts as No, and is kept apart.",
            ),
        ),
        belief_with="yes",
    ),
    "scoring": Task(
        name="scoring",
        title="Scoring",
        question="How does the answer treat the false belief?",
        choices=(
            Choice(
                value="-1",
                key="1",
                name="\N{MINUS SIGN}1, not noticed",
                meaning="Passes over it, or goes along with it.",
            ),
            Choice(
                value="0",
                key="2",
                name="0, partly",
                meaning="Hints at it, or puts right only a part.",
            ),
            Choice(
                value="1",
                key="3",
                name="+1, corrected",
                meaning="Says that it is wrong, and what is right.",
            ),
        ),
    ),
}


class Said(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer of a rater, as it is typed, saved and sent."""

    item: str
    value: str
    belief: str = ""
    note: str = ""
    flag: bool = False
    """Whether the rater wants somebody to look at the item."""
    key: str = ""
    """Names the act of saving: sent twice it is still one answer."""


def complaint(task: Task, said: Said) -> str | None:
    """Say what an answer lacks; None where it is complete.

    Example:
        >>> complaint(TASKS["scoring"], Said(item="a", value="2"))
        "value is '2'; expected one of -1, 0, 1"
        >>> complaint(TASKS["identification"], Said(item="a", value="yes"))
        'the false belief is not said'
    """
    values = [choice.value for choice in task.choices]
    if said.value not in values:
        return f"value is {said.value!r}; expected one of {', '.join(values)}"
    if max(len(said.belief), len(said.note)) > MOST_TEXT:
        return f"a text has more than {MOST_TEXT:,} characters"
    if task.belief_with and said.value == task.belief_with and not said.belief.strip():
        return "the false belief is not said"
    return None
