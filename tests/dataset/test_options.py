import datetime as dt
import inspect
import re
import tomllib
from pathlib import Path

import msgspec
import msgspec.inspect
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


def decisions() -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split("### Decisions")[1].split("###")[0]


def test_every_option_and_value_is_in_a_decision_on_the_page() -> None:
    rows = decisions().splitlines()
    missing = []
    for one in msgspec.inspect.type_info(BuildOptions).fields:  # type: ignore[attr-defined]
        row = next((row for row in rows if f"`{one.name}`" in row), "")
        values = getattr(one.type, "values", ())
        missing += [(one.name, value) for value in values if f"`{value}`" not in row]
        if not row:
            missing.append((one.name, "itself"))

    assert missing == []


def test_the_page_gives_the_default_of_every_choice_first() -> None:
    page = decisions()
    choices = re.findall(r"`(\w+)`: `(\w+)`", page)
    options = BuildOptions()

    assert len(choices) > 20
    assert [
        (name, value)
        for name, value in choices
        if str(getattr(options, name)).lower() != value
    ] == []


def test_the_page_has_a_row_for_each_of_the_26_decisions() -> None:
    numbers = re.findall(r"^\| (\d+) \|", decisions(), re.MULTILINE)

    assert numbers == [str(number) for number in range(1, 27)]


def test_every_option_says_of_which_decision_it_is() -> None:
    source = Path(inspect.getfile(BuildOptions)).read_text(encoding="utf-8")
    named = {
        name: re.search(
            rf"^    {name}: .*?\n    \"\"\"(.*?)\"\"\"",
            source,
            re.MULTILINE | re.DOTALL,
        )
        for name in BuildOptions.__struct_fields__
        if name != "subreddit"
    }

    for name, words in named.items():
        assert words is not None, name
        (number,) = re.findall(r"\((\d+)\)", words[1])
        row = re.search(rf"^\| {number} \|.*$", decisions(), re.MULTILINE)
        assert row is not None
        assert f"`{name}`" in row[0], name


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
        ({"thanks": "no"}, "no"),
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
