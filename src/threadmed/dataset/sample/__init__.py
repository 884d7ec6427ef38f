"""The invented sample dump that comes with the package."""

import hashlib
from importlib.resources import files
from pathlib import Path


def sample_folder() -> Path:
    """Folder of AskDocs_submissions.zst, AskDocs_comments.zst and labels.jsonl."""
    return Path(str(files("threadmed.dataset.sample")))


def sample_hashes() -> frozenset[str]:
    """Give the sha256, in hex, of the two dump files of the sample."""
    return frozenset(
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sample_folder().glob("*.zst")
    )
