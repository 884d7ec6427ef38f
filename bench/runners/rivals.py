"""Installs what ours is measured beside, apart from our own environment."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from bench.building import Failed

ROOT = Path(__file__).parents[2]

GROUP = "bench"
"""The dependency group that names the packages."""


def packages() -> list[str]:
    """Give the requirements of the group."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["dependency-groups"][GROUP])


def install(folder: Path) -> Path | Failed:
    """Make an environment in a folder unless it is there.

    Returns:
        Its interpreter, or why there is none.
    """
    python = folder / "bin" / "python"
    if (folder / "installed").exists():
        return python
    uv = shutil.which("uv", path=f"{ROOT / '.tools' / 'bin'}") or shutil.which("uv")
    make = [uv, "venv", "--clear", f"--python={sys.executable}", str(folder)]
    fill = [uv, "pip", "install", "--compile-bytecode", f"--python={python}"]
    if uv is None:
        make = [sys.executable, "-m", "venv", "--clear", str(folder)]
        fill = [str(python), "-m", "pip", "install"]
    for command in (make, [*fill, *packages()]):
        done = subprocess.run(  # noqa: S603 - a fixed command
            [part for part in command if part],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            return Failed(why=f"could not be installed: {lines[-1].strip()}")
    (folder / "installed").touch()
    return python
