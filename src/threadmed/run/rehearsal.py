"""Goes through a study without asking anybody, and counts what a run would send.

The run's own code builds every request. In the engine's place stands a rehearsal: it
gives the reply that was paid for where there is one, and else a stand-in that the
next request can be built from.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, assert_never, cast

import msgspec

from threadmed.llm.batches import PRICE_SHARE
from threadmed.llm.model import ChatModel, Replied, Reply, Request, request_key
from threadmed.llm.prices import cost_usd
from threadmed.llm.prompt import AGAIN
from threadmed.llm.providers.capabilities import most_tokens
from threadmed.records import (
    Labelled,
    Model,
    Price,
    Record,
    Score,
    Scored,
    Stage,
    Usage,
    Verdict,
)
from threadmed.run.conduct import Run
from threadmed.run.lengths import Foresee, InputLength, ReplyLength, stand_in
from threadmed.run.material import Material
from threadmed.run.paid import Paid, Place
from threadmed.study import Study

if TYPE_CHECKING:
    from threadmed.llm.engine import Engine


PAPER_SHARE = 604 / 8_204
"""Questions with a misconception among all (paper, 4.1 and D.2): 7.4 %."""

LABELS_ENOUGH = 100
"""Labels of the identifier from which their own share is taken."""


class Scenario(Record, frozen=True, kw_only=True):
    """What is supposed of replies that are not there yet."""

    reply: Foresee
    differing: float
    """Share of the answers on which any two judges differ."""
    failing: float
    """Share of the answers that fail where an intervention looks for failures."""
    asked_again: bool
    """Whether no first reply in JSON can be read, so that each is asked for twice."""
    batches_end: bool = True
    """Whether batches end with their replies: a request whose batch expired is asked
    by itself, at the list price."""


class Amount(Record, frozen=True, kw_only=True):
    """Calls, and what they come to."""

    calls: int = 0
    tokens_in: float = 0.0
    tokens_out: float = 0.0
    usd: float = 0.0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            usd=self.usd + other.usd,
        )


class Counted(Record, frozen=True, kw_only=True):
    """What one stage asks of one model."""

    asked: int = 0
    """Requests as the stages make them, equal ones each for itself."""
    again: int = 0
    """Of them, those that follow a reply that could not be read."""
    paid: int = 0
    """Different requests whose reply is in the journal."""
    to_pay: Amount = Amount()
    """Different requests whose reply is not there yet."""
    shared: Amount = Amount()
    """Requests that an equal one spares."""
    batched: Amount = Amount()
    """Those of `to_pay` that go through a batch API, and the USD that this spares."""


class Terms(Record, frozen=True, kw_only=True):
    """What a rehearsal goes by, whatever it supposes."""

    models: Mapping[str, ChatModel]
    entries: Mapping[str, Model]
    prices: Mapping[str, Price]
    paid: Paid
    inputs: InputLength


class Rehearsal:
    """Stands in the engine's place."""

    def __init__(self, study: Study, terms: Terms, scenario: Scenario) -> None:
        self.counts: dict[Place, Counted] = defaultdict(Counted)
        self.stand_ins: dict[str, float] = {}
        """Tokens that replies which were made up have in a conversation."""
        self._costs: dict[str, Amount] = {}
        self._lengths: dict[tuple[Place, int], ReplyLength] = {}
        self._judges = study.panel.judges
        self._terms = terms
        self._scenario = scenario

    async def ask(
        self,
        model: str,
        request: Request,
        *,
        stage: Stage,
        priority: int = 0,
        batch: bool = False,
    ) -> Replied:
        """Give the reply that was paid for, or one that is made up."""
        del priority  # nobody waits
        key = request_key(self._terms.models[model], request)
        place, is_again = (stage, model), request.messages[-1].content == AGAIN
        before, reply = self.counts[place], self._terms.paid.replies.get(key)
        is_new = key not in self._costs
        if is_new:
            self._costs[key] = self._cost(
                place, request, key, is_paid=reply is not None
            )
        cost, spared = self._costs[key], Amount()
        if is_new and reply is None and batch:
            cost, spared = self._in_batch(model, cost)
            self._costs[key] = cost
        self.counts[place] = Counted(
            asked=before.asked + 1,
            again=before.again + is_again,
            paid=before.paid + (is_new and reply is not None),
            to_pay=before.to_pay + (cost if is_new and reply is None else Amount()),
            shared=before.shared + (Amount() if is_new else cost),
            batched=before.batched + spared,
        )
        if reply is None:
            text = self._text(place, request, key, is_again=is_again)
            reply = Reply(outcome="answered", text=text, usage=Usage(), served_by="")
        return Replied(key=key, reply=reply)

    def _cost(
        self, place: Place, request: Request, key: str, *, is_paid: bool
    ) -> Amount:
        """Say what a request costs, and note how long its reply will be."""
        model = place[1]
        entry = self._terms.entries[model]
        if is_paid:
            usage = self._terms.paid.replies[key].usage
        else:
            length = self._length(place, entry, request)
            self.stand_ins[stand_in(key)] = length.shown
            going_in = self._terms.inputs.of(
                place, request, key=key, stand_ins=self.stand_ins
            )
            usage = Usage(tokens_in=round(going_in), tokens_out=round(length.charged))
        return Amount(
            calls=1,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            usd=cost_usd(self._terms.prices[model], usage),
        )

    def _in_batch(self, model: str, cost: Amount) -> tuple[Amount, Amount]:
        """Say what a request costs in a batch, and what that spares."""
        entry = self._terms.entries[model]
        share = PRICE_SHARE.get(entry.model.partition(":")[0], 1.0)
        if not (entry.batch and self._scenario.batches_end):
            return cost, Amount()
        paid = msgspec.structs.replace(cost, usd=cost.usd * share)
        return paid, msgspec.structs.replace(cost, usd=cost.usd - paid.usd)

    def _length(self, place: Place, entry: Model, request: Request) -> ReplyLength:
        """Foresee a reply; all of one stage and model may be as long."""
        kind = (place, request.max_tokens)
        if kind not in self._lengths:
            most = most_tokens(entry, request)
            self._lengths[kind] = self._scenario.reply(entry, place[0], most)
        return self._lengths[kind]

    def _text(self, place: Place, request: Request, key: str, *, is_again: bool) -> str:
        """Make up a reply: the key of its request stands for its text."""
        stage, model = place
        if stage == "answer" or (self._scenario.asked_again and not is_again):
            return stand_in(key)
        match stage:
            case "identify":
                return _json(misconception=True, belief=stand_in(key), harm="none")
            case "judge":
                score = self._score(model, request)
                return _json(score=score, explanation=stand_in(key))
            case _:
                assert_never(stage)

    def suppose(self, said: Sequence[Verdict], score: Score | None) -> Score | None:
        """Let a share of the answers fail that nobody has judged yet.

        Equal requests are one, so that arms that begin alike are changed alike.
        """
        made_up = [
            verdict.request
            for verdict in said
            if isinstance(verdict, Scored) and verdict.explanation in self.stand_ins
        ]
        if not made_up:
            return score
        return -1 if _lot("failing", made_up[0]) < self._scenario.failing else 1

    def _score(self, judge: str, request: Request) -> int:
        """Let all judges say the same of an answer, or each something else.

        All judges are shown the same, so the lot falls alike for all of them.
        """
        shown = [each.content for each in request.messages if each.role != "assistant"]
        # A screening judge need not be of the panel.
        if judge not in self._judges or _lot(*shown) >= self._scenario.differing:
            return 1
        return (1, 0, -1)[self._judges.index(judge) % 3]


def _json(**entries: object) -> str:
    return msgspec.json.encode(entries).decode()


def _lot(*texts: str) -> float:
    """Give a number in [0, 1) that depends on the texts alone."""
    drawn = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).digest()
    return int.from_bytes(drawn[:6], "big") / 2**48


class Rehearsed(Record, frozen=True, kw_only=True):
    """What came of a rehearsal."""

    counts: Mapping[Place, Counted]
    questions: int
    misconceptions: int
    """Questions that are labelled so, or are supposed to be."""
    labelled: int
    """Questions with a misconception by labels that are there."""
    unlabelled: int
    """Questions that the deciding source has yet to label."""
    share: float
    """Of these, the share that is supposed to carry a misconception."""
    labels_seen: int
    """Labels that the share was taken from; 0 where it is the paper's."""
    skipped: Mapping[str, int]
    """Verdicts that a lazy panel does without, by judge."""
    after_last: Mapping[str, int]
    """Calls about turns after the last scored one of their thread, which are not made,
    by target."""


async def rehearse(
    study: Study, material: Material, *, terms: Terms, scenario: Scenario
) -> Rehearsed:
    """Go through a study as a run would, and count.

    Args:
        study: The study.
        material: What it starts from.
        terms: What is known: models, prices, replies that were paid for.
        scenario: What is supposed of the rest.
    """
    rehearsal = Rehearsal(study, terms, scenario)
    # The run asks its engine, and does nothing else with it before its files.
    engine = cast("Engine", rehearsal)
    this = Run(
        study,
        material,
        engine=engine,
        progress=lambda *_: None,
        suppose=rehearsal.suppose,
    )
    await this.identify()
    supposed = _suppose(this, rehearsal)
    this.mark()
    await this.answer(and_judge=True)
    return Rehearsed(
        counts=dict(rehearsal.counts),
        questions=sum(len(thread.turns) for thread in material.threads),
        misconceptions=len(this.marked),
        labelled=supposed.labelled,
        unlabelled=supposed.unlabelled,
        share=supposed.share,
        labels_seen=supposed.labels_seen,
        skipped=_skipped(this),
        after_last=_after_last(this),
    )


class _Supposed(Record, frozen=True, kw_only=True):
    labelled: int
    unlabelled: int
    share: float
    labels_seen: int


def _suppose(this: Run, rehearsal: Rehearsal) -> _Supposed:
    """Let a share of the questions that are not labelled carry a misconception.

    A share of all, and not a lot for each: a small study has at least one.
    """
    deciding = [
        label
        for label in this.labels
        if isinstance(label, Labelled) and label.source == this.material.source
    ]
    waiting = [label for label in deciding if label.belief in rehearsal.stand_ins]
    known = [label for label in deciding if label.belief not in rehearsal.stand_ins]
    labelled = sum(label.misconception for label in known)
    is_seen = len(known) >= LABELS_ENOUGH
    share = PAPER_SHARE
    if is_seen:
        share = labelled / len(known)
    waiting.sort(key=lambda label: _lot(f"{this.study.seed}", *_name(label)))
    least = 0 if labelled else 1
    chosen = waiting[: max(least, round(share * len(waiting)))]
    # Equal questions are one request, and get one label.
    spared = {label.belief for label in waiting} - {label.belief for label in chosen}
    this.labels = [
        msgspec.structs.replace(label, misconception=False, belief="")
        if isinstance(label, Labelled) and label.belief in spared
        else label
        for label in this.labels
    ]
    return _Supposed(
        labelled=labelled,
        unlabelled=len(waiting),
        share=share,
        labels_seen=len(known) if is_seen else 0,
    )


def _name(label: Labelled) -> tuple[str, str]:
    return (label.thread_id, f"{label.turn}")


def _skipped(this: Run) -> dict[str, int]:
    """Count the verdicts on scored answers that were not asked for."""
    by = this.study.panel
    answered = [
        item for item in this.items() if this.answers[item].outcome == "answered"
    ]
    return {
        judge: sum(
            by.repeats - len(this.verdicts.get((judge, item), ())) for item in answered
        )
        for judge in by.judges
    }


def _after_last(this: Run) -> dict[str, int]:
    """Count the calls about turns that follow the last scored one of their thread."""
    turns = sum(
        len(thread.turns) - max(scored) - 1
        for thread in this.material.threads
        if (scored := this.scored(thread))
    )
    found = dict.fromkeys(this.study.targets, 0)
    for each in this.study.contestants():
        if {"multi_turn", "intervention"} & set(each.settings):
            prompt = this.material.mitigations.get(each.arm.name if each.arm else "")
            found[each.target] += turns * (2 if prompt and prompt.prepare else 1)
    return found
