"""From the comments of a branch to questions and their answers (paper, A.3, A.4); pure.

An exchange says which comments are behind a turn, so that a turn can be traced and a
release can name comments in place of words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from threadmed.dataset.options import BuildOptions
from threadmed.dataset.threads.tree import Branch, Node, age
from threadmed.records import Record, Turn

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")

THANKFUL_WORDS = """
appreciate appreciated cheers grateful gratitude thank thanks thankyou thnx thx tx ty
tysm tyvm
"""
POLITE_WORDS = """
a advice again alright and answer answering answers are awesome best bless both care
comment day do doc doctor dr everyone everything fast for friend god good got great
greatly guys have help helped helpful helping i i'll info information input insight it
kind kindly lot lots man many million much my nice noted of ok okay one opinion perfect
quick quickly really replies reply replying respond responding response responses
sincerely sir so super take taking that that's the this thoughts time to tons too truly
understood useful very was well will wonderful you you're your
"""
GRATEFUL = frozenset(THANKFUL_WORDS.split())
AROUND_THANKS = GRATEFUL | frozenset(POLITE_WORDS.split())
"""What stands around a word of thanks where nothing is said beside it."""
LONGEST_THANKS = 300


class Exchange(Record, frozen=True, kw_only=True):
    """The comments behind one turn."""

    questions: tuple[Node, ...] = ()
    """The patient's; more than one only where messages in a row are merged."""
    answers: tuple[Node, ...] = ()
    """The physicians' whose words are the answer; none for an orphan."""
    opens_with_post: bool = False
    """Whether the question begins with the post, as that of the first turn does."""


def exchanges_of(
    branch: Branch, answers: Iterable[Node], *, options: BuildOptions
) -> tuple[Exchange, ...]:
    """Pair the patient's messages with the physicians' answers.

    Every message of the patient opens an exchange; one without an answer is an orphan
    (paper, A.4).

    Args:
        branch: The branch.
        answers: Those of its comments that are used as answers.
        options: How they are paired.

    Example:
        >>> talk = [
        ...     Node(id="a", parent="", time=1, speaker="physician", text="Rest."),
        ...     Node(id="b", parent="a", time=2, speaker="patient", text="How long?"),
        ... ]
        >>> branch, options = Branch(nodes=tuple(talk)), BuildOptions()
        >>> answers = answers_of(branch, options)
        >>> made = exchanges_of(branch, answers, options=options)
        >>> [[node.id for node in exchange.answers] for exchange in made]
        [['a'], []]
    """
    asked: list[list[Node]] = [[]]
    given: list[list[Node]] = [[]]
    used = {node.id for node in answers}
    home = {"": 0}
    """Exchange of a comment: its own, or that of the message it hangs under."""
    for node in branch.nodes:
        home[node.id] = home[node.parent]
        if node.id in used:
            place = home[node.id] if options.pairing == "tree" else len(asked) - 1
            given[place].append(node)
        elif is_question(node, options):
            if options.questions == "separate" or given[-1]:
                asked.append([])
                given.append([])
            asked[-1].append(node)
            home[node.id] = len(asked) - 1
    last = 1 if options.answers == "first" else None
    return tuple(
        Exchange(
            questions=tuple(asked[place]),
            answers=tuple(given[place][:last]),
            opens_with_post=place == 0,
        )
        for place in range(len(asked))
    )


def answers_of(branch: Branch, options: BuildOptions) -> tuple[Node, ...]:
    """Give the physicians' messages of a branch that are used, in their order."""
    answers = [
        node for node in branch.nodes if node.counts and node.speaker == "physician"
    ]
    if options.answers_to == "conversation":
        voices = {node.id for node in branch.nodes if node.speaker != "other"} | {""}
        answers = [node for node in answers if node.parent in voices]
    if options.physicians == "first":
        answers = [node for node in answers if node.author == answers[0].author]
    return tuple(answers)


def is_question(node: Node, options: BuildOptions) -> bool:
    """Whether a comment is a message of the patient that opens an exchange."""
    if node.speaker != "patient" or not node.counts:
        return False
    return options.thanks == "question" or not is_thanks(node.text)


def is_thanks(text: str) -> bool:
    """Whether a message is thanks alone; one that says anything else is not.

    Example:
        >>> is_thanks("Thank you so much for taking the time, Dr!")
        True
        >>> is_thanks("Thanks, will do. And the other knee?"), is_thanks("Ok.")
        (False, False)
        >>> is_thanks("Thanks! It still burns at night.")
        False
    """
    if "?" in text or len(text) > LONGEST_THANKS:
        return False
    text = text.casefold()
    if not any(map(text.__contains__, GRATEFUL)):
        return False
    words = {word.replace("\u2019", "'") for word in WORD.findall(text)}
    return words <= AROUND_THANKS and not words.isdisjoint(GRATEFUL)


def _is_thankful(node: Node) -> bool:
    return is_thanks(node.text)


def turns(question: str, exchanges: Sequence[Exchange]) -> tuple[Turn, ...]:
    r"""Give the words of exchanges; what several comments say stands in one turn.

    Args:
        question: The post's cleaned words.
        exchanges: At least one; the first opens with the post.

    Example:
        >>> rest = Node(id="a", parent="", time=1, speaker="physician", text="Rest.")
        >>> ice = Node(id="b", parent="", time=2, speaker="physician", text="And ice.")
        >>> made = turns("It hurts", [Exchange(answers=(rest, ice), opens_with_post=True)])
        >>> made[0].answer
        'Rest.\n\nAnd ice.'
    """
    return tuple(
        Turn(
            question="\n\n".join(_asked(question, exchange)),
            answer="\n\n".join(node.text for node in exchange.answers) or None,
        )
        for exchange in exchanges
    )


def _asked(question: str, exchange: Exchange) -> Iterator[str]:
    if exchange.opens_with_post:
        yield question
    for node in exchange.questions:
        yield node.text


class TurnFlags(Record, frozen=True, kw_only=True):
    """What a reader of a turn may want to know and its words do not say."""

    physicians: tuple[int, ...]
    """Who answered, counted from 1 in the order of their first answers."""
    answers_lay: bool
    """Whether an answer replies to neither the post, the patient nor a physician."""
    edited: bool
    """Whether a text of the turn was edited; a dump holds one version."""
    thanks: bool
    """Whether the question is thanks alone."""


def flags_of(
    exchanges: Sequence[Exchange], branch: Branch, *, is_post_edited: bool
) -> tuple[TurnFlags, ...]:
    """Give the flags of every exchange.

    Args:
        exchanges: Those of a thread, in their order.
        branch: The branch that they are from.
        is_post_edited: Whether the post was edited, which is the first question.
    """
    lay = {node.id for node in branch.nodes if node.speaker == "other"}
    edited = {node.id for node in branch.nodes if node.is_edited}
    number = physicians_of(exchanges)
    return tuple(
        TurnFlags(
            physicians=tuple({number[node.author]: None for node in exchange.answers}),
            answers_lay=not lay.isdisjoint([node.parent for node in exchange.answers]),
            edited=(is_post_edited and exchange.opens_with_post)
            or not edited.isdisjoint(
                [node.id for node in exchange.questions + exchange.answers]
            ),
            thanks=not exchange.opens_with_post
            and all(map(_is_thankful, exchange.questions)),
        )
        for exchange in exchanges
    )


def physicians_of(exchanges: Sequence[Exchange]) -> dict[str, int]:
    """Number the physicians of a thread from 1, in the order of their first answers."""
    answers = (node for exchange in exchanges for node in exchange.answers)
    names = dict.fromkeys(node.author for node in sorted(answers, key=age))
    return {name: number for number, name in enumerate(names, start=1)}
