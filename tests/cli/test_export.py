"""`grade export` turns a folder of results into files for other programs, or prints an error."""

import csv
import gc
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from reports import make_exercise, make_report

from grader.base.files import UserError
from grader.classes.cohort import Summary, summarise
from grader.classes.cohort.export import ExportResult, export
from grader.classes.cohort.results import counted_paths, keep_code, summary_of
from grader.classes.feedback import FORMAT as FEEDBACK
from grader.classes.people import Class, HandIn, Overrides
from grader.classes.people.roster import Roster
from grader.classes.sources import FORMAT as SOURCES
from grader.classes.worksheet import FORMAT as WORKSHEET
from grader.course.learners import Decided, Learner, Person, Submitter
from grader.course.load import Course
from grader.runner.client import Source
from grader.verdict.formats.registry import ExportRequest, export_formats
from grader.verdict.report import CheckResult, Report, read_report, write_report
from grader.verdict.report.model import CourseStamp

ROOT = Path(__file__).resolve().parents[2]
GRADE = Path(sys.executable).parent / "grade"
Grade = Callable[..., Any]
OTIENO = "reports/otieno.json"
SEED = "the secret seed"
ALL = {one.name: one for one in (FEEDBACK, SOURCES, WORKSHEET)} | export_formats()
# those that have the results, and need nothing else
FORMATS = {name: form for name, form in sorted(ALL.items()) if form not in (SOURCES, WORKSHEET)}


def a_report(course: Course, name: str, **more: Any) -> Report:
    """Return the report of a person who passed half of the checks."""
    exercises = [
        make_exercise(
            *(
                CheckResult(c.id, c.title, c.visibility, "passed", c.points, c.points, c.bonus, 0.1)
                if number % 2
                else CheckResult(c.id, c.title, c.visibility, "failed", 0, c.points, c.bonus, 0.1, message="line 1: =x")
                for number, c in enumerate(exercise.checks)
            ),
            name=exercise.id,
            number=exercise.number,
            title=exercise.title,
        )
        for exercise in course.exercises
    ]
    person = Submitter(name.title(), f"s-{name}", f"{name}@example.org")
    stamp = CourseStamp(course.id, course.version, course.hash)
    return make_report(
        *exercises, **{"id": name, "origin": name, "submitters": (person,), "course": stamp, "seed": SEED, **more}
    )


def write_class(folder: Path, course: Course, *reports: Report, **more: Any) -> Summary:
    """Write the results of `grade cohort --out` for these reports, and return the summary."""
    (folder / "reports").mkdir(parents=True, exist_ok=True)
    for report in reports:
        write_report(report, folder / "reports" / f"{report.submission.id}.json")
    summary = summarise(course, reports, more.pop("faults", {}), **more)
    write_summary(folder, summary)
    return summary


@pytest.fixture
def results(course: Course, tmp_path: Path) -> Path:
    """Return the results of a class of two."""
    write_class(tmp_path / "results", course, a_report(course, "jane"), a_report(course, "otieno"))
    return tmp_path / "results"


def write_summary(folder: Path, summary: Summary) -> None:
    (folder / "cohort.json").write_bytes(msgspec.json.encode(summary))


def files(folder: Path) -> list[str]:
    """Return every file below a folder, hidden ones included."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def exported(results: Path, to: str, out: str | None = None, course: Course | None = None, **more: Any) -> ExportResult:
    """Export in a format, by its name."""
    assignment = more.pop("assignment", None)
    return export(ALL[to], ExportRequest(results, **more), out, course, assignment)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


# -- the installed command -------------------------------------------------------------------------------


@pytest.mark.parametrize("to", FORMATS)
def test_each_format_has_its_place(grade: Grade, results: Path, to: str) -> None:
    """Each export goes to its default path below RESULTS/exports, which is printed. Nothing else is written."""
    before = files(results)
    done = grade("export", results, "--to", to, "--course", ROOT)
    assert (0, "") == (done.returncode, done.stderr)
    assert f"2 submissions written to {results / 'exports' / FORMATS[to].export}\n" == done.stdout
    below = {"gradescope": ["results.json"], "feedback": ["feedback.html", "report.json"]}.get(to)
    expected = (
        {f"{to}/{name}/{file}" for name in ("jane", "otieno") for file in below} if below else {FORMATS[to].export}
    )
    assert {f"exports/{name}" for name in expected} == set(files(results)) - set(before)


def test_a_table_goes_to_standard_output(grade: Grade, results: Path, course: Course) -> None:
    """`--out -` prints only the table."""
    done = grade("export", results, "--to", "csv", "--out", "-")
    jane, otieno = rows(done.stdout)
    assert (0, "", "jane", "otieno") == (done.returncode, done.stderr, jane["id"], otieno["id"])
    assert jane["score"] == str(sum(int(jane[exercise.stem]) for exercise in course.exercises))
    assert not (results / "exports").exists()


@pytest.mark.slow
def test_a_reader_that_has_had_enough_is_no_error(environment: dict[str, str], results: Path) -> None:
    """A reader such as `| head` that stops reading causes no error message."""
    command = f"'{GRADE}' export '{results}' --to junit --out - | head -c 9"
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert ("<?xml ver", "") == (done.stdout, done.stderr)


def test_the_packaged_course_is_not_taken_for_another(grade: Grade, results: Path, own_course: Path) -> None:
    """The course that was graded decides what learners may read, so no other course is used."""
    done = grade("export", results, "--to", "gradescope", "--course", own_course)
    assert (2, "") == (done.returncode, done.stdout)
    assert "was graded with another course than this one; use --course to name backward 2026.1" in done.stderr
    assert not (results / "exports").exists()


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("Missing argument 'RESULTS'", []),
        (f"'excel' is not one of '{next(iter(FORMATS))}'", ["results", "--to", "excel"]),
        (
            "nowhere contains no cohort.json; `grade cohort SUBMISSIONS --out nowhere` writes it",
            ["nowhere", "--to", "csv"],
        ),
    ],
)
def test_wrong_words_are_told(grade: Grade, expected: str, words: list[str]) -> None:
    """The exit code is 2, and the message says what to write instead."""
    done = grade("export", *words)
    assert (2, "") == (done.returncode, done.stdout)
    assert expected in done.stderr


# -- its function ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("to", "title"), [("canvas", "The Backward Pass"), ("nbgrader", "backward")])
def test_the_assignment_can_be_named(results: Path, to: str, title: str) -> None:
    """The assignment has the course's title or id unless it is given another name."""
    for assignment, expected in ((None, (True, False)), ("ps1", (False, True))):
        exported(results, to, assignment=assignment)
        text = (results / "exports" / f"{to}.csv").read_text(encoding="utf-8")
        assert expected == (title in text, "ps1" in text)


@pytest.mark.parametrize("to", [name for name, form in FORMATS.items() if form.files])
def test_exports_for_learners_leave_out_what_the_course_hides(results: Path, course: Course, to: str) -> None:
    """A hidden check has only what its `detail` allows, and the seed is left out."""
    exercises = tuple(
        replace(exercise, checks=tuple(replace(check, message=f"said by {check.id}.") for check in exercise.checks))
        for exercise in a_report(course, "jane").exercises
    )
    write_report(a_report(course, "jane", exercises=exercises), results / "reports" / "jane.json")
    exported(results, to, course=course)
    folder = results / "exports" / FORMATS[to].export / "jane"
    text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert SEED not in text
    failed = [check for exercise in exercises for check in exercise.checks if check.status != "passed"]
    assert {check.id for check in failed if check.visibility == "visible"} == {
        check.id for check in failed if f"said by {check.id}." in text
    }


@pytest.fixture
def settled(results: Path, course: Course) -> dict[str, Learner]:
    """Return the final table of the class of two, in which Jane was late and got points by a decision."""
    ((exercise, check),) = [(e, c) for e in course.exercises[:1] for c in e.checks[:1]]
    points = {f"{exercise.id}.{check.id}": check.points}
    decided = Decided("Ada", "2026-03-05T00:00:00+00:00", "so", points=points)
    summary = summary_of(results)
    jane, otieno = summary.learners
    score = jane.score + check.points
    total = score + jane.bonus - 5
    late = {"late_s": 7200, "due": "2026-03-01T22:59:00+00:00", "submitted_at": "2026-03-02T00:59:00+00:00"}
    jane = replace(jane, score=score, penalty=5, total=total, decisions=(decided,), **late)
    write_summary(results, replace(summary, learners=(jane, otieno)))
    return {"jane": jane, "otieno": otieno}


@pytest.mark.parametrize("to", FORMATS)
def test_every_export_has_the_total_of_the_final_table(
    results: Path, course: Course, settled: dict[str, Learner], to: str
) -> None:
    """In every format, the total includes the penalty and the points that somebody decided."""
    assert exported(results, to, course=course).complete
    place = results / "exports" / FORMATS[to].export
    for name, learner in settled.items():
        if FORMATS[to].files:
            written = "".join(path.read_text(encoding="utf-8") for path in (place / name).iterdir())
        else:  # from the learner's name to the next one's
            written = place.read_text(encoding="utf-8").lower().partition(name)[2]
            written = re.split("|".join(settled.keys() - {name}), written)[0]
        assert str(learner.total) in [number.removesuffix(".0") for number in re.findall(r"\d+(?:\.\d+)?", written)]


def test_a_group_with_different_totals_is_told(results: Path, course: Course, settled: dict[str, Learner]) -> None:
    """A file for a submission has only one total, and a message names the learner with another total."""
    jane = settled["jane"]
    ben = replace(jane, id="ben", person=Person("Ben"), penalty=0, total=jane.total + 5)
    write_summary(results, replace(summary_of(results), learners=(jane, ben)))
    done = exported(results, "gradescope", course=course)
    said = f"jane belongs to Jane ({jane.total}) and Ben ({ben.total}); --to gradescope has one total for a submission"
    assert (False, 1) == (done.complete, len(done.warnings))
    assert done.warnings[0].startswith(said)
    assert exported(results, "csv", course=course).complete


@pytest.mark.parametrize(("origin", "missing"), [("otieno/ps1", False), ("otieno", True)])
def test_feedback_of_one_assignment_goes_back_to_nbgrader(
    results: Path, course: Course, origin: str, missing: bool
) -> None:
    """Feedback goes to a folder of the assignment. A message counts those whose folder does not name one."""
    origins = {"jane": "jane/ps1", "otieno": origin}
    write_class(
        results,
        course,
        *(a_report(course, name, origin=at, submitters=(Submitter(name, name),)) for name, at in origins.items()),
    )
    done = exported(results, "feedback", course=course, platform="nbgrader")
    expected = ["jane/ps1/feedback.htm"] + ["otieno/ps1/feedback.htm"] * (not missing)
    assert expected == files(results / "exports" / "feedback-nbgrader")
    assert (len(expected), "submission", not missing) == (done.count, done.kind, done.complete)
    said = "1 of 2 has no file with a name from a download of nbgrader and is left out: otieno"
    assert [said] * missing == done.warnings


def test_canvas_gets_the_heading_of_its_own_gradebook(results: Path, course: Course) -> None:
    """If the roster is the gradebook, the column has the id by which Canvas finds the assignment."""
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (4711),Homework 1 (4712),Backward (4713)"
    (results / "roster.csv").write_text(f"{header}\nJane,1,S1,jane,A,,,\n", encoding="utf-8")
    for name, heading in (("Backward", "Backward (4713)"), ("Homework 1", "Homework 1"), ("Other", "Other")):
        exported(results, "canvas", assignment=name)
        assert heading == (results / "exports" / "canvas.csv").read_text().splitlines()[0].split(",")[5]


def test_an_earlier_report_that_counts_is_the_one_on_the_page(results: Path, settled: dict[str, Learner]) -> None:
    """As in exports, the page shows the report that the total was computed from."""
    summary = summary_of(results)
    rows = tuple(
        replace(row, report=f"earlier/{row.id}.1.json") if row.id == "jane" else row for row in summary.learners
    )
    paths = counted_paths(results, replace(summary, learners=rows))
    assert ["earlier/jane.1.json", "reports/otieno.json"] == [str(path.relative_to(results)) for path in paths]


def test_who_is_gone_is_not_uploaded(results: Path, course: Course) -> None:
    """The default folder has the class as it is now, and nobody from an earlier export."""
    exported(results, "gradescope", course=course)
    (results / "exports" / "gradescope" / "jane").rename(results / "exports" / "gradescope" / "gone")
    exported(results, "gradescope", course=course)
    assert ["jane/results.json", "otieno/results.json"] == files(results / "exports" / "gradescope")


def test_a_folder_can_be_named(results: Path, course: Course, tmp_path: Path) -> None:
    """The folder is made if it does not exist."""
    exported(results, "gradescope", str(tmp_path / "new" / "folder"), course=course)
    assert ["jane/results.json", "otieno/results.json"] == files(tmp_path / "new" / "folder")


def test_a_second_export_replaces_the_first(results: Path) -> None:
    """The file has the new export, and no other file is left."""
    place = results / "exports" / "grades.csv"
    exported(results, "csv")
    first = place.read_bytes()
    place.write_bytes(b"x" * 10_000)
    exported(results, "csv")
    assert (first, ["grades.csv"]) == (place.read_bytes(), files(place.parent))


def test_reports_are_not_held(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most two reports are in memory at once, in a class of any size."""
    alive: list[int] = []

    def counted(data: bytes) -> Report:
        made = read_report(data)
        gc.collect()
        alive.append(sum(type(one) is Report for one in gc.get_objects()))
        return made

    for number in range(6):
        shutil.copy(results / "reports" / "jane.json", results / "reports" / f"j{number}.json")
        path = results / "reports" / f"j{number}.json"
        path.write_text(path.read_text().replace('"id": "jane"', f'"id": "j{number}"'))
    monkeypatch.setattr("grader.classes.cohort.results.read_report", counted)
    exported(results, "junit")
    assert max(alive) - min(alive) <= 2


# -- what is missing ---------------------------------------------------------------------------------------


def test_who_has_no_report_is_named(results: Path, course: Course) -> None:
    """If a table lacks somebody, the message names them, and the export is not complete."""
    reports = [a_report(course, name) for name in ("jane", "otieno")]
    write_class(results, course, *reports, faults={"eve\x1b": "the worker is gone"})
    done = exported(results, "csv")
    assert (2, "submission", False) == (done.count, done.kind, done.complete)
    assert ["1 of 3 submissions has no report and is left out: eve\\x1b"] == done.warnings


def test_a_report_too_many_is_told(results: Path, course: Course) -> None:
    """A report without a submission would give somebody a score. A message says what to do."""
    write_report(a_report(course, "gone"), results / "reports" / "gone.json")
    done = exported(results, "csv")
    assert not done.complete
    assert "3 reports found, but cohort.json counts 2; run `grade cohort` again" in done.warnings[0]


# -- bad input ---------------------------------------------------------------------------------------------


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def of_another_course(path: Path) -> None:
    report = read_report(path.read_bytes())
    write_report(replace(report, course=CourseStamp("backward", "2025.1", "0")), path)


SPOILED: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "no reports": ("reports", shutil.rmtree, "contains no reports; `grade cohort SUBMISSIONS"),
    "no summary": ("cohort.json", Path.unlink, "contains no cohort.json"),
    "damaged summary": ("cohort.json", lambda path: path.write_text("{"), "cohort.json is damaged"),
    "cut off": (OTIENO, lambda path: path.write_bytes(path.read_bytes()[:999]), "otieno.json is damaged"),
    "empty": (OTIENO, lambda path: path.write_bytes(b""), "run `grade cohort` again, which then grades this"),
    "a folder": (OTIENO, a_folder, "is not a regular file"),
    "another's": (OTIENO, lambda path: path.rename(path.with_name("eve.json")), "eve.json is the report of `otieno`"),
    "another course": (OTIENO, of_another_course, "otieno.json was graded with another version of the course"),
}


@pytest.mark.parametrize("to", ["csv", "gradescope"])
@pytest.mark.parametrize(("name", "spoil", "expected"), SPOILED.values(), ids=SPOILED.keys())
def test_bad_results_are_told_and_nothing_is_written(
    results: Path, course: Course, name: str, spoil: Callable[[Path], object], expected: str, to: str
) -> None:
    """The message names the file and what to do. No report is exported."""
    spoil(results / name)
    with pytest.raises(UserError) as raised:
        exported(results, to, course=course)
    assert expected in str(raised.value)
    assert not (results / "exports").exists()


@pytest.mark.parametrize(
    ("to", "more", "expected"),
    [
        ("csv", {"platform": "moodle"}, "--for goes with --to feedback, not with --to csv"),
        ("csv", {"assignment": "x"}, "csv names no assignment"),
        ("canvas", {"assignment": "Final Score"}, "--assignment: Canvas leaves out a column called `Final Score`"),
        ("canvas", {"assignment": ""}, "give the assignment another name"),
        ("gradescope", {"out": "-"}, "--to gradescope writes files for each submission; --out names a folder"),
        ("feedback", {"out": "-"}, "--to feedback writes files for each submission; --out names a folder"),
        ("gradescope", {"course": None}, "graded with another course than this one"),
        ("csv", {"out": "{results}"}, "is a folder; name a file"),
        ("csv", {"out": "{results}/cohort.json/x.csv"}, "cannot be written: "),
        ("gradescope", {"out": "{results}/cohort.json"}, "cannot be written: File exists"),
    ],
)
def test_wrong_options_are_told(results: Path, course: Course, to: str, more: dict[str, Any], expected: str) -> None:
    """Options that do not fit together, and paths that cannot be written, are errors."""
    given: dict[str, Any] = {"course": course, **more}
    if "out" in given:
        given["out"] = given["out"].format(results=results)
    with pytest.raises(UserError) as raised:
        exported(results, to, **given)
    assert expected in str(raised.value)
    assert not (results / "exports").exists()


def test_each_member_of_a_group_gets_their_own_feedback(course: Course, tmp_path: Path) -> None:
    """Each member's folder has their login and only decisions about them. Members without a path are named."""
    folder = tmp_path / "results"
    made = a_report(course, "jane", submitters=(Submitter("jane", "jane"),))
    at = tuple(replace(exercise, file=f"backward/{exercise.number}_{exercise.id}.py") for exercise in made.exercises)
    made = replace(made, exercises=at)
    people = (
        Person("Otieno O", "otieno", group="blue"),
        Person("Jane J", "jane", "jane@example.org", group="blue"),
        Person("Noor N", email="n@x", group="blue"),
    )
    decided = {"otieno": (Decided("Ada", "2026-03-05", "so", comment="to Otieno"),)}
    people_of = Class((HandIn.of(made.submission),), Roster(people), overrides=Overrides(decided))
    write_class(folder, course, made, people=people_of)
    done = exported(folder, "feedback", course=course, platform="nbgrader")
    assert done.complete
    texts = {name: (folder / "exports" / name).read_text() for name in files(folder / "exports")}
    assert ["jane", "otieno"] == [name.split("/")[1] for name in texts]
    assert [False, True] == ["to Otieno" in text for text in texts.values()]
    assert done.warnings[0].startswith("1 member of a group has no login in the roster, and so no feedback")


def test_sources_are_in_the_layout_of_jplag_and_dolos(results: Path, course: Course) -> None:
    """A folder has the graded files of each submission, another one has the stubs, and a page has the commands."""
    (jane, _) = summary_of(results).learners
    report = read_report((results / jane.report).read_bytes())
    (results / "code").mkdir()
    keep_code(results, report.submission, {"swap": Source(Path("work.ipynb"), "a = 1\n")}, {})
    done = exported(results, "sources", course=course)
    assert [
        "1 submission has no files in the export, because none was readable, or because an earlier attempt "
        "counts: otieno"
    ] == done.warnings
    folder = results / "exports" / "sources"
    stubs = [f"base-code/{exercise.filename}" for exercise in course.exercises]
    assert sorted([*stubs, "README.txt", "submissions/jane/02_swap.py"]) == files(folder)
    assert "a = 1\n" == (folder / "submissions/jane/02_swap.py").read_text()
    assert course.exercise_file(course.by_id["swap"]).read_text() == (folder / "base-code/02_swap.py").read_text()
    assert "-bc base-code submissions\n" in (folder / "README.txt").read_text()


def test_moodles_worksheet_gets_grades_and_feedback(results: Path, course: Course) -> None:
    """Each other cell stays as it was, and so does a row that cannot be changed. A grade over the maximum is told."""
    with pytest.raises(UserError, match="needs Moodle's grading worksheet as the roster"):
        exported(results, "moodle")
    head = "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    head += "Last modified (submission),Last modified (grade),Feedback comments\n"
    rest = 'Submitted,,{},{},"Sunday, 1 March 2026, 11:59 PM",-,\n'.format
    one, two = "Participant 7,Jane,jane@example.org,", "Participant 8,Otieno,otieno@example.org,"
    (results / "roster.csv").write_text(head + one + rest("10.00", "Yes") + two + rest("100.00", "No"))
    people = [
        Person("Jane", email="jane@example.org", moodle_id="7"),
        Person("Otieno", email="otieno@example.org", moodle_id="8"),
    ]
    reports = [read_report(path.read_bytes()) for path in sorted((results / "reports").iterdir())]
    class_of = Class(tuple(HandIn.of(report.submission) for report in reports), Roster(tuple(people)))
    write_summary(results, summarise(course, reports, {}, people=class_of))
    done = exported(results, "moodle")
    text = (results / "exports" / "moodle.csv").read_text()
    jane, otieno = csv.DictReader(io.StringIO(text))
    total = reports[0].score + reports[0].bonus
    assert (str(total), "Participant 7", "Sunday, 1 March 2026, 11:59 PM", "-") == (
        jane["Grade"],
        jane["Identifier"],
        jane["Last modified (submission)"],
        jane["Last modified (grade)"],
    )
    assert jane["Feedback comments"].startswith("01 distribute: ")
    bonus = [
        f"{one.number} {one.id}: {one.score} of {one.max_score}, and {one.bonus} bonus"
        for one in reports[0].exercises
        if one.bonus
    ]
    assert bonus == [line for line in jane["Feedback comments"].split("<br>") if "bonus" in line] != []
    assert ("", "") == (otieno["Grade"], otieno["Feedback comments"])
    assert [True] == ["more points than Moodle's maximum grade" in warning for warning in done.warnings]


def test_moodle_reads_every_cell_of_the_worksheet(results: Path, course: Course) -> None:
    """Feedback is HTML with a line for each exercise and comment. No cell has a backslash before a quotation mark."""
    head = "Identifier,Full name,Email address,Grade,Maximum grade,Online text,Last modified (grade),Feedback comments"
    text = 'print(""\\"", 1)\nend\\'
    cells = f'Participant {{}},{{}},{{}}@example.org,,-,"{text}",-,"see ""C:\\"""\n'.format
    people = [("7", "Jane", "jane"), ("8", "Nobody", "nobody")]
    (results / "roster.csv").write_text(f"{head}\n" + "".join(cells(*one) for one in people))
    roster = Roster(tuple(Person(name, email=f"{login}@example.org", moodle_id=id) for id, name, login in people))
    comment = 'Use `a < b`, \\"so".\nSee D:\\'
    decision = Decided("Ada", "2026-03-05T10:00:00Z", "well done", comment=comment)
    reports = [read_report((results / "reports" / "jane.json").read_bytes())]
    class_of = Class((HandIn.of(reports[0].submission),), roster, overrides=Overrides({"jane": (decision,)}))
    write_summary(results, summarise(course, reports, {}, people=class_of))
    (results / "reports" / "otieno.json").unlink()
    exported(results, "moodle")
    written = (results / "exports" / "moodle.csv").read_text()
    jane, nobody = csv.DictReader(io.StringIO(written))
    first, second, *_ = shown = jane["Feedback comments"].split("<br>")
    assert ("01 distribute: ", "02 swap: ") == (first[:15], second[:9])
    assert ["Use `a &lt; b`, &#92;&quot;so&quot;.", "See D:&#92;"] == shown[len(course.exercises) :][:2]
    assert 'print("\\ ", 1)\nend\\ ' == jane["Online text"] == nobody["Online text"]
    assert 'see "C:\\ "' == nobody["Feedback comments"]
