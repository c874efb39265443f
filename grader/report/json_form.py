"""Convert reports to and from JSON, and make their JSON Schema."""

from pathlib import Path
from typing import Any

import msgspec

from ..base import json_text, write_atomically
from .model import SCHEMA, Report
from .sums import contradiction


def to_json(report: Report) -> bytes:
    """Return the report as indented JSON with a final newline.

    Invisible characters and text that would act as a command in a terminal or a CI job's log (`::`, `##[`) are
    written as JSON escapes. The decoded data is the same.
    """
    return json_text(report).encode()


def read_report(data: bytes) -> Report:
    """Parse a report. Raises `ValueError` for any other data, and for a report that contradicts itself."""
    report = msgspec.json.decode(data, type=Report)
    wrong = contradiction(report)
    if wrong is not None:
        raise ValueError(f"it does not add up: {wrong}")
    return report


def write_report(report: Report, path: Path) -> None:
    """Write a report's JSON atomically. Raises `OSError`."""
    write_atomically(path, to_json(report))


def schema() -> dict[str, Any]:
    """Return the report's JSON Schema (draft 2020-12)."""
    made = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Report)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **made}
