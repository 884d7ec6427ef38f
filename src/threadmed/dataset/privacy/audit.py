"""A last look at what would be released, for traces of the people in it; pure.

It shares no rule with `scrub`: it knows every id, user name and time of the records,
and looks for those letters, so that a gap in a rule shows.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime

import msgspec

from threadmed.dataset.privacy.known import Known

MARKS = re.compile(
    r"\[(?:e-mail|user|handle|phone|ip|number|name|place|link|id|time)(?: [0-9]+)?\]"
)
"""Placeholders; somebody's user name may be "user" or "phone"."""

COUNTED = re.compile("[0-9]{10,}")
"""Seconds since 1970, and what is written finer."""
TO_ZEROS_AND_BLANKS = bytes(
    ord("0") if ord("0") <= code <= ord("9") else ord(" ") for code in range(256)
)
"""For `bytes.translate`: every digit is a zero, and all else is a blank."""
TEN = b"0" * 10
"""Ten digits in a row, all of them taken for zeros, which is found faster."""
ADDRESS = re.compile("https?://")
RELEASED_NAME = re.compile(r"THREAD_[0-9]{4,}")

Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None


def leaks_in_threads(
    name: str,
    data: bytes | str,
    *,
    known: Mapping[str, Known],
    words: Collection[str] = (),
    clean: Collection[bytes] = (),
) -> list[str]:
    """Look for traces in a file of JSON lines, each about one thread.

    Args:
        name: The file's name, for the messages.
        data: The file.
        known: What each thread's records are known by, by the thread's new name.
        words: User names and ids, in lower case, that are words anybody uses.
        clean: Lines that were searched already, and in which nothing was found.

    Returns:
        Place and kind of each trace, without the trace; none if the file is clean.

    Example:
        >>> known = {"THREAD_0001": Known(accounts=frozenset({"Jo_Doe"}))}
        >>> line = '{"thread_id": "THREAD_0001", "question": "thanks jo_doe!"}'
        >>> leaks_in_threads("complete.jsonl", line, known=known)
        ['complete.jsonl:1: user name']
    """
    raw = data.encode() if isinstance(data, str) else data

    def known_of(thread: str) -> Known | None:
        return _in_lower_case(known[thread]) if thread in known else None

    found = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line and line not in clean:
            kinds = _kinds_in_line(line, known_of, words)
            found += [f"{name}:{number}: {kind}" for kind in kinds]
    return found


def unclean_lines(
    lines: Iterable[bytes], *, thread: str, known: Known, words: Collection[str] = ()
) -> list[bytes]:
    """Give those lines about one thread in which there is any such trace.

    Args:
        lines: JSON lines of whatever files.
        thread: The thread's new name.
        known: What its records are known by.
        words: As above.

    Example:
        >>> known = Known(accounts=frozenset({"Jo_Doe"}))
        >>> lines = [b'{"thread_id": "THREAD_0001", "is": "' + text + b'"}'
        ...          for text in (b"jo", b"jo_doe")]
        >>> unclean_lines(lines, thread="THREAD_0001", known=known) == lines[1:]
        True
    """
    known_of = {thread: _in_lower_case(known)}.get
    return [line for line in lines if _kinds_in_line(line, known_of, words)]


def _in_lower_case(known: Known) -> Known:
    return Known(
        ids=frozenset(map(str.lower, known.ids)),
        accounts=frozenset(map(str.lower, known.accounts)),
        times=known.times,
    )


def _kinds_in_line(
    line: bytes, known_of: Callable[[str], Known | None], words: Collection[str]
) -> list[str]:
    try:
        record = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return ["no JSON, so that it cannot be searched"]
    thread = record.pop("thread_id", None) if isinstance(record, dict) else None
    if not isinstance(thread, str) or not RELEASED_NAME.fullmatch(thread):
        return ["no name of a released thread"]
    known = known_of(thread)
    if known is None:
        return ["a thread whose records are not known"]
    text = "\n".join(_values(record))
    kinds = _traces(text, known, words)
    if "://" in text and ADDRESS.search(text.lower()):
        kinds.append("address")
    return kinds


def leaks_in_text(
    name: str,
    data: bytes | str,
    *,
    known: Known,
    words: Collection[str] = (),
) -> list[str]:
    r"""Look for traces in a file about all threads, such as manifest.json or a table.

    Ids of digits alone are not looked for, since such files are full of counts; nor,
    in JSON, is anything in a number or a key.

    Args:
        name: The file's name, for the messages; `.json` is read as such.
        data: The file.
        known: What the records of all threads together are known by.
        words: As above; here also the words that the program itself writes into such
            a file, since among many thousand names any word is one. See `vocabulary`.

    Returns:
        As above; without a line for JSON.

    Example:
        >>> known = Known(accounts=frozenset({"jodoe"}), ids=frozenset({"12345"}))
        >>> leaks_in_text("a.csv", "flair,comments\nNurse jodoe,12345\n", known=known)
        ['a.csv:2: user name']
    """
    text = searched(name, data)
    ids = frozenset(one for one in known.ids if not one.isdigit())
    fewer = msgspec.structs.replace(known, ids=ids)
    if name.endswith(".json"):
        return [f"{name}: {kind}" for kind in _traces_of_many(text, fewer, words)]
    # Most files are clean, and to look at each line for every name takes long.
    if not _traces_of_many(text, fewer, words):
        return []
    return [
        f"{name}:{number}: {kind}"
        for number, line in enumerate(text.split("\n"), start=1)
        for kind in _traces_of_many(line, fewer, words)
    ]


def searched(name: str, data: bytes | str) -> str:
    """Give the text of a file that is searched: of JSON the strings alone.

    Example:
        >>> searched("a.json", '{"by": ["jo", 7, "7"]}')
        'jo'
    """
    text = data.decode() if isinstance(data, bytes) else data
    if not name.endswith(".json"):
        return text
    values = _values(msgspec.json.decode(text))
    return "\n".join(one for one in values if not one.isdigit())


def vocabulary(texts: Iterable[str], *, at_least: int = 1) -> frozenset[str]:
    """Give the words, in lower case, that stand in so many of the texts.

    Example:
        >>> sorted(vocabulary(["Physician, MD", "Physician jodoe"], at_least=2))
        ['physician']
    """
    seen: dict[str, int] = {}
    for text in texts:
        for word in _pieces(text.lower()):
            seen[word] = seen.get(word, 0) + 1
    return frozenset(word for word, times in seen.items() if times >= at_least)


def _values(value: Json) -> Iterator[str]:
    """Give everything in a JSON value but the keys, as text."""
    match value:
        case dict():
            for each in value.values():
                yield from _values(each)
        case list():
            for each in value:
                yield from _values(each)
        case bool() | None:
            return
        case _:
            yield str(value)


def _pieces(low: str) -> set[str]:
    return set("".join([char if char.isalnum() else " " for char in low]).split())


def _traces_of_many(text: str, known: Known, words: Collection[str]) -> list[str]:
    """Look for so many names that only those are tried whose pieces are all there."""
    return _traces(text, _in_lower_case(likely_in([text], known)), words)


def likely_in(texts: Iterable[str], known: Known) -> Known:
    """Give what may be in some texts, which is little of so much.

    Example:
        >>> likely_in(["by Jo, Doe"], Known(accounts=frozenset({"jo_doe", "ann"})))
        Known(ids=frozenset(), accounts=frozenset({'jo_doe'}), times=frozenset())
    """
    there: set[str] = set()
    for text in texts:
        there |= _pieces(text.lower())
    return Known(
        ids=frozenset(_likely(known.ids, there)),
        accounts=frozenset(_likely(known.accounts, there)),
        times=known.times,
    )


def _likely(names: Iterable[str], there: set[str]) -> Iterator[str]:
    """Give the names all of whose pieces are there."""
    for name in names:
        low = name.lower()
        if low.isalnum():
            if low in there:
                yield name
        elif there.issuperset(low.replace("-", " ").replace("_", " ").split()):
            yield name


def _traces(text: str, known: Known, words: Collection[str]) -> list[str]:
    """Look for names and ids, which are given in lower case, and for times."""
    low = MARKS.sub(" ", text).lower()
    if "\\" in low:
        low = low.replace("\\_", "_").replace("\\-", "-")
    kinds = [
        kind
        for kind, names in (("user name", known.accounts), ("id", known.ids))
        # Hardly any is there at all.
        if any(
            _is_in(name, low, words) for name in [name for name in names if name in low]
        )
    ]
    if not known.times.isdisjoint(_moments(low)):
        kinds.append("time")
    return kinds


def _is_in(name: str, low: str, words: Collection[str]) -> bool:
    """Tell whether a name stands in a text on its own, and not inside of a word."""
    start = low.find(name)
    if start < 0 or name in words or not name.strip("-_"):
        return False
    while start >= 0:
        end = start + len(name)
        if not (
            low[max(0, start - 1) : start].isalnum() or low[end : end + 1].isalnum()
        ):
            return True
        start = low.find(name, start + 1)
    return False


def _moments(text: str) -> set[int]:
    """Give the times in a text: in seconds or milliseconds, or as a date and a clock."""
    runs = COUNTED.findall(text) if _has_ten_digits(text) else ()
    moments = {int(run[:10]) for run in runs if len(run) in {10, 13}}
    colon = text.find(":")
    while colon >= 0:
        if text[colon + 3 : colon + 4] == ":":
            written = text[max(0, colon - 13) : colon + 6].upper()
            try:
                moment = datetime.fromisoformat(written)
            except ValueError:
                pass
            else:
                moments.add(int(moment.replace(tzinfo=UTC).timestamp()))
        colon = text.find(":", colon + 1)
    return moments


def _has_ten_digits(text: str) -> bool:
    return TEN in text.encode("ascii", "replace").translate(TO_ZEROS_AND_BLANKS)
