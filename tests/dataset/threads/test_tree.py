from hypothesis import given
from hypothesis import strategies as st

from factories_talk import forests, marked, talk
from threadmed.dataset.options import Order
from threadmed.dataset.threads.tree import Node, branches, detached, is_whole

ORDERS = st.sampled_from(["time", "tree"])


@given(forests(), ORDERS)
def test_every_comment_is_in_one_branch_or_detached(
    nodes: list[Node], order: Order
) -> None:
    tree = branches(nodes, order=order)
    placed = [node.id for branch in tree for node in branch.nodes]

    assert len(placed) == len(set(placed))
    lost = detached({node.id: node.parent for node in nodes})
    assert set(placed) | lost == {node.id for node in nodes}
    assert not set(placed) & lost


@given(forests(), ORDERS)
def test_a_reply_never_comes_before_what_it_replies_to(
    nodes: list[Node], order: Order
) -> None:
    for branch in branches(nodes, order=order):
        seen = {""}
        for node in branch.nodes:
            assert node.parent in seen
            seen.add(node.id)


@given(forests())
def test_both_orders_hold_the_same_comments(nodes: list[Node]) -> None:
    by_time, by_tree = branches(nodes), branches(nodes, order="tree")

    assert len(by_time) == len(by_tree)
    for one, other in zip(by_time, by_tree, strict=True):
        assert one.nodes[0] == other.nodes[0]
        assert set(one.nodes) == set(other.nodes)


def test_a_circle_and_a_comment_on_itself_are_detached() -> None:
    nodes = talk(
        "a . D rest", "x x P me", "y z P you", "z y D they", "u gone L who"
    )  # fmt: skip

    assert detached({node.id: node.parent for node in nodes}) == {"x", "y", "z", "u"}


def test_a_reply_dated_before_its_parent_still_follows_it() -> None:
    nodes = talk("a . D rest", "b a P how", "c b D so")
    (branch,) = branches(marked(nodes, "b", time=-5))

    assert [node.id for node in branch.nodes] == ["a", "b", "c"]


@given(
    st.dictionaries(
        st.sampled_from(["1", "2", "z", "10", "1z", "zz", "100"]),
        st.sampled_from(["", "", "gone", "1", "2", "z", "10", "1z", "zz", "100"]),
    )
)
def test_what_is_detached_is_told_of_ids_of_any_length(parents: dict[str, str]) -> None:
    reached = {""}
    for _ in parents:
        reached |= {one for one, parent in parents.items() if parent in reached}

    lost = detached(parents)
    assert lost == parents.keys() - reached
    assert not (is_whole(parents, [*parents.values()]) and lost)
