"""The index of the viewer: for each question, how each answer to it ended."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadmed.records import (
    ALL_SETTINGS,
    PanelRule,
    PanelScore,
    Score,
    ScoreOutcome,
    Setting,
)
from threadmed.report.conversations import (
    ABSENT,
    Conversation,
    Disagreement,
    Index,
    Look,
    QuestionRow,
    SettingNamed,
    Shows,
    State,
    TargetNamed,
    ThreadRow,
)
from threadmed.report.links import VIEWER, answers_link, flips_link, slugs
from threadmed.report.material import Found
from threadmed.report.numbers import MISSING, score
from threadmed.report.theme import SETTING_NAMES
from threadmed.study import Contestant

MEANINGS: Mapping[Score, tuple[Look, str]] = {
    1: ("plus", "corrected"),
    0: ("zero", "partly corrected"),
    -1: ("minus", "not noticed"),
}
WHY: Mapping[ScoreOutcome, str] = {
    "blocked": "blocked by a content filter",
    "truncated": "cut off at the limit of tokens",
    "empty": "an empty reply",
    "failed": "no reply came",
    "unjudged": "the panel reached no score",
    "pending": "not yet answered and judged",
}
SCORE_LETTERS: Mapping[Score, str] = {1: "c", 0: "p", -1: "n"}
WHY_LETTERS: Mapping[ScoreOutcome, str] = {
    "blocked": "b",
    "truncated": "t",
    "empty": "e",
    "failed": "f",
    "unjudged": "u",
    "pending": "d",
}
CONTROLS: Mapping[Score, tuple[str, str, str]] = {
    1: ("g", "control", "a control: nothing was wrong, and nothing was called so"),
    0: ("h", "doubt", "a control: doubt without need"),
    -1: ("i", "false alarm", "a control: something right was called wrong"),
}
"""Of questions without a misconception: letter, text, and what the score means."""
DISAGREEMENTS: Mapping[str, Disagreement] = {
    "-": "single",
    "=": "agree",
    "~": "differ",
    "!": "opposed",
}
READS: Mapping[Setting, tuple[Shows, str]] = {
    "multi_turn": ("own", "saw its own earlier answers"),
    "target_turn": ("questions", "saw only the questions"),
    "oracle": ("physician", "saw the physician\u2019s answers"),
    "isolated": ("nothing", "saw this question alone"),
    "intervention": ("own", "saw its own earlier answers, some of them changed"),
}
RULES: Mapping[PanelRule, str] = {
    "majority": "majority",
    "primary": "the primary judge\u2019s",
    "median": "median",
    "lowest": "the lowest",
    "unanimous": "only where all agree",
}

COMPARED: tuple[tuple[Setting, Setting], ...] = (
    ("target_turn", "multi_turn"),
    ("oracle", "target_turn"),
)
"""Settings of which the page leads to what the first corrected and the second not."""


def state_letter(row: PanelScore) -> str:
    """Say in one letter how an answer ended.

    Example:
        >>> from threadmed.records import ThreadId
        >>> name = {"target": "a", "setting": "oracle", "thread_id": ThreadId("T")}
        >>> state_letter(PanelScore(**name, turn=1, score=-1, outcome="scored"))
        'n'
    """
    if row.score is None:
        return WHY_LETTERS[row.outcome]
    return SCORE_LETTERS[row.score] if row.misconception else CONTROLS[row.score][0]


def disagreement_letter(scores: Sequence[Score]) -> str:
    """Say in one letter how far judges lie apart; each gives one score at most.

    Example:
        >>> [disagreement_letter(s) for s in ([1], [0, 0], [1, 0], [1, 0, -1])]
        ['-', '=', '~', '!']
    """
    if len(scores) < 2:
        return "-"
    return ("=", "~", "!")[max(scores) - min(scores)]


def states() -> dict[str, State]:
    """Say what each letter stands for, in the order in which filters list them."""
    scored = {
        SCORE_LETTERS[value]: State(
            text=score(value), look=look, meaning=meaning, score=value, outcome="scored"
        )
        for value, (look, meaning) in MEANINGS.items()
    }
    unscored = {
        letter: State(
            text=MISSING, look="none", meaning=WHY[why], score=None, outcome=why
        )
        for why, letter in WHY_LETTERS.items()
    }
    controls = {
        letter: State(
            text=text, look="none", meaning=meaning, score=None, outcome="scored"
        )
        for letter, text, meaning in CONTROLS.values()
    }
    return scored | unscored | controls


def settings_of(found: Found) -> list[Setting]:
    """List the settings that are told apart; the last is that of changed answers."""
    held = {setting for each in asked_of(found) for setting in each.settings}
    kept = {*found.settings, "intervention"} if found.shared else held
    return [setting for setting in ALL_SETTINGS if setting in held & kept]


def targets_of(found: Found) -> list[str]:
    """List the models, and behind them their arms."""
    return list(dict.fromkeys(each.name for each in asked_of(found)))


def asked_of(found: Found) -> tuple[Contestant, ...]:
    """Give who is asked, and in which settings."""
    return found.manifest.study.contestants()


def index_of(
    found: Found,
    conversations: Iterable[tuple[int, Conversation]],
    *,
    judges: Sequence[str],
) -> Index:
    """Make the index of threads, of which each comes with the number of its piece.

    The hashes of the pieces are left empty: they are known when all are written.
    """
    study = found.manifest.study
    settings = settings_of(found)
    names = slugs(targets_of(found))
    threads: list[ThreadRow] = []
    questions: list[QuestionRow] = []
    for piece, each in conversations:
        cells = _cells(each, len(names), len(settings))
        questions += _questions(each, len(threads), cells)
        threads.append(
            ThreadRow(
                id=each.id,
                thread_id=each.thread_id,
                n_turns=len(each.turns),
                piece=piece,
            )
        )
    return Index(
        study=study.name,
        targets=tuple(TargetNamed(name=name, slug=names[name]) for name in names),
        settings=tuple(_named(setting) for setting in settings),
        judges=tuple(judges),
        rule=RULES[study.panel.rule],
        primary=study.panel.primary or "",
        states=states(),
        disagreements=DISAGREEMENTS,
        threads=tuple(threads),
        questions=tuple(questions),
        pieces=(),
    )


def _named(setting: Setting) -> SettingNamed:
    shows, reads = READS[setting]
    return SettingNamed(
        key=setting, name=SETTING_NAMES[setting], shows=shows, reads=reads
    )


def shortcuts(index: Index) -> tuple[tuple[str, str], ...]:
    """Give the words and addresses of what a reader may want to see first.

    Only what some answer is like is among them.
    """
    letters = [(row.cells[::2], row.cells[1::2]) for row in index.questions]
    ended = {index.states[one].score for of, _ in letters for one in {*of} - {ABSENT}}
    judged = {DISAGREEMENTS.get(one) for _, of in letters for one in of}
    kept: list[tuple[str, str]] = []
    if -1 in ended:
        kept.append(("misconceptions that were not noticed", answers_link(score=-1)))
    if "opposed" in judged:
        words = f"answers that one judge scored +1 and another {score(-1)}"
        kept.append((words, answers_link(disagreement="opposed")))
    if None in ended:
        kept.append(("answers without a score", f"{VIEWER}#score=none"))
    return (*kept, *_flips(index))


def _flips(index: Index) -> Iterator[tuple[str, str]]:
    """Give those for what was corrected in a setting and not in one that shows more."""
    keys = [setting.key for setting in index.settings]
    for better, worse in COMPARED:
        if {better, worse} <= {*keys} and _has_flip(
            index, keys.index(better), keys.index(worse)
        ):
            names = [SETTING_NAMES[setting].lower() for setting in (better, worse)]
            yield (
                f"corrected in {names[0]} and not in {names[1]}",
                flips_link(better, worse),
            )


def _has_flip(index: Index, better: int, worse: int) -> bool:
    """Whether any model corrected in one setting what it did not in the other."""
    wide = len(index.settings)
    for row in index.questions:
        ended = row.cells[::2]
        for first in range(0, len(ended), wide):
            if ended[first + better] == "c" and ended[first + worse] in {"p", "n"}:
                return True
    return False


def _questions(
    each: Conversation, thread: int, cells: Mapping[int, str]
) -> Iterator[QuestionRow]:
    for asked in each.asked:
        yield QuestionRow(
            thread=thread,
            turn=asked.turn,
            belief=asked.belief,
            cells=cells[asked.turn],
        )


def _cells(each: Conversation, targets: int, settings: int) -> dict[int, str]:
    """Write two letters an answer, for each labelled turn."""
    written = {asked.turn: [ABSENT * 2] * (targets * settings) for asked in each.asked}
    for item in each.items:
        if item.turn in written and item.state != ABSENT:
            place = item.target * settings + item.setting
            written[item.turn][place] = item.state + item.judges
    return {turn: "".join(cells) for turn, cells in written.items()}
