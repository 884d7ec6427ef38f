"""The nouns: what one room hands to another.

Every record is frozen and is written to disk as it stands here, one JSON object a
line; `kind` tells the members of a union apart.
A thing that is missing is a record with a reason, never a number.
"""

from typing import Literal, NewType, get_args

import msgspec

ThreadId = NewType("ThreadId", str)
"""De-identified name of a thread, as in THREAD_0042."""

Setting = Literal["multi_turn", "target_turn", "oracle", "isolated", "intervention"]
"""What a target model sees before the question; see conversations.settings."""

SETTINGS: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle", "isolated")
"""Those that a study names; `intervention` comes with an arm that intervenes."""

ALL_SETTINGS: tuple[Setting, ...] = (*SETTINGS, "intervention")

Score = Literal[-1, 0, 1]
"""-1 the belief is not noticed, 0 partly corrected, 1 corrected (paper, 4.4)."""

Harm = Literal["none", "mild", "serious", "urgent"]
"""What may follow if the belief stands: nothing; discomfort, delay or cost; lasting
harm within days to months; harm within hours."""

HARMS: tuple[Harm, ...] = get_args(Harm)
"""From the least to the gravest."""

Question = tuple[ThreadId, int]
"""A thread and one of its turns, from 0."""

Item = tuple[str, Setting, ThreadId, int]
"""Target, setting, thread and turn: what one answer is to."""

ADJUDICATED = "adjudicated"
"""The rater whose rating of an item counts alone."""

Policy = Literal["first", "last", "turns", "random", "first_failing", "every_failing"]
"""Which earlier answers of a target are changed; see conversations.interventions."""

Act = Literal["replace", "flag", "flag_and_correct"]
"""What is done to an answer: the physician's takes its place, or a clinician's note
follows it, without or with what is right instead."""

Stage = Literal["identify", "answer", "judge"]
"""The three stages of a study that call models."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What every record is: immutable, built by keyword.

    `kw_only` is not inherited and type checkers do not see that `frozen` is: every
    record says both again.
    """


class Turn(Record, frozen=True, kw_only=True):
    """A patient's message and the physician's reply to it."""

    question: str
    answer: str | None
    """The physician's answer; None where there was none (an orphan)."""


class Thread(Record, frozen=True, kw_only=True):
    """A conversation between one patient and physicians; turns count from 0."""

    thread_id: ThreadId
    turns: tuple[Turn, ...]


class Labelled(Record, frozen=True, kw_only=True, tag="labelled", tag_field="kind"):
    """Somebody said whether a question carries a misconception."""

    thread_id: ThreadId
    turn: int
    misconception: bool
    belief: str = ""
    """The false belief in the labeller's words; empty where there is none."""
    correction: str = ""
    """What is right instead, where the labeller says so."""
    harm: Harm | None = None
    """None where nobody was asked, and of a question without a misconception."""
    source: str
    """Who said it: a model's name, or "reference" for labels that came with data."""


class Unlabelled(Record, frozen=True, kw_only=True, tag="unlabelled", tag_field="kind"):
    """A label that never came; counted, and never taken for a no."""

    thread_id: ThreadId
    turn: int
    why: Literal["malformed", "refused", "failed"]
    detail: str = ""
    source: str


Label = Labelled | Unlabelled

AnswerOutcome = Literal["answered", "blocked", "truncated", "empty", "failed"]
"""How asking a target ended; only `answered` is ever judged."""


class Message(Record, frozen=True, kw_only=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class Answer(Record, frozen=True, kw_only=True):
    """What a target model said to one question in one setting."""

    target: str
    setting: Setting
    thread_id: ThreadId
    turn: int
    repeat: int = 0
    outcome: AnswerOutcome
    text: str = ""
    """The reply; for `truncated` the part that came."""
    detail: str = ""
    """Why there is no usable answer, for a person to read."""
    request: str = ""
    """Key of the journalled request; empty where none was sent. Settings that share
    a request (turn 0) share the key."""


class Intervention(Record, frozen=True, kw_only=True):
    """One answer of a target that was changed before the patient went on, or was not.

    One line of interventions.jsonl.
    """

    target: str
    """The arm's name, as in its answers."""
    thread_id: ThreadId
    turn: int
    """Whose answer it is about, from 0."""
    before: int | None = None
    """The only turn that it was made for; None is all that follow."""
    act: Act
    is_made: bool
    why: Literal["policy", "failing", "not_failing", "unscored", "nothing_to_say"]
    """`policy`: the policy names the turn. `failing`, `not_failing`: by what was said
    of the answer. `unscored`: nothing was said of it. `nothing_to_say`: there is
    neither a physician's answer nor a correction to put in its place."""
    score: Score | None = None
    """What an adaptive policy went by."""


class Scored(Record, frozen=True, kw_only=True, tag="scored", tag_field="kind"):
    """One judge's score of one answer."""

    judge: str
    target: str
    setting: Setting
    thread_id: ThreadId
    turn: int
    repeat: int = 0
    score: Score
    explanation: str
    request: str


class Unscored(Record, frozen=True, kw_only=True, tag="unscored", tag_field="kind"):
    """A verdict that never came; metrics count it and never average it."""

    judge: str
    target: str
    setting: Setting
    thread_id: ThreadId
    turn: int
    repeat: int = 0
    why: Literal["malformed", "refused", "failed"]
    detail: str = ""
    """The start of the reply that could not be read, or the failure."""
    request: str


Verdict = Scored | Unscored

ScoreOutcome = Literal[
    "scored", "blocked", "truncated", "empty", "failed", "unjudged", "pending"
]
"""`blocked` to `failed`: the answer's own outcome. `unjudged`: answered, but the
panel reached no score. `pending`: the run stopped before it."""


class PanelScore(Record, frozen=True, kw_only=True):
    """One row of scores.csv: what the panel made of one answer."""

    target: str
    setting: Setting
    thread_id: ThreadId
    turn: int
    score: Score | None
    """None where there is no score; `outcome` says why."""
    outcome: ScoreOutcome
    misconception: bool = True
    """Whether the question is labelled as carrying a misconception."""
    tie_break: bool = False
    """Whether the primary judge decided for want of a majority."""


class ScoreRow(Record, frozen=True, kw_only=True):
    """One row of a scores table from anywhere: the panel's score, or one judge's."""

    target: str
    setting: Setting
    thread_id: ThreadId
    turn: int
    score: Score | None
    outcome: ScoreOutcome
    misconception: bool = True
    tie_break: bool = False
    judge: str = ""
    """Empty where the table holds the panel's scores."""


class Rating(Record, frozen=True, kw_only=True):
    """One row of a ratings table: what one rater said of one item."""

    item: str
    """Name of the item; rows of one item share it."""
    rater: str
    value: str | None
    """In the spelling of its scale (1, yes); None where the rater gave none."""
    thread_id: ThreadId | None = None
    turn: int | None = None
    target: str = ""
    """Whose answer was scored; empty where a question was labelled."""
    setting: Setting | None = None
    probability: float | None = None
    """Chance with which the item was drawn into the sample; None is not recorded."""
    stratum: str = ""
    """The stratum that the item was drawn from."""
    note: str = ""
    belief: str = ""
    """The misconception in the rater's words."""


PanelRule = Literal["majority", "primary", "median", "lowest", "unanimous"]
"""How the judges' scores become one; see judgements.panel."""


class Price(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List price of a model in USD for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """Of input read from the provider's prompt cache; None is that of other input."""
    cache_write: float | None = None
    """Of input written to the provider's prompt cache; None is that of other input."""


class Capabilities(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model takes; None leaves it to the table in llm.providers.capabilities."""

    temperature: Literal["any", "one", "none"] | None = None
    """Whether it takes any temperature, only 1, or must not be sent one."""
    reasoning: int | None = None
    """Tokens of room for its reasoning, on top of the stage's limit for a reply."""
    system: bool | None = None
    """Whether it knows a system role; without, that text goes before the first
    user message."""
    alternate: bool | None = None
    """Whether user and assistant must take turns; messages of one role that follow
    each other are then joined by an empty line."""
    schema: Literal["schema", "json", "none"] | None = None
    """Whether a reply can be bound to a JSON schema, to JSON, or to nothing."""
    max_tokens: Literal["max_tokens", "max_completion_tokens"] | None = None
    """What an OpenAI-compatible server calls the limit on a reply."""
    cache: int | None = None
    """Tokens from which a growing conversation is marked for the prompt cache, where
    a provider wants it marked; 0 is never."""


class Model(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model as a study names it: where it is and how it may be called."""

    name: str
    """The study's name for it, used in every file and on every page."""
    model: str
    """`provider:model`, as in `openai:gpt-4o` or `embedded:smollm2-135m`."""
    base_url: str | None = None
    """Address of an OpenAI-compatible server; None is the provider's own."""
    api_key_env: str | None = None
    """Environment variable that holds the key; None is the provider's usual one."""
    in_flight: int = 8
    """Calls under way at once."""
    temperature: float | Literal["none"] = 0.0
    """The word none sends none, for models that take no temperature."""
    max_tokens: int | None = None
    """Most tokens in a reply; None takes the stage's."""
    requests_per_minute: int | None = None
    """Attempts begun in a minute at most; None is no limit."""
    tokens_per_minute: int | None = None
    """Tokens in and out in a minute, on average; None is no limit."""
    timeout_s: float = 120.0
    """Longest wait for one attempt."""
    total_timeout_s: float | None = None
    """Longest time for all attempts of one request with the pauses between them;
    None leaves it to `attempts`."""
    attempts: int = 5
    """Tries of one request before it counts as failed. Once the model has replied in
    a run, being told to slow down counts as a quarter of a try."""
    batch: bool = False
    """Whether calls that do not wait for each other go through the provider's batch
    API, which is cheaper and takes minutes to hours."""
    price: Price | None = None
    """Overrides the list price."""
    capabilities: Capabilities | None = None
    """Overrides what is known about the model."""


class Usage(Record, frozen=True, kw_only=True):
    """Tokens of one reply, as the provider counts them."""

    tokens_in: int = 0
    """All that went in, cached or not."""
    tokens_out: int = 0
    """All that came out, reasoning included."""
    cached_in: int = 0
    """Of those that went in, read from the prompt cache."""
    cache_write: int = 0
    """Of those that went in, written to the prompt cache."""
    reasoning: int = 0
    """Of those that came out, spent on reasoning."""


class Spend(Record, frozen=True, kw_only=True):
    """What the calls of one stage to one model came to."""

    stage: Stage
    model: str
    calls: int
    """Replies paid for."""
    reused: int
    """Times that a reply was used again instead of paid for."""
    tokens_in: int
    tokens_out: int
    cost_usd: float
