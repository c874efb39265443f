import csv
import io
from collections.abc import Iterator

from msgspec.structs import replace
from reports import named_check as check
from reports import one_exercise as report

from grader.base.text import cell
from grader.course.learners import Submitter
from grader.verdict.formats.tables import csv_table
from grader.verdict.report import Report

HEADER = (
    "id,name,email,student_id,section,submitted_at,late_s,score,max_score,bonus,penalty,total,grade,status,"
    "03_first,notes\r\n"
)


def test_a_row_for_each_person(pair: tuple[Submitter, ...]) -> None:
    """Everything there is to know of a submission, once for each who handed it in."""
    made = report(
        check(),
        check("two", "failed"),
        check("more", bonus=True),
        submitters=pair,
        submitted_at="2026-01-01T00:00:00+00:00",
        notes=("late", "a note, with a comma"),
    )
    result = ',2026-01-01T00:00:00+00:00,0,2,4,2,0,4,,partial,2,"late | a note, with a comma"\r\n'
    expected = [
        HEADER,
        f"jane,Jane Doe,jane@example.org,4711,{result}",
        f'jane,"Mwangi, Otieno",otieno@example.org,4712,{result}',
    ]
    assert expected == list(csv_table([made]))


def test_a_submission_of_nobody_known_has_a_row() -> None:
    """Where the platform names nobody, the submission's id is what there is."""
    assert [HEADER, "jane,,,,,,0,2,2,0,0,2,,partial,2,\r\n"] == list(csv_table([report(check())]))


def test_notes_say_why_somebody_should_look() -> None:
    """Who has the table alone sees that a 0 may not be one."""
    unreadable = report(check("one", "skipped"), status="unreadable", message="03_first.py is not UTF-8")
    nothing = report(check("one", "skipped"), status="missing")
    rows = list(csv.DictReader(io.StringIO("".join(csv_table([unreadable, nothing])), newline="")))
    assert ["03_first.py is not UTF-8", "no exercise file was found"] == [row["notes"] for row in rows]


def test_exercises_keep_their_columns() -> None:
    """A score stands under its exercise, whatever order a report has them in."""
    one = report(check())
    (first,) = one.exercises
    second = replace(first, id="second", number="04", score=7)
    table = csv_table([replace(one, exercises=(first, second)), replace(one, exercises=(second, first))])
    rows = list(csv.DictReader(io.StringIO("".join(table), newline="")))
    assert [("2", "7"), ("2", "7")] == [(row["03_first"], row["04_second"]) for row in rows]


def test_hostile_text_is_harmless(hostile: str) -> None:
    """Every cell of a learner's is neutralised, and still one cell in one row."""
    person = Submitter(hostile, hostile, hostile)
    text = "".join(csv_table([report(check(), submitters=(person,), submitted_at=hostile, notes=(hostile,))]))
    header, row = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert ["jane", *[cell(hostile)] * 3, "", cell(hostile), "0", "2", "2", "0", "0", "2", "", "partial"] == row[:14]
    assert ["2", cell(hostile)] == row[14:]
    assert len(header) == len(row)
    assert cell(hostile).startswith("'=")


def test_reports_are_read_one_by_one() -> None:
    """A line is there before the next report is asked for."""
    asked = []

    def reports() -> Iterator[Report]:
        for name in ("a", "b", "c"):
            asked.append(name)
            yield report(check(), id=name)

    table = csv_table(reports())
    assert (HEADER, ["a"]) == (next(table), asked)
    assert ("a", ["a"]) == (next(table)[0], asked)
    assert ("b", ["a", "b"]) == (next(table)[0], asked)


def test_without_reports_there_is_a_header() -> None:
    """Nobody handed in: a table all the same."""
    assert 1 == len(list(csv_table([])))
