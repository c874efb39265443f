"""The published JSON Schema is the one that the code makes."""

import json
from pathlib import Path

from grader.report import schema

ROOT = Path(__file__).resolve().parents[2]


def test_the_published_schema_is_in_step() -> None:
    """docs/report.schema.json is what `grader.report.schema` gives."""
    assert schema() == json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
