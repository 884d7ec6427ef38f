from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from factories_talk import post, under
from threadmed.dataset.dumps.reddit import Comment, Loss, Post
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.roles import Roles
from threadmed.dataset.threads.branches import DropReason, OutOfPlay
from threadmed.dataset.threads.clean import Reason, limits_of
from threadmed.dataset.threads.drawing import MEANINGS, VERDICTS, lines
from threadmed.dataset.threads.explain import (
    Explanation,
    NotUsed,
    Remark,
    Verdict,
    explain,
)
from threadmed.dataset.threads.reading import UnusedReason

PAGE = Path(__file__).parents[3] / "docs/data.md"

THREAD = (
    "bot . B Please read the rules.",
    "a . D Rest it when it hurts, and ice it after you run; six weeks is usual for it.",
    "b a P How long\n\nuntil I may run?",
    "c b E Six weeks.",
    "d b L Mine took a year.",
    "e d D It may.",
    "f c P And swimming?",
    "g a X",
    "h . N Ice.",
    "i . E Stretch.",
    "j i P thanks",
    "k lost P Hello?",
)


def drawn(comments: Sequence[Comment], a_post: Post, **options: Any) -> list[str]:
    chosen = BuildOptions(**options)
    told = explain(
        a_post,
        comments,
        limits=limits_of(chosen),
        options=chosen,
        roles=Roles(chosen),
    )
    return list(lines(told))


def test_an_explanation_is_drawn_as_a_tree(golden: Callable[[str, str], None]) -> None:
    comments = under(*THREAD, e={"created": 1_550_190_000})
    pictures = [
        drawn(comments, post()),
        drawn(comments, post(), min_follow_ups=3),
        drawn(comments, post(), physicians="first", patient_roots="skip"),
        drawn(comments[:1], post()),
        drawn(comments, post(loss="removed_by_moderator")),
    ]

    golden("explain.txt", "\n\n\n".join("\n".join(one) for one in pictures) + "\n")


def test_a_chain_of_six_thousand_replies_is_drawn_in_short_lines() -> None:
    chain = [f"n{n} {f'n{n - 1}' if n else '.'} L so" for n in range(6_000)]
    picture = drawn(under(*chain), post())

    assert len(picture) > 6_000
    assert max(map(len, picture)) < 200
    assert any("(depth 5999) n5999" in line for line in picture)


def test_nothing_in_a_dump_steers_the_terminal() -> None:
    comments = under("a\x1b[31m . L x\x1b[2Jy")
    picture = drawn(comments, post(title="My\x1b[0m knee hurts a lot"))

    assert all(line.isprintable() for line in picture)


def test_siblings_of_deeper_levels_keep_their_rails() -> None:
    picture = drawn(
        under("a . D x", "b a L x", "c b L x", "d a L x", "e d L x", "f e L x"), post()
    )
    trees = [line.split("  +")[0].rstrip() for line in picture[6:12]]

    assert trees == [
        "   a",
        "   ├─ b",
        "   │  └─ c",
        "   └─ d",
        "      └─ e",
        "         └─ f",
    ]


def test_every_reason_and_verdict_has_a_meaning() -> None:
    named = {"detached", *_names(Reason), *get_args(DropReason), *get_args(OutOfPlay)}
    named |= {*get_args(UnusedReason), *get_args(NotUsed)}

    assert named == set(MEANINGS)
    assert set(get_args(Verdict)) == set(VERDICTS)


def _names(union: object) -> set[str]:
    return {
        name for member in get_args(union) for name in (get_args(member) or [member])
    }


def test_the_page_names_every_reason() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert [name for name in MEANINGS if f"`{name}`" not in page] == []
    assert set(get_args(Loss)) <= set(MEANINGS)


@pytest.mark.parametrize("after", [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 10**8])
def test_a_time_is_never_longer_than_its_column(after: int) -> None:
    remark = Remark(
        id="a", parent="", depth=0, is_last=True, after=after, speaker="lay",
        place="", why=None, words="",
    )  # fmt: skip
    told = Explanation(
        post="p", comments=1, why="no_physician", question="q", detached=(remark,)
    )

    assert all(len(line) <= 80 for line in lines(told))
