"""The points of each part of a course, in a report and in its other formats."""

import csv
import io
import json
from typing import Any

import pytest
from junitparser import JUnitXml
from msgspec import UNSET
from msgspec.structs import replace
from reports import make_exercise, make_report, named_check

from grader.base.text import markdown
from grader.classes.feedback import feedback_page
from grader.course.load import Part
from grader.verdict.formats.github import summary
from grader.verdict.formats.gradescope import gradescope
from grader.verdict.formats.junit import junit
from grader.verdict.formats.tables import csv_table
from grader.verdict.report import PartResult, Report, part_results, read_report, to_json, with_results
from grader.verdict.terminal import render

PARTS = (Part("One", ("a", "b"), 4), Part("Two", ("c",), 2))
RESULTS = (
    make_exercise(named_check(), named_check("more", bonus=True), name="a", number="01"),
    make_exercise(named_check("two", "failed"), name="b", number="02"),
    make_exercise(named_check(), name="c", number="03"),
)
TEXTS = ["One: 2/4 + 2 bonus", "Two: 2/2"]


@pytest.fixture
def report() -> Report:
    """Return a report on three exercises in two parts."""
    return with_results(make_report(), RESULTS, PARTS)


def test_a_part_has_the_sums_of_its_exercises(report: Report) -> None:
    """A report that has exercises of one part has only this part, and one without parts has none."""
    one, two = PartResult("One", ("a", "b"), 2, 4, 2), PartResult("Two", ("c",), 2, 2, 0)
    assert (one, two) == report.parts
    assert (PartResult("One", ("a",), 2, 2, 2),) == part_results(PARTS, RESULTS[:1])
    assert UNSET is part_results((), RESULTS)
    assert report == read_report(to_json(report))
    assert b"parts" not in to_json(make_report(*RESULTS))


def test_changed_results_change_the_sums(report: Report) -> None:
    """The parts of a report follow the results that a person decided."""
    decided = replace(RESULTS[1], score=2)
    assert [4, 2] == [part.score for part in with_results(report, (RESULTS[0], decided, RESULTS[2])).parts or ()]


def test_a_part_that_does_not_add_up_is_refused(report: Report) -> None:
    """The error names the part and both numbers."""
    data = to_json(report).replace(b'"score": 2,\n      "max_score": 4', b'"score": 4,\n      "max_score": 4')
    with pytest.raises(ValueError, match="the part `One` has score 4, and its parts add up to 2"):
        read_report(data)


def test_a_terminal_shows_parts_below_the_score(report: Report) -> None:
    """A report on exercises of one part shows the score alone."""
    lines = render(report, "A course").splitlines()
    at = lines.index("Score 4/6 + 2 bonus")
    assert [f"  {text}" for text in TEXTS] == lines[at + 1 : at + 3]
    assert "One" not in render(with_results(report, RESULTS[:2], PARTS), "A course")


def test_a_page_of_feedback_shows_parts(report: Report) -> None:
    """The points of each part are below the total. A course without parts has no such line."""
    page = feedback_page(report, "A course", {}, {})
    assert all(f"<p>{text}</p>" in page for text in TEXTS)
    without = feedback_page(replace(report, parts=UNSET), "A course", {}, {})
    assert page.replace("".join(f"<p>{text}</p>" for text in TEXTS), "") == without


def test_a_job_summary_lists_parts(report: Report) -> None:
    """The list is between the score and the table of exercises."""
    listed = "".join(f"- {markdown(text)}\n" for text in TEXTS)
    text = summary(report, "A course")
    assert f"2 bonus\n\n{listed}\n| exercise" in text
    assert summary(replace(report, parts=UNSET), "A course") == text.replace(f"{listed}\n", "")


def test_a_table_has_a_column_for_each_part(report: Report) -> None:
    """Points of a part do not include bonus points, like those of an exercise."""
    header, row = csv.reader(io.StringIO("".join(csv_table([report])), newline=""))
    assert {"part_1": "2", "part_2": "2"} == {
        name: row[at] for at, name in enumerate(header) if name.startswith("part")
    }
    assert len(header) == len(row)


def test_other_formats_have_the_points_of_parts(report: Report) -> None:
    """JUnit has them as properties, and Gradescope as additional data."""
    (suite,) = JUnitXml.fromstring("".join(junit([report])).encode())
    found = {one.name: one.value for one in suite.properties()}
    assert ("2", "2") == (found["score of part 1"], found["score of part 2"])
    ((text,),) = (files.values() for files in gradescope([report], {}))
    extra: dict[str, Any] = json.loads(text)["extra_data"]
    assert [("One", 2), ("Two", 2)] == [(part["title"], part["score"]) for part in extra["parts"]]
