"""What a generated dump is made of, and where its files lie.

Apart from the generator, so that the process that measures stays small: the peak of a
child counts what its parent held when it began.
"""

from pathlib import Path

import msgspec

SUBMISSIONS, COMMENTS = 200_000, 1_354_313

SIDES = ("AskDocs_submissions.zst", "AskDocs_comments.zst")

WINDOW_LOGS = {"long": 31, "small": 21}
"""Ways of packing: as the published dumps are, and as zstd does by itself."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """What decides a dump."""

    submissions: int = SUBMISSIONS
    comments: int = COMMENTS
    seed: int = 0
    lay_text: int = 1
    """How many times as long as usual the comments of laypeople are."""

    @property
    def records(self) -> int:
        """Number of lines of both files."""
        return self.submissions + self.comments

    @property
    def name(self) -> str:
        """Name of a folder for it."""
        return f"{self.submissions}-{self.comments}-{self.seed}-{self.lay_text}"

    def options(self) -> list[str]:
        """Give it as the generator takes it from a command line."""
        return [
            f"--{key.replace('_', '-')}={getattr(self, key)}"
            for key in self.__struct_fields__
        ]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder holds; written last, so that half a dump is never taken for one."""

    recipe: Recipe
    raw_bytes: int


def files(folder: Path, packing: str) -> list[Path]:
    """Give the files of a dump in one packing: posts and comments."""
    return [folder / packing / side for side in SIDES]
