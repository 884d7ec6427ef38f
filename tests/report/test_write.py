import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from report.study_factory import write_run
from threadmed.report import write
from threadmed.study import Folder

HOSTILE = "</script><script>x</script> {{ 7 * 7 }} {% raw %} \"quoted' <b> & </style>"


class Reader(HTMLParser):
    """Notes what a page is made of."""

    VOID = frozenset({"meta", "br", "input", "link", "img", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = write_run(tmp_path_factory.mktemp("study"), n_threads=75)
    write(folder)
    return folder


@pytest.fixture(scope="module")
def page(folder: Folder) -> Reader:
    return Reader((folder.report / "index.html").read_text())


def test_the_path_of_the_page_is_returned(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=2)

    assert write(folder) == folder.report / "index.html"


def test_every_tag_is_closed(page: Reader) -> None:
    assert page.open == []


def test_the_page_asks_for_nothing_that_is_not_in_it(page: Reader) -> None:
    assert page.values("src") == []
    assert [href for href in page.values("href") if ":" in href] == []
    assert "link" not in {tag for tag, _ in page.tags}
    assert not re.search(r"url\(|@import", "".join(page.text))


def test_what_the_page_links_to_is_there(page: Reader, folder: Folder) -> None:
    ids = set(page.values("id"))
    for href in page.values("href"):
        path, _, anchor = href.partition("#")
        assert not anchor or anchor in ids or path == "conversations.html"
        assert (folder.report / path).exists()


def test_no_id_stands_twice(page: Reader) -> None:
    ids = page.values("id")

    assert len(ids) == len(set(ids))


def test_headings_are_in_order_with_one_at_the_top(page: Reader) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]

    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_drawing_has_a_text_alternative_or_is_hidden(page: Reader) -> None:
    drawings = [attrs for tag, attrs in page.tags if tag == "svg"]

    assert len(drawings) > 10
    assert all(
        attrs.get("aria-label") or attrs.get("aria-hidden") == "true"
        for attrs in drawings
    )


def test_the_page_has_landmarks_and_a_way_past_the_contents(page: Reader) -> None:
    tags = [tag for tag, _ in page.tags]

    assert tags.count("main") == 1
    assert "nav" in tags
    assert ("a", {"class": "skip", "href": "#summary"}) in page.tags


def test_the_same_study_gives_the_same_bytes(folder: Folder, tmp_path: Path) -> None:
    again = write_run(tmp_path, n_threads=75)
    write(again)

    def files(root: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    first, second = files(folder.report), files(again.report)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_figures_and_tables_are_files_too(folder: Folder) -> None:
    report = folder.report
    names = {path.stem for path in (report / "figures").glob("*.svg")}
    figures = {name.removesuffix("-column") for name in names}

    assert figures >= {"figure-loss", "figure-correction", "figure-turns"}
    assert names == figures | {f"{name}-column" for name in figures}
    for name in names:
        assert (report / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
        assert (report / "figures" / f"{name}.pdf").read_bytes()[:4] == b"%PDF"
        assert (report / "figures" / f"{name}.tex").exists()
    for name in figures:
        assert (report / "tables" / f"{name}.csv").exists()
    tables = {path.stem for path in (report / "tables").glob("*.tex")}
    assert tables >= {"table-correction", "table-turns", "table-settings"}
    assert tables == {path.stem for path in (report / "tables").glob("*.md")}


def test_report_json_holds_the_numbers_with_a_version(folder: Folder) -> None:
    data = json.loads((folder.report / "report.json").read_text())

    assert data["version"] == 1
    assert data["measurement"]["groups"][0]["target"] == "Aster 5"
    assert data["report"]["sections"][0]["id"] == "dataset"


def test_hostile_text_is_shown_as_text(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=3, words=HOSTILE, notice=HOSTILE)
    page = Reader(write(folder).read_text())
    shown = "".join(page.text)

    assert page.open == []
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "b" not in {tag for tag, attrs in page.tags if attrs.get("id") == HOSTILE}
    assert HOSTILE in shown
    assert "49" not in re.findall(r"script> (\d+)", shown)


def test_characters_that_control_a_terminal_or_a_page_are_not_passed_on(
    tmp_path: Path,
) -> None:
    odd = "a\0b\x1b[31mc\u202ed"
    folder = write_run(tmp_path, n_threads=3, words=odd, notice=odd)
    page = write(folder).read_text()
    piece = (folder.report / "conversations" / "piece-000.js").read_text()

    for text in (page, piece):
        assert set(text) & {"\0", "\x1b", "\u202e"} == set()
        assert "a\ufffdb\ufffd[31mc\ufffdd" in text


def test_hostile_names_are_shown_as_text(tmp_path: Path) -> None:
    name = '"><script>x</script>'
    folder = write_run(tmp_path, n_threads=30, targets=[name, "b"])
    page = Reader(write(folder).read_text())

    assert page.open == []
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert name in "".join(page.text)


def test_a_demonstration_says_so_in_every_file(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=3, provider="embedded", notice="A notice.")
    text = write(folder).read_text()

    assert '<p class="note" role="note">A notice.</p>' in text
    for path in folder.report.rglob("*"):
        if path.suffix in {".svg", ".csv", ".tex", ".md"}:
            assert "Demonstration, not evidence" in path.read_text(), path


def test_a_count_of_answers_leads_to_them(page: Reader) -> None:
    wanted = "conversations.html#model=Aster+5&setting=oracle&score=1"

    assert wanted in page.values("href")


def test_importing_the_door_loads_no_chart_library() -> None:
    import subprocess
    import sys

    code = "import sys, threadmed.report; print('altair' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "False"
