from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories_talk import POST, forests, marked, talk
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.threads.branches import (
    Conversation,
    Dropped,
    DropReason,
    candidates_of,
    conversation,
    reason_of_all,
)
from threadmed.dataset.threads.pairing import answers_of
from threadmed.dataset.threads.tree import Branch, Node, branches

OPTIONS = st.builds(
    BuildOptions,
    select_first=st.booleans(),
    overlap=st.sampled_from(["words", "jaccard", "coefficient"]),
    stop_words=st.sampled_from(["kept", "dropped"]),
    order=st.sampled_from(["time", "tree"]),
    patient_roots=st.sampled_from(["branch", "skip"]),
    lay_roots=st.sampled_from(["branch", "skip"]),
    thanks=st.sampled_from(["question", "not_a_question"]),
    first_unanswered=st.sampled_from(["keep", "drop"]),
    removed_answer=st.sampled_from(["orphan", "drop_thread"]),
    questions=st.sampled_from(["separate", "merged"]),
    answers=st.sampled_from(["joined", "first"]),
    pairing=st.sampled_from(["time", "tree"]),
    physicians=st.sampled_from(["all", "first"]),
    answers_to=st.sampled_from(["anyone", "conversation"]),
    suspected_deletion=st.sampled_from(["strict", "lenient"]),
    max_removed_share=st.sampled_from([0.0, 0.5, 1.0]),
    min_follow_ups=st.integers(0, 2),
)


@given(forests(), OPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_comments_changes_nothing(
    nodes: list[Node], options: BuildOptions, random: Any
) -> None:
    shuffled = random.sample(nodes, len(nodes))

    tree = branches(nodes, order=options.order)

    assert branches(shuffled, order=options.order) == tree
    assert conversation(
        POST, branches(shuffled, order=options.order), options=options
    ) == conversation(POST, tree, options=options)


@given(forests(), OPTIONS)
def test_what_is_said_is_said_once_and_all_of_it_was_written(
    nodes: list[Node], options: BuildOptions
) -> None:
    tree = branches(nodes, order=options.order)
    made = conversation(POST, tree, options=options)

    if isinstance(made, Conversation):
        assert made.turns[0].question.startswith(POST)
        assert len(made.turns) > options.min_follow_ups
        assert any(turn.answer for turn in made.turns)
        used = [node for node in made.branch.nodes if node.counts]
        words = "\n\n".join(node.text for node in used).split()
        said = [turn.question for turn in made.turns]
        said += [turn.answer for turn in made.turns if turn.answer]
        heard = " ".join(said).removeprefix(POST).split()
        assert not set(heard) - set(words)
        assert len(heard) <= len(words)
        assert not any(node.fate == "gone" and _is_patient(node) for node in used)


def _is_patient(node: Node) -> bool:
    return node.speaker == "patient"


def made_of(nodes: Sequence[Node], **options: Any) -> list[tuple[str, str | None]]:
    made = conversation(POST, branches(nodes), options=BuildOptions(**options))
    assert isinstance(made, Conversation), made
    return [(turn.question, turn.answer) for turn in made.turns][1:]


def why(nodes: Sequence[Node], **options: Any) -> str:
    made = conversation(POST, branches(nodes), options=BuildOptions(**options))
    assert isinstance(made, Dropped), made
    return made.reason


PLAIN = talk("a . D rest", "b a P how long", "c b D a week", "d c P and then")


def test_a_chain_becomes_questions_and_answers_in_turn() -> None:
    assert made_of(PLAIN) == [("how long", "a week"), ("and then", None)]


def test_a_post_without_a_physician_gives_nothing() -> None:
    assert why(talk("a . L rest", "b a P how long")) == "no_physician"
    assert why([]) == "no_physician"


def test_one_follow_up_is_too_few() -> None:
    assert why(PLAIN[:3]) == "too_few_follow_ups"
    assert made_of(PLAIN[:3], min_follow_ups=1) == [("how long", "a week")]


def test_the_branch_with_most_words_of_the_post_is_selected() -> None:
    rivals = talk(
        "a . D rest", "b a P one", "c a P two",
        "k . D when I run my knee hurts", "l k P three", "m k P four",
    )  # fmt: skip

    assert made_of(rivals) == [("three", None), ("four", None)]


def test_equal_overlap_goes_to_the_earlier_answer_and_then_to_the_lower_id() -> None:
    two = talk("b . D rest", "a . D rest", "x a P 1", "y a P 2", "z b P 3", "w b P 4")
    same = [*marked(two, "a", time=0)]

    assert made_of(two) == [("3", None), ("4", None)]
    assert made_of(same) == [("1", None), ("2", None)]


def test_an_id_of_more_digits_is_the_younger_one() -> None:
    two = talk("aa . D rest", "z . D rest", "x z P 1", "y z P 2")

    assert made_of(marked(two, "z", time=0)) == [("1", None), ("2", None)]


def test_selecting_first_loses_a_thread_that_selecting_last_keeps() -> None:
    rivals = [*talk("k . D when I run my knee hurts"), *PLAIN]

    assert why(rivals) == "too_few_follow_ups"
    assert made_of(rivals, select_first=False)[0] == ("how long", "a week")


def test_jaccard_does_not_favour_long_answers() -> None:
    long = "my left knee when many other words come and come again here too"
    rivals = talk(
        f"a . D {long}", "b a P 1", "c a P 2",
        "k . D left knee pain", "l k P 3", "m k P 4",
    )  # fmt: skip

    assert made_of(rivals)[0] == ("1", None)
    assert made_of(rivals, overlap="jaccard")[0] == ("3", None)


def test_messages_in_a_row_are_questions_of_their_own_unless_merged() -> None:
    row = talk("a . D rest", "b a P one", "c b P two", "d c D yes", "e d P three")

    assert made_of(row) == [("one", None), ("two", "yes"), ("three", None)]
    assert made_of(row, questions="merged") == [("one\n\ntwo", "yes"), ("three", None)]


def test_a_patient_who_speaks_first_opens_the_post_unanswered() -> None:
    nodes = talk("a . P forgot to say", "b a D rest", "c b P how long")
    made = conversation(POST, branches(nodes), options=BuildOptions())

    assert isinstance(made, Conversation)
    assert [turn.answer for turn in made.turns] == [None, "rest", None]


TWO = talk("a . D rest", "b a P one", "c b D first", "d b E second", "e d P two")


def test_two_answers_are_joined_or_the_first_is_taken() -> None:
    assert made_of(TWO)[0] == ("one", "first\n\nsecond")
    assert made_of(TWO, answers="first")[0] == ("one", "first")


def test_only_the_first_physician_may_be_followed() -> None:
    assert made_of(TWO, physicians="first")[0] == ("one", "first")


def test_answers_go_to_the_latest_question_or_to_the_one_they_hang_under() -> None:
    late = talk("a . D rest", "b a P one", "c a P two", "d b D to one", "e c D to two")

    assert made_of(late) == [("one", None), ("two", "to one\n\nto two")]
    assert made_of(late, pairing="tree") == [("one", "to one"), ("two", "to two")]


def test_an_answer_to_a_layperson_counts_unless_it_is_asked_not_to() -> None:
    aside = talk("a . L rest", "b a D no", "c b P one", "d c D yes", "e d P two")

    assert made_of(aside)[0] == ("one", "yes")
    made = conversation(
        POST, branches(aside), options=BuildOptions(answers_to="conversation")
    )
    assert isinstance(made, Conversation)
    assert [turn.answer for turn in made.turns] == [None, "yes", None]


def test_a_message_that_the_patient_deleted_ends_the_thread() -> None:
    assert why(marked(PLAIN, "b", fate="gone")) == "patient_deleted"


NAMELESS = {"fate": "gone", "speaker": "other", "author": "", "text": ""}
LONG = [*PLAIN, *talk("e d D go", "f e P thanks", "g f P bye")]


@pytest.mark.parametrize("fate", ["gone", "kept"])
def test_a_nameless_comment_between_physicians_may_be_the_patients(fate: str) -> None:
    nodes = marked(LONG, "b", **{**NAMELESS, "fate": fate})

    assert why(nodes) == "patient_perhaps_deleted"
    assert len(made_of(nodes, suspected_deletion="lenient")) == 3


def test_a_nameless_comment_that_no_physician_answered_is_not_suspect() -> None:
    nodes = [*LONG, *talk("h a L me too")]

    assert len(made_of(marked(nodes, "h", **NAMELESS))) == 4


def test_a_nameless_notice_is_not_suspect() -> None:
    nodes = marked(LONG, "b", **{**NAMELESS, "fate": "ignored"})

    assert len(made_of(nodes)) == 3


def test_a_nameless_reply_to_the_post_is_not_suspect() -> None:
    nodes = [*talk("z . L hm"), *marked(LONG, "a", parent="z")]

    assert len(made_of(marked(nodes, "z", **NAMELESS))) == 4


def test_a_branch_that_is_mostly_removed_is_dropped() -> None:
    removed = [
        Node(id=f"x{n}", parent="a", time=9, speaker="other", author="L", fate="gone")
        for n in range(5)
    ]

    assert made_of([*PLAIN, *removed[:4]])
    assert why([*PLAIN, *removed]) == "too_much_removed"
    assert made_of([*PLAIN, *removed], max_removed_share=0.6)


def test_bots_do_not_count_towards_what_was_removed() -> None:
    bots = [
        Node(id=f"x{n}", parent="a", time=9, speaker="other", fate="ignored")
        for n in range(5)
    ]
    removed = Node(id="y", parent="a", time=9, speaker="other", author="L", fate="gone")

    assert made_of([*PLAIN, *bots, removed], max_removed_share=0.2)
    assert why([*PLAIN, *bots, removed], max_removed_share=0.19) == "too_much_removed"


def test_a_removed_answer_leaves_an_orphan() -> None:
    assert made_of(marked(PLAIN, "c", fate="gone")) == [
        ("how long", None),
        ("and then", None),
    ]


def test_a_message_without_words_is_no_question() -> None:
    assert why(marked(PLAIN, "d", text="")) == "too_few_follow_ups"


def test_a_chain_of_six_thousand_replies_is_followed_to_its_end() -> None:
    nodes = [
        Node(
            id=str(n),
            parent=str(n - 1) if n else "",
            time=n,
            speaker="patient" if n % 2 else "physician",
            text=f"word {n}",
        )
        for n in range(6_000)
    ]

    assert len(made_of(nodes)) == 3_000


def test_a_reply_dated_before_its_parent_still_follows_it() -> None:
    assert made_of(marked(PLAIN, "b", time=-5)) == made_of(PLAIN)


def test_detached_comments_change_nothing() -> None:
    nodes = [*PLAIN, *talk("x x P me", "y z P you", "z y D they", "u gone L who")]

    assert made_of(nodes) == made_of(PLAIN)


@given(forests(), OPTIONS)
def test_every_branch_is_accounted_for(
    nodes: list[Node], options: BuildOptions
) -> None:
    tree = branches(nodes, order=options.order)
    made = conversation(POST, tree, options=options)

    assert tuple(one.branch for one in made.candidates) == tree
    in_play = [one for one in made.candidates if one.out_of_play is None]
    assert all(one.first_answer is not None for one in in_play)
    if isinstance(made, Conversation):
        assert made.rivals == len(in_play) - 1
        (selected,) = [one for one in in_play if one.branch is made.branch]
        assert selected.reason is None
        assert selected.exchanges == made.exchanges
        if options.select_first:
            assert selected.overlap == max(one.overlap for one in in_play)
    elif in_play:
        (failed,) = [one for one in in_play if one.branch is made.selected]
        assert failed.reason == made.reason
    else:
        assert (made.reason, made.selected) == ("no_physician", None)


def test_the_first_of_the_reasons_is_given() -> None:
    both = marked(marked(PLAIN, "b", fate="gone"), "c", fate="gone")

    assert why(both, removed_answer="drop_thread") == "patient_deleted"
    assert why(both[:1], first_unanswered="drop") == "too_few_follow_ups"


@given(forests(), OPTIONS)
def test_where_all_branches_fail_alike_no_selection_says_otherwise(
    nodes: list[Node], options: BuildOptions
) -> None:
    tree = branches(nodes, order=options.order)
    reason = reason_of_all(candidates_of(tree, options=options))
    made = conversation(POST, tree, options=options, compare_all=True)

    if reason is not None:
        assert isinstance(made, Dropped)
        assert made.reason == reason


@given(forests(), OPTIONS)
def test_what_is_lost_is_what_looking_at_every_comment_says(
    nodes: list[Node], options: BuildOptions
) -> None:
    for one in candidates_of(branches(nodes), options=options):
        if not one.out_of_play:
            lost = lost_the_long_way(one.branch, options)
            later = {None, "first_unanswered", "too_few_follow_ups"}
            assert one.reason == lost if lost else one.reason in later


def lost_the_long_way(branch: Branch, options: BuildOptions) -> DropReason | None:
    speakers = {node.id: node.speaker for node in branch.nodes}
    answered = {node.parent for node in answers_of(branch, options)}
    people = [node for node in branch.nodes if node.fate != "ignored"]
    gone = [node.speaker for node in people if node.fate == "gone"]
    suspect = [
        node
        for node in people
        if node.speaker == "other"
        and not node.author
        and node.id in answered
        and speakers.get(node.parent) in {"patient", "physician"}
    ]
    reasons: list[tuple[DropReason, bool]] = [
        ("patient_deleted", "patient" in gone),
        ("patient_perhaps_deleted", options.suspected_deletion == "strict" and suspect != []),
        ("answer_removed", options.removed_answer == "drop_thread" and "physician" in gone),
        ("too_much_removed", len(gone) > options.max_removed_share * len(people)),
    ]  # fmt: skip
    return next((reason for reason, holds in reasons if holds), None)
