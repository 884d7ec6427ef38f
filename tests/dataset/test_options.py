import datetime as dt
import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from threadmed.dataset.options import BuildOptions

PAGE = Path(__file__).parents[2] / "docs/data.md"


def test_the_defaults_are_the_papers() -> None:
    options = BuildOptions()

    assert options.window_start == dt.date(2015, 1, 1)
    assert options.window_end == dt.date(2023, 7, 1)
    assert options.min_words == 5
    assert options.min_follow_ups == 2
    assert options.select_first
    assert options.roles == "physician"


def test_the_page_names_every_option() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert [
        name for name in BuildOptions.__struct_fields__ if f"`{name}`" not in page
    ] == []


def test_the_example_on_the_page_can_be_read() -> None:
    page = PAGE.read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert example is not None

    options = msgspec.convert(tomllib.loads(example[1]), BuildOptions)

    assert options.physicians_also == ("dentist",)
    assert options.flair_roles == {"Top Doc": "physician"}


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"overlaps": "words"}, "overlaps"),
        ({"overlap": "cosine"}, "cosine"),
        ({"seed": -1}, "seed"),
        ({"max_removed_share": 1.5}, "max_removed_share"),
        ({"window_start": dt.date(2024, 1, 1)}, "must be before"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    wrong: dict[str, object], complaint: str
) -> None:
    with pytest.raises(msgspec.ValidationError, match=complaint):
        msgspec.convert(wrong, BuildOptions)
