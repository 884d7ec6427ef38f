"""What a build says about itself; it names no post, no person and no moment."""

from typing import Literal

from threadmed.dataset.flair import Role
from threadmed.dataset.options import BuildOptions
from threadmed.records import Record

Unit = Literal["posts", "comments", "threads"]

Step = Literal[
    "keep posts",
    "keep comments",
    "select branch",
    "keep threads",
    "fully answered",
    "hydrate",
]


class InputFile(Record, frozen=True, kw_only=True):
    """One dump file and what reading it came to."""

    name: str
    """Last part of the path."""
    side: Literal["posts", "comments"]
    format: str
    """Found by content: zstd, gzip, bzip2, xz, plain, or json (one document)."""
    sha256: str
    bytes: int
    records: int
    """Whole records that were read."""
    bad: dict[str, int]
    """Lines that gave no record, by kind."""
    repaired: dict[str, int]
    """Lines that were mended before they could be read, by kind."""
    examples: tuple[str, ...]
    """For every kind of bad or mended line the first one, as `kind at name:line`."""
    cut_at: int | None = None
    """Compressed offset where a truncated or corrupt file ended; None if it is whole."""


class FunnelStep(Record, frozen=True, kw_only=True):
    """How many things one reason took, and what was left after it."""

    step: Step
    reason: str
    """Empty where a step begins: what came in, with nothing dropped."""
    unit: Unit
    """What is dropped."""
    dropped: int
    posts: int | None = None
    """Posts left; None where the step is not about posts."""
    comments: int | None = None
    threads: int | None = None

    @property
    def left(self) -> int:
        """What is left, in the step's unit."""
        return {
            "posts": self.posts,
            "comments": self.comments,
            "threads": self.threads,
        }[self.unit] or 0

    # Python 3.11 has no typing.override.
    def __str__(self) -> str:  # type: ignore[explicit-override]
        """One line for a terminal.

        Example:
            >>> print(FunnelStep(step="keep posts", reason="removed", unit="posts",
            ...                  dropped=12, posts=3_400))
            keep posts      removed                      -12 posts, 3,400 left
        """
        if not self.reason:
            return f"{self.step:15} {self.left:,} {self.unit}"
        return (
            f"{self.step:15} {self.reason:24} {-self.dropped:>7,} {self.unit}, "
            f"{self.left:,} left"
        )


class RoleCount(Record, frozen=True, kw_only=True):
    """One flair as it stands in the dump, the role it was taken for, how often."""

    flair: str
    role: Role
    comments: int


class Distribution(Record, frozen=True, kw_only=True):
    """A number's spread over n things; quantiles are linear between order statistics."""

    n: int
    mean: float
    min: float
    q25: float
    median: float
    q75: float
    q95: float
    max: float


class TurnCount(Record, frozen=True, kw_only=True):
    """How many threads have so many questions."""

    turns: int
    threads: int


class Statistics(Record, frozen=True, kw_only=True):
    """One column of the paper's Table 2."""

    threads: int
    questions: int
    answered: int
    """Questions with a physician's answer."""
    answered_share: float | None
    """answered / questions; None where there are no questions."""
    turns: Distribution | None
    """Questions in a thread; None where there are no threads."""
    turn_counts: tuple[TurnCount, ...]
    tokens_question: Distribution | None
    """cl100k_base tokens of a question, the title counted with the first."""
    tokens_answer: Distribution | None
    """cl100k_base tokens of an answer; questions without one do not count."""


class BothStatistics(Record, frozen=True, kw_only=True):
    """Table 2: both columns."""

    complete: Statistics
    answered: Statistics


class YearCount(Record, frozen=True, kw_only=True):
    """What one year, UTC, of the posts gave."""

    year: int
    posts: int
    """Posts kept."""
    complete: int
    """Threads in the complete set."""
    answered: int


class Manifest(Record, frozen=True, kw_only=True):
    """manifest.json of a dataset."""

    tool: str
    """threadmed and its version."""
    release: Literal["text", "ids"] = "text"
    """What the folder holds: threads, or only what to make them from a dump."""
    partial: bool
    """Whether a truncated or corrupt file was used as far as it could be read."""
    inputs: tuple[InputFile, ...]
    options: BuildOptions
    funnel: tuple[FunnelStep, ...]
    statistics: BothStatistics
    years: tuple[YearCount, ...]
    """Years covered, in order; the finest that is said about time."""
    flair: tuple[RoleCount, ...]
    """Comments under kept posts by their author's flair, most frequent first."""
    scrubbed: dict[str, int]
    """Pieces of text replaced by a placeholder, by kind."""
    observed: dict[str, int]
    """What was met on the way and decided by a rule, by name; see docs/data.md."""
