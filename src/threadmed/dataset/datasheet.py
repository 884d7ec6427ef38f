"""The README.md beside a dataset: a card for hubs, then a datasheet for people.

Its sections are those of Gebru et al., "Datasheets for Datasets" (2021); the words are
in templates/datasheet.md.j2, and the numbers are the manifest's.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from threadmed.dataset.manifest import (
    Distribution,
    FunnelStep,
    InputFile,
    Manifest,
    RoleCount,
    Statistics,
)
from threadmed.dataset.options import BuildOptions
from threadmed.records import Record

SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
"""The hub's classes of size by what they end before."""

NONE = "none"

NAMED = 3
"""Reasons of a step that are named; the manifest has all."""

PERSONAL = frozenset({"known_bots", "flair_roles"})
"""Options that hold what single persons call themselves; only their number is told."""

SCRUBBED = {
    "age": "ages over 89 (`90+`)",
    "e-mail": "e-mail addresses",
    "handle": "handles (`@name`)",
    "id": "ids of posts and comments",
    "ip": "IP addresses",
    "link": "links to posts and comments",
    "name": "stated names",
    "number": "long numbers",
    "phone": "phone numbers",
    "place": "places",
    "time": "times of posts and comments",
    "user": "user names (`u/name`)",
}
"""What each kind of the manifest's `scrubbed` is; a kind that is not here is named."""


class Cells(Record, frozen=True, kw_only=True):
    """A row of a table: what it is about, and both sets."""

    name: str
    complete: str
    answered: str


class Config(Record, frozen=True, kw_only=True):
    """A subset that `datasets.load_dataset` knows by name, and its file."""

    name: str
    path: str


def datasheet(manifest: Manifest, *, invented: bool = False) -> str:
    """Write the README.md of a dataset folder.

    Args:
        manifest: What the build said of itself; nothing else is looked at.
        invented: Whether the dump was the invented sample.

    Returns:
        Markdown under a YAML header; the same arguments give the same text.
    """
    options, both = manifest.options, manifest.statistics
    subreddit = plain(options.subreddit)
    text = _template().render(
        name=f"Invented threads, as of r/{subreddit}"
        if invented
        else f"Patient-physician threads of r/{subreddit}",
        subreddit=subreddit,
        invented=invented,
        partial=manifest.partial,
        ids=manifest.release == "ids",
        hydrated=any(row.step == "hydrate" for row in manifest.funnel),
        tool=plain(manifest.tool),
        size=size_class(both.complete.threads),
        configs=_configs(manifest),
        counts={
            "complete": _things(both.complete.threads, "thread"),
            "conversations": _things(both.complete.threads, "conversation"),
            "answered": f"{both.answered.threads:,}",
        },
        follow_ups=_things(options.min_follow_ups, "message") + " of the patient",
        who="physician" if options.roles == "physician" else "health professional",
        title=options.text == "title_and_body",
        first_day=options.window_start.isoformat(),
        end_day=options.window_end.isoformat(),
        statistics=tuple(_statistics(both.complete, both.answered)),
        sizes=_sizes(both.complete, both.answered),
        years=_years(manifest),
        inputs=tuple(map(_input, manifest.inputs)),
        roles=_roles(manifest.flair),
        funnel=tuple(_funnel(manifest.funnel)),
        scrubbed=_scrubbed(manifest.scrubbed),
        options=tuple(changed(options)),
    )
    return re.sub(r"\n{3,}", "\n\n", text)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("threadmed.dataset"),
        undefined=StrictUndefined,
        # Markdown, not HTML: what could be taken for markup is made plain below.
        autoescape=False,  # noqa: S701
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("datasheet.md.j2")


def plain(text: str) -> str:
    """Leave out of a name what Markdown could take for markup, and breaks of lines.

    Example:
        >>> plain("Ask`Docs`|<b>")
        'AskDocsb'
    """
    return "".join(c for c in text if c.isprintable() and c not in "`|<>*[]\\")


def size_class(rows: int) -> str:
    """Name the hub's class of size.

    Example:
        >>> size_class(999), size_class(2_437), size_class(3_000_000)
        ('n<1K', '1K<n<10K', '1M<n<10M')
    """
    return next((name for end, name in SIZES if rows < end), "1M<n<10M")


def _configs(manifest: Manifest) -> tuple[Config, ...]:
    """List the subsets that hold a thread, the default one first.

    An empty subset is not named, since `load_dataset` takes it for a mistake.
    """
    both = manifest.statistics
    subsets: tuple[tuple[str, Statistics, str], ...] = (
        ("complete", both.complete, "complete.parquet"),
        ("answered", both.answered, "answered.parquet"),
    )
    if manifest.release == "ids":
        subsets = (("ids", both.complete, "ids.jsonl"),)
    return tuple(
        Config(name=name, path=path) for name, what, path in subsets if what.threads
    )


def _statistics(complete: Statistics, answered: Statistics) -> Iterator[Cells]:
    """Give the rows of the paper's Table 2."""
    both = (complete, answered)

    def row(name: str, values: Sequence[str]) -> Cells:
        return Cells(name=name, complete=values[0], answered=values[1])

    yield row("threads", [f"{s.threads:,}" for s in both])
    yield row("questions", [f"{s.questions:,}" for s in both])
    yield row("answered questions", [f"{s.answered:,}" for s in both])
    yield row("share answered", [_share(s) for s in both])
    yield row("questions in a thread", [_spread(s.turns) for s in both])
    yield row("tokens in a question", [_spread(s.tokens_question) for s in both])
    yield row("tokens in an answer", [_spread(s.tokens_answer) for s in both])


def _share(statistics: Statistics) -> str:
    share = statistics.answered_share
    return NONE if share is None else f"{share:.1%}"


def _spread(spread: Distribution | None) -> str:
    if spread is None:
        return NONE
    return (
        f"mean {spread.mean:,.1f}, median {spread.median:,.0f}, "
        f"middle half {spread.q25:,.0f} to {spread.q75:,.0f}, "
        f"95% up to {spread.q95:,.0f}"
    )


def _sizes(complete: Statistics, answered: Statistics) -> tuple[dict[str, str], ...]:
    """Count threads by their number of questions."""
    full = {row.turns: row.threads for row in answered.turn_counts}
    return tuple(
        {
            "turns": str(row.turns),
            "complete": f"{row.threads:,}",
            "answered": f"{full.get(row.turns, 0):,}",
        }
        for row in complete.turn_counts
    )


def _years(manifest: Manifest) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "year": str(row.year),
            "posts": f"{row.posts:,}",
            "complete": f"{row.complete:,}",
            "answered": f"{row.answered:,}",
        }
        for row in manifest.years
    )


def _input(file: InputFile) -> dict[str, str]:
    return {
        "name": plain(file.name),
        "side": file.side,
        "records": f"{file.records:,}",
        "sha256": file.sha256,
    }


def _roles(flair: Sequence[RoleCount]) -> str:
    """Say in a sentence whose comments stood under the posts kept."""
    if not flair:
        return "No flair was met."
    comments: Counter[str] = Counter()
    flairs: Counter[str] = Counter()
    for row in flair:
        comments[row.role] += row.comments
        flairs[row.role] += 1
    named = [
        f"{role} {comments[role]:,} ({_things(flairs[role], 'flair')})"
        for role, _ in comments.most_common()
    ]
    return f"Comments under the posts kept, by role: {', '.join(named)}."


def _funnel(funnel: Sequence[FunnelStep]) -> Iterator[str]:
    """Tell a step in a sentence: what came in, what was dropped and why, what stayed."""
    for first in (row for row in funnel if not row.reason):
        dropped = sorted(
            (row for row in funnel if row.step == first.step and row.dropped),
            key=lambda row: (-row.dropped, row.reason),
        )
        came = first.left
        gone = sum(row.dropped for row in dropped)
        reasons = [
            f"{row.reason.replace('_', ' ')} {row.dropped:,}" for row in dropped[:NAMED]
        ]
        others = sum(row.dropped for row in dropped[NAMED:])
        if others:
            reasons.append(f"other reasons {others:,}")
        why = f" ({', '.join(reasons)})" if reasons else ""
        yield (
            f"{first.step}: {came:,} {first.unit} came in, {gone:,} were dropped{why}, "
            f"{came - gone:,} stayed."
        )


def _scrubbed(scrubbed: dict[str, int]) -> tuple[dict[str, str], ...]:
    return tuple(
        {"what": SCRUBBED.get(kind, plain(kind)), "times": f"{times:,}"}
        for kind, times in sorted(scrubbed.items())
        if times
    )


def changed(options: BuildOptions) -> Iterator[str]:
    """Write the options that are not at their defaults, as lines of a build.toml.

    Example:
        >>> list(changed(BuildOptions(seed=7, known_bots=("a", "b"))))
        ['# known_bots: 2 entries', 'seed = 7']
    """
    defaults = BuildOptions()
    for name in BuildOptions.__struct_fields__:
        value = getattr(options, name)
        if value == getattr(defaults, name):
            continue
        if name in PERSONAL:
            yield f"# {name}: {_things(len(value), 'entry', 'entries')}"
        elif isinstance(value, dt.date):
            yield f"{name} = {value.isoformat()}"
        else:
            # JSON's strings, numbers, booleans and arrays are TOML's too.
            yield f"{name} = {msgspec.json.encode(value).decode()}"


def _things(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
