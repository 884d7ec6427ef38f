from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.dumps.reddit import Comment
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.branches import Conversation, conversation
from threadmed.dataset.threads.clean import limits_of, why_drop_comment, words_left
from threadmed.dataset.threads.reading import (
    answering_of,
    in_answered_branches,
    nodes_of,
    whys_of,
)
from threadmed.dataset.threads.tree import branches, detached

IDS = [f"{number:02}" for number in range(12)]
SHAPES = st.lists(
    st.tuples(
        st.sampled_from(["", "gone", *IDS]),
        st.integers(0, 9),
        st.sampled_from(["", "ann", "doc", "eve", "AutoModerator", "automoderator"]),
        st.sampled_from(["", "Physician"]),
        st.sampled_from(["", "It hurts", "http://x.org", "Rest it", "EDIT: no"]),
        st.sampled_from([None, None, None, "deleted"]),
    ),
    max_size=len(IDS),
)


def comments_of(
    shapes: list[tuple[str, int, str, str, str, str | None]],
) -> list[Comment]:
    return [
        Comment(
            post="p",
            id=identity,
            parent=parent,
            created=created,
            author=author,
            flair=flair,
            is_patient=author == "ann",
            body=body,
            is_notice=created == 9,
            is_edited=False,
            loss=loss,  # type: ignore[arg-type]
            retrieved=1,
        )
        for identity, (parent, created, author, flair, body, loss) in zip(
            IDS, shapes, strict=False
        )
    ]


@given(SHAPES)
def test_branches_in_which_nobody_answers_change_no_conversation(
    shapes: list[tuple[str, int, str, str, str, str | None]],
) -> None:
    options = BuildOptions(min_follow_ups=0)
    limits = limits_of(options)
    comments = {one.id: one for one in comments_of(shapes)}
    answering = answering_of(comments, options=options, roles=Roles(options))
    whys = whys_of(comments, answering=answering, limits=limits)
    found = []
    for those in (comments.values(), in_answered_branches(comments, answering)):
        nodes = nodes_of(those, whys, answering=answering, limits=limits)
        made = conversation("It hurts here", branches(nodes), options=options)
        found.append(
            (made.turns, made.exchanges, made.branch, made.rivals)
            if isinstance(made, Conversation)
            else (made.reason, made.selected)
        )

    assert found[0] == found[1]


@given(SHAPES, st.sampled_from(["comment", "post"]), st.sampled_from(["keep", "cut"]))
def test_why_a_comment_is_of_no_use_is_what_looking_at_it_alone_says(
    shapes: list[tuple[str, int, str, str, str, str | None]], reach: Any, edits: Any
) -> None:
    comments = comments_of(shapes)
    options = BuildOptions(flair_of=reach, edits=edits)
    limits, roles = limits_of(options), Roles(options)
    spoken = {one.author for one in comments if roles.answers(one.flair)} - {""}
    lost = detached({one.id: one.parent for one in comments})
    heard = {
        one.id
        for one in comments
        if roles.answers(one.flair) or (reach == "post" and one.author in spoken)
    }
    expected: dict[str, str | None] = {
        one.id: why_drop_comment(one, limits)
        or ("detached" if one.id in lost else None)
        or (
            "empty"
            if (one.id in heard or one.is_patient) and not words_left(one.body, limits)
            else None
        )
        for one in comments
    }

    by_id = {one.id: one for one in comments}
    answering = answering_of(by_id, options=options, roles=roles)
    whys = whys_of(by_id, answering=answering, limits=limits)

    assert answering == {one.id: one for one in comments if one.id in heard}
    assert whys == {one: why for one, why in expected.items() if why}


@given(st.dictionaries(st.sampled_from(IDS), st.sampled_from(["", "gone", *IDS])))
def test_what_is_detached_is_what_no_way_from_the_post_leads_to(
    parents: dict[str, str],
) -> None:
    reached = {""}
    for _ in parents:
        reached |= {one for one, parent in parents.items() if parent in reached}

    assert detached(parents) == parents.keys() - reached
