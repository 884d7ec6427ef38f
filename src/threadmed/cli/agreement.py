"""The commands `agree` and `validate`, and their numbers as lines for a terminal."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from threadmed.metrics.agreement.coefficients import Reliability
    from threadmed.metrics.agreement.confusion import Confusion
    from threadmed.metrics.agreement.raters import Level
    from threadmed.metrics.agreement.records import (
        Agreement,
        Coefficients,
        PairAgreement,
    )
    from threadmed.metrics.agreement.validation import (
        Experts,
        Identified,
        Validation,
        Versus,
    )
    from threadmed.metrics.estimates import NotEstimable

KINDS = (
    ("kappa", "kappa"),
    ("kappa_linear", "kappa, linear"),
    ("kappa_quadratic", "kappa, quadratic"),
    ("ac1", "AC1"),
    ("ac2_linear", "AC2, linear"),
    ("ac2_quadratic", "AC2, quadratic"),
    ("alpha_nominal", "alpha, nominal"),
    ("alpha_ordinal", "alpha, ordinal"),
    ("alpha_interval", "alpha, interval"),
)
WEIGHTED = frozenset(name for name, _ in KINDS) - {"kappa", "ac1", "alpha_nominal"}
FOOT = "Intervals aim at 95 % and are described in docs/methods.md."


def agree(
    ratings: Annotated[
        Path,
        typer.Argument(
            help="CSV, Parquet or JSONL: item,rater,value, or a column a rater.",
            metavar="RATINGS",
        ),
    ],
    json: Annotated[
        Path | None, typer.Option(help="Write every number to this file.")
    ] = None,
    level: Annotated[
        Literal["nominal", "ordinal"] | None,
        typer.Option(help="Ordinal where all values are numbers, unless said."),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(help="All values in order, as -1,0,1; without it those seen."),
    ] = None,
) -> None:
    """Compute how far 2 to 20 raters agree.

    Raw agreement, kappa, AC1 and AC2, alpha, confusion, precision and recall; turns of
    one thread count as alike where there is a column thread_id. What is adjudicated is
    no rater's, and left out.
    """
    from threadmed.cli.commands import say
    from threadmed.store import write_json

    found = agreement_of(ratings, level=level, scale=scale)
    for line in lines(found):
        say(line)
    if json is not None:
        write_json(json, found)
        say(f"{json}: every number")


def agreement_of(
    path: Path, *, level: Literal["nominal", "ordinal"] | None, scale: str | None
) -> "Agreement":
    """Read a table of 2 to 20 raters and compute their agreement.

    Who adjudicates rates only what others disagree on, knows what they said, and is no
    further rater.
    """
    from threadmed.cli.commands import say
    from threadmed.errors import InputError
    from threadmed.labels.experts import ANY, read_ratings, scale_reading
    from threadmed.metrics.agreement.agree import agree as computed
    from threadmed.metrics.agreement.raters import scale_of
    from threadmed.records import ADJUDICATED

    reading = ANY if scale is None else scale_reading(scale)
    given = read_ratings(path, reading=reading)
    rows = [row for row in given if row.rater != ADJUDICATED]
    if len(rows) < len(given):
        say(f"left out: what {ADJUDICATED} says, which is no rater's")
    number = len({row.rater for row in rows})
    if not 2 <= number <= 20:
        raise InputError(f"{path}: has {number} raters; expected 2 to 20")
    try:
        values = scale_of(rows, declared=reading.values, level=level)
    except InputError as cause:
        raise InputError(f"{path}: {cause}") from cause
    return computed(rows, scale=values)


def validate(
    study: Annotated[Path, typer.Argument(help="The study folder.", metavar="STUDY")],
    identification: Annotated[
        Path | None,
        typer.Option(help="Experts' yes or no; else ratings/identification.csv."),
    ] = None,
    scoring: Annotated[
        Path | None, typer.Option(help="Experts' scores; else ratings/scoring.csv.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option(help="Write every number to this file, too.")
    ] = None,
) -> None:
    """Say how far experts agree with a study's labels and scores.

    Whoever labelled, each judge and the panel are held against experts; every number
    is in validation.json of the study.
    """
    from threadmed.cli.commands import say
    from threadmed.run.validation import RESULT
    from threadmed.run.validation import validate as validated
    from threadmed.store import write_json
    from threadmed.study import study_folder

    found = validated(
        study_folder(study), identification=identification, scoring=scoring
    )
    for line in validation_lines(found):
        say(line)
    if json is not None:
        write_json(json, found)
    say(f"{json or study / RESULT}: every number")


def lines(found: "Agreement") -> Iterator[str]:
    """Give what there is, all raters together, and each pair."""
    scale = found.scale
    said = "declared" if scale.is_declared else "the values that occur"
    yield (
        f"{len(found.raters)} raters, {found.n_total} items, {found.n_scored} rated by "
        f"two or more, {found.n_missing} by fewer; {found.n_ratings_missing} of "
        f"{found.n_ratings + found.n_ratings_missing} ratings missing"
    )
    yield f"scale {', '.join(scale.values)} ({said}, {scale.level})"
    for rater in found.raters:
        counts = zip(scale.values, rater.counts, strict=True)
        given = ", ".join(f"{value}: {n}" for value, n in counts)
        yield f"  {rater.rater}: {rater.n_rated} items ({given})"
    if len(found.raters) > 2:
        yield from _overall(found)
    for pair in found.pairs:
        yield ""
        yield f"{pair.first} and {pair.second}, {_of(pair.n_scored, pair.n_total)}"
        yield from _pair(pair, scale.level)
    yield ""
    yield FOOT


def _of(n_scored: int, n_total: int) -> str:
    return f"{n_scored} of {n_total} items with both, {n_total - n_scored} missing"


def _overall(found: "Agreement") -> Iterator[str]:
    from threadmed.cli.written import percent

    overall = found.overall
    yield ""
    yield "all raters together"
    yield _row("raw agreement", percent(overall.raw))
    yield _row("unanimous", percent(overall.unanimous))
    names = [each for each in KINDS if not each[0].startswith("kappa_")]
    yield from _coefficients(overall.coefficients, names, found.scale.level)
    if overall.fleiss_raters:
        yield (
            f"  kappa is Fleiss', of items with {overall.fleiss_raters} ratings, "
            f"{overall.n_left_out_of_fleiss} left out"
        )


def _coefficients(
    found: "Coefficients", kinds: Iterable[tuple[str, str]], level: "Level"
) -> Iterator[str]:
    """Give a row each, or one where none can be computed for one reason."""
    rows = [
        (shown, getattr(found, name))
        for name, shown in kinds
        if level == "ordinal" or name not in WEIGHTED
    ]
    reasons = {getattr(number, "reason", "") for _, number in rows}
    if len(reasons) == 1 and (reason := reasons.pop()):
        yield _row("coefficients", f"- ({reason})")
        return
    for shown, number in rows:
        yield _row(shown, written(number))


def _pair(pair: "PairAgreement", level: "Level") -> Iterator[str]:
    from threadmed.cli.written import percent

    yield _row("raw agreement", percent(pair.raw))
    yield from _coefficients(pair.coefficients, KINDS, level)
    yield _row("macro F1", percent(pair.macro_f1))
    yield from _confusion(pair.confusion, pair.first, pair.second)
    for each in pair.classes:
        yield (
            f"  {each.value}: precision {percent(each.precision)}; recall "
            f"{percent(each.recall)}; F1 {percent(each.f1)}"
        )
    for warning in pair.warnings:
        yield f"  {warning}"


def _row(name: str, text: str) -> str:
    return f"  {name:17} {text}"


def _confusion(table: "Confusion", first: str, second: str) -> Iterator[str]:
    """Draw the table, a row for each value of the first rater."""
    wide = max(5, *(len(value) + 1 for value in table.values))
    yield f"  {first} down, {second} across"
    yield " " * (wide + 2) + "".join(f"{value:>{wide}}" for value in table.values)
    for value, counts in zip(table.values, table.counts, strict=True):
        cells = "".join(f"{count:>{wide}}" for count in counts)
        yield f"  {value:>{wide}}{cells}"


def written(number: "Reliability") -> str:
    """Write a coefficient with its interval and n, or why there is none."""
    from threadmed.metrics.agreement.coefficients import Coefficient

    if not isinstance(number, Coefficient):
        return f"- ({number.reason})"
    flag = f", {number.flag}" if number.flag else ""
    return (
        f"{number.value:.2f} [{number.low:.2f}, {number.high:.2f}] n = {number.n}{flag}"
    )


def validation_lines(found: "Validation") -> Iterator[str]:
    """Give identification and scoring, each with its experts and their ceiling."""
    from threadmed.metrics.agreement.validation import (
        IdentificationValidation,
        ScoringValidation,
    )

    yield "Identification: does the question carry a misconception?"
    if isinstance(found.identification, IdentificationValidation):
        yield from _experts(found.identification.experts)
        for each in found.identification.identifiers:
            yield from _identified(each)
        yield from found.identification.warnings
    else:
        yield _none(found.identification)
    yield ""
    yield "Scoring: does the answer correct it?"
    if isinstance(found.scoring, ScoringValidation):
        scoring = found.scoring
        yield from _experts(scoring.experts)
        for judge in (scoring.panel, *scoring.judges):
            yield from _versus(judge, "ordinal")
        yield from _judges(scoring.between_judges)
        yield from scoring.warnings
    else:
        yield _none(found.scoring)
    yield ""
    yield FOOT


def _none(why: "NotEstimable") -> str:
    return f"  - ({why.reason})"


def _experts(experts: "Experts") -> Iterator[str]:
    from threadmed.cli.written import percent
    from threadmed.metrics.agreement.records import Agreement

    yield (
        f"  experts {', '.join(experts.raters)}: {experts.n_items} items, "
        f"{experts.n_several} by several, {experts.n_adjudicated} adjudicated, "
        f"{experts.n_split} split, {experts.n_unrated} unrated"
    )
    ceiling = experts.ceiling
    if not isinstance(ceiling, Agreement):
        yield f"  ceiling - ({ceiling.reason})"
        return
    yield _row("experts agree", percent(ceiling.overall.raw))
    yield _row("their kappa", written(ceiling.overall.coefficients.kappa))
    yield _row("their AC1", written(ceiling.overall.coefficients.ac1))


def _versus(versus: "Versus", level: "Level") -> Iterator[str]:
    yield ""
    yield (
        f"{versus.judge} against experts, {_of(versus.n_scored, versus.n_total)} "
        f"({versus.n_unrated} unrated, {versus.n_split} split, {versus.n_unscored} "
        "without a value)"
    )
    yield from _pair(versus.agreement, level)


def _identified(found: "Identified") -> Iterator[str]:
    from threadmed.cli.written import percent

    yield from _versus(found.versus, "nominal")
    yield _row("precision of yes", percent(found.precision))
    yield _row("recall of yes", percent(found.recall))
    yield _row("F1 of yes", percent(found.f1))
    yield _row("specificity", percent(found.specificity))


def _judges(found: "Agreement | NotEstimable") -> Iterator[str]:
    from threadmed.cli.written import percent
    from threadmed.metrics.agreement.records import Agreement

    yield ""
    yield (
        "judges among themselves, all items of the study; one answer to a first "
        "question in several settings is one"
    )
    if not isinstance(found, Agreement):
        yield _none(found)
        return
    yield _row("raw agreement", percent(found.overall.raw))
    yield _row("alpha, ordinal", written(found.overall.coefficients.alpha_ordinal))
    for pair in found.pairs:
        yield (
            f"  {pair.first} and {pair.second}: {percent(pair.raw)}; kappa "
            f"{written(pair.coefficients.kappa)}; quadratic "
            f"{written(pair.coefficients.kappa_quadratic)}"
        )
