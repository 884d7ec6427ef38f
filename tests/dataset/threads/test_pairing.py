import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories_talk import POST, forests, marked, talk
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.threads.pairing import (
    Exchange,
    answers_of,
    exchanges_of,
    flags_of,
    is_thanks,
    physicians_of,
    turns,
)
from threadmed.dataset.threads.tree import Branch, Node, branches

TALK = talk(
    "a . D rest", "b a P one", "c a P two", "d b E to one", "e c D to two",
    "f e L me too", "g f D you", "h g P thanks",
)  # fmt: skip


def paired(nodes: list[Node], **options: object) -> list[tuple[str, str]]:
    """Give the ids behind each turn."""
    chosen = BuildOptions(**options)  # type: ignore[arg-type]
    (branch,) = branches(nodes)
    made = exchanges_of(branch, answers_of(branch, chosen), options=chosen)
    return [
        (
            "".join(node.id for node in one.questions),
            "".join(node.id for node in one.answers),
        )
        for one in made
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [("", "a"), ("b", ""), ("c", "deg"), ("h", "")]),
        ({"pairing": "tree"}, [("", "a"), ("b", "d"), ("c", "eg"), ("h", "")]),
        ({"questions": "merged"}, [("", "a"), ("bc", "deg"), ("h", "")]),
        ({"answers": "first"}, [("", "a"), ("b", ""), ("c", "d"), ("h", "")]),
        ({"physicians": "first"}, [("", "a"), ("b", ""), ("c", "eg"), ("h", "")]),
        (
            {"answers_to": "conversation"},
            [("", "a"), ("b", ""), ("c", "de"), ("h", "")],
        ),
        ({"thanks": "not_a_question"}, [("", "a"), ("b", ""), ("c", "deg")]),
    ],
)
def test_an_exchange_names_its_comments(
    options: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert paired(TALK, **options) == expected


def test_an_answer_to_thanks_that_are_no_question_goes_to_the_one_before() -> None:
    polite = [*TALK, *talk("i h D welcome")]

    for pairing in ("time", "tree"):
        made = paired(
            marked(polite, "i", time=99), thanks="not_a_question", pairing=pairing
        )
        assert made[2][1].endswith("gi")


def test_messages_before_the_first_answer_are_merged_with_the_post() -> None:
    nodes = talk("a . P and red", "b a D rest")
    (branch,) = branches(nodes)
    options = BuildOptions(questions="merged")
    made = exchanges_of(branch, answers_of(branch, options), options=options)

    assert paired(nodes, questions="merged") == [("a", "b")]
    assert turns(POST, made)[0].question == f"{POST}\n\nand red"


@given(forests(), st.sampled_from(["time", "tree"]))
def test_no_comment_is_in_two_exchanges_and_only_the_first_opens_with_the_post(
    nodes: list[Node], pairing: str
) -> None:
    options = BuildOptions(pairing=pairing)  # type: ignore[arg-type]
    for branch in branches(nodes):
        made = exchanges_of(branch, answers_of(branch, options), options=options)
        used = [node.id for one in made for node in (*one.questions, *one.answers)]
        counting = {node.id for node in branch.nodes if node.counts}

        assert len(used) == len(set(used))
        assert set(used) == counting
        assert [one.opens_with_post for one in made] == [
            place == 0 for place in range(len(made))
        ]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks",
        "thank you so much!!",
        "Ok great, thanks a lot doc. Will do.",
        "Thank you both, I really appreciate your time \u2764",
        "I\u2019ll do that, thx",
        "TYSM",
    ],
)
def test_thanks_are_thanks(text: str) -> None:
    assert is_thanks(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ok.",
        "Great, will do.",
        "Thanks?",
        "Thanks. It still hurts at night.",
        "Thank you, my doctor said no.",
        "Thanks, I have it all day",
        "No thanks",
        "thanks " * 60,
    ],
)
def test_what_says_more_than_thanks_or_no_thanks_is_a_message(text: str) -> None:
    assert not is_thanks(text)


def test_physicians_are_numbered_by_the_time_of_their_first_answers() -> None:
    nodes = talk("a . D rest", "b a E ice")
    late, early = nodes[0], marked(nodes, "b", time=-1)[1]
    exchanges = (
        Exchange(answers=(late,), opens_with_post=True),
        Exchange(answers=(early, late)),
    )
    branch = Branch(nodes=tuple(nodes))

    assert physicians_of(exchanges) == {"E": 1, "D": 2}
    flags = flags_of(exchanges, branch, is_post_edited=False)
    assert [one.physicians for one in flags] == [(2,), (1, 2)]
