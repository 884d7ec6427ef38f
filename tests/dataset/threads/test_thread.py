"""From a post and the comments under it to a thread, and every decision on the way."""

import datetime as dt
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories_talk import PEOPLE, POST, comment, post, under
from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import limits_of, usable
from threadmed.dataset.threads.explain import explain
from threadmed.dataset.threads.pairing import TurnFlags
from threadmed.dataset.threads.reading import answering_of, whys_of
from threadmed.dataset.threads.thread import Account, Made, thread_of

PLAIN = ("a . D rest", "b a P how long", "c b D a week", "d c P and then")
FULL = ["* > rest", "how long > a week", "and then > -"]


def made_of(
    a_post: Post, comments: list[Comment], **options: Any
) -> tuple[Made | None, Account]:
    chosen = BuildOptions(**options)
    limits, account = limits_of(chosen), Account()
    kept = usable(a_post, limits)
    if not isinstance(kept, Post):
        account.posts[kept] += 1
        return None, account
    made = thread_of(
        kept,
        comments,
        limits=limits,
        options=chosen,
        roles=Roles(chosen),
        account=account,
    )
    return made, account


def told(a_post: Post, comments: list[Comment], **options: Any) -> list[str] | str:
    """Give the turns as "question > answer", or the reason why there are none."""
    made, account = made_of(a_post, comments, **options)
    if made is None:
        return next(iter(account.posts | account.threads))
    return [
        f"{'*' if turn.question == POST else turn.question} > {turn.answer or '-'}"
        .replace("\n\n", " / ")
        for turn in made.turns
    ]  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """What an option changes, shown on a small tree."""

    option: str
    value: Any
    comments: tuple[str, ...]
    default: list[str] | str
    changed: list[str] | str
    post: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, dict[str, Any]] = field(default_factory=dict)
    beside: dict[str, Any] = field(default_factory=dict)
    """Options that are needed to see the difference."""


RIVALS = (
    "a . D my left knee when many other words come and come again here too",
    "b a P 1", "c b P 2", "k . D left knee pain", "l k P 3", "m l P 4",
)  # fmt: skip
LONG = "my left knee when many other words come and come again here too"
OWN = ("a . P forgot to say", "b a D rest", "c b P how long")
OWN_MADE = ["* > -", "forgot to say > rest", "how long > -"]
TWO = ("a . D rest", "b a P one", "c b D first", "d b E second", "e d P two")
TWO_MADE = ["* > rest", "one > first / second", "two > -"]
SIDES = ("a . D rest", "b a P one", "c a P two", "d b D to one", "e c D to two")
SIDES_MADE = ["* > rest", "one > -", "two > to one / to two"]
SIDES_PAIRED = ["* > rest", "one > to one", "two > to two"]
ASIDE = ("a . L rest", "b a D no", "c b P one", "d c D yes", "e d P two")
ROW = ("a . D rest", "b a P one", "c b P two", "d c D yes")
POLITE = ("a . D rest", "b a P how long", "c b D a week", "d c P Thank you so much!")
NURSE = ("a . N rest", "b a P how long", "c b N a week", "d c P and then")
GONE = ("a . D rest", "b a X", "c b D no", "d c P one", "e d P two")
IMAGE = {"body": "", "medium": "image", "title": "What is this on my knee"}
IMAGE_MADE = ["What is this on my knee > rest", *FULL[1:]]
NO_FLAIR = ("a . D rest", "b a P how long", "c b d a week", "d c P and then")

DECISIONS = (
    Decision("overlap", "jaccard", RIVALS, [f"* > {LONG}", "1 > -", "2 > -"],
             ["* > left knee pain", "3 > -", "4 > -"]),
    Decision("overlap", "coefficient", RIVALS, [f"* > {LONG}", "1 > -", "2 > -"],
             ["* > left knee pain", "3 > -", "4 > -"]),
    Decision("stop_words", "dropped",
             ("a . D when I do that my", "b a P 1", "c b P 2",
              "k . D left knee", "l k P 3", "m l P 4"),
             ["* > when I do that my", "1 > -", "2 > -"],
             ["* > left knee", "3 > -", "4 > -"]),
    Decision("questions", "merged", ROW, ["* > rest", "one > -", "two > yes"],
             ["* > rest", "one / two > yes"], beside={"min_follow_ups": 1}),
    Decision("answers", "first", TWO, TWO_MADE, ["* > rest", "one > first", "two > -"]),
    Decision("physicians", "first", TWO, TWO_MADE,
             ["* > rest", "one > first", "two > -"]),
    Decision("roles", "clinician", NURSE, "no_physician", FULL),
    Decision("physicians_also", ("dentist",),
             tuple(line.replace(" N ", " F ") for line in NURSE),
             "no_physician", FULL),
    Decision("dual_role", "clinician",
             tuple(line.replace(" N ", " S ") for line in NURSE),
             "no_physician", FULL, beside={"roles": "clinician"}),
    Decision("flair_roles", {"Registered Nurse": "physician"}, NURSE,
             "no_physician", FULL),
    Decision("flair_of", "post", NO_FLAIR, ["* > rest", "how long > -", "and then > -"],
             FULL),
    Decision("answers_to", "conversation", ASIDE,
             ["* > no", "one > yes", "two > -"], ["* > -", "one > yes", "two > -"]),
    Decision("pairing", "tree", SIDES, SIDES_MADE, SIDES_PAIRED),
    Decision("order", "tree", SIDES, SIDES_MADE, SIDES_PAIRED),
    Decision("patient_roots", "skip", OWN, OWN_MADE, "no_physician"),
    Decision("lay_roots", "skip", ASIDE, ["* > no", "one > yes", "two > -"],
             "no_physician"),
    Decision("first_unanswered", "drop", OWN, OWN_MADE, "first_unanswered"),
    Decision("select_first", value=False,
             comments=("k . D when I run my knee hurts", *PLAIN),
             default="too_few_follow_ups", changed=FULL),
    Decision("min_follow_ups", 3, PLAIN, FULL, "too_few_follow_ups"),
    Decision("min_follow_ups", 1, PLAIN[:3], "too_few_follow_ups", FULL[:2]),
    Decision("thanks", "not_a_question", POLITE,
             [*FULL[:2], "Thank you so much! > -"], FULL[:2],
             beside={"min_follow_ups": 1}),
    Decision("suspected_deletion", "lenient", GONE, "patient_perhaps_deleted",
             ["* > rest / no", "one > -", "two > -"]),
    Decision("deleted_post_author", "is_submitter", PLAIN, "author_deleted", FULL,
             post={"author": ""}),
    Decision("removed_answer", "drop_thread", PLAIN,
             ["* > rest", "how long > -", "and then > -"], "answer_removed",
             marks={"c": {"loss": "removed"}}),
    Decision("text", "body", PLAIN, FULL,
             ["My left knee hurts when I run > rest", *FULL[1:]]),
    Decision("min_words", 3, PLAIN, "too_few_words",
             ["Knee / hurts so > rest", *FULL[1:]],
             post={"title": "Knee", "body": "hurts so"}),
    Decision("image_posts", "keep_title", PLAIN, "image_only", IMAGE_MADE, post=IMAGE),
    Decision("image_posts", "keep_title", PLAIN, "link_only", IMAGE_MADE,
             post={**IMAGE, "medium": "link"}),
    Decision("at_least_one_comment", "any", ("a . B read the rules",), "no_comments",
             "no_physician"),
    Decision("at_least_one_comment", "stated", PLAIN, FULL, "no_comments",
             post={"stated_comments": 0}),
    Decision("known_bots", ("Dee",), PLAIN, FULL, "no_physician"),
    Decision("edits", "cut", PLAIN,
             ["Knee pain / My left knee hurts when I run / EDIT: no more > rest",
              *FULL[1:]],
             FULL, post={"body": "My left knee hurts when I run\n\nEDIT: no more"}),
    Decision("crossposts", "keep", PLAIN, "link_only", FULL,
             post={"body": "", "medium": "link",
                   "crossposted": "My left knee hurts when I run"}),
    Decision("window_start", dt.date(2020, 1, 1), PLAIN, FULL, "outside_window"),
    Decision("window_end", dt.date(2019, 1, 1), PLAIN, FULL, "outside_window"),
    Decision("max_removed_share", 0.1, (*PLAIN, "e a X"), FULL, "too_much_removed"),
    Decision("physician_patient", "drop", PLAIN, FULL, "patient_is_physician",
             marks={"b": {"flair": "Physician"}}),
)  # fmt: skip

ELSEWHERE = {
    "subreddit": "test_build: other subreddits are passed over while reading",
    "copies": "test_copies: copies are merged before there is a thread",
    "names": "test_recognise: texts are scrubbed once there are threads",
    "seed": "test_privacy: threads are numbered after they are made",
}


@pytest.mark.parametrize(
    "case", DECISIONS, ids=[f"{case.option}-{case.value}" for case in DECISIONS]
)
def test_a_decision_taken_the_other_way_gives_something_else(case: Decision) -> None:
    a_post, comments = post(**case.post), under(*case.comments, **case.marks)

    assert told(a_post, comments, **case.beside) == case.default
    changed = {**case.beside, case.option: case.value}
    assert told(a_post, comments, **changed) == case.changed


def test_every_option_is_shown_to_make_a_difference() -> None:
    shown = {case.option for case in DECISIONS} | set(ELSEWHERE)

    assert shown == set(BuildOptions.__struct_fields__)


def test_the_title_of_an_image_alone_is_no_body() -> None:
    chosen = {"image_posts": "keep_title", "text": "body"}

    assert told(post(**IMAGE), under(*PLAIN), **chosen) == "image_only"


def test_a_post_whose_title_says_all_is_nothing_where_the_body_is_asked_for() -> None:
    bare = post(body="", title="My left knee hurts when I run")

    assert told(bare, under(*PLAIN), text="body", min_words=0) == "too_few_words"


@pytest.mark.parametrize(
    ("lines", "marks", "chosen", "reason"),
    [
        (PLAIN[:2], {}, {}, "too_few_follow_ups"),
        (PLAIN[:2], {"a": {"is_patient": True}}, {}, "no_physician"),
        (PLAIN[:2], {"a": {"is_notice": True}}, {}, "no_physician"),
        (PLAIN[:2], {"b": {"loss": "removed"}}, {}, "patient_deleted"),
        ((*PLAIN[:2], "k . X"), {}, {}, "too_few_follow_ups"),
        ((*PLAIN[:2], "k . P"), {"k": {"loss": "removed"}}, {}, "too_few_follow_ups"),
        (OWN[:2], {}, {}, "too_few_follow_ups"),
        (OWN[:2], {}, {"first_unanswered": "drop"}, "first_unanswered"),
        (OWN[:2], {}, {"patient_roots": "skip"}, "no_physician"),
    ],
)
def test_a_post_with_few_follow_ups_is_not_given_up_for_a_wrong_reason(
    lines: tuple[str, ...],
    marks: dict[str, dict[str, Any]],
    chosen: dict[str, Any],
    reason: str,
) -> None:
    assert told(post(), under(*lines, **marks), **chosen) == reason


def test_a_flair_reaches_no_further_than_its_own_account() -> None:
    lines = tuple(line.replace(" d ", " L ") for line in NO_FLAIR)
    expected = ["* > rest", "how long > -", "and then > -"]

    assert told(post(), under(*lines), flair_of="post") == expected


def test_a_thread_says_what_its_words_do_not() -> None:
    lines = (
        "z . L rest", "a z E rest", "b a P thanks so much", "c b D one", "d b E two",
        "e d P and then",
    )  # fmt: skip
    made, _ = made_of(post(is_edited=True), under(*lines, d={"is_edited": True}))

    assert made is not None
    assert made.year == 2019
    assert made.flags == (
        TurnFlags(physicians=(1,), answers_lay=True, edited=True, thanks=False),
        TurnFlags(physicians=(2, 1), answers_lay=False, edited=True, thanks=True),
        TurnFlags(physicians=(), answers_lay=False, edited=False, thanks=False),
    )
    assert [[node.id for node in one.answers] for one in made.exchanges] == [
        ["a"],
        ["c", "d"],
        [],
    ]


FURTHER: list[dict[str, Any]] = [
    {**PEOPLE["P"], "loss": "removed"},
    {**PEOPLE["P"], "flair": "Physician"},
    {**PEOPLE["D"], "loss": "removed"},
    {"author": "", "is_patient": True},
    {"author": ""},
]
"""A patient and a physician whose words are gone, a patient who is a physician, and
people whose account is gone and not their words."""


@st.composite
def forests(draw: st.DrawFn) -> list[Comment]:
    """Comments of any shape by anybody, with texts that cleaning empties."""
    ids = draw(st.lists(st.sampled_from([*"abcdefgh", "aa"]), unique=True))
    texts = [
        "",
        "knee",
        "knee",
        "knee",
        "![x](y)",
        "https://x.org",
        "&#x200B;",
        "**",
        "w.x",
        "EDIT: a",
    ]
    return [
        comment(
            id=one,
            parent=draw(st.sampled_from(["", "", "", "gone", *ids])),
            created=draw(st.integers(0, 3)),
            body=draw(st.sampled_from(texts)),
            **{
                "is_notice": draw(st.sampled_from([False, False, False, True])),
                "is_edited": draw(st.booleans()),
                **draw(st.sampled_from([*PEOPLE.values(), *FURTHER])),
            },
        )
        for one in ids
    ]


CHOICES = st.fixed_dictionaries(
    {
        "edits": st.sampled_from(["keep", "cut"]),
        "lay_roots": st.sampled_from(["branch", "branch", "skip"]),
        "answers_to": st.sampled_from(["anyone", "anyone", "conversation"]),
        "first_unanswered": st.sampled_from(["keep", "keep", "drop"]),
        "thanks": st.sampled_from(["question", "not_a_question"]),
        "questions": st.sampled_from(["separate", "merged"]),
        "flair_of": st.sampled_from(["comment", "post"]),
        "min_follow_ups": st.integers(0, 3),
        "patient_roots": st.sampled_from(["branch", "branch", "skip"]),
        "select_first": st.booleans(),
        "suspected_deletion": st.sampled_from(["strict", "lenient"]),
        "removed_answer": st.sampled_from(["orphan", "drop_thread"]),
        "max_removed_share": st.sampled_from([0.0, 0.5, 1.0]),
        "physician_patient": st.sampled_from(["keep", "drop"]),
        "at_least_one_comment": st.sampled_from(["people", "any", "stated"]),
        "flair_roles": st.sampled_from([{}, {}, {"": "physician"}]),
    }
)


@given(forests(), CHOICES | st.just({}), st.booleans(), st.randoms())
@settings(max_examples=500)
def test_what_is_told_at_sight_is_what_a_tree_would_tell(
    comments: list[Comment],
    choices: dict[str, Any],
    is_lay: bool,  # noqa: FBT001 - hypothesis draws it
    shuffle: random.Random,
) -> None:
    shuffle.shuffle(comments)
    lay = [msgspec.structs.replace(one, flair="") for one in comments]
    lay = lay if is_lay else comments
    options = BuildOptions(**choices)
    limits, account = limits_of(options), Account()
    roles = Roles(options)
    by_id = {one.id: one for one in lay}
    answering = answering_of(by_id, options=options, roles=roles)
    whys = whys_of(by_id, answering=answering, limits=limits)
    expected = Counter(whys.values())

    made = thread_of(
        post(), lay, limits=limits, options=options, roles=roles, account=account
    )

    used = [one for one in lay if one.id not in whys]
    assert account.comments == expected
    assert account.flair == Counter(one.flair for one in used)
    assert account.observed["edited_comments"] == sum(one.is_edited for one in used)
    assert account.observed["patient_with_answering_flair"] == sum(
        one.is_patient and one.id in answering for one in used
    )
    told = explain(post(), lay, limits=limits, options=options, roles=roles)
    if made is None:
        assert {**account.posts, **account.threads} == {told.why: 1}
    else:
        assert made.turns == told.turns


def test_accounts_of_parts_add_up() -> None:
    account = Account()
    for lines in (PLAIN, PLAIN[:3], ("a . L rest", "b b P me", "c a P **")):
        _, part = made_of(post(), under(*lines))
        sent = msgspec.msgpack.decode(msgspec.msgpack.encode(part), type=Account)
        account.add(sent)

    assert account.threads == {"too_few_follow_ups": 1}
    assert account.posts == {"no_physician": 1}
    assert account.comments == {"detached": 1}
    assert account.flair == {"Physician": 4, "": 5}
    assert account.observed["edited_comments"] == 0


def test_a_patient_is_known_under_another_name_unless_the_post_has_none() -> None:
    lines = under(*PLAIN, b={"author": "anna"})
    _, named = made_of(post(), lines)
    _, nameless = made_of(post(author=""), lines, deleted_post_author="is_submitter")

    assert named.observed["patient_under_other_name"] == 1
    assert nameless.observed["patient_under_other_name"] == 0


def test_rivals_and_patients_who_are_physicians_are_observed() -> None:
    lines = under(*PLAIN, "k . E no", b={"flair": "Physician"})
    _, account = made_of(post(), lines)

    assert account.observed["rival_branches"] == 1
    assert account.observed["patient_with_answering_flair"] == 1
