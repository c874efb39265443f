"""`make check` leaves out what takes long."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_quick_tests_have_no_mark() -> None:
    """Every mark that the project has is one that `make unit` leaves out."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    marks = re.findall(r'^    "(\w+): ', project.partition("\nmarkers = [")[2], re.MULTILINE)
    (left_out,) = re.findall(r'-m "not \((.+)\)"', (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert marks == left_out.split(" or ")
