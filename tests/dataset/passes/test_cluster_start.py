import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from threadmed.dataset.passes.cluster import check_answers, ray_cluster
from threadmed.dataset.sample import sample_folder
from threadmed.errors import InputError

pytestmark = pytest.mark.cluster


def test_without_the_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with (
        pytest.raises(InputError, match=r"pip install 'threadmed\[ray\]'"),
        ray_cluster(),
    ):
        pass


def build_command(out: Path, address: str) -> subprocess.CompletedProcess[str]:
    sample = sample_folder()
    return subprocess.run(
        [
            *(sys.executable, "-m", "threadmed", "build", "--executor", "ray"),
            *("--posts", str(sample / "AskDocs_submissions.zst")),
            *("--comments", str(sample / "AskDocs_comments.zst")),
            *("--out", str(out)),
        ],
        env={
            **os.environ,
            "RAY_ADDRESS": address,
            "TMPDIR": str(out.parent),
            # Ray makes sockets there, whose paths must be short.
            "RAY_TMPDIR": tempfile.gettempdir(),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_starts_a_ray_of_its_own_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    done = build_command(tmp_path / "out", "local")

    assert done.returncode == 0, done.stderr
    assert "reading AskDocs_submissions.zst" in done.stderr
    assert (tmp_path / "out" / "complete.jsonl").stat().st_size
    assert not list(tmp_path.glob("threadmed-*"))


def test_an_address_of_no_cluster_is_an_error_of_one_line(tmp_path: Path) -> None:
    done = build_command(tmp_path / "out", "nowhere")

    assert done.returncode == 1
    assert "Ray can neither be reached nor started" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_address_at_which_nobody_listens_is_refused_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        check_answers(address)
        check_answers(f"ray://{address}")

    for nobody in (address, f"ray://{address}", "127.0.0.1:99999"):
        with pytest.raises(InputError, match="no cluster answers at"):
            check_answers(nobody)
    for word in ("", "local", "auto"):
        check_answers(word)
