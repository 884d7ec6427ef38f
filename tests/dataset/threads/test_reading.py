from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.dumps.reddit import Comment
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.branches import Conversation, conversation
from threadmed.dataset.threads.clean import limits_of
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
        st.sampled_from(["", "ann", "doc", "eve", "AutoModerator"]),
        st.sampled_from(["", "Physician"]),
        st.sampled_from(["", "It hurts", "http://x.org", "Rest it"]),
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
            is_notice=False,
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
    comments, options = comments_of(shapes), BuildOptions(min_follow_ups=0)
    limits = limits_of(options)
    answering = answering_of(comments, options=options, roles=Roles(options))
    whys = whys_of(comments, answering=answering, limits=limits)
    found = []
    for those in (comments, in_answered_branches(comments, answering)):
        nodes = nodes_of(those, whys, answering=answering, limits=limits)
        made = conversation("It hurts here", branches(nodes), options=options)
        found.append(
            (made.turns, made.exchanges, made.branch, made.rivals)
            if isinstance(made, Conversation)
            else (made.reason, made.selected)
        )

    assert found[0] == found[1]


@given(st.dictionaries(st.sampled_from(IDS), st.sampled_from(["", "gone", *IDS])))
def test_what_is_detached_is_what_no_way_from_the_post_leads_to(
    parents: dict[str, str],
) -> None:
    reached = {""}
    for _ in parents:
        reached |= {one for one, parent in parents.items() if parent in reached}

    assert detached(parents) == parents.keys() - reached
