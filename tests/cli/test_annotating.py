"""`threadmed annotate` as a person uses it: kit, merge, export, and complaints."""

import json
import re
import socket
from pathlib import Path

import pytest

from annotate.rating_server import Server, rated_study
from command_line import complaint, threadmed
from threadmed.annotate.serve import EVERYWHERE
from threadmed.labels.experts import read_ratings
from threadmed.study import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return rated_study(tmp_path / "study")


def test_a_kit_goes_out_comes_back_and_is_exported(
    folder: Folder, tmp_path: Path
) -> None:
    kit, back = tmp_path / "ann.html", tmp_path / "ann.json"
    made = threadmed(
        "annotate", folder.root, "--task", "scoring", "--size", "6", "--raters",
        "ann,bob", "--kit", "ann", "--out", kit,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "items for ann" in made.stdout
    found = re.search(r'id="setup">(.*?)</script>', kit.read_text(), re.DOTALL)
    assert found is not None
    setup = json.loads(found[1])
    said = [
        {"task": "scoring", "said": {"item": each["item"], "value": "1"}, "at": 1.0}
        for each in setup["parts"]["scoring"]["items"]
    ]
    file = {"threadmed_kit": 1, "kit": setup["kit"], "rater": "ann", "revision": 1}
    back.write_text(json.dumps(file | {"answers": said}))

    merged = threadmed("annotate", folder.root, "--merge", back, back)
    assert f"{back}: {len(said)} new answers, 0 changed, 0 known" in merged.stdout
    assert f"{back}: 0 new answers, 0 changed, {len(said)} known" in merged.stdout
    exported = threadmed("annotate", folder.root, "--export")
    assert "threadmed validate" in exported.stdout
    rows = read_ratings(folder.ratings / "scoring.csv")
    assert {row.item for row in rows} == {each["said"]["item"] for each in said}


def test_the_export_is_what_validate_reads(folder: Folder, tmp_path: Path) -> None:
    test_a_kit_goes_out_comes_back_and_is_exported(folder, tmp_path)

    done = threadmed("validate", folder.root)
    assert done.returncode == 0, done.stderr
    assert "validation.json" in done.stdout


def test_complaints_are_one_line(folder: Folder, tmp_path: Path) -> None:
    for options, status, why in (
        (("--export",), 1, "not there yet; `threadmed annotate"),
        (("--merge", tmp_path / "none.json"), 1, "not there yet"),
        (("--size", "0"), 2, "--size is 0"),
        (("--raters", "a,,b"), 2, "cannot be a rater's name"),
        (("--kit", "zoe"), 2, "--kit: there is no rater 'zoe'"),
    ):
        done = threadmed("annotate", folder.root, *options)
        assert done.returncode == status
        assert why in complaint(done)
        assert not folder.ratings.exists()
    threadmed(
        "annotate", folder.root, "--kit", "rater-1", "--out", tmp_path / "kit.html"
    )
    done = threadmed("annotate", folder.root, "--export")
    assert "no answers to export yet" in done.stdout


def test_a_port_that_is_taken_is_said(folder: Folder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = threadmed("annotate", folder.root, "--port", taken.getsockname()[1])

    assert "cannot listen on 127.0.0.1" in complaint(done)
    assert "token" not in done.stdout


def test_beyond_loopback_it_says_what_to_do_and_still_wants_links(
    folder: Folder,
) -> None:
    server = Server(folder, "--host", EVERYWHERE[0])
    server.kill()

    assert "put it behind HTTPS" in server.printed
    assert "/enter?token=" in server.links["rater-1"]
    assert EVERYWHERE[0] not in server.links["rater-1"]
