"""The verdict of the page of a site has the numbers and sentences of the report, laid out as data."""

from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.practice.session import Practice
from grader.practice.site_data import Verdict
from grader.practice.site_verdict import verdict_of
from grader.runner.client import decode_source
from grader.words.facts import line_parts

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
EXERCISE = COURSE.by_id["accumulate"]
RIGHT = COURSE.solution(EXERCISE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def practice() -> Practice:
    return Practice(COURSE, ROOT / "exercises")


def verdict(practice: Practice, text: str) -> Verdict:
    with practice:
        report = practice.grade_source(EXERCISE, decode_source(Path("03_accumulate.py"), text.encode()))
    return verdict_of(report, EXERCISE, 80)


def test_the_first_failure_is_first(practice: Practice) -> None:
    """It has its program, both results, and a fact with the lines of the rule."""
    first, *others = verdict(practice, RIGHT.replace("+= out.grad", "+= 2 * out.grad")).checks
    assert ("a + a counts both uses of a", "failed", "L = a + a    with a = 3") == (
        first.title,
        first.status,
        first.program,
    )
    (row,) = first.results
    assert ("dL/da", "4", "2", "PyTorch") == (row.label, row.actual, row.expected, row.source)
    line = RIGHT[: RIGHT.index("def _backward")].count("\n") + 1
    ((_, place, _),) = first.facts
    assert (f"lines {line} to {line + 3}", line, line + 3) == (place.text, place.first, place.last)
    assert ["a * a counts both uses of a"] == [one.title for one in others if one.status == "passed"]
    assert {()} == {one.results for one in others if one.status == "passed"}


def test_a_file_that_does_not_load_has_a_message(practice: Practice) -> None:
    """The line of the message can be chosen."""
    told = verdict(practice, f"{RIGHT}\n1 / 0\n")
    assert ([], "Not passed yet") == (told.checks, told.outcome)
    sentence, quoted = told.message
    assert "could not be loaded" in sentence[0].text
    assert RIGHT.count("\n") + 2 == quoted[0].first


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("A change in line 5 alone", [("line 5", 5, 5)]),
        ("(lines 5 to 9), the rule", [("lines 5 to 9", 5, 9)]),
        ("both statements in lines 57 and 58 make", [("57", 57, 57), ("58", 58, 58)]),
        ("lines 57, 58, 69 and 70.", [("57", 57, 57), ("58", 58, 58), ("69", 69, 69), ("70", 70, 70)]),
        ("after line 5 or line 7.", [("line 5", 5, 5), ("line 7", 7, 7)]),
        ("12 of 30 checks, deadline 3", []),
    ],
)
def test_lines_that_a_sentence_names(text: str, lines: list[tuple[str, int, int]]) -> None:
    """The pieces are the whole sentence, and those that name lines have their numbers."""
    parts = line_parts(text)
    assert text == "".join(part for part, _ in parts)
    assert lines == [(part, *span) for part, span in parts if span]
