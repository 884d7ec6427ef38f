"""The pictures of the README: there, light, said in words, and made by a script."""

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
SHOWN = {
    path: words
    for words, path in re.findall(
        r"!\[([^\]]*)\]\((docs/pictures/[^)]*)\)", (ROOT / "README.md").read_text()
    )
}


def test_the_readme_shows_every_picture_and_says_what_is_on_it() -> None:
    assert sorted(SHOWN) == [
        f"docs/pictures/{path.name}" for path in sorted(PICTURES.glob("*.png"))
    ]
    assert all(len(words) > 40 for words in SHOWN.values())


@pytest.mark.parametrize("path", SHOWN)
def test_a_picture_is_a_light_png(path: str) -> None:
    data = (ROOT / path).read_bytes()

    assert data[:4] == b"\x89PNG"
    assert len(data) < 300_000


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("chromium"), reason="Chromium is not installed")
def test_the_script_takes_them_anew(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, PICTURES / "make.py", "--out", tmp_path], check=True
    )

    for path in SHOWN:
        old, new = (
            (folder / Path(path).name).read_bytes() for folder in (PICTURES, tmp_path)
        )
        assert struct.unpack(">II", old[16:24]) == struct.unpack(">II", new[16:24])
        assert len(new) < 300_000
