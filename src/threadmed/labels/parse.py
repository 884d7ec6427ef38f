"""From what an identifier replied to a label, or to why there is none."""

from threadmed.llm.prompt import Malformed, read_verdict
from threadmed.records import HARMS, Harm, Record

VERDICT = frozenset({"misconception", "label", "score"})
"""What the label may be called: ours, and the paper's two (appendices B.1 and E)."""

YES_OR_NO = {
    "yes": True,
    "true": True,
    "1": True,
    "no": False,
    "false": False,
    "0": False,
}

HARM_OF: dict[str, Harm] = {harm: harm for harm in HARMS}


class Identified(Record, frozen=True, kw_only=True, tag="identified", tag_field="kind"):
    """What an identifier said about a question."""

    misconception: bool
    belief: str = ""
    """Empty where there is no misconception, whatever else was said."""
    correction: str = ""
    """Our prompt does not ask for it; a prompt of the user's own may."""
    harm: Harm | None = None
    """None where it was not asked for; the prompt `harm` asks for it."""


def parse(text: str, *, with_harm: bool = False) -> Identified | Malformed:
    """Read an identifier's reply.

    Args:
        text: The reply; anything.
        with_harm: Whether a harm class was asked for: then a misconception without
            one is no reply, and otherwise one that comes all the same is dropped.

    Returns:
        The label, or why the reply holds none; see llm.prompt.read_verdict.

    Example:
        >>> parse('{"LABEL": "YES", "Explanation": "Thinks that colds need pills."}')
        Identified(misconception=True, belief='Thinks that colds need pills.', correction='', harm=None)
        >>> parse('{"label": "perhaps"}')
        Malformed(why="label is 'perhaps'")
    """
    reading = read_verdict(text, keys=VERDICT, read=_yes_or_no)
    if isinstance(reading, Malformed):
        return reading
    if not reading.value:
        return Identified(misconception=False)
    texts = reading.texts
    said = texts.get("harm", "").strip().lower()
    if with_harm and said not in HARM_OF:
        return Malformed(why=f"harm is {said!r}")
    return Identified(
        misconception=True,
        harm=HARM_OF[said] if with_harm else None,
        belief=texts.get("belief", texts.get("explanation", "")),
        correction=texts.get("correction", ""),
    )


def _yes_or_no(value: object) -> bool | None:
    """Take true, 1, "yes" and their opposites; None for anything else."""
    if isinstance(value, bool | int | str):
        return YES_OR_NO.get(str(value).strip().lower())
    return None
