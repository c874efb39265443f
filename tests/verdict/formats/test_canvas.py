import csv
import io

import pytest
from every import every
from reports import named_check as check
from reports import one_exercise as report

from grader.base.text import cell
from grader.course.learners import Learner, Person, Submitter
from grader.verdict.formats.tables import canvas
from grader.verdict.report import Report

POINTS = "    Points Possible,,,,,2\r\n"


def rows(*reports: Report) -> list[list[str]]:
    """The rows of people."""
    _, _, *found = csv.reader(io.StringIO("".join(canvas(reports, "Backward")), newline=""), strict=True)
    return found


def test_the_file_is_what_canvas_writes() -> None:
    """Header, the row of points, a row for each person; the id from a Canvas download stands in `ID`."""
    made = report(check(), id="doejane_1042", origin="doejane_1042", submitters=(Submitter("doejane", "1042"),))
    expected = ["Student,ID,SIS User ID,SIS Login ID,Section,Backward (4711)\r\n", POINTS, "doejane,1042,,,,2\r\n"]
    assert expected == list(canvas([made], "Backward (4711)"))


def test_the_header_passes_the_importers_checks() -> None:
    """Canvas' importer asks for these words in these columns, and counts the columns of people up to `Section`."""
    header, points, *_ = csv.reader(io.StringIO("".join(canvas([report(check())], "Backward")), newline=""))
    assert ("Student" in header[0], "ID" in header[1], "Section" in header[4]) == (True, True, True)
    assert ["SIS User ID", "SIS Login ID", "Section", "Backward"] == header[2:]
    assert "Points Possible" in points[0]
    assert "2" == points[header.index("Backward")]


@every(
    ("person", "expected"),
    [
        (Person("Jo", "jo", sis_id="S1", canvas_id="10", moodle_id="77", section="A"), ["10", "S1", "jo", "A"]),
        (Person("Jo", "jo", moodle_id="77"), ["", "", "jo", ""]),
        (Person("Jo", sis_id="S1", moodle_id="77"), ["", "S1", "S1", ""]),
        (Person("Jo", email="jo@x", moodle_id="77"), ["", "77", "jo@x", ""]),
        (Person("Jo", canvas_id="10", moodle_id="77"), ["10", "77", "", ""]),
        (Person("Jo", moodle_id="77"), ["", "77", "77", ""]),
    ],
)
def test_each_id_is_in_its_column(person: Person, expected: list[str]) -> None:
    """The columns are Canvas id, SIS id, login and section. Other ids are used only if Canvas' own are not known."""
    assert [["Jo", *expected, "2"]] == rows(report(check(), learner=Learner("jo", person, "graded", total=2)))


def test_another_platforms_number_is_no_canvas_id(pair: tuple[Submitter, ...]) -> None:
    """A student number in `ID` could be another person's Canvas id; it goes where Canvas looks for such numbers."""
    expected = [
        ["Jane Doe", "", "4711", "jane@example.org", "", "2"],
        ["Mwangi, Otieno", "", "4712", "otieno@example.org", "", "2"],
    ]
    assert expected == rows(report(check(), origin="submission_99", submitters=pair))


@every(
    ("origin", "person"),
    [
        ("submission_1042", Submitter("submission", "1042", "eve@example.org")),
        ("eve_1042x", Submitter("eve", "1042x")),
        ("eve_²", Submitter("eve", "²")),
        ("eve_\u0661", Submitter("eve", "\u0661")),
        ("other", Submitter("eve", "1042")),
    ],
)
def test_what_only_looks_like_a_canvas_id_is_none(origin: str, person: Submitter) -> None:
    """Nobody gets their score booked for somebody else by choosing a name or a number."""
    ((_, canvas_id, sis_id, *_),) = rows(report(check(), origin=origin, submitters=(person,)))
    assert ("", person.id) == (canvas_id, sis_id)


def test_a_folder_of_nobody_known_is_taken_for_a_login() -> None:
    """Folders are usually called after logins."""
    assert [["jane", "", "", "jane", "", "2"]] == rows(report(check()))


def test_the_id_is_the_login_where_there_is_no_email() -> None:
    """As in nbgrader's folders, which are called after the student's id."""
    assert [["jane", "", "jane", "jane", "", "2"]] == rows(report(check(), submitters=(Submitter("jane", "jane"),)))


@every("name", ["Points Possible", "    Points Possible", "Eve Points Possible"])
def test_nobody_sets_the_assignments_points(name: str) -> None:
    """A row that begins with these words would set the points for everybody; a person of that name has no name here."""
    found = rows(report(check(), submitters=(Submitter(name, "4711", "eve@example.org"),)))
    assert [["", "", "4711", "eve@example.org", "", "2"]] == found


def test_bonus_counts() -> None:
    """Canvas has one number for each person: all points, which may be more than are possible."""
    assert "4" == rows(report(check(), check("more", bonus=True)))[0][-1]
    assert POINTS in list(canvas([report(check(), check("more", bonus=True))], "Backward"))


@every(
    "name",
    ["", "  ", "Section", "ID", "Final Score", "Quiz Current Points", "Override Status (Fall)", "Unposted Final Grade"],
)
def test_names_that_canvas_leaves_out_are_refused(name: str) -> None:
    """A column of such a name would be imported as nothing at all."""
    with pytest.raises(ValueError, match="give the assignment another name"):
        canvas([], name)


def test_hostile_text_is_harmless(hostile: str) -> None:
    """Names and numbers are neutralised."""
    found = rows(report(check(), submitters=(Submitter(hostile, hostile, hostile),)))
    assert [[cell(hostile), "", cell(hostile), cell(hostile), "", "2"]] == found
