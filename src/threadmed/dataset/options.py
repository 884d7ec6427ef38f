"""build.toml: every choice in a build that could reasonably go another way.

The defaults follow the paper where it speaks and the least surprising reading where
it does not; `docs/data.md` lists them.
"""

import datetime as dt
from typing import Annotated, Literal

from msgspec import Meta, field

from threadmed.dataset.flair import DualRole, Role, Switch
from threadmed.records import Record

Share = Annotated[float, Meta(ge=0, le=1)]


class BuildOptions(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How threads are made; the number in brackets is that of docs/data.md."""

    subreddit: str = "AskDocs"
    """Posts of other subreddits are passed over; case does not matter."""
    window_start: dt.date = dt.date(2015, 1, 1)
    """First day, UTC, on which a post may have been written (20): the paper's."""
    window_end: dt.date = dt.date(2023, 7, 1)
    """First day after the window (20); comments may be later than their post."""
    min_words: Annotated[int, Meta(ge=0)] = 5
    """Fewest words of a post once it is cleaned (16): the paper's five."""
    text: Literal["title_and_body", "body"] = "title_and_body"
    """The first question (16): many posts say what they ask in the title alone."""
    roles: Literal["physician", "clinician"] = "physician"
    """Whose comments are answers (4): physicians only, as in the paper, or other
    clinicians too; students never."""
    physicians_also: tuple[Switch, ...] = ()
    """Debatable flairs that count as physicians; none unless asked for."""
    dual_role: DualRole = "student"
    """What a student of medicine who is another clinician already counts as."""
    flair_roles: dict[str, Role] = field(default_factory=dict)
    """Role by exact flair, before every rule; the flair census shows what to mend."""
    known_bots: tuple[str, ...] = ()
    """More user names to treat as bots, beside the list that comes along."""
    select_first: bool = True
    """Select the branch and then ask for follow-ups (10), the order in the paper;
    false selects among the branches that pass, and so keeps more threads."""
    overlap: Literal["words", "jaccard"] = "words"
    """How a branch is held against the post (1): shared words, as in the paper, or
    shared words among all words, which does not favour long answers."""
    questions: Literal["separate", "merged"] = "separate"
    """Patient's messages with no answer between them (2). The paper's share of
    unanswered questions is impossible if they are merged."""
    answers: Literal["joined", "first"] = "joined"
    """Several physician comments before the next question (3): all of them in one
    answer, in time order, or the first alone."""
    pairing: Literal["time", "tree"] = "time"
    """Which question an answer belongs to (5): the latest before it, as a linear
    conversation has it, or the one that it hangs under."""
    physicians: Literal["all", "first"] = "all"
    """Whose answers are kept in a branch (4): every physician's, or only those of
    the one who answered first."""
    answers_to: Literal["anyone", "conversation"] = "anyone"
    """Which physician comments are kept (5): all in the branch, since the paper goes
    through all descendants, or only replies to the patient or to a physician."""
    suspected_deletion: Literal["strict", "lenient"] = "strict"
    """A comment of a deleted author between physicians (13) may be the patient's:
    strict drops the thread, lenient only where the patient is still named."""
    max_removed_share: Share = 0.5
    """Largest share of deleted or removed comments in a branch (24); the paper says
    "excessive" and gives no number."""
    min_follow_ups: Annotated[int, Meta(ge=0)] = 2
    """Fewest patient messages after the post (11): the paper's two."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    """Key of the shuffle that numbers the threads (23), so that their order says
    nothing about time."""

    def __post_init__(self) -> None:
        """Refuse a window that can hold nothing."""
        if self.window_start >= self.window_end:
            raise ValueError(
                f"window_start {self.window_start} must be before window_end "
                f"{self.window_end}"
            )
