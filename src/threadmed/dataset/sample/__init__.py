"""The invented sample dump that comes with the package."""

from importlib.resources import files
from pathlib import Path


def sample_folder() -> Path:
    """Folder of AskDocs_submissions.zst, AskDocs_comments.zst and labels.jsonl."""
    return Path(str(files("threadmed.dataset.sample")))
