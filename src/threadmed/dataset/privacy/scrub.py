"""Placeholders instead of what leads to a person; pure.

The same value has the same placeholder throughout its thread, so that a reader can
still tell people apart: the first is `[name]`, the next `[name 2]`.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from threadmed.dataset.privacy import contacts, names, numbers
from threadmed.dataset.privacy.ages import AGES
from threadmed.dataset.privacy.contacts import CONTACTS, Found, Kind
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.names import STATEMENTS, Person, again, signed
from threadmed.dataset.privacy.numbers import number_rules
from threadmed.dataset.privacy.rules import Find, ThreadText, needed, thread_text
from threadmed.records import Turn

PLACEHOLDER = re.compile(
    r"\[(?:e-mail|user|handle|phone|ip|number|name|place|link|id|time)(?: \d+)?\]"
)
"""What is one already, and is never touched again."""

ESCAPED = re.compile(r"\\+_")
"""Reddit's editor escapes the underscores of names."""

NOTHING = Known()

WORDS = contacts.WORDS | names.WORDS | numbers.WORDS
"""Words without which most rules find nothing."""


class Span(NamedTuple):
    """A stretch of a text that a recogniser found."""

    start: int
    end: int
    kind: Literal["name", "place"]


class _Rules(NamedTuple):
    """The rules that may find anything in some texts."""

    stretches: list[Find[Found]]
    people: list[Find[Person]]


Recognise = Callable[[str], Sequence[Span]]
"""Finds names and places that no rule can find."""


def scrub_turns(
    turns: Sequence[Turn],
    *,
    known: Known,
    words: Collection[str],
    recognise: Recognise | None,
    counts: Counter[str],
) -> tuple[Turn, ...]:
    """Replace what leads to a person in a thread, and count it by kind.

    Args:
        turns: Turns of one thread.
        known: What the thread's records are known by.
        words: User names and ids, in lower case, that are words anybody uses.
        recognise: Finds further names and places; None finds none.
        counts: Added to, by kind: each place counts, and "age" for ages over 89.

    Returns:
        As many turns.

    Example:
        >>> counts = Counter()
        >>> turns = [
        ...     Turn(question="I'm 93, call (212) 555-0187, Dr. Ray said", answer="Hi JoDoe"),
        ...     Turn(question="Dr. Li, Dr. Ray? 20 u/day!", answer=None),
        ... ]
        >>> known = Known(accounts=frozenset({"JoDoe"}))
        >>> for turn in scrub_turns(
        ...     turns, known=known, words=(), recognise=None, counts=counts
        ... ):
        ...     print(turn.question, turn.answer)
        I'm 90+, call [phone], Dr. [name] said Hi [user]
        Dr. [name 2], Dr. [name]? 20 u/day! None
        >>> sorted(counts.items())
        [('age', 1), ('name', 3), ('phone', 1), ('user', 1)]
    """
    texts = [text for turn in turns for text in (turn.question, turn.answer or "")]
    scrubbed = _Scrubbing(known, words, counts).texts(texts, recognise)
    return tuple(
        Turn(question=question, answer=None if turn.answer is None else answer)
        for turn, question, answer in zip(
            turns, scrubbed[::2], scrubbed[1::2], strict=True
        )
    )


def scrub_line(
    text: str, *, known: Known = NOTHING, words: Collection[str] = frozenset()
) -> str:
    """Replace what leads to a person in a line that is no message, such as a flair.

    Example:
        >>> scrub_line("Physician | Dr. Ray | @ray_md"), scrub_line("Radiology, MD")
        ('Physician | Dr. [name] | [handle]', 'Radiology, MD')
    """
    return _Scrubbing(known, words, Counter(), is_message=False).texts([text], None)[0]


class _Scrubbing:
    """The placeholders that a thread has been given so far."""

    def __init__(
        self,
        known: Known,
        words: Collection[str],
        counts: Counter[str],
        *,
        is_message: bool = True,
    ) -> None:
        self._known = known
        self._counts = counts
        self._is_message = is_message
        self._words = words
        self._own: list[tuple[str, Kind]] = []
        self._given: dict[Kind, dict[str, str]] = {}
        self._people: list[frozenset[str]] = []
        self._found_words: set[str] = set()

    def texts(self, texts: Sequence[str], recognise: Recognise | None) -> list[str]:
        """Scrub until nothing more is found.

        A placeholder can lay bare what a longer word hid; since placeholders are
        never touched again, this ends.
        """
        now = [ESCAPED.sub("_", text) if "\\_" in text else text for text in texts]
        own = frozenset(map(str.lower, self._known.accounts | self._known.ids))
        thread = thread_text(now, WORDS | own)
        self._own = self._mentioned(thread, [*_odd(own), *(thread.words & own)])
        rules = self._rules(thread)
        found = [self._found(text, rules, recognise) for text in now]
        while True:
            if self._found_words:
                found = [
                    [*those, *self._again(text)]
                    for text, those in zip(now, found, strict=True)
                ]
            if not any(found):
                return now
            # A placeholder can lay bare a name that a longer word hid.
            self._own = self._mentioned(thread, own)
            before = now
            now = [
                self._replaced(text, those) if those else text
                for text, those in zip(now, found, strict=True)
            ]
            # What did not change holds nothing that has not been seen.
            changed = [
                text if text != old else ""
                for text, old in zip(now, before, strict=True)
            ]
            rules = self._rules(thread_text(changed, WORDS))
            found = [self._found(text, rules, None) for text in changed]

    def _rules(self, thread: ThreadText) -> _Rules:
        """Choose the rules that may find anything, the surest first."""
        return _Rules(
            stretches=[
                *needed(CONTACTS, thread),
                *([self._own_names] if self._own else ()),
                *needed(number_rules(self._known.times), thread),
                *needed(AGES, thread),
            ],
            people=needed(STATEMENTS, thread),
        )

    def _found(
        self, text: str, rules: _Rules, recognise: Recognise | None
    ) -> list[Found]:
        """Find everything in one text, the surest first."""
        if not text:
            return []
        found: list[Found] = []
        people: list[Person] = []
        if any(rules):
            low = _lowered(text)
            found += [one for find in rules.stretches for one in find(text, low)]
            people += [one for find in rules.people for one in find(text, low)]
        if self._is_message:
            people += signed(text)
        for person in people:
            self._found_words |= person.words
            found.append(_name(*person))
        if recognise is not None:
            found += [
                Found(start, end, kind, _key(text[start:end]))
                for start, end, kind in recognise(text)
            ]
        if found and "[" in text:
            taken = [match.span() for match in PLACEHOLDER.finditer(text)]
            found = [one for one in found if not _overlaps(one, taken)]
        return found

    def _mentioned(
        self, thread: ThreadText, own: Collection[str]
    ) -> list[tuple[str, Kind]]:
        """Give those of the records' names and ids that stand in the texts.

        Args:
            thread: The texts.
            own: Those names and ids, in lower case, that may be there.
        """
        bare = thread.low.replace("\\", "") if "\\" in thread.low else thread.low
        # Names of dashes alone exist, and are a line in any text.
        there = {
            name
            for name in own
            if name in bare and name not in self._words and name.strip("_-")
        }
        kinds: tuple[tuple[frozenset[str], Kind], ...] = (
            (self._known.accounts, "user"),
            (self._known.ids, "id"),
        )
        return [
            (name.lower(), kind)
            for those, kind in (kinds if there else ())
            for name in sorted(those)
            if name.lower() in there
        ]

    def _own_names(self, text: str, low: str) -> Iterator[Found]:
        """Find what the thread's own records are known by."""
        for name, kind in self._own:
            # A backslash before a dash would hide the name.
            if name not in low and "\\" not in low:
                continue
            for match in _on_its_own(name).finditer(text):
                yield Found(match.start(), match.end(), kind, name)

    def _again(self, text: str) -> list[Found]:
        people = [_name(*person) for person in again(text, self._found_words)]
        if people and "[" in text:
            taken = [match.span() for match in PLACEHOLDER.finditer(text)]
            people = [one for one in people if not _overlaps(one, taken)]
        return people

    def _replaced(self, text: str, found: Sequence[Found]) -> str:
        """Put placeholders, numbered in the order of reading."""
        taken: list[tuple[int, int]] = []
        chosen = []
        for one in found:
            if one.start < one.end and not _overlaps(one, taken):
                taken.append((one.start, one.end))
                chosen.append(one)
        pieces, position = [], 0
        for one in sorted(chosen):
            self._counts[one.kind] += 1
            pieces += [text[position : one.start], self._placeholder(one)]
            position = one.end
        return "".join([*pieces, text[position:]])

    def _placeholder(self, found: Found) -> str:
        if found.kind == "age":
            return "90+"
        key = found.key
        if found.kind == "name":
            key = self._person(frozenset(key.split()))
        given = self._given.setdefault(found.kind, {})
        number = f" {len(given) + 1}" if given else ""
        return given.setdefault(key, f"[{found.kind}{number}]")

    def _person(self, words: frozenset[str]) -> str:
        """Tell who it is: "Dr. Smith" is the "Anna Smith" of before."""
        for number, known in enumerate(self._people):
            if words <= known or known <= words:
                self._people[number] = known | words
                return str(number)
        self._people.append(words)
        return str(len(self._people) - 1)


def _lowered(text: str) -> str:
    """Give the text in lower case, letter for letter."""
    low = text.lower()
    if len(low) == len(text):
        return low
    # The lower case of a dotted capital I has two characters.
    return "".join([char.lower() if len(char.lower()) == 1 else char for char in text])


def _odd(names: Iterable[str]) -> list[str]:
    """Give the names that are more than one word of letters and digits of ASCII."""
    return [name for name in names if not (name.isalnum() and name.isascii())]


def _on_its_own(name: str) -> re.Pattern[str]:
    escaped = "".join(
        char if char.isalnum() else rf"\\*{re.escape(char)}" for char in name
    )
    return re.compile(rf"(?<![^\W_]){escaped}(?![^\W_])", re.IGNORECASE)


def _name(start: int, end: int, words: Collection[str]) -> Found:
    return Found(start, end, "name", " ".join(sorted(words)))


def _key(text: str) -> str:
    return " ".join(text.lower().split())


def _overlaps(found: Found, taken: Sequence[tuple[int, int]]) -> bool:
    return any(found.start < end and start < found.end for start, end in taken)
