import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

import jsonschema
import msgspec
import pytest

from report.study_factory import write_run
from threadmed.metrics import Measurement
from threadmed.records import Record
from threadmed.report import write
from threadmed.report.blocks import Report
from threadmed.report.schema import (
    Published,
    PublishedComparison,
    json_schema,
    schema_page,
)
from threadmed.report.schema_types import (
    bare,
    fields_of,
    names_of,
    records_in,
    schema_of,
    words_of,
)

Name = NewType("Name", str)


class Leaf(Record, frozen=True, kw_only=True, tag="leaf", tag_field="kind"):
    """A leaf
    of two lines."""

    colour: Literal["red", "green"] = "red"
    """What it
    looks like."""
    length: Annotated[float, msgspec.Meta(gt=0)] | None = None
    plain: int = 0


class Twig(Leaf, frozen=True, kw_only=True, tag="twig", tag_field="kind"):
    """A twig."""

    leaves: tuple[Leaf, ...] = ()
    pair: tuple[int, Name] = (0, Name(""))
    known: dict[str, bool] = msgspec.field(default_factory=dict)
    anything: object = None


def test_the_page_of_the_schema_is_what_the_records_say(
    golden: Callable[[str, str], None],
) -> None:
    golden("../../docs/report-json.md", schema_page())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_run(tmp_path_factory.mktemp("study"), n_threads=12)
    write(folder)
    return folder.report


def test_a_written_report_keeps_to_its_schema(written: Path) -> None:
    schema = json.loads((written / "report.schema.json").read_text())
    report = json.loads((written / "report.json").read_text())
    check = jsonschema.Draft202012Validator(schema)

    assert (report["schema"], report["version"]) == ("threadmed.report", 1)
    assert list(check.iter_errors(report)) == []
    report["measurement"]["groups"][0]["pcr"]["value"] = "many"
    assert list(check.iter_errors(report)) != []


def test_what_is_read_back_by_the_records_is_the_same(written: Path) -> None:
    data = json.loads((written / "report.json").read_text())

    for name, kind in (("report", Report), ("measurement", Measurement)):
        record = msgspec.convert(data[name], kind, strict=False)
        assert json.loads(msgspec.json.encode(record)) == data[name]


@pytest.mark.parametrize("kind", [Published, PublishedComparison])
def test_a_schema_is_one_and_points_at_nothing_that_is_missing(
    kind: type[Record],
) -> None:
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    parts = schema["$defs"]

    def pointed(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            return own.union(*map(pointed, value.values()))
        return set().union(*map(pointed, value)) if isinstance(value, list) else set()

    assert isinstance(parts, dict)
    assert pointed(schema) == {f"#/$defs/{name}" for name in parts}


def test_every_link_of_the_page_leads_to_a_heading() -> None:
    import re

    page = schema_page()
    headings = {
        "".join(c for c in name.lower() if c.isalnum() or c == "_")
        for name in re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    }

    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= headings


def test_fields_have_their_tag_their_type_and_what_is_said_of_them() -> None:
    kind, colour, length, plain = fields_of(Leaf)

    assert (kind.name, kind.hint) == ("kind", Literal["leaf"])
    assert colour.about == "What it looks like."
    assert words_of(length.hint, {}) == "number or null"
    assert (plain.hint, plain.about) == (int, "")


def test_what_is_said_of_a_field_comes_from_the_parent_too() -> None:
    assert {f.name: f.about for f in fields_of(Twig)}["colour"] == "What it looks like."


def test_types_are_put_in_words_and_in_json_schema() -> None:
    names = names_of(records_in(Twig))
    hints = {field.name: field.hint for field in fields_of(Twig)}
    words = {name: words_of(hint, names) for name, hint in hints.items()}
    schema = {name: schema_of(hint, names) for name, hint in hints.items()}

    assert words["leaves"] == "list of [Leaf](#leaf)"
    assert words["pair"] == "list of whole number, text"
    assert words["known"] == "object of true or false"
    assert words["anything"] == "anything"
    assert words["colour"] == '`"red"` or `"green"`'
    assert schema["leaves"] == {"type": "array", "items": {"$ref": "#/$defs/Leaf"}}
    assert schema["pair"]["items"] is False
    assert schema["known"]["additionalProperties"] == {"type": "boolean"}
    assert schema["anything"] == {}
    assert schema["colour"] == {"enum": ["red", "green"]}


def test_records_of_one_name_are_told_apart_by_their_modules() -> None:
    other = type("Leaf", (Record,), {"__module__": "a.b", "__annotations__": {}})

    assert names_of((Leaf, other, Twig)) == {
        Leaf: f"{Leaf.__module__.rpartition('.')[2]}.Leaf",
        other: "b.Leaf",
        Twig: "Twig",
    }


def test_what_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError, match="JSON has nothing like"):
        schema_of(complex, {})
    assert bare(Name) is str
