"""Judges and identifiers held against experts (paper, Tables 5, 6 and 7).

Validation
├── identification   whether a question carries a misconception: experts, identifiers
└── scoring          how far an answer corrects it: experts, judges, the panel

At turn 0 one answer stands in several settings with what was said of it; it counts once.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from threadmed.metrics.agreement.agree import agree
from threadmed.metrics.agreement.pairwise import pair_of
from threadmed.metrics.agreement.raters import (
    SCORES,
    YES_NO,
    Consensus,
    Scale,
    consensus,
    tabulate,
)
from threadmed.metrics.agreement.records import Agreement, PairAgreement
from threadmed.metrics.alike import first_alike
from threadmed.metrics.estimates import NotEstimable, Number
from threadmed.records import ADJUDICATED, Rating, Record, Score, ThreadId

Place = tuple[str, str, str, int]
"""Target, setting, thread and turn; a question has no target and no setting."""

Said = Mapping[Place, str | None]
"""What a judge said of each place; None where it was asked and gave nothing."""

EXPERTS = "experts"
"""Name of what the experts say together, in a pair."""


class Versus(Record, frozen=True, kw_only=True):
    """One judge, identifier or panel against what the experts say together."""

    judge: str
    n_total: int
    """Items of the experts' table."""
    n_scored: int
    """Items with both."""
    n_missing: int
    """The rest, for one of the next three reasons."""
    n_unrated: int
    """No expert gave a value."""
    n_split: int
    """Experts gave values, and none has more than half of them."""
    n_unscored: int
    """The experts have a value and the judge has none."""
    agreement: PairAgreement
    """Of the items with both; the experts are the first rater."""


class Experts(Record, frozen=True, kw_only=True):
    """Who rated, and how far they agree among themselves."""

    raters: tuple[str, ...]
    """Without the adjudicator."""
    n_items: int
    n_single: int
    """Items that one expert alone rated."""
    n_several: int
    n_split: int
    """Items without a strict majority that nobody settled; they are left out."""
    n_unrated: int
    n_adjudicated: int
    ceiling: Agreement | NotEstimable
    """Agreement of experts with each other, on the items that several rated."""


class Identified(Record, frozen=True, kw_only=True):
    """An identifier against the experts; `yes` is a misconception (paper, Table 5)."""

    versus: Versus
    precision: Number
    """Share of its yes that the experts share."""
    recall: Number
    """Share of the experts' yes that it finds; also called sensitivity."""
    f1: Number
    specificity: Number
    """Share of the experts' no to which it also says no."""


class IdentificationValidation(
    Record, frozen=True, kw_only=True, tag="identification", tag_field="kind"
):
    """Whether questions carry a misconception: experts, and those who label."""

    experts: Experts
    identifiers: tuple[Identified, ...]
    warnings: tuple[str, ...] = ()


class ScoringValidation(
    Record, frozen=True, kw_only=True, tag="scoring", tag_field="kind"
):
    """How far answers correct a misconception: experts, judges, the panel."""

    experts: Experts
    panel: Versus
    judges: tuple[Versus, ...]
    between_judges: Agreement | NotEstimable
    """Agreement of the judges with each other, on all items of the study, one answer
    once; of a lazy panel those that were asked about every answer."""
    warnings: tuple[str, ...] = ()


class Validation(Record, frozen=True, kw_only=True):
    """validation.json: how far a study's labels and scores may be trusted."""

    version: int = 1
    identification: IdentificationValidation | NotEstimable
    scoring: ScoringValidation | NotEstimable


def place_of(rating: Rating) -> Place:
    """Say what a rating is about; thread and turn must be known.

    Example:
        >>> place_of(Rating(item="a", rater="x", value="yes", thread_id=ThreadId("T1"),
        ...     turn=2))
        ('', '', 'T1', 2)
    """
    if rating.thread_id is None or rating.turn is None:
        raise ValueError(f"expected a thread and a turn of item {rating.item!r}")
    return (rating.target, rating.setting or "", rating.thread_id, rating.turn)


def validate_labels(
    ratings: Sequence[Rating], labels: Mapping[str, Said], *, level: float = 0.95
) -> IdentificationValidation:
    """Hold labels against experts' yes and no.

    Args:
        ratings: The experts', each `yes` or `no`, with thread and turn.
        labels: By source: yes or no by place, None where the label never came.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> rows = [Rating(item=f"{n}", rater="x", value="yes" if n < 8 else "no",
        ...     thread_id=ThreadId(f"T{n}"), turn=0) for n in range(16)]
        >>> said = {place_of(row): "yes" if n < 9 else "no"
        ...     for n, row in enumerate(rows)}
        >>> validate_labels(rows, {"m": said}).identifiers[0].specificity.value
        0.875
    """
    return IdentificationValidation(
        experts=_experts(ratings, YES_NO, level=level),
        identifiers=tuple(
            _identified(versus(ratings, source, said, scale=YES_NO, level=level))
            for source, said in labels.items()
        ),
        warnings=tuple(_warnings(ratings)),
    )


def _identified(found: Versus) -> Identified:
    no, yes = found.agreement.classes
    return Identified(
        versus=found,
        precision=yes.precision,
        recall=yes.recall,
        f1=yes.f1,
        specificity=no.recall,
    )


def validate_scores(
    ratings: Sequence[Rating],
    judges: Mapping[str, Mapping[Place, Score | None]],
    panel: Mapping[Place, Score | None],
    *,
    selected: Collection[str] = (),
    level: float = 0.95,
) -> ScoringValidation:
    """Hold the judges' scores and the panel's against experts'.

    Args:
        ratings: The experts', each -1, 0 or 1, with target, setting, thread and turn.
            Of two by one rater of one answer, in two settings, the first counts.
        judges: By judge: score by place, None where it gave none.
        panel: The panel's scores.
        selected: Judges that were asked only where others left a score open. Of what
            they say of those harder items nothing is computed.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> rows = [Rating(item=f"{n}", rater="x", value="1" if n < 8 else "0",
        ...     thread_id=ThreadId(f"T{n}"), turn=0, target="m", setting="oracle")
        ...     for n in range(16)]
        >>> said = {place_of(row): 1 if n < 9 else 0 for n, row in enumerate(rows)}
        >>> validate_scores(rows, {"j": said}, said).panel.agreement.raw.hits
        15
    """
    lazy = (
        f"the panel is lazy: {', '.join(selected)} scored only what the judges before "
        "left open, so that agreement is given of the panel and of those before alone"
    )
    said = {
        judge: _in_words(scores)
        for judge, scores in judges.items()
        if judge not in selected
    }
    ratings = _rated_once(ratings, (*judges.values(), panel))
    return ScoringValidation(
        experts=_experts(ratings, SCORES, level=level),
        panel=versus(ratings, "panel", _in_words(panel), scale=SCORES, level=level),
        judges=tuple(
            versus(ratings, judge, words, scale=SCORES, level=level)
            for judge, words in said.items()
        ),
        between_judges=_between(said, level=level),
        warnings=(*_warnings(ratings), *([lazy] if selected else [])),
    )


def _rated_once(
    ratings: Sequence[Rating], said: Sequence[Mapping[Place, object]]
) -> list[Rating]:
    """Take ratings of one answer in several settings for those of the first of them."""
    places = list(dict.fromkeys(place_of(rating) for rating in ratings))
    firsts = first_alike(
        places, [tuple(each.get(place) for each in said) for place in places]
    )
    first_of = {place: places[at] for place, at in zip(places, firsts, strict=True)}
    heads: dict[Place, Rating] = {}
    found: dict[tuple[Place, str], Rating] = {}
    for rating in ratings:
        place = first_of[place_of(rating)]
        head = heads.setdefault(place, rating)
        kept = replace(rating, item=head.item, setting=head.setting)
        found.setdefault((place, rating.rater), kept)
    return list(found.values())


def _in_words(scores: Mapping[Place, Score | None]) -> dict[Place, str | None]:
    return {
        place: None if score is None else str(score) for place, score in scores.items()
    }


def versus(
    ratings: Sequence[Rating],
    judge: str,
    said: Said,
    *,
    scale: Scale,
    level: float = 0.95,
) -> Versus:
    """Hold one judge against what experts say together.

    Args:
        ratings: The experts'.
        judge: Its name.
        said: What it said, by place.
        scale: What both can say.
        level: Coverage aimed at, in (0, 1).

    Example:
        >>> rows = [Rating(item=f"{n}", rater="x", value="yes", turn=0,
        ...     thread_id=ThreadId(f"T{n}")) for n in range(8)]
        >>> found = versus(rows, "m", {place_of(rows[0]): "yes"}, scale=YES_NO)
        >>> found.n_total, found.n_scored, found.n_unscored
        (8, 1, 7)
    """
    together = consensus(ratings)
    places = {rating.item: rating for rating in ratings}
    rows = []
    for item, rating in places.items():
        judged = said.get(place_of(rating))
        for rater, value in ((EXPERTS, together.values.get(item)), ("judge", judged)):
            rows.append(
                Rating(item=item, rater=rater, value=value, thread_id=rating.thread_id)
            )
    table = tabulate(rows, scale)
    first, second = (table.raters.index(rater) for rater in (EXPERTS, "judge"))
    found = pair_of(table, first, second, scale=scale, level=level)
    return _counted(found, judge, together)


def _counted(found: PairAgreement, judge: str, together: Consensus) -> Versus:
    return Versus(
        judge=judge,
        n_total=found.n_total,
        n_scored=found.n_scored,
        n_missing=found.n_missing,
        n_unrated=len(together.unrated),
        n_split=len(together.split),
        n_unscored=len(together.values) - found.n_scored,
        agreement=replace(found, first=EXPERTS, second=judge),
    )


def _experts(ratings: Sequence[Rating], scale: Scale, *, level: float) -> Experts:
    own = [rating for rating in ratings if rating.rater != ADJUDICATED]
    given: dict[str, int] = {rating.item: 0 for rating in ratings}
    for rating in own:
        given[rating.item] += rating.value is not None
    several = {item for item, number in given.items() if number > 1}
    together = consensus(ratings)
    raters = sorted({rating.rater for rating in own})
    shared = [rating for rating in own if rating.item in several]
    ceiling: Agreement | NotEstimable = NotEstimable(
        reason="no item has ratings of two experts", n=0
    )
    if shared:
        ceiling = agree(shared, scale=scale, level=level)
    return Experts(
        raters=tuple(raters),
        n_items=len(given),
        n_single=sum(number == 1 for number in given.values()),
        n_several=len(several),
        n_split=len(together.split),
        n_unrated=len(together.unrated),
        n_adjudicated=len(together.adjudicated),
        ceiling=ceiling,
    )


def _between(judges: Mapping[str, Said], *, level: float) -> Agreement | NotEstimable:
    heard = {judge: said for judge, said in judges.items() if said}
    if len(heard) < 2:
        return NotEstimable(reason="there are no verdicts of two judges", n=0)
    places = list(dict.fromkeys(place for said in heard.values() for place in said))
    firsts = first_alike(
        places, [tuple(said.get(place) for said in heard.values()) for place in places]
    )
    rows = [
        Rating(
            item="/".join(map(str, place)),
            rater=judge,
            value=said[place],
            thread_id=ThreadId(place[2]),
        )
        for judge, said in heard.items()
        for at, place in enumerate(places)
        if firsts[at] == at and place in said
    ]
    return agree(rows, scale=SCORES, level=level)


def _warnings(ratings: Sequence[Rating]) -> Iterator[str]:
    """Say where the rated items stand for no others."""
    chances = {rating.probability for rating in ratings}
    if len(chances) > 1:
        yield (
            "items were drawn with unlike probabilities, and agreement is not weighted "
            "by them: it is that of the rated items"
        )
