from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from factories_talk import PEOPLE, POST, comment, post, under
from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.clean import limits_of, usable
from threadmed.dataset.threads.explain import Explanation, explain
from threadmed.dataset.threads.thread import Account, thread_of

PLAIN = ("a . D rest", "b a P how long", "c b D a week", "d c P and then")


def explained(
    comments: Sequence[Comment], a_post: Post | None = None, **options: Any
) -> Explanation:
    chosen = BuildOptions(**options)
    return explain(
        a_post or post(),
        comments,
        limits=limits_of(chosen),
        options=chosen,
        roles=Roles(chosen),
    )


def remark(explanation: Explanation, one: str) -> tuple[str, str, str | None]:
    """Give who wrote a comment, where it stands, and why it is of no use."""
    (found,) = [
        remark
        for remarks in (*(limb.remarks for limb in explanation.limbs),
                        explanation.detached)
        for remark in remarks
        if remark.id == one
    ]  # fmt: skip
    return found.speaker, found.place, found.why


def test_every_comment_of_a_thread_has_its_place() -> None:
    told = explained(under(*PLAIN))

    assert told.why is None
    assert told.question == POST
    assert [remark(told, one)[:2] for one in "abcd"] == [
        ("physician 1", "a0"),
        ("patient", "q1"),
        ("physician 1", "a1"),
        ("patient", "q2"),
    ]
    assert len(told.turns) == 3


def test_everybody_is_told_apart() -> None:
    lines = (
        *PLAIN, "e b E so", "f a N no", "g a S hm", "h a L oh", "i . B rules",
        "j a X", "k zz L far off", "l a d late",
    )  # fmt: skip
    told = explained(under(*lines, c={"loss": "removed"}))

    assert {one: remark(told, one)[0] for one in "acefghijkl"} == {
        "a": "physician 1",
        "c": "physician 1",
        "e": "physician 2",
        "f": "clinician",
        "g": "student",
        "h": "lay",
        "i": "bot",
        "j": "deleted account",
        "k": "lay",
        "l": "lay",
    }
    assert remark(told, "c")[1:] == ("", "removed")
    assert remark(told, "i")[2] == "bot"
    assert remark(told, "j")[2] == "deleted"
    assert remark(told, "k")[2] == "detached"
    assert [one.id for one in told.detached] == ["k"]


def test_other_clinicians_who_answer_are_called_so() -> None:
    told = explained(under(*PLAIN, "e b N so"), roles="clinician")

    assert remark(told, "e") == ("clinician 2", "a2", None)


def test_what_options_leave_out_says_so() -> None:
    lines = (*PLAIN, "e d P thanks", "f c E and rest")
    told = explained(under(*lines), thanks="not_a_question", physicians="first")

    assert remark(told, "e") == ("patient", "", "thanks_alone")
    assert remark(told, "f") == ("physician 2", "", "left_out")


RIVALS = ("k . D when I run my knee hurts", *PLAIN, "z . L me too")


def test_a_branch_says_why_it_was_not_the_one() -> None:
    first = {limb.root: limb for limb in explained(under(*RIVALS)).limbs}
    last = {
        limb.root: limb for limb in explained(under(*RIVALS), select_first=False).limbs
    }

    assert [first[root].verdict for root in "kaz"] == [
        "fails",
        "passed_over",
        "out_of_play",
    ]
    assert first["k"].why == "too_few_follow_ups"
    assert (first["k"].overlap, first["k"].first_answer) == (6.0, "k")
    assert (first["a"].why, first["z"].why) == (None, "no_physician")
    assert [last[root].verdict for root in "kaz"] == [
        "fails",
        "gives_thread",
        "out_of_play",
    ]


def test_a_post_that_was_dropped_says_why_and_nothing_else() -> None:
    told = explained(under(*PLAIN), post(body="", title="Knee"))

    assert told == Explanation(post="p", comments=4, why="too_few_words")


def test_branches_that_nobody_looked_at_are_shown_as_such() -> None:
    told = explained(under(*PLAIN, b={"flair": "Physician"}), physician_patient="drop")

    assert told.why == "patient_is_physician"
    assert [limb.verdict for limb in told.limbs] == ["not_looked_at"]
    assert told.turns == ()


def test_of_what_is_gone_no_words_are_shown() -> None:
    told = explained(
        under("a . L secret words", "b . L plain &amp; words", a={"loss": "deleted"})
    )

    assert [limb.remarks[0].words for limb in told.limbs] == ["", "plain & words"]


@st.composite
def forests(draw: st.DrawFn) -> list[Comment]:
    ids = draw(st.lists(st.sampled_from([*"abcdefgh", "aa"]), unique=True, min_size=3))
    return [
        comment(
            id=one,
            parent=draw(st.sampled_from(["", "", "gone", *ids])),
            created=draw(st.integers(0, 3)),
            body=draw(st.sampled_from(["", "knee", "thanks", "run on"])),
            **draw(st.sampled_from([PEOPLE["P"], PEOPLE["D"], *PEOPLE.values()])),
        )
        for one in ids
    ]


OPTIONS = st.builds(
    BuildOptions,
    min_follow_ups=st.integers(0, 1),
    select_first=st.booleans(),
    answers=st.sampled_from(["joined", "first"]),
    lay_roots=st.sampled_from(["branch", "skip"]),
    order=st.sampled_from(["time", "tree"]),
    physician_patient=st.sampled_from(["keep", "drop"]),
    at_least_one_comment=st.sampled_from(["people", "any", "stated"]),
)


@given(forests(), OPTIONS)
def test_an_explanation_never_differs_from_the_build(
    comments: list[Comment], options: BuildOptions
) -> None:
    limits, roles, account = limits_of(options), Roles(options), Account()
    kept = usable(post(), limits)
    assert isinstance(kept, Post)
    made = thread_of(
        kept, comments, limits=limits, options=options, roles=roles, account=account
    )
    told = explain(post(), comments, limits=limits, options=options, roles=roles)

    remarks = [one for limb in told.limbs for one in limb.remarks]
    assert sorted(one.id for one in (*remarks, *told.detached)) == sorted(
        one.id for one in comments
    )
    assert told.turns == (made.turns if made else ())
    if made is None:
        assert told.why in account.posts | account.threads
    else:
        (limb,) = [one for one in told.limbs if one.verdict == "gives_thread"]
        places = {one.place: one.id for one in limb.remarks if one.place}
        for number, exchange in enumerate(made.exchanges):
            assert {places.get(f"a{number}")} <= {
                None,
                *(node.id for node in exchange.answers),
            }
        numbers = [int(one.speaker[-1]) for one in limb.remarks
                   if one.place.startswith("a")]  # fmt: skip
        assert set(numbers) == {n for flag in made.flags for n in flag.physicians}
