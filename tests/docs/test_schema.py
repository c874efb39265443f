"""The published JSON Schema is up to date with the code."""

import json
from pathlib import Path

from grader.classes.cohort.summary import schema as cohort_schema
from grader.verdict.report import schema

ROOT = Path(__file__).resolve().parents[2]


def test_the_published_schema_is_in_step() -> None:
    """docs/report.schema.json is the result of `grader.verdict.report.schema`."""
    assert schema() == json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))


def test_the_published_schema_of_a_class_is_in_step() -> None:
    """docs/cohort.schema.json is the result of `grader.classes.cohort.summary.schema`."""
    assert cohort_schema() == json.loads((ROOT / "docs" / "cohort.schema.json").read_text(encoding="utf-8"))
