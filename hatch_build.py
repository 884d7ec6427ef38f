"""Compile the scanner of dump lines while hatchling builds a wheel.

Reads from the environment:
    CC                  The only compiler to try, with its arguments.
    THREADMED_PURE      1: no library. 0: an error where none can be compiled.
                        Unset: no library where no compiler works, which is told.
    THREADMED_PLATFORM  A name of `TARGETS`: the platform to compile for.
    ZIG_GLOBAL_CACHE_DIR, ZIG_LOCAL_CACHE_DIR  Kept where they are set.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import mac_platforms, platform_tags

FOLDER = "threadmed/dataset/dumps/native"
ZIG = "ziglang==0.17.1"
"""A C compiler that pip installs; the same as in the group `dev` of pyproject.toml."""

TARGETS = {
    "manylinux_2_17_x86_64.manylinux2014_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64.manylinux2014_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
}
"""The platforms of a release, as a wheel names them and as zig does.

A target that is named gets no instruction that a processor of its platform may lack,
and nothing of the compiler or the C library of the machine that builds.
"""

# No -march: a wheel runs on every processor of its platform. No -g: its paths would
# make two builds differ.
FLAGS = (
    *("-O3", "-std=c11", "-shared", "-fPIC", "-g0", "-Wall", "-Wextra"),
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Werror=return-type",
)


class NoLibraryError(Exception):
    """No compiler made the library; the message holds what each one said."""


class ScannerHook(BuildHookInterface[BuilderConfig]):
    """Puts the library into a wheel, or beside its source where that is used."""

    def dependencies(self) -> list[str]:
        """Ask for zig only where nothing that is here can compile the scanner."""
        if os.environ.get("THREADMED_PURE") == "1" or "CC" in os.environ:
            return []
        if "THREADMED_PLATFORM" in os.environ:
            return [ZIG]
        if own_target() is None:
            return []
        with tempfile.TemporaryDirectory() as scratch:
            try:
                compile_scanner(self.source, Path(scratch))
            except NoLibraryError:
                return [ZIG]
        return []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; then tag the wheel by the platform that the library runs on."""
        self.scratch = tempfile.TemporaryDirectory()
        beside = self.source.with_name(library_name(None))
        if version == "editable":
            # What is there is older than its source, if this build makes no other.
            beside.unlink(missing_ok=True)
        if os.environ.get("THREADMED_PURE") == "1":
            return
        target = os.environ.get("THREADMED_PLATFORM")
        if target is not None and target not in TARGETS:
            self.app.abort(
                f"THREADMED_PLATFORM is {target!r}, and none of {[*TARGETS]}"
            )
        try:
            library = compile_scanner(self.source, Path(self.scratch.name), target)
        except NoLibraryError as error:
            self.go_without(error)
            return
        if version == "editable":
            # Whole or not at all: a library that is cut short ends its process.
            half = beside.with_suffix(".half")
            shutil.copyfile(library, half)
            half.replace(beside)
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{target or this_platform()}"
        build_data["force_include"][str(library)] = f"{FOLDER}/{library.name}"

    def finalize(
        self, version: str, build_data: dict[str, Any], artifact_path: str
    ) -> None:
        """Remove what was compiled; the wheel holds it now."""
        self.scratch.cleanup()

    @property
    def source(self) -> Path:
        """The one file that includes all others."""
        return Path(self.root, "src", FOLDER, "scan.c")

    def go_without(self, error: NoLibraryError) -> None:
        """Say that the wheel has no library, or end where it must have one."""
        if os.environ.get("THREADMED_PURE") == "0":
            self.app.abort(
                f"{error}\nthreadmed: no compiler made the scanner of dump lines; "
                "with THREADMED_PURE=1 it is left out, and builds of dumps are slower"
            )
        self.app.display_warning(
            "threadmed: no compiler made the scanner of dump lines; "
            "builds of dumps give the same and are slower"
        )


def compile_scanner(source: Path, scratch: Path, target: str | None = None) -> Path:
    """Compile with the first compiler that can.

    Args:
        source: The one file that includes all others.
        scratch: A folder for the library and for what a compiler keeps.
        target: A name of `TARGETS`, or None for this machine.

    Returns:
        The library, in `scratch`.

    Raises:
        NoLibraryError: If no compiler is there, or none can do it.
    """
    library = scratch / library_name(target)
    zig_caches = {
        "ZIG_GLOBAL_CACHE_DIR": str(scratch / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig"),
    }
    said = []
    for compiler in compilers(target):
        command = [*compiler, *FLAGS, "-o", str(library), str(source)]
        failure = what_fails(command, env={**zig_caches, **os.environ})
        if failure is None:
            return library
        said.append(f"{shlex.join(command)}\n{failure}")
    raise NoLibraryError("\n".join(said))


def compilers(target: str | None) -> Iterator[list[str]]:
    """Commands that may compile for a target, the preferred one first."""
    if target is None and "CC" in os.environ:
        yield shlex.split(os.environ["CC"])
        return
    zig_target = target or own_target()
    if zig_target is not None and importlib.util.find_spec("ziglang"):
        yield zig(TARGETS[zig_target])
    if target is None:
        yield from ([name] for name in ("cc", "gcc", "clang") if shutil.which(name))


def own_target() -> str | None:
    """The target that runs on this machine; None where zig is not asked for."""
    here = {*platform_tags()}
    return next((name for name in TARGETS if here & {*name.split(".")}), None)


def zig(target: str) -> list[str]:
    """How zig is called.

    Most of what it would compile first is left out, since the scanner does not call
    it: an empty cache then costs half a second where it costs more than four.
    Windows needs a part of it to start a library; Linux is told to refuse a library
    that does call it.
    """
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target]
    if "windows" in target:
        return command
    refuse = ["-Wl,-z,defs"] if "linux" in target else []
    return [*command, "-nostdlib", "-lc", *refuse]


def what_fails(command: list[str], *, env: Mapping[str, str]) -> str | None:
    """Run a compiler; what it says if it fails, and None if it does not."""
    try:
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, check=False
        )
    except OSError as error:
        return str(error)
    return done.stderr if done.returncode else None


def library_name(target: str | None) -> str:
    """How a platform names a library."""
    name = target or sys.platform
    if name.startswith("win"):
        return "scan.dll"
    return "scan.dylib" if name.startswith(("macosx", "darwin")) else "scan.so"


def this_platform() -> str:
    """The tag of what is compiled here to be installed here.

    On Linux it is the plain `linux_*`: nobody looked which C library it needs.
    """
    if sys.platform == "darwin":
        # Python's own name may be of two processors; the library is of one.
        return next(mac_platforms())
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    sys.stdout.write("\n".join(TARGETS) + "\n")
