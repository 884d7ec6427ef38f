"""Writes a foreign file and its mapping, and imports it."""

import json
from pathlib import Path

from threadmed.dataset.imports import Format, Imported, read_data


def imported(
    folder: Path, kind: Format, rows: object, *, mapping: str = ""
) -> Imported:
    """Import a JSON document; a list of lines is written as JSON lines."""
    path = folder / "data.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    toml = None
    if mapping:
        toml = folder / "mapping.toml"
        toml.write_text(mapping, encoding="utf-8")
    return read_data(kind, path, mapping=toml)
