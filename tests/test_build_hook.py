"""Wheels are really built here, in a copy, by hatchling and real compilers."""

import ctypes
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
NATIVE = "threadmed/dataset/dumps/native"
LIBRARY = {"darwin": "scan.dylib", "win32": "scan.dll"}.get(sys.platform, "scan.so")
NOTHING = {"CC": "no-such-compiler"}
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no cc is here")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What a source distribution holds, without tests and pages."""
    copy = tmp_path / "copy"
    shutil.copytree(
        ROOT / "src/threadmed",
        copy / "src/threadmed",
        ignore=shutil.ignore_patterns("__pycache__", "scan.so", "scan.d*"),
    )
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copy(ROOT / ".gitignore", copy)
    return copy


def build(
    copy: Path, env: Mapping[str, str], *, target: str = "wheel"
) -> subprocess.CompletedProcess[str]:
    """Build with nothing in the environment but PATH: no HOME for a cache either."""
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", copy / "dist"],
        cwd=copy,
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=False,
    )


def wheel(copy: Path, env: Mapping[str, str]) -> Path:
    done = build(copy, env)
    assert done.returncode == 0, done.stderr
    (made,) = (copy / "dist").iterdir()
    return made


def answer(copy: Path, call: str, env: Mapping[str, str]) -> str:
    """What a function of hatchling that pip calls, or one of the hook, gives back."""
    module = call.partition("(")[0].rpartition(".")[0]
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}; print({call})"],
        cwd=copy,
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "env", [{}, pytest.param({"CC": "cc"}, marks=needs_cc)], ids=["zig", "cc"]
)
def test_a_wheel_holds_a_library_that_loads_and_names_the_platform(
    copy: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    made = wheel(copy, env)
    with ZipFile(made) as files:
        names = files.namelist()
        library = files.extract(f"{NATIVE}/{LIBRARY}", tmp_path)
        (text,) = (files.read(n).decode() for n in names if n.endswith("info/WHEEL"))

    python, abi, platform = made.stem.split("-")[2:]
    assert (python, abi) == ("py3", "none")
    assert platform.startswith(("linux_", "macosx_", "win"))
    assert f"Tag: py3-none-{platform}\n" in text
    assert "Root-Is-Purelib: false" in text
    assert hasattr(ctypes.CDLL(library), "scanner_open")
    assert not [name for name in names if name.endswith((".c", ".h"))]
    assert not (copy / "src" / NATIVE / LIBRARY).exists()


def test_a_wheel_is_pure_where_that_is_asked_for_though_a_library_lies_there(
    copy: Path,
) -> None:
    (copy / "src" / NATIVE / LIBRARY).write_bytes(b"of an earlier build")

    made = wheel(copy, {"THREADMED_PURE": "1"})

    assert made.name.endswith("-py3-none-any.whl")
    with ZipFile(made) as files:
        assert f"{NATIVE}/{LIBRARY}" not in files.namelist()
        assert "threadmed/dataset/dumps/reddit.py" in files.namelist()


def test_a_wheel_is_pure_and_says_so_in_one_line_where_no_compiler_works(
    copy: Path,
) -> None:
    done = build(copy, NOTHING)

    assert done.returncode == 0
    (made,) = (copy / "dist").iterdir()
    assert made.name.endswith("-py3-none-any.whl")
    (said,) = (line for line in done.stderr.splitlines() if "threadmed:" in line)
    assert said.startswith("threadmed: no compiler made the scanner of dump lines; ")


def test_a_build_that_must_have_a_library_ends_with_what_the_compiler_said(
    copy: Path,
) -> None:
    (copy / "src" / NATIVE / "scan.c").write_text("int scanner_open(void) { retrun; }")

    done = build(copy, {"THREADMED_PURE": "0"})

    assert done.returncode == 1
    assert "retrun" in done.stderr
    assert "THREADMED_PURE=1" in done.stderr.splitlines()[-1]
    assert not list(copy.glob("dist/*.whl"))


def test_an_editable_build_keeps_no_library_that_is_older_than_its_source(
    copy: Path,
) -> None:
    library = copy / "src" / NATIVE / LIBRARY
    call = "hatchling.build.build_editable('.')"

    answer(copy, call, {})
    assert hasattr(ctypes.CDLL(str(library)), "scanner_open")

    answer(copy, call, NOTHING)
    assert not library.exists()


@pytest.mark.parametrize(
    ("platform", "library", "magic"),
    [
        ("macosx_11_0_arm64", "scan.dylib", b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01"),
        ("manylinux_2_17_aarch64.manylinux2014_aarch64", "scan.so", b"\x7fELF\x02\x01"),
    ],
)
def test_a_wheel_for_another_platform_holds_a_library_of_that_one(
    copy: Path, platform: str, library: str, magic: bytes
) -> None:
    made = wheel(copy, {"THREADMED_PLATFORM": platform})

    assert made.name.endswith(f"-py3-none-{platform}.whl")
    with ZipFile(made) as files:
        assert files.read(f"{NATIVE}/{library}").startswith(magic)


def test_two_wheels_for_one_platform_are_the_same_bytes(copy: Path) -> None:
    env = {"THREADMED_PLATFORM": "manylinux_2_17_x86_64.manylinux2014_x86_64"}
    first = wheel(copy, env)
    earlier = first.read_bytes()
    first.unlink()
    other = copy.with_name("elsewhere")
    copy.rename(other)

    assert wheel(other, env).read_bytes() == earlier


def test_a_wheel_for_this_machine_holds_the_very_library_of_a_release(
    copy: Path,
) -> None:
    own = answer(copy, "hatch_build.own_target()", {})
    libraries = []
    for env in ({}, {"THREADMED_PLATFORM": own}):
        made = wheel(copy, env)
        libraries.append(ZipFile(made).read(f"{NATIVE}/{LIBRARY}"))
        made.unlink()

    assert libraries[0] == libraries[1]


def test_a_platform_that_nobody_knows_is_an_error_that_names_those_that_are(
    copy: Path,
) -> None:
    done = build(copy, {"THREADMED_PLATFORM": "amiga_3_1"})

    assert done.returncode == 1
    assert "'amiga_3_1'" in done.stderr
    assert "macosx_11_0_arm64" in done.stderr


def test_a_source_distribution_holds_the_scanner_and_no_library(copy: Path) -> None:
    (copy / "src" / NATIVE / LIBRARY).write_bytes(b"of this machine")
    done = build(copy, NOTHING, target="sdist")

    assert done.returncode == 0, done.stderr
    (made,) = (copy / "dist").iterdir()
    with tarfile.open(made) as files:
        names = [name.partition("/")[2] for name in files.getnames()]
    assert "hatch_build.py" in names
    assert f"src/{NATIVE}/scan.c" in names
    assert f"src/{NATIVE}/{LIBRARY}" not in names


def test_pip_is_asked_for_zig_only_where_nothing_can_compile(copy: Path) -> None:
    call = "hatchling.build.get_requires_for_build_wheel()"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (locked,) = (
        name
        for name in project["dependency-groups"]["dev"]
        if name.startswith("ziglang")
    )
    # As if neither zig nor a compiler were here: an isolated build has no more.
    empty = copy / "empty"
    empty.mkdir()
    (empty / "ziglang.py").write_text("raise SystemExit('there is none')")
    bare = {"PYTHONPATH": str(empty), "PATH": str(empty)}

    assert answer(copy, call, bare) == f"['{locked}']"
    assert answer(copy, call, {}) == "[]"
    elsewhere = {"THREADMED_PLATFORM": "win_amd64"}
    assert answer(copy, call, elsewhere) == f"['{locked}']"
    assert answer(copy, call, {**bare, "CC": "cc"}) == "[]"
    assert answer(copy, call, {**bare, "THREADMED_PURE": "1"}) == "[]"


def test_the_scanner_compiles_without_a_warning(tmp_path: Path) -> None:
    source = ROOT / "src" / NATIVE / "scan.c"
    options = ["-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-c"]
    caches = {f"ZIG_{one}_CACHE_DIR": str(tmp_path) for one in ("GLOBAL", "LOCAL")}

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "ziglang",
            "cc",
            *options,
            "-o",
            tmp_path / "scan.o",
            source,
        ],
        env={**os.environ, **caches},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.returncode == 0
