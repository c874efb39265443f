"""Reports to and from JSON, and the JSON Schema that says what one looks like."""

from pathlib import Path
from typing import Any

import msgspec

from ..outside import json_text, write_atomically
from .model import SCHEMA, Report
from .sums import contradiction


def to_json(report: Report) -> bytes:
    """The report as indented JSON, ending in a line end.

    What cannot be seen, or could steer a terminal or a CI job's log (control characters, `::`, `##[`), is spelled by
    JSON's own escapes: the data is the same.
    """
    return json_text(report).encode()


def read_report(data: bytes) -> Report:
    """Parse a report. Raises `ValueError` for anything that is none, and for one that contradicts itself."""
    report = msgspec.json.decode(data, type=Report)
    wrong = contradiction(report)
    if wrong is not None:
        raise ValueError(f"it does not add up: {wrong}")
    return report


def write_report(report: Report, path: Path) -> None:
    """Write a report's JSON atomically. Raises `OSError`."""
    write_atomically(path, to_json(report))


def schema() -> dict[str, Any]:
    """The report's JSON Schema (draft 2020-12)."""
    made = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Report)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **made}
