"""What is said of many posts at once is what is said of one after the other."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dump_factory import Line, comment, post, written
from threadmed.dataset.build import gather
from threadmed.dataset.inputs import find_dump
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.executors import local

WHO = st.sampled_from("PPDDNLLLBX")
"""The patient, a physician, a nurse, laypersons, a bot, and an account that is gone."""
BODIES = st.sampled_from(
    [*["rest the knee", "how long"] * 6, *["[deleted]"] * 2, "[removed]", "", "https://a.org/b", "?!",
     "EDIT: done", "[see](https://a.org)", "caf\u00e9 \u2019 yes", "thanks"]
)  # fmt: skip
CHANGES = st.sampled_from(
    [
        *[{}] * 90,
        *[{"edited": 1600000500}, {"is_submitter": True}, {"is_submitter": False},
         {"distinguished": "moderator", "stickied": True}, {"author_flair_text": ""},
         {"author_flair_text": "Layperson/not verified as healthcare professional."},
         {"created_utc": "1600000050"}, {"created_utc": 1600000050.0}, {"author": None},
         {"id": "p1_3"}, {"parent_id": "t1_p1_2"}, {"parent_id": "t1_gone"},
         {"retrieved_on": 1700000000}, {"author": "patient_other"}, {"link_id": "t3_p2"}],
    ]
)  # fmt: skip
POST_CHANGES = st.sampled_from(
    [
        *[{}] * 60,
        *[{"removed_by_category": "reddit"}, {"author": "[deleted]"}, {"edited": True}, {"selftext": "[removed]"},
         {"selftext": "short"}, {"selftext": ""}, {"id": "p1"}, {"created_utc": 5},
         {"author": "AutoModerator"}, {"num_comments": 3}, {"retrieved_on": 1700000000},
         {"selftext": "EDIT: it is all well again now"}, {"is_self": False, "selftext": ""}],
        *[{"again": 1}] * 12,
        *[{"again": 1, **change} for change in (
            {"author": "patient_other"}, {"author": "[deleted]"}, {"edited": True},
            {"selftext": "My other knee hurts when I walk"}, {"created_utc": 1600000007},
            {"removed_by_category": "moderator"}, {"retrieved_on": 1700000000},
            {"author": "patient_other", "retrieved_on": 1700000000}, {"created_utc": 5},
        )],
    ]
)  # fmt: skip
COPIES = st.lists(
    st.tuples(
        st.integers(0, 20),
        st.sampled_from(
            [
                *[{}] * 4,
                *[{"retrieved_on": 1700000000}, {"body": "another text"}, {"body": "[removed]"},
                 {"author": "[deleted]"}, {"author_flair_text": None}, {"parent_id": "t3_p1"},
                 {"author_flair_text": "Physician"}, {"edited": 1600000500}, {"link_id": "t3_p2"},
                 {"is_submitter": True}, {"created_utc": 1600000090}],
            ]
        ),
    ),
    max_size=6,
)  # fmt: skip
"""Which comments are in a second file too, and what differs there."""
OTHER_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "edits": st.just("cut"),
        "at_least_one_comment": st.sampled_from(["people", "any", "stated"]),
        "roles": st.just("clinician"),
        "flair_of": st.just("post"),
        "physician_patient": st.just("drop"),
        "patient_roots": st.just("skip"),
        "lay_roots": st.just("skip"),
        "select_first": st.sampled_from([False]),
        "questions": st.just("merged"),
        "thanks": st.just("not_a_question"),
        "answers_to": st.just("conversation"),
        "first_unanswered": st.just("drop"),
        "removed_answer": st.just("drop_thread"),
        "deleted_post_author": st.just("is_submitter"),
        "suspected_deletion": st.just("lenient"),
        "max_removed_share": st.sampled_from([0.0, 0.2, 1.0]),
        "min_follow_ups": st.sampled_from([0, 1]),
        "min_words": st.sampled_from([0, 2]),
        "known_bots": st.just(("user_L",)),
    },
)
OPTIONS = st.booleans().flatmap(
    lambda is_default: st.just({}) if is_default else OTHER_OPTIONS
)


def plain(line: Line) -> Line:
    """Give a comment an id as Reddit has them, and its parent too."""
    kind, _, parent = line["parent_id"].partition("_")
    return {
        **line,
        "id": line["id"].replace("_", "x"),
        "parent_id": f"{kind}_{parent.replace('_', 'x')}",
    }


def copy_of_post(number: int, *, again: int | None = None, **changes: Any) -> Line:
    """Give the only copy of a post, or another of one before."""
    return post(f"p{again or number}", **changes)


@st.composite
def comments(draw: st.DrawFn) -> list[Line]:
    made = []
    for name in ("p1", "p2"):
        ids = [name]
        for number in range(1, draw(st.integers(0, 8)) + 1):
            # Most of all dumps are talks, one reply after the other.
            parent = draw(st.sampled_from([*ids, ids[-1], ids[-1]]))
            who = draw(WHO)
            named = {"B": BOT, "X": GONE}
            changes = {**named.get(who, {}), **draw(CHANGES)}
            one = comment(f"{name}_{number}", parent, who, draw(BODIES), **changes)
            made.append(plain(one))
            ids.append(f"{name}_{number}")
    return made


NOTICE = {"distinguished": "moderator", "stickied": True}
GONE = {"author": "[deleted]"}
BOT = {"author": "AutoModerator"}


def talk(*said: tuple[str, str] | tuple[str, str, Line]) -> list[Line]:
    """Comments under p1, each but the first a reply to the one before."""
    parents = ["p1", *(f"p1_{n}" for n in range(1, len(said)))]
    return [
        plain(comment(f"p1_{n}", parent, who, body, **(changes[0] if changes else {})))
        for n, (parent, (who, body, *changes)) in enumerate(
            zip(parents, said, strict=True), 1
        )
    ]


def found(
    folder: Path, posts: list[Line], files: list[list[Line]], **options: Any
) -> object:
    comments = [written(folder / f"RC{n}", lines) for n, lines in enumerate(files)]
    dump = find_dump([written(folder / "RS", posts)], comments)
    with local(beside=folder / "out") as executor:
        gathering = gather(dump, options=BuildOptions(**options), executor=executor)
        release = gathering.release()
        threads = sorted(gathering.found, key=lambda one: one.post)
        account = {
            name: sorted((+counts).items())
            for name, counts in msgspec.structs.asdict(gathering.account).items()
        }
    told = (release.funnel, release.years, release.flair, release.observed)
    return account, told, release.inputs, threads


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


@settings(max_examples=400, deadline=None)
@given(comments(), st.lists(POST_CHANGES, min_size=2, max_size=4), OPTIONS, COPIES)
# What drops a thread is lost, in its branch, or too little; and what is no answer.
@example(talk(("D", "rest"), ("P", "[deleted]")), [{}], {}, [])
@example(talk(("D", "rest"), ("L", "[removed]"), ("L", "[removed]")), [{}], {}, [])
@example(talk(("D", "rest"), ("P", "how")), [{}], {}, [])
# Who is nameless may be the patient; what is gone counts against those who are people.
@example(talk(("D", "rest"), ("X", "how", GONE), ("D", "so")), [{}], {}, [])
@example(talk(("D", "a"), ("P", "b"), ("X", "c", GONE), ("D", "d")), [{}], {}, [])
@example(talk(("X", "so", GONE), ("D", "rest")), [{}], {}, [])
@example(talk(("D", "rest"), ("L", "[removed]")), [{}], {"max_removed_share": 0.2}, [])
@example(
    talk(("D", "a"), ("L", "[removed]"), ("L", "b"), ("B", "c", BOT)),
    [{}],
    {"max_removed_share": 0.3},
    [],
)
@example(
    talk(("D", "rest"), ("D", "[removed]")), [{}], {"removed_answer": "drop_thread"}, []
)
@example(talk(("D", "[removed]"), ("P", "how"), ("P", "so")), [{}], {}, [])
@example(
    talk(("D", "[removed]"), ("D", "rest", {"author_flair_text": None}), ("P", "how")),
    [{}],
    {"flair_of": "post"},
    [],
)
@example(talk(("L", "so", {"parent_id": "t1_gone"}), ("D", "rest")), [{}], {}, [])
@example(
    talk(("L", "so", {"parent_id": "t1_p1x3"}), ("D", "no"), ("P", "a")), [{}], {}, []
)
@example(talk(("D", "rest", NOTICE)), [{}], {}, [])
@example(
    talk(("D", "rest"), ("P", "I", {"author_flair_text": "Physician"})), [{}], {}, []
)
@example(talk(("P", "I", {"author_flair_text": "Physician"})), [{}], {}, [])
# Options that change which branches count.
@example(talk(("L", "see one"), ("D", "rest")), [{}], {"lay_roots": "skip"}, [])
@example(talk(("P", "also"), ("D", "rest")), [{}], {"patient_roots": "skip"}, [])
@example(talk(("L", "no"), ("D", "rest")), [{}], {"answers_to": "conversation"}, [])
@example(talk(("P", "a"), ("D", "rest")), [{}], {"first_unanswered": "drop"}, [])
@example(talk(("D", "rest"), ("D", "", {"id": "p1_1"})), [{}, {"id": "p1"}], {}, [])
@example(talk(("L", "so"), ("L", "no")), [{}, {"id": "p1", "edited": 1}], {}, [])
@example(
    talk(("L", "a"), ("L", "b", {"id": "p1_1", "parent_id": "t3_p1"})), [{}], {}, []
)
@example(talk(("P", "EDIT: done")), [{}], {"edits": "cut"}, [])
@example(
    talk(("L", "a")),
    [{"selftext": "EDIT: I am all well again now"}],
    {"edits": "cut"},
    [],
)
@example(
    talk(("L", "a")), [{"num_comments": 1}], {"at_least_one_comment": "stated"}, []
)
@example(talk(("L", "I", {"is_submitter": True})), [{}], {}, [])
@example(
    talk(("L", "I", {"is_submitter": True})),
    [{"author": "[deleted]"}],
    {"deleted_post_author": "is_submitter"},
    [],
)
@example(talk(("X", "I", {"is_submitter": True, "author": "[deleted]"})), [{}], {}, [])
@example(
    talk(("L", "a")),
    [{"selftext": "![oh my left arm as it is today](a.org/x)"}],
    {},
    [],
)
@example(
    talk(("L", "a")),
    [
        {"removed_by_category": "moderator"},
        {"removed_by_category": "author"},
        {"removed_by_category": "deleted", "created_utc": 5},
        {"removed_by_category": "content_takedown", "id": "p1"},
    ],
    {},
    [],
)
@example(
    talk(("L", "a")), [{"author": "AutoModerator", **NOTICE}, {"author": ""}], {}, []
)
@example(
    talk(("L", "a")), [{"author": ""}], {"deleted_post_author": "is_submitter"}, []
)
@example(talk(("L", "a")), [NOTICE], {}, [])
@example(talk(("L", "a"), ("P", "b")), [{}], {"flair_roles": {"": "physician"}}, [])
@example(talk(("X", "a"), ("L", "b")), [{}], {"known_bots": ("", "u" * 70)}, [])
@example(talk(("L", "a", {"author": "u" * 70})), [{}], {"known_bots": ("u" * 70,)}, [])
@example(talk(("L", "a")), [{}], {"min_words": 2**32 + 1}, [])
@example(talk(("L", "a")), [{}], {"min_words": 2**64 + 1}, [])
# Copies of comments.
@example(
    talk(("D", "a"), ("L", "b")), [{}], {}, [(0, {}), (1, {"author_flair_text": None})]
)
@example(talk(("D", "a"), ("L", "b")), [{}], {}, [(0, {"author_flair_text": "Nurse"})])
@example(talk(("L", "a"), ("L", "b")), [{}], {}, [(1, {"body": "[removed]"}), (0, {})])
@example(talk(("D", "a"), ("L", "b")), [{}, {}], {}, [(1, {"link_id": "t3_p2"})])
@example(
    talk(("D", "a"), ("P", "b"), ("P", "c")), [{}], {}, [(1, {}), (1, {}), (0, {})]
)
@example(talk(("D", "a"), ("P", "b")), [{}], {}, [(1, {}), (1, {"parent_id": "t3_p1"})])
@example(
    talk(("D", "a"), ("L", "[removed]", {"parent_id": "t3_p1"})),
    [{}],
    {"max_removed_share": 0.2},
    [(1, {"parent_id": "t1_p1x1", "retrieved_on": 1700000000})],
)
# Copies of posts.
@example(talk(("L", "a")), [{}, {"again": 1}], {}, [])
@example(talk(("P", "a")), [{"author": "ann"}, {"again": 1, "author": "bob"}], {}, [])
@example(talk(("L", "a")), [{"edited": True}, {"again": 1, "edited": True}], {}, [])
@example(talk(("L", "a")), [{"author": ""}, {"again": 1, "author": ""}], {}, [])
@example(
    talk(("L", "a")),
    [
        {"removed_by_category": "moderator"},
        {"again": 1, "removed_by_category": "moderator"},
        {"again": 1},
    ],
    {},
    [],
)
@example(
    talk(("L", "a")),
    [{}, {"again": 1, "created_utc": 1600000000.0, "removed_by_category": "deleted"}],
    {},
    [],
)
@example(
    talk(("D", "rest"), ("P", "how"), ("P", "so")),
    [{"author": "ann"}, {"again": 1, "retrieved_on": 1700000000}],
    {},
    [],
)
def test_a_build_is_the_same_by_both_ways(
    folder: Path,
    lines: list[Line],
    changes: list[Line],
    options: dict[str, Any],
    copies: list[tuple[int, Line]],
) -> None:
    assume(lines)
    again = [{**lines[place % len(lines)], **change} for place, change in copies]
    files = [lines, again] if again else [lines]
    posts = [copy_of_post(n, **change) for n, change in enumerate(changes, 1)]
    by_rows = found(folder, posts, files, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("THREADMED_PURE", "1")

        assert found(folder, posts, files, **options) == by_rows
