"""How much a post and an answer have in common (paper, A.3); pure."""

import re
from collections.abc import Set as AbstractSet

from threadmed.dataset.options import Measure, StopWords

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")

SMALL_WORDS = """
a about after again all also am an and any are as at be because been before being but by
can could did do does doing don't during each few for from further had has have having
he her here hers him his how i i'd i'll i'm i've if in into is it it's its just me more
most my myself no nor not of off on once only or other our out over own same she should
so some such than that that's the their them then there these they this those through to
too under until up very was we were what when where which while who why will with would
you you're your yours
"""

STOP_WORDS = frozenset(SMALL_WORDS.split())
"""English words that say how others hang together and not what a text is about; a
list of our own, for those who ask for it."""


def overlap(
    question: AbstractSet[str], answer: AbstractSet[str], *, measure: Measure
) -> float:
    """Say how much two texts have in common.

    Args:
        question: Words of the post, title and body.
        answer: Words of the first physician's answer.
        measure: "words" counts distinct words in both, without regard to case;
            "jaccard" divides that by the distinct words in either, "coefficient" by
            those of the text that has fewer; both lie in [0, 1].

    References:
        ThReadMed-QA, appendix A.3: "a word-overlap heuristic between the post text
        and the first physician response"; stop words are kept unless asked, since it
        names none.

    Example:
        >>> foot, hand = words_of("My left foot"), words_of("The left hand is left")
        >>> overlap(foot, hand, measure="words")
        1.0
        >>> round(overlap(foot, hand, measure="jaccard"), 3)
        0.167
        >>> round(overlap(foot, hand, measure="coefficient"), 3)
        0.333
    """
    shared = len(question & answer)
    match measure:
        case "words":
            return float(shared)
        case "jaccard":
            return shared / (len(question | answer) or 1)
        case "coefficient":
            return shared / (min(len(question), len(answer)) or 1)


def words_of(text: str, *, stop_words: StopWords = "kept") -> AbstractSet[str]:
    """Give the distinct words of a text, in lower case.

    Example:
        >>> sorted(words_of("Don't run; DON'T!"))
        ["don't", 'run']
        >>> sorted(words_of("Don\u2019t run on the ice", stop_words="dropped"))
        ['ice', 'run']
    """
    found = frozenset(WORD.findall(text.casefold()))
    if stop_words == "kept":
        return found
    return frozenset(
        word for word in found if word.replace("\u2019", "'") not in STOP_WORDS
    )
