"""build.toml: every choice in a build that could reasonably go another way.

The defaults follow the paper where it speaks and the least surprising reading where
it does not; `docs/data.md` gives the reason of each.
"""

import datetime as dt
from typing import Annotated, Literal

from msgspec import Meta, field

from threadmed.dataset.flair import DualRole, Role, Switch
from threadmed.records import Record

Share = Annotated[float, Meta(ge=0, le=1)]

Measure = Literal["words", "jaccard", "coefficient"]
"""How much two texts share: a count of words, or that count among all words of both,
or among the words of the shorter one."""

StopWords = Literal["kept", "dropped"]

Order = Literal["time", "tree"]
"""How side branches follow each other: interleaved by time, or one after the other."""

FirstQuestion = Literal["title_and_body", "body"]


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
    text: FirstQuestion = "title_and_body"
    """The first question (16): many posts say what they ask in the title alone."""
    image_posts: Literal["drop", "keep_title"] = "drop"
    """Images and links without a text (17): the paper drops them; the title alone
    may be kept as the question."""
    crossposts: Literal["drop", "keep"] = "drop"
    """Crossposts (22) have no text of their own; kept, they take that of the patient's
    own post elsewhere."""
    edits: Literal["keep", "cut"] = "keep"
    """What people wrote below "EDIT:" (19), often after they had an answer."""
    copies: Literal["latest", "first"] = "latest"
    """Whose words count where a dump holds several copies of a record (21); that it
    was deleted counts from every copy."""
    deleted_post_author: Literal["drop", "is_submitter"] = "drop"
    """Posts of accounts that are gone (14): dropped, or kept with Reddit's own mark
    as the only sign of who the patient is."""
    at_least_one_comment: Literal["people", "any", "stated"] = "people"
    """What the paper's "at least one comment" means (18): one by a person in the
    dump, any in the dump, or any that the post itself states."""
    known_bots: tuple[str, ...] = ()
    """More user names to treat as bots (18), beside the list that comes along."""
    roles: Literal["physician", "clinician"] = "physician"
    """Whose comments are answers (4): physicians only, as in the paper, or other
    clinicians too; students never."""
    physicians_also: tuple[Switch, ...] = ()
    """Debatable flairs that count as physicians (4); none unless asked for."""
    dual_role: DualRole = "student"
    """What a student of medicine who is another clinician already counts as (4)."""
    flair_roles: dict[str, Role] = field(default_factory=dict)
    """Role by exact flair (4), before every rule; the census shows what to mend."""
    flair_of: Literal["comment", "post"] = "comment"
    """How far a flair reaches (4): its own comment, or all comments of its owner
    under the same post."""
    physician_patient: Literal["keep", "drop"] = "keep"
    """Patients whose own flair is one that answers (26)."""
    overlap: Measure = "words"
    """How a branch is held against the post (1): shared words, as in the paper, or a
    share of words, which does not favour long answers."""
    stop_words: StopWords = "kept"
    """Whether words such as "the" count for the overlap (1); the paper names none."""
    order: Order = "time"
    """How the comments of a branch follow each other (6): by time, as in the paper,
    or one side branch after the other."""
    patient_roots: Literal["branch", "skip"] = "branch"
    """Whether a reply of the patient to the own post roots a branch (7)."""
    lay_roots: Literal["branch", "skip"] = "branch"
    """Whether a branch may begin with somebody else than patient or physician (8)."""
    select_first: bool = True
    """Select the branch and then ask for follow-ups (10), the order in the paper;
    false selects among the branches that pass, and so keeps more threads."""
    questions: Literal["separate", "merged"] = "separate"
    """Patient's messages with no answer between them (2). The paper's share of
    unanswered questions is impossible if they are merged."""
    thanks: Literal["question", "not_a_question"] = "question"
    """Messages of the patient that are thanks alone (12): the paper takes every
    message for a question."""
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
    first_unanswered: Literal["keep", "drop"] = "keep"
    """Threads whose patient wrote again before the first answer (9)."""
    suspected_deletion: Literal["strict", "lenient"] = "strict"
    """A comment of a deleted author between physicians (13) may be the patient's:
    strict drops the thread, lenient only where the patient is still named."""
    removed_answer: Literal["orphan", "drop_thread"] = "orphan"
    """Where a physician's answer was removed (15): its question is an orphan, as in
    the paper, or the thread goes."""
    max_removed_share: Share = 0.5
    """Largest share of deleted or removed comments in a branch (24); the paper says
    "excessive" and gives no number."""
    min_follow_ups: Annotated[int, Meta(ge=0)] = 2
    """Fewest patient messages after the post (11): the paper's two."""
    names: Literal["rules", "presidio"] = "rules"
    """Who finds the names of people in texts (23): rules for names that are stated, or
    also a model, by the extra "presidio"."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    """Key of the shuffle that numbers the threads (23), so that their order says
    nothing about time."""

    def __post_init__(self) -> None:
        """Refuse what can hold nothing."""
        if not self.subreddit or "/" in self.subreddit:
            raise ValueError(f"subreddit {self.subreddit!r} must be a name, without r/")
        if self.window_start >= self.window_end:
            raise ValueError(
                f"window_start {self.window_start} must be before window_end "
                f"{self.window_end}"
            )
