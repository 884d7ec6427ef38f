import json
import re
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from report.study_factory import write_run
from threadmed.report import viewer
from threadmed.report.analyses import report_of
from threadmed.report.catalogue import shortcuts
from threadmed.report.conversations import Conversation, Index
from threadmed.report.links import answers_link, flips_link
from threadmed.report.material import Found, read_found
from threadmed.report.page import UNSHOWN
from threadmed.report.transcripts import conversations
from threadmed.report.viewer import pieces, script_json, write_viewer
from threadmed.store import write_scores

HOSTILE = (
    "</script><img src=x onerror=alert(1)>\u2028\u2029 ]); alert(1); ([ \\ ' \" `${1}`"
)


def written(root: Path, found: Found) -> Index:
    index = write_viewer(root, found, report_of(found))
    assert index is not None
    return index


def made(root: Path, **options: object) -> tuple[Path, Found]:
    folder = write_run(root, **options)
    return folder.report, read_found(folder)


def held(script: str, name: str) -> str:
    """The data that a script hands over."""
    match = re.fullmatch(rf"threadmed\.{name}\((.*)\);\n", script, re.DOTALL)
    assert match
    return match[1]


def test_pieces_hold_every_thread_once_and_the_index_says_where(tmp_path: Path) -> None:
    report, found = made(tmp_path, n_threads=5)
    index = written(report, found)
    read = []
    for number, digest in enumerate(index.pieces):
        text = (report / f"conversations/piece-{number:03}.js").read_text()
        place, said, data = held(text, "piece").split(",", 2)
        assert (int(place), json.loads(said)) == (number, digest)
        read += msgspec.json.decode(data, type=tuple[Conversation, ...])

    assert tuple(read) == tuple(conversations(found))
    assert [row.id for row in index.threads] == [thread.id for thread in read]


def test_the_index_on_disk_is_the_index(tmp_path: Path) -> None:
    report, found = made(tmp_path, n_threads=3)
    index = written(report, found)
    text = (report / "conversations/index.js").read_text()

    assert msgspec.json.decode(held(text, "index"), type=Index) == index


def test_the_index_counts_what_the_scores_count(tmp_path: Path) -> None:
    report, found = made(tmp_path, n_threads=8)
    index = written(report, found)
    wide = len(index.settings)
    counted: dict[tuple[str, str, str], int] = {}
    for row in index.questions:
        for place, letter in enumerate(row.cells[::2]):
            if letter != ".":
                name = index.targets[place // wide].name
                key = (name, index.settings[place % wide].key, letter)
                counted[key] = counted.get(key, 0) + 1

    assert found.measured is not None
    for group in found.measured.groups:
        for letter, n in (
            ("c", group.counts.corrected),
            ("p", group.counts.partly),
            ("n", group.counts.not_noticed),
        ):
            assert counted.get((group.target, group.setting, letter), 0) == n
    assert index.n_answers == len(found.scores)


def test_a_piece_is_closed_when_it_is_full(tmp_path: Path) -> None:
    _, found = made(tmp_path, n_threads=4)
    one_each = list(pieces(conversations(found), size=1))
    all_in_one = list(pieces(conversations(found), size=10**9))

    assert [len(threads) for threads, _ in one_each] == [1, 1, 1, 1]
    assert [len(threads) for threads, _ in all_in_one] == [4]
    assert list(pieces(())) == []


def test_pieces_of_an_earlier_report_are_removed(tmp_path: Path) -> None:
    report, found = made(tmp_path, n_threads=2)
    old = report / "conversations" / "piece-017.js"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    written(report, found)

    assert not old.exists()
    assert (report / "conversations/piece-000.js").exists()


def test_a_study_without_misconceptions_has_no_viewer(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    written(folder.report, read_found(folder))
    folder.labels.write_text("")
    write_scores(folder.scores, [])
    found = read_found(folder)

    assert write_viewer(folder.report, found, report_of(found)) is None
    assert not (folder.report / "conversations.html").exists()
    assert list(folder.report.glob("conversations/piece-*")) == []


def test_labels_without_answers_can_be_read(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)
    for path in (folder.answers, folder.verdicts, folder.scores):
        path.unlink()
    index = written(folder.report, read_found(folder))

    assert len(index.threads) == 2
    assert index.n_answers == 0


def test_hostile_words_cannot_leave_their_place(tmp_path: Path) -> None:
    report, found = made(
        tmp_path, n_threads=2, words=HOSTILE, notice=HOSTILE, targets=[HOSTILE, "b"]
    )
    written(report, found)
    for path in (report / "conversations").glob("*.js"):
        if path.name[:5] in {"index", "piece"}:
            assert not re.search("[<>&\u2028\u2029]", path.read_text()), path
    page = (report / "conversations.html").read_text()

    assert "<img" not in page
    assert page.count("<script") == len(viewer.SCRIPTS) + 1


def test_the_page_has_no_script_or_style_of_its_own_and_forbids_them(
    tmp_path: Path,
) -> None:
    report, found = made(tmp_path, n_threads=2)
    written(report, found)
    page = (report / "conversations.html").read_text()

    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert not re.search(r"<style|style=|\son\w+=|<script>", page)
    for address in re.findall(r'(?:src|href)="([^"#]+)"', page):
        if address != "index.html":
            assert (report / address).exists()


def test_the_scripts_never_read_data_as_html() -> None:
    folder = Path(viewer.__file__).parent / "templates"
    for name in viewer.SCRIPTS:
        text = (folder / name).read_text()
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|fetch\(",
            text,
        )


@given(st.text())
def test_json_for_scripts_gives_back_the_text_but_for_what_is_not_shown(
    text: str,
) -> None:
    data = script_json([text])

    assert json.loads(data) == [text.translate(UNSHOWN)]
    assert not set(data) & set("<>&\u2028\u2029\u202e\x7f")


@given(st.text(alphabet='\\ubf01\x00\x08\x0c\x1b\n\t"n'))
def test_backslashes_in_a_text_are_no_escapes(text: str) -> None:
    assert json.loads(script_json(text)) == text.translate(UNSHOWN)


def test_the_report_leads_only_to_what_some_answer_is_like(tmp_path: Path) -> None:
    _, found = made(tmp_path, n_threads=5)
    index = written(tmp_path, found)
    states = {row.score for row in found.scores}
    assert {-1, None} <= states
    assert [words for words, _ in shortcuts(index)][:1] == [
        "misconceptions that were not noticed"
    ]
    assert "answers without a score" in dict(shortcuts(index))

    rows = []
    for row in index.questions:
        cells = "".join(".." if of == "." else "c=" for of in row.cells[::2])
        rows.append(msgspec.structs.replace(row, cells=cells))
    all_right = msgspec.structs.replace(index, questions=tuple(rows))
    assert shortcuts(all_right) == ()


def test_a_link_to_flips_stands_where_there_is_one(tmp_path: Path) -> None:
    _, found = made(tmp_path, n_threads=2)
    index = written(tmp_path, found)
    keys = [each.key for each in index.settings]
    cells = ["n="] * len(keys)
    cells[keys.index("oracle")] = "c="
    row = msgspec.structs.replace(index.questions[0], cells="".join(cells))
    one = msgspec.structs.replace(index, questions=(row,))

    assert [href for _, href in shortcuts(one)] == [
        answers_link(score=-1),
        flips_link("oracle", "target_turn"),
    ]
