"""The paper's Table 2: what a set of threads looks like."""

import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from threadmed.dataset.manifest import Distribution, Statistics, TurnCount
from threadmed.records import Thread

LONGEST = 50_000
"""Most characters given to the tokenizer at once; it refuses very long texts."""

PIECE = re.compile(rf"[\s\S]{{1,{LONGEST}}}(?= [A-Za-z]|\Z)|[\s\S]{{1,{LONGEST}}}")
"""Pieces that end before a space and a letter, where cl100k_base always parts."""


def describe(
    threads: Sequence[Thread], *, tokens_of: Callable[[str], int] | None = None
) -> Statistics:
    """Compute one column of Table 2.

    Args:
        threads: Those of the set.
        tokens_of: Gives the number of tokens of a text, where it is known already;
            else they are counted: those of cl100k_base, as in the paper.

    Example:
        >>> from threadmed.records import ThreadId, Turn
        >>> turns = (Turn(question="hello world", answer=None),)
        >>> found = describe([Thread(thread_id=ThreadId("THREAD_0001"), turns=turns)])
        >>> found.answered_share, found.tokens_question.mean, found.tokens_answer
        (0.0, 2.0, None)
    """
    length = tokens_of or tokens
    turns = [turn for thread in threads for turn in thread.turns]
    answers = [turn.answer for turn in turns if turn.answer is not None]
    lengths = [len(thread.turns) for thread in threads]
    return Statistics(
        threads=len(threads),
        questions=len(turns),
        answered=len(answers),
        answered_share=len(answers) / len(turns) if turns else None,
        turns=distribution(lengths),
        turn_counts=tuple(
            TurnCount(turns=number, threads=count)
            for number, count in sorted(Counter(lengths).items())
        ),
        tokens_question=distribution([length(turn.question) for turn in turns]),
        tokens_answer=distribution([length(answer) for answer in answers]),
    )


def tokens(text: str) -> int:
    """Count the cl100k_base tokens of a text.

    Example:
        >>> tokens("hello world")
        2
    """
    count = _counter()
    if len(text) <= LONGEST:
        return count(text)
    return sum(map(count, PIECE.findall(text)))


@cache
def _counter() -> Callable[[str], int]:
    """Give what counts tokens, without the tables that come with it.

    The package reads those of all its encodings into Python when it is imported,
    which takes half a second and 60 MB; the compiled part of it has its own.
    """
    package = find_spec("bpe_openai")
    for folder in (package and package.submodule_search_locations) or ():
        for file in sorted(Path(folder).glob("_bindings.*")):
            if file.name.endswith(tuple(EXTENSION_SUFFIXES)):
                bindings = _loaded(file)
                count: Callable[[str], int] = bindings.tokenizer_for_encoding(
                    "cl100k_base"
                ).count
                return count
    return _counter_of_package()


def _loaded(file: Path) -> ModuleType:
    spec = spec_from_file_location("bpe_openai._bindings", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file}: cannot be loaded")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _counter_of_package() -> Callable[[str], int]:
    with warnings.catch_warnings():
        # The library opens its tables in a way that Python 3.11 calls old.
        warnings.simplefilter("ignore", DeprecationWarning)
        from bpe_openai import get_encoding

        encode: Callable[[str], list[int]] = get_encoding("cl100k_base").encode_ordinary
    return lambda text: len(encode(text))


def distribution(values: Sequence[int]) -> Distribution | None:
    """Describe the spread of some counts; None where there are none.

    Example:
        >>> distribution([1, 2, 3, 10]).median
        2.5
    """
    if not values:
        return None
    ordered = sorted(values)
    return Distribution(
        n=len(ordered),
        mean=sum(ordered) / len(ordered),
        min=ordered[0],
        q25=quantile(ordered, 0.25),
        median=quantile(ordered, 0.5),
        q75=quantile(ordered, 0.75),
        q95=quantile(ordered, 0.95),
        max=ordered[-1],
    )


def quantile(ordered: Sequence[int], share: float) -> float:
    """Give a quantile, linear between neighbours (type 7 of Hyndman and Fan, 1996).

    Args:
        ordered: Shape (n,), n >= 1, ascending.
        share: In [0, 1].

    Example:
        >>> quantile([10, 20], 0.25)
        12.5
    """
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
