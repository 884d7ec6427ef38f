"""What report.json holds, and its description for machines and for people.

The version goes up when a field is taken away, renamed, or means something else; a
reader passes over fields that it does not know, so a new one leaves the version alone.
"""

from typing import Literal

from threadmed.metrics import Measurement
from threadmed.metrics.agreement.validation import Validation
from threadmed.metrics.arms import Arms
from threadmed.metrics.controls.control import OverCorrection
from threadmed.metrics.controls.identification import IdentificationUncertainty
from threadmed.metrics.controls.severity import Severity
from threadmed.metrics.corrected.records import JudgeCorrection
from threadmed.metrics.measurement import Difference
from threadmed.metrics.panel.quality import PanelQuality
from threadmed.records import Record
from threadmed.report.blocks import Report
from threadmed.report.compare import Studies
from threadmed.report.schema_types import (
    Names,
    Schema,
    described,
    fields_of,
    first_line,
    names_of,
    records_in,
    schema_of,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Published(Record, frozen=True, kw_only=True):
    """report.json: what the page shows, and every number behind it."""

    schema: Literal["threadmed.report"] = "threadmed.report"
    version: Literal[1] = 1
    report: Report
    """The page as data: sections, their tables and figures, each number as it is and
    as it is printed."""
    measurement: Measurement | None
    """The numbers of the scores table; null where no item was to be scored."""
    as_published: Measurement | None
    """The same scores measured as the paper did."""
    differs: tuple[Difference, ...]
    """Where the two are unlike, and why."""
    validation: Validation
    """Labels and judges held against experts' ratings."""
    corrected: JudgeCorrection | None
    """Rates with the judges' errors taken out; null where no expert scored an answer."""
    identification: IdentificationUncertainty | None
    """What doubt about the labels leaves of the rates; null where no expert checked
    one."""
    panel: PanelQuality | None
    """How the judges agree among themselves; null where there are no verdicts."""
    arms: Arms | None
    """Arms against the targets asked plainly; null where the study has no arm."""
    over_correction: OverCorrection | None
    """What was corrected that was not wrong; null where no control was asked."""
    severity: Severity | None
    """Rates weighed by harm; null where no question has a harm class."""


class PublishedComparison(Record, frozen=True, kw_only=True):
    """report.json of `threadmed compare`: the page, and every number behind it."""

    schema: Literal["threadmed.comparison"] = "threadmed.comparison"
    version: Literal[1] = 1
    report: Report
    """The page as data, as in the report of one study."""
    comparison: Studies
    """What is the same in the studies, their own numbers, and their differences."""


def json_schema(kind: type[Record]) -> Schema:
    """Give the JSON Schema of a record and of all records in it, with descriptions.

    Example:
        >>> json_schema(Published)["$ref"]
        '#/$defs/Published'
    """
    records = records_in(kind)
    names = names_of(records)
    return {
        "$schema": DIALECT,
        "$ref": f"#/$defs/{names[kind]}",
        "$defs": {names[record]: _definition(record, names) for record in records},
    }


def _definition(record: type[Record], names: Names) -> Schema:
    fields = fields_of(record)
    properties = {
        field.name: {
            **schema_of(field.hint, names),
            **({"description": field.about} if field.about else {}),
        }
        for field in fields
    }
    return {
        "type": "object",
        "description": first_line(record),
        "properties": properties,
        "required": [field.name for field in fields],
    }


def schema_page() -> str:
    """Write docs/report-json.md, which describes every record of both files."""
    kinds = (Published, PublishedComparison)
    records = tuple(dict.fromkeys(each for kind in kinds for each in records_in(kind)))
    names = names_of(records)
    lines = [line for record in records for line in described(record, names)]
    return "\n".join([INTRODUCTION, *lines]).rstrip() + "\n"


INTRODUCTION = """\
# report.json

`threadmed report` writes `report/report.json`, and `threadmed compare` one of its own: what the page shows, as data, and every number behind it, unrounded.
Take numbers from here and not from the page.
The first two fields say what a file is: `schema`, which is `threadmed.report` or `threadmed.comparison`, and `version`, now 1.
The version goes up when a field is taken away, renamed, or means something else, and the changelog says so; new fields leave it alone, so pass over what you do not know.
`report.schema.json` beside each file is its JSON Schema (draft 2020-12), with the descriptions that stand here.

- A number is an [Estimate](#estimate), with its interval and n, or a [NotEstimable](#notestimable), with the reason why there is none: the field `kind` tells which.
- Shares are from 0 to 1, turns are counted from 0, money is in USD, and what is missing is `null` with its reason beside it.
- What a word means is in `terms.md`, how a number is computed in `methods.md`.

For example, PCR of each target in each setting:

```python
import json

report = json.load(open("report/report.json"))
assert (report["schema"], report["version"]) == ("threadmed.report", 1)
for group in report["measurement"]["groups"]:
    pcr = group["pcr"]
    if pcr["kind"] == "estimate":
        print(group["target"], group["setting"], pcr["value"], pcr["low"], pcr["high"])
    else:
        print(group["target"], group["setting"], "not known:", pcr["reason"])
```

Where two records have one name, the part of threadmed that they come from goes first.
This page is made from the records by `python -m pytest --update-golden tests/report/test_schema.py`; change them, not it.

## Records
"""
"""What stands above the records on docs/report-json.md."""
