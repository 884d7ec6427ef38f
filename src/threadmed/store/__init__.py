"""Records to files and back; every write is atomic."""

from threadmed.store.csv_rows import (
    UNCLOSED,
    CsvRow,
    CsvTable,
    chance_of,
    number_of,
    pointed,
    read_csv,
    refuse_breaks,
    turn_of,
)
from threadmed.store.files import (
    atomic,
    read_bytes,
    read_json,
    read_records,
    write_bytes,
    write_frame,
    write_json,
    write_parquet,
    write_records,
    write_text,
)
from threadmed.store.scores import (
    Questions,
    read_questions,
    read_scores,
    write_scores,
)

__all__ = [
    "UNCLOSED",
    "CsvRow",
    "CsvTable",
    "Questions",
    "atomic",
    "chance_of",
    "number_of",
    "pointed",
    "read_bytes",
    "read_csv",
    "read_json",
    "read_questions",
    "read_records",
    "read_scores",
    "refuse_breaks",
    "turn_of",
    "write_bytes",
    "write_frame",
    "write_json",
    "write_parquet",
    "write_records",
    "write_scores",
    "write_text",
]
