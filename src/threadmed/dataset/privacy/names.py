"""Names of people as they state them themselves or sign with them; pure.

Only capitalised words count, and only where the words around say that a name comes:
medicine is full of capitals that are nobody's name.

Example:
    >>> from threadmed.dataset.privacy.rules import needed, thread_text
    >>> text = "My name is Anna. Dr. J. Smith told my dr. Blood tests can wait."
    >>> rules = needed(STATEMENTS, thread_text([text], WORDS))
    >>> found = [one for find in rules for one in find(text, text.lower())]
    >>> [text[one.start : one.end] for one in found]
    ['Anna', 'J. Smith']
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import NamedTuple

from threadmed.dataset.privacy.rules import Find, Rule, ThreadText

UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĖĘĚĞĠĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽ"
LETTER = r"[^\W\d_]"
WORD = (
    rf"[{UPPER}](?:['\u2019][{UPPER}])?{LETTER}++(?!['\u2019](?:t|ll|ve|re|d|m)\b)"
    rf"(?:[-'\u2019](?![sS]\b){LETTER}++)*"
)
"""A capitalised word without its possessive; no "Won't"."""

INITIAL = r"(?!I\b)[A-Z]\.? ?\b"
PARTICLES = (
    r"(?:(?:van|von|de|der|den|du|da|di|del|della|la|le|al|el|bin|ibn|ter|dos)[ -])*"
)
PERSON = (
    rf"(?:{INITIAL}){{0,2}}{PARTICLES}{WORD}(?: (?:{INITIAL})?{PARTICLES}{WORD}){{0,2}}"
)

DEGREE = (
    r"(?:MD|M\.D\.|DO|D\.O\.|MBBS|MBChB|PhD|RN|NP|PA-C|PharmD|DPT|DDS|DMD)(?![\w-])"
)
BEFORE_DEGREE = re.compile(r", (?:M[DB.]|D|PhD|RN|NP|PA-C|PharmD)")
"""In whatever names a degree, and found fast."""
CLOSING = (
    r"(?:(?:(?:[Ww]ith )?(?:[Kk]ind|[Bb]est|[Ww]arm|[Mm]any) )?[Rr]egards|[Ss]incerely"
    r"|(?:[Bb]est|[Kk]ind|[Ww]arm)(?: wishes|est)?(?=,)|[Cc]heers|[Rr]espectfully|[Ll]ove(?=,)"
    r"|[Yy]ours(?: truly| sincerely)?|[Tt]ake care|(?:[Mm]any )?[Tt]hanks"
    r"(?: in advance| again| so much| a lot)?|[Tt]hank you(?: in advance| again| so much)?)"
)

STATED = re.compile(
    r"(?:[Nn]ame|NAME)(?:['\u2019]s| is| IS| was|:) (?:actually |just |Dr\.? |Mrs?\.? |Ms\.? )?"
    rf"(?P<it>{PERSON})"
)
WHOSE = re.compile(
    r"(?:(?:^|[\n.!?,] ?)|(?<![^\W_])(?:my|his|her|their|whose|(?P<whose>[^\W\d_]+)['\u2019]s?)"
    r" (?:(?:first|full|real|last|legal|given) )?)$"
)
"""Before "name is": medicine names drugs and diseases too."""

CALLED = re.compile(rf"[Cc]all(?:ed| me) (?P<it>{PERSON})")
CALLER = re.compile(
    r"(?:(?<![^\W_])(?:i['\u2019]?m|i am|can|please|just) |^|[\n.!?,] ?)$"
)

TITLES = ("Dr", "dr", "DR", "Doctor", "Mr", "Ms", "Prof", "prof")
TITLE_WORDS = {
    title: tuple(f"{title.lower()}{end}" for end in ("", "s", "essor"))
    for title in TITLES
}
WORDS = frozenset({"name", "call", "called"}.union(*TITLE_WORDS.values()))
"""Words that the rules below ask a thread for."""

EDUCATED = re.compile(rf"(?P<it>{WORD}(?: [A-Z]\.?)? {WORD}(?: {WORD})?), {DEGREE}")
SIGNED = re.compile(
    rf"(?:^|[.!?] ){CLOSING}(?P<sign>[,.!]*) ?[-\u2013—~]? ?(?P<it>{PERSON})[.!]?[*_]*$"
)
CLOSED = re.compile(rf"(?:^|[.!?] ){CLOSING}[,.!]*[*_]*$")
ALONE = re.compile(rf"^[-\u2013—~*_ ]*(?P<it>{PERSON})(?:,? {DEGREE})?[.!]?[*_]*$")
DASHED = re.compile(
    rf"^(?:[-\u2013—]{{1,3}}|~) ?(?P<it>{PERSON})(?:,? {DEGREE})?[*_]*$"
)
BARE = re.compile(WORD)

NO_NAME_TEXT = """
    a about above across advice after again against ago all allergic allergist almost
    along already also although always am an and another anonymous answer any anybody
    anyone anything anyway appointment appointments are aren around as asap ask askdocs
    asked assistant at ate attending away back because been before being below best better
    between big blood board body both brief but by call called came can cannot care
    cause certified clinic clinician clinicians come confused concerned could couldn
    crazy current currently day days degree desperate diagnosed did didn directed
    directly dismissed do doc docs doctor doctors does doesn doing don done dr due
    drs during each edit else emergency enough er est even ever every everybody everyone
    evil exam except experienced false family fellow few finally find first following
    folks for found friend friends from further gave general get gets getting give given
    gives giving go god goes going good google got gp great guys gyn had hadn has hasn
    have haven having he hello help her here hers hey hi him his history hospital how
    however i if ignored important in infectious information instead internal internet
    into irrelevant is isn it its jesus just keep kept kindly know known last later least
    left let like list lol long look looked looks lord lot love ma'am mad made make makes
    management many may maybe md me med medicine medicines medical medication meds might
    mine mom more most mother mr mrs ms much must my myself need needs neither never new next
    nice no nobody none nope nor not note notes nothing now nurse nurses of off office
    often oh ok okay old on once one only op or order ordered orders other others our out
    over own oz patient patients peds pepper phil people physician physicians pa please
    post practice prescribed prescribes prescription prescriptions private probably public
    put rather read reading really reason recently recommendation recommended recommends
    reddit redditor redditors referred refused refuses regarding regards resident results
    right said same sarcastic saw say saying says scared secret see seem seems seen sent
    several she should shouldn since sir sister slim so some somebody someone something
    sometimes sorry soon specialist specialists started still stopped strange student
    stupid such suggested suggests surgery surgeon sure take takes taking team tell tells
    test tests than thank thanks that the their them then there therefore these they
    thing things think thinks this those though thought through throwaway thrown time
    title tldr to today told tomorrow tonight too took tried tries true try trying two
    under unfortunately unimportant unknown until up update upon us use used very via
    visit visited visiting visits wanted wants was wasn watson way we well went were
    weren what whatever when whenever where whether which while who whoever whole whom
    whose why will with within without won worried would wouldn wrong wrote yeah yes
    yesterday yet you young your yours yourself zero
    monday tuesday wednesday thursday friday saturday sunday january february march april
    june july august september october november december
    """
NO_NAME = frozenset(NO_NAME_TEXT.split())
"""What may stand capitalised where a name would: heads of sentences, headlines, those
that a message is addressed to, and doctors of the public stage."""

ALSO_WORDS_TEXT = """
    art ash autumn bell best bill black blood bone bones brown bruce burns chance chase
    christian cook cross cruz dawn day dick don down drew early earl english faith fish
    foot france frank french gene german good grace grant gray green grey hand head heart
    hill hope hunter ivy jack jean jo joy king lance little long mark mason max may miles
    norm page pain park parks pat payne penny price ray rice rich rob robin rose sage
    short skip small stone strong sue summer sun tan van viola ward wells west white will
    wood woods young
    """
ALSO_WORDS = frozenset(ALSO_WORDS_TEXT.split())
"""Names that are words too: found again only behind a word in lower case."""

FIRST_NAMES = frozenset({"april", "august", "june", "may", "will"})
"""Names only where somebody states them or signs with them."""

NO_PERSON = re.compile(
    r"(?i:log(?:y|ist|ists)|i(?:cs|ac|an|ans|st|sts|try)|therapy|pathy|medicine|surgery"
    r"|health|care|disease|diseases|county|university|college|hospital|certified)$"
)
"""How the last word of a specialty or a place ends, before a degree."""

IN_SENTENCE = re.compile(r"(?<![^\W_])[a-z]+,? $")
"""Before a capital that no sentence or headline asks for."""

EPONYM = re.compile(
    r"(?:['\u2019]s?)? (?:disease|syndrome|palsy|sign|test|cyst|lymphoma|thyroiditis|maneuver"
    r"|phenomenon|catheter|monitor|fracture|score|scale|hernia|ulcer|contracture|area"
    r"|disorder|sarcoma|tumou?r|procedure|ataxia|chorea|dystrophy|stain)\b"
)
"""What follows a physician's name that has become a thing's."""

AN = re.compile(
    r"\b(?:the|my|a|an|your|his|her|our|their|this|that|any|another|new|other|same|family"
    r"|primary|care|er|eye|skin|no|every|each|good|next|first|second|1st|2nd) $",
    re.IGNORECASE,
)
"""Before "dr." these make it the end of a sentence, and no title."""

NO_BEARER = frozenset(
    {
        "brand",
        "condition",
        "disease",
        "drug",
        "medication",
        "medicine",
        "pill",
        "product",
        "syndrome",
    }
)


REACH = 30
"""How far before a name the words are that say whose it is."""

LONGEST_END = 120
"""A message ends with a name within so many characters."""


HOW_TO_REACH = re.compile(
    r"[\s,;|\u2022\u00b7-]*"
    r"(?:[^\s,;|@]+@[^\s,;|@]+\.[a-zA-Z]+|\+?[0-9(][0-9 ().-]{5,}[0-9])$"
)
"""An address or a number with which a message may end, behind its writer's name."""
MOST_CONTACTS = 3


class Person(NamedTuple):
    """Where a name stands, and the words that it is made of, in lower case."""

    start: int
    end: int
    words: frozenset[str]


def _named(text: str, low: str) -> Iterator[Person]:
    if "name" in low:
        yield from _introduced(STATED, WHOSE, text, low)


def _called(text: str, low: str) -> Iterator[Person]:
    if "call" in low:
        yield from _introduced(CALLED, CALLER, text, low)


@cache
def _title(title: str) -> re.Pattern[str]:
    """Make a pattern for one title; one that begins with a plain word is fast."""
    return re.compile(
        rf"{title}(?:(?P<both>s)|essor)?(?:(?P<dot>\.) ?| )(?P<it>{PERSON})"
        rf"(?(both)(?: (?:and|&) (?P<it2>{WORD}))?)"
    )


def _titled(title: str) -> Find[Person]:
    def find(text: str, _low: str) -> Iterator[Person]:
        if title in text:
            for match in _title(title).finditer(text):
                if _is_title(match, title, text):
                    yield from _people(match, text)

    return find


def _educated(text: str, _low: str) -> Iterator[Person]:
    for match in EDUCATED.finditer(text) if BEFORE_DEGREE.search(text) else ():
        if not any(map(_no_part_of_a_name, match["it"].split())):
            yield from _people(match, text)


def _introduced(
    pattern: re.Pattern[str], before: re.Pattern[str], text: str, low: str
) -> Iterator[Person]:
    for match in pattern.finditer(text):
        lead = before.search(low[max(0, match.start() - REACH) : match.start()])
        if lead and lead.groupdict().get("whose") not in NO_BEARER:
            yield from _people(match, text)


def _is_title(match: re.Match[str], title: str, text: str) -> bool:
    before = text[max(0, match.start() - 12) : match.start()]
    if before[-1:].isalnum():
        return False
    if match["dot"]:
        return not (title in {"Dr", "dr", "prof"} and AN.search(before))
    return title != "DR"


def _no_part_of_a_name(word: str) -> bool:
    return word.lower() in NO_NAME or NO_PERSON.search(word) is not None


def _has_word(*words: str) -> Callable[[ThreadText], bool]:
    return lambda thread: not thread.words.isdisjoint(words)


STATEMENTS: tuple[Rule[Person], ...] = (
    Rule(_named, _has_word("name")),
    Rule(_called, _has_word("call", "called")),
    *(
        Rule(_titled(title), _has_word(*written))
        for title, written in TITLE_WORDS.items()
    ),
    Rule(_educated, lambda thread: BEFORE_DEGREE.search(thread.text) is not None),
)
"""Find names that are stated or carry a title."""


def signed(text: str) -> Iterator[Person]:
    r"""Find the name that a message ends with.

    Example:
        >>> text = "It has gone.\n\nThanks,\nAnna B. Smith, anna@example.org, 555-123-4567"
        >>> [text[one.start : one.end] for one in signed(text)]
        ['Anna B. Smith']
        >>> list(signed("It hurts. Thanks Everyone")), list(signed("I take:\n- Lexapro"))
        ([], [])
    """
    whole = _without_contacts(text.rstrip())
    if ends_in_lower_case(whole):
        return
    start = whole.rfind("\n") + 1
    start = max(start, len(whole) - LONGEST_END)
    last = whole[start:]
    before = whole[:start].rstrip()
    previous = before[before.rfind("\n") + 1 :][-LONGEST_END:]
    match = SIGNED.search(last)
    if match is None and previous and CLOSED.search(previous):
        match = ALONE.search(last)
    if (
        match is None
        and previous
        and (
            previous[-1] in ".!?)"
            and not re.search(r"^ ?[-\u2013—*•~] ?\w", before, re.MULTILINE)
        )
    ):
        match = DASHED.search(last)
    if match is not None:
        yield from _people(match, last, offset=start)


def ends_in_lower_case(text: str) -> bool:
    """Tell that no name and no degree ends a message, as is so with most."""
    end = text[-LONGEST_END:].rpartition(" ")[2]
    return end == end.lower()


def _without_contacts(text: str) -> str:
    """Leave off the addresses and numbers at the end of a message."""
    for _ in range(MOST_CONTACTS):
        tail = text[-LONGEST_END:]
        if "@" not in tail and not tail[-1:].isdigit():
            break
        text = text[: len(text) - len(tail)] + HOW_TO_REACH.sub("", tail)
    return text


def _people(match: re.Match[str], text: str, *, offset: int = 0) -> Iterator[Person]:
    is_titled = "dot" in match.re.groupindex
    loud = text[match.start() : match.end()].isupper()
    for group in ("it", "it2"):
        if group in match.re.groupindex and match[group]:
            start = match.start(group)
            end, words = _up_to_no_name(match[group], loud=loud, is_titled=is_titled)
            if words:
                yield Person(offset + start, offset + start + end, frozenset(words))


def _up_to_no_name(name: str, *, loud: bool, is_titled: bool) -> tuple[int, list[str]]:
    """Take the words of a name until one comes that cannot belong to it."""
    end = 0
    words: list[str] = []
    for part in re.finditer(r"[^ ]+", name):
        word = part[0].lower()
        if len(word) == 1 or "." in word:
            continue
        is_first_name = word in FIRST_NAMES and not (words or is_titled)
        is_shouted = part[0].isupper() and len(word) > 2 and not loud
        if is_shouted or (word in NO_NAME and not is_first_name):
            break
        if part[0][0].isupper():
            end = part.end()
            words.append(word)
    return end, words


def again(text: str, words: Collection[str]) -> Iterator[Person]:
    """Find words of names that are known already, wherever they stand.

    Example:
        >>> text = "Anna has no Smith fracture, says Smith; anna"
        >>> [text[one.start : one.end] for one in again(text, {"anna", "smith"})]
        ['Anna', 'Smith']
    """
    low = text.lower()
    if not any(word in low for word in words):
        return
    for match in BARE.finditer(text):
        word = match[0].lower()
        if word not in words or word in FIRST_NAMES:
            continue
        before = text[max(0, match.start() - REACH) : match.start()]
        if word in ALSO_WORDS and not IN_SENTENCE.search(before):
            continue
        if before[-1:].isalnum() or EPONYM.match(text, match.end()):
            continue
        if len(word) > 3 or not match[0].isupper():
            yield Person(match.start(), match.end(), frozenset({word}))
