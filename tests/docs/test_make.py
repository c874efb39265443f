"""`make check` leaves out slow tests."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_quick_tests_have_no_mark() -> None:
    """`make unit` leaves out every mark of the project."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    marks = re.findall(r'^    "(\w+): ', project.partition("\nmarkers = [")[2], re.MULTILINE)
    (left_out,) = re.findall(r'-m "not \((.+)\)"', (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert marks == left_out.split(" or ")
