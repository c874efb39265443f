"""The report on accessibility has every criterion of WCAG 2.2 A and AA, and names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "accessibility.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d\.\d\.\d+) [^|]*\| ([^|]*) \| (.*) \|$", TEXT, re.M)
LEVELS = {"supports", "partially supports", "does not support", "not applicable"}


def test_every_criterion_has_a_level() -> None:
    """WCAG 2.2 has 31 criteria of level A, without 4.1.1, which it removed, and 24 of level AA."""
    first, second = TEXT.split("## Table 2")
    assert [31, 24] == [len(re.findall(r"^\| \d\.\d\.\d+ ", part, re.M)) for part in (first, second)]
    assert len(ROWS) == len({number for number, _, _ in ROWS}) == 55
    assert {level for _, level, _ in ROWS} <= LEVELS


def test_each_row_has_a_test_or_says_what_it_rests_on() -> None:
    """A test that a row names is in one of the files of its letters."""
    files = dict(re.findall(r"^\| ([A-Z]) \| `([^`]+)`", TEXT, re.M))
    known = {letter: (ROOT / path).read_text(encoding="utf-8") for letter, path in files.items()}
    for number, level, shown in ROWS:
        named = re.findall(r"`(test_\w+)`", shown)
        letters = {letter for group in re.findall(r"\(([A-Z](?:, [A-Z])*)\)", shown) for letter in group.split(", ")}
        assert all(any(f"def {name}(" in known[letter] for letter in letters) for name in named), number
        assert named or level == "not applicable" or "ead from the source" in shown or "as computed" in shown, number
