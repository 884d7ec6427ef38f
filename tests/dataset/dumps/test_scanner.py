"""What the scanner in C takes of a dump is what Python makes of it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from threadmed.dataset.dumps.reddit import Comment, Post
from threadmed.dataset.dumps.scanner import Scanned, Scanner, Task, library
from threadmed.dataset.options import BuildOptions
from threadmed.dataset.passes.collect import (
    Live,
    Pass,
    Reader,
    read_comments,
    read_posts,
)
from threadmed.dataset.passes.spill import Parts, records
from threadmed.dataset.threads.clean import limits_of
from threadmed.errors import InputError

OPTIONS = BuildOptions()
READER = Reader(options=OPTIONS, limits=limits_of(OPTIONS), allow_partial=False)
LIVE = Live(
    authors={
        "p1": "ann",
        "p2": "",
        "0p": "ann",
        "p3": "na\u00efve",
        "P4": "x",
        "p5": "a\nb",
        "p\0": "ann",
        "p 1": "ann",
    }
)

Line = dict[str, Any]
Told = tuple[object, list[Any]]

ABSENT = object()
TEXTS = st.one_of(
    st.sampled_from(
        ["[deleted]", "[removed]", " [deleted]", "[ Removed by Reddit ]", "[a](b.org/c)",
         "\\[deleted\\]", "", "My knee hurts a lot", "\u00a0[deleted]", "\U0001fa7a \ud800",
         "![one two three](x.png) [", "[see here].", "a\tb", '&gt; "quoted" /s', "\x7f"]
    ),
    st.text(max_size=12),
)  # fmt: skip
TIMES = st.sampled_from(
    [1500000000, 1500000001, "1500000002", 1500000003.0, "soon", None, -5, 0, 2**36 + 1,
     10**18, 10**19, "", "1500000004.5", 2**53, True]
)  # fmt: skip
AUTHORS = st.sampled_from(
    ["x" * 64, "x" * 65, "ann", "Ann", "bob-_1", "AutoModerator", "[deleted]", "[removed]", "", None, " x",
     "na\u00efve", "a b", "\u212a"]
)  # fmt: skip
TRUTHS = st.sampled_from([True, False, None, 0, "yes"])
EDITED = st.sampled_from(
    [False, True, 1500000000, 1500000000.0, 0, 0.0, None, "x", 1e3]
)
NOTICES = st.sampled_from([None, "moderator", "admin", "special", ""])
METAS = st.sampled_from([None, {"was_deleted_later": True}, {}])


def rarely(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A field that is mostly not there, so that a record is often plain."""
    return st.integers(0, 7).flatmap(lambda n: st.just(ABSENT) if n else values)


def mostly(value: object, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A field that is mostly as nearly all are."""
    return st.integers(0, 3).flatmap(lambda n: st.just(value) if n else values)


def lines_of(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Line]:
    return st.fixed_dictionaries(fields).map(
        lambda line: {key: value for key, value in line.items() if value is not ABSENT}
    )


IDS = st.sampled_from(["c1", "c2", "zz9", "0c", "C3", "t1_c4", "", "c\u00e9", None, 7])
COMMENTS = lines_of(
    {
        "id": mostly("c1", IDS),
        "link_id": st.sampled_from(
            ["t3_p1", "t3_p1", "t3_p1", "t3_p1", "t3_p1", "t3_p2", "t3_p9", "t3_0p", "t3_P1", "t3_p3", "p1", "", None, 900, "t3_"]
        ),
        "parent_id": st.sampled_from(
            ["t3_p1", "t3_p1", "t1_c1", "t1_c1", "t1_c1", "t1_c2", "t1_p1", "t1_0c", "c1", "T1_c1", None, 12, "t1_"]
        ),
        "author": mostly("ann", AUTHORS),
        "author_flair_text": rarely(
            st.sampled_from(["Physician", "Layperson", "", 'M.D.\u2019s "x"', "\\", 3, None])
        ),
        "created_utc": mostly(1500000000, TIMES),
        "body": mostly("My knee hurts", st.one_of(TEXTS, st.none(), st.just(ABSENT))),
        "is_submitter": rarely(TRUTHS),
        "edited": rarely(EDITED),
        "distinguished": rarely(NOTICES),
        "stickied": rarely(TRUTHS),
        "retrieved_on": rarely(TIMES),
        "retrieved_utc": rarely(TIMES),
        "removal_reason": rarely(st.sampled_from([None, "legal", ""])),
        "banned_at_utc": rarely(TIMES),
        "_meta": rarely(METAS),
        "all_awardings": rarely(st.just([{"a": [1, -2.5e-3, {}], "b": [[]]}, "\u20ac"])),
    }
)  # fmt: skip
POSTS = lines_of(
    {
        "id": st.sampled_from(["p1", "p2", "p1", "p2", "p5", "0p", "P3", "t3_p4", "", None, 77]),
        "title": mostly("Knee", st.one_of(TEXTS, st.none(), st.just(ABSENT))),
        "selftext": mostly(
            "My left knee hurts a lot", st.one_of(TEXTS, st.none(), st.just(ABSENT))
        ),
        "author": mostly("ann", AUTHORS),
        "created_utc": mostly(1500000000, TIMES),
        "subreddit": st.sampled_from([ABSENT, "AskDocs", "ASKDOCS", "pics", None, "As\u212aDocs", 4]),
        "retrieved_on": rarely(TIMES),
        "retrieved_utc": rarely(TIMES),
        "edited": rarely(EDITED),
        "is_self": rarely(TRUTHS),
        "is_gallery": rarely(TRUTHS),
        "post_hint": rarely(st.sampled_from(["image", "self", "rich:video", 2, None])),
        "domain": rarely(st.sampled_from(["self.AskDocs", "I.redd.it", "imgur.com", None, 1])),
        "removed_by_category": rarely(
            st.sampled_from([None, "moderator", "deleted", "unheard of", "", 5])
        ),
        "removal_reason": rarely(st.sampled_from([None, "legal", ""])),
        "banned_at_utc": rarely(TIMES),
        "distinguished": rarely(NOTICES),
        "stickied": rarely(TRUTHS),
        "num_comments": rarely(TIMES),
        "crosspost_parent_list": rarely(
            st.sampled_from([None, [], [{"author": "ann", "selftext": "As I wrote"}], 3])
        ),
        "_meta": rarely(METAS),
    }
)  # fmt: skip


def written(lines: list[Line], *, ascii_only: bool, spaced: bool) -> bytes:
    separators = (", ", ": ") if spaced else (",", ":")
    return "".join(
        json.dumps(line, ensure_ascii=ascii_only, separators=separators) + "\n"
        for line in lines
    ).encode(errors="surrogatepass")


def read(
    folder: Path,
    data: bytes,
    task: Callable[..., Pass],
    kind: type[Any],
    live: Live | None,
) -> Told:
    """Read lines, and give the account of them and what is in the parts."""
    dump = folder / "dump"
    dump.write_bytes(data)
    parts = Parts(folder, 3)
    for number in range(3):
        parts.path(number).unlink(missing_ok=True)
    try:
        account: object = task(
            dump, parts, live, reader=READER, progress=lambda *_: None
        )
    except InputError as refused:
        account = str(refused)
    found = [
        sorted(map(msgspec.json.encode, records([parts.path(n).read_bytes()], kind)))
        if parts.path(n).exists()
        else []
        for n in range(3)
    ]
    return account, found


Both = Callable[[bytes, Callable[..., Pass], type[Any], Live | None], None]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Read lines by both ways, and hold one against the other."""
    folder = tmp_path_factory.mktemp("both")

    def check(
        data: bytes, task: Callable[..., Pass], kind: type[Any], live: Live | None
    ) -> None:
        by_library = read(folder, data, task, kind, live)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("THREADMED_PURE", "1")
            assert library() is None
            assert read(folder, data, task, kind, live) == by_library

    return check


PLAIN = (
    b'{"id":"c1","link_id":"t3_p1","parent_id":"t1_c0","author":"ann","body":"It \\u2019 '
    b'\xc3\xa9 hurts","created_utc":1500000000,"edited":1.5,"gildings":{"a":[1,{"b":-0.1e2}]}}'
)

IS_THERE = pytest.mark.skipif(
    os.environ.get("THREADMED_PURE") == "1", reason="asked for without the scanner"
)


def scanned(lines: list[bytes], **task: Any) -> Scanned:
    loaded = library()
    assert loaded is not None
    return Scanner(Task(parts=1, **task), loaded).scan(b"\n".join([*lines, b""]))


@IS_THERE
def test_plain_lines_are_taken_and_not_handed_back() -> None:
    post = PLAIN.replace(b'"body"', b'"title":"T","selftext"')
    comments = scanned([PLAIN] * 3, side="comments", wanted={"p1": "ann"})
    posts = scanned([post] * 3, side="posts", wanted=None)

    assert (comments.records, comments.odd, comments.elsewhere) == (3, (), 0)
    assert (posts.records, posts.odd, posts.elsewhere) == (3, (), 0)


@IS_THERE
def test_what_is_of_no_interest_is_counted_and_not_handed_back() -> None:
    post = PLAIN.replace(b'"body"', b'"subreddit":"Pics","title":"T","selftext"')
    comments = scanned([PLAIN], side="comments", wanted={})
    posts = scanned([post], side="posts", wanted=None, subreddit="askdocs")

    assert (comments.records, comments.odd, comments.elsewhere) == (1, (), 1)
    assert (posts.records, posts.odd, posts.elsewhere) == (1, (), 1)


@IS_THERE
def test_a_flair_is_known_from_its_first_line_on() -> None:
    line = PLAIN.replace(b"{", b'{"author_flair_text":"\\"Dr\\" \\ud83e\\ude7a",', 1)
    asked: list[str | None] = []

    def is_wanted(flair: str | None) -> bool:
        asked.append(flair)
        return True

    found = scanned(
        [line] * 3, side="comments", wanted={"p1": "ann"}, is_flair_wanted=is_wanted
    )

    assert (found.records, found.odd) == (3, ())
    assert asked == [None, '"Dr" \U0001fa7a']


WAYS = {"ascii_only": st.booleans(), "spaced": st.booleans()}


@settings(max_examples=400, deadline=None)
@given(st.lists(COMMENTS, max_size=6), st.fixed_dictionaries(WAYS))
def test_comments_are_the_same_by_both_ways(
    both: Both, lines: list[Line], ways: dict[str, bool]
) -> None:
    both(written(lines, **ways), read_comments, Comment, LIVE)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(POSTS, max_size=6),
    st.fixed_dictionaries(WAYS),
    st.sampled_from([None, LIVE]),
)
def test_posts_are_the_same_by_both_ways(
    both: Both, lines: list[Line], ways: dict[str, bool], live: Live | None
) -> None:
    both(written(lines, **ways), read_posts, Post, live)


FIELDS = [
    b'"id":"c1"', b'"all_awardings":[]', b'"author":"ann"', b'"body":"It hurts"',
    b'"distinguished":null', b'"gildings":{}', b'"created_utc":1500000000',
    b'"edited":false', b'"link_id":"t3_p1"', b'"parent_id":"t3_p1"', b'"score":1',
    b'"stickied":false', b'"ups":1',
]  # fmt: skip
OTHERS = [
    b"", b'"score":12', b'"ups":1,"new":[[1]],"newer":{"a":"b"}', b'"edited":[]', b'"id":7',
    b'"author":"ann_b"', b'"author":"ann","id":"c1"', b'"created_utc":"1500000009"', b'"ups"',
    b'"gildings":{"gid_1":1}', b'"body":"It \\"hurts\\""', b'"\\u0069d":"c2"', b"false",
]  # fmt: skip
CHANGES = st.one_of(
    st.sampled_from([b"%b", b" %b", b"%b ", b"\t%b", b"%b,%b", b'%b,"more":null']).map(
        lambda form: lambda field: form.replace(b"%b", field)
    ),
    st.sampled_from([b": ", b" :", b":\t"]).map(
        lambda colon: lambda field: field.replace(b":", colon, 1)
    ),
    st.sampled_from(OTHERS).map(lambda other: lambda _: other),
)


@st.composite
def like_lines(draw: st.DrawFn) -> list[bytes]:
    """Lines that have most of their fields from the one before, as those of a dump do."""
    fields = [*FIELDS]
    lines = []
    for _ in range(draw(st.integers(2, 6))):
        for _ in range(draw(st.integers(0, 2))):
            place = draw(st.integers(0, len(FIELDS) - 1))
            of = draw(st.sampled_from([fields[place], FIELDS[place]]))
            fields[place] = draw(CHANGES)(of)
        lines.append(b"{%b}" % b",".join(filter(None, fields)))
        if draw(st.booleans()):
            fields = [*FIELDS]
    return lines


@IS_THERE
@settings(max_examples=1_500, deadline=None)
@given(like_lines())
def test_a_line_is_read_the_same_whatever_lines_come_before_it(
    both: Both, lines: list[bytes]
) -> None:
    task: dict[str, Any] = {"side": "comments", "wanted": LIVE.authors}
    alone = [line for line in lines if scanned([line], **task).odd]

    assert [line for _, line in scanned(lines, **task).odd] == alone
    both(b"\n".join([*lines, b""]), read_comments, Comment, LIVE)


def test_a_field_that_comes_twice_is_read_the_same_by_both_ways(both: Both) -> None:
    line = b"{%b}" % b",".join(FIELDS)
    twice = line.replace(b"{", b'{"parent_id":"t1_c9",', 1)
    data = b"\n".join([line, twice, line, b""])
    both(data, read_comments, Comment, LIVE)


SPLICES = st.tuples(
    st.integers(0, len(PLAIN)),
    st.integers(0, 3),
    st.one_of(
        st.binary(max_size=3),
        st.sampled_from(
            [b"\\ud83d\\ude00", b"\\ud83d", b"\\u12", b'"', b"{", b"[", b"},", b"\\", b"\n",
             b"\r\n", b"\0", b"\xef\xbb\xbf", b"01", b"1e5", b"-", b"tru", b"nan", b",", b" ",
             b"\xe2\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\t", b'{"id":"c9"}']
        ),
    ),
)  # fmt: skip


@settings(max_examples=1_500, deadline=None)
@given(
    splices=st.lists(SPLICES, min_size=1, max_size=3), end=st.sampled_from([b"\n", b""])
)
@example(splices=[(len(PLAIN), 0, b"\r")], end=b"\n")
@example(splices=[(len(PLAIN), 0, PLAIN)], end=b"\n")
@example(splices=[(1, 0, b'"id":"c2",')], end=b"")
def test_what_is_no_json_is_told_from_what_is(
    both: Both, splices: list[tuple[int, int, bytes]], end: bytes
) -> None:
    line = PLAIN
    for place, length, more in splices:
        line = line[:place] + more + line[place + length :]
    data = PLAIN + b"\n" + line + end

    both(data, read_comments, Comment, LIVE)


@pytest.mark.parametrize(
    "number",
    [
        "1e-400",
        "0e9",
        "0.000",
        "-0.0",
        "1e999",
        "1E3",
        "99999999999999999999",
        "1" + "0" * 311,
        "1" + "0" * 311 + ".5",
        "0." + "0" * 400 + "1",
    ],
)
def test_a_number_that_says_whether_it_was_edited(both: Both, number: str) -> None:
    line = PLAIN.replace(b"1.5", number.encode())
    assert line != PLAIN

    both(line + b"\n", read_comments, Comment, LIVE)


@pytest.mark.parametrize(
    "text",
    ["[deleted]", "[removed]", "[ Removed by Reddit ]", "[removed by moderator] ", "[a](b)",
     "[deleted]\\\\n", "[removed]\\\\u00a0", "[deleted]\\\\t", "[removed]\\\\r\\\\n", "[a] b.", "[", "\\\\[deleted]", "\\u005bdeleted]", "\\n[deleted]", "\u00a0[deleted]"],
)  # fmt: skip
def test_what_says_that_a_text_is_gone(both: Both, text: str) -> None:
    body = b'"body":"It \\u2019 \xc3\xa9 hurts"'
    line = PLAIN.replace(body, f'"body":"{text}"'.encode())
    assert line != PLAIN
    as_post = PLAIN.replace(body, f'"title":"{text}","selftext":"{text}"'.encode())

    both(line + b"\n", read_comments, Comment, LIVE)
    both(as_post + b"\n", read_posts, Post, None)


@pytest.mark.parametrize(
    "line",
    [
        PLAIN.replace(b"{", b'{"id":"c2",', 1),
        PLAIN.replace(b"{", b'{"body":4,', 1),
        PLAIN[:-1] + b",}",
        PLAIN[:-1],
        PLAIN.replace(b"[1,", b"[1,,"),
        PLAIN.replace(b"[1,", b"[01,"),
        PLAIN.replace(b"-0.1e2", b"-.1"),
        PLAIN.replace(b'"id"', b'"i\\u0064"'),
        PLAIN.replace(b"\\u2019", rb"\ude00\ude00"),
        PLAIN.replace(b"\\u2019", rb"\ud83e\ude7a\"\\\/\b\f\n\r\t\u0000\u00e9\uFFfd."),
        PLAIN + b" ",
        b" " + PLAIN,
        b"{}",
        b"",
    ],
)
def test_a_line_that_is_strange(both: Both, line: bytes) -> None:
    assert line != PLAIN

    both(PLAIN + b"\n" + line + b"\n", read_comments, Comment, LIVE)


def test_no_record_goes_on_in_the_next_line(both: Both) -> None:
    rest = PLAIN.replace(b"{", b'{"y":1},', 1)
    halves = [b'{"x":', PLAIN, rest, PLAIN + PLAIN]

    both(b"\n".join([*halves, b""]), read_comments, Comment, LIVE)
    both(b"\n".join([halves[0], *halves[2:], b""]), read_comments, Comment, LIVE)


def test_a_post_from_elsewhere_has_the_words_of_its_own_author(both: Both) -> None:
    for parents in ("null", "[]", '[{"author":"ann","selftext":"As I wrote there"}]'):
        line = (
            '{"id":"p1","title":"Knee","selftext":"","author":"ann","created_utc":'
            f'1500000000,"crosspost_parent_list":{parents}}}\n'
        )
        both(line.encode(), read_posts, Post, None)
        both(line.replace('""', '"My own"').encode(), read_posts, Post, None)


def test_a_deep_value_is_read_by_the_long_way(both: Both) -> None:
    for depth in (1, 47, 48, 49, 500):
        deep = PLAIN[:-1] + b',"x":' + b"[" * depth + b"{}" + b"]" * depth + b"}"
        both(deep + b"\n", read_comments, Comment, LIVE)


def test_many_flairs_are_all_known(both: Both) -> None:
    lines = [
        {
            "id": f"c{n + 1}", "link_id": "t3_p1", "parent_id": "t3_p1", "author": "bob",
            "body": "Rest", "created_utc": 1500000000, "author_flair_text": f"Physician {n % 700}",
        }
        for n in range(3_000)
    ]  # fmt: skip

    both(written(lines, ascii_only=True, spaced=False), read_comments, Comment, LIVE)
