"""The choice of a course: the named one, the one around, or the packaged one; and the message about the choice."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAPE = ROOT / "examples" / "tape"
Grade = Callable[..., Any]


@pytest.fixture
def own(work: Path) -> Path:
    """Return a folder with its own course, and a class of one learner who has solved the first exercise."""
    shutil.copytree(TAPE, work, dirs_exist_ok=True)
    (work / "submissions" / "ann").mkdir(parents=True)
    shutil.copy(TAPE / "solutions" / "01_record.py", work / "submissions" / "ann")
    return work


@pytest.mark.parametrize("below", [".", "submissions", "submissions/ann"])
def test_a_class_is_not_graded_while_it_is_open_with_which_course(grade: Grade, own: Path, below: str) -> None:
    """In or below a course's folder, the message has the options for both courses, and nothing is graded."""
    done = grade("cohort", own / "submissions", "--out", own / "results", cwd=own / below)
    assert (2, "") == (done.returncode, done.stdout)
    assert f"You are in the folder of {own / 'course.yaml'}." in done.stderr
    assert f"Write --course {own} for that one" in done.stderr
    assert "or --course packaged for The Backward Pass (backward 2026.1)" in done.stderr
    assert not (own / "results").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "folder", "course", "score"),
    [(".", ".", "The Tape (tape 2026.1)", 10), ("packaged", str(ROOT), "The Backward Pass (backward 2026.1)", 0)],
)
def test_the_course_of_a_class_is_printed_and_recorded(
    grade: Grade, own: Path, given: str, folder: str, course: str, score: int
) -> None:
    """Standard error, `run.json`, `cohort.json` and each report name the course that a class was graded with."""
    seed = course.partition("(")[2].rstrip(")")
    done = grade("cohort", "submissions", "--out", "results", "--course", given, "--seed", seed, "--jobs", 1)
    assert f"course: {course} in {own / folder}\n" in done.stderr
    results = own / "results"
    run, summary, report = (
        json.loads((results / name).read_text()) for name in ("run.json", "cohort.json", "reports/ann.json")
    )
    assert run["course"] == summary["course"] == report["course"]
    assert (seed, str(own / folder), score) == (
        f"{run['course']['id']} {run['course']['version']}",
        run["course_folder"],
        report["score"],
    )


@pytest.mark.slow
@pytest.mark.parametrize("given", [".", "packaged"])
def test_feedback_takes_the_course_that_the_class_was_graded_with(grade: Grade, own: Path, given: str) -> None:
    """The course need not be named again, whether it was the one around or the packaged one."""
    seed = {".": "tape 2026.1", "packaged": "backward 2026.1"}[given]
    grade("cohort", "submissions", "--out", "results", "--course", given, "--seed", seed, "--jobs", 1)
    done = grade("export", "results", "--to", "feedback")
    assert (0, "") == (done.returncode, done.stderr)
    page = (own / "results" / "exports" / "feedback" / "ann" / "feedback.html").read_text()
    assert {".": "The Tape", "packaged": "The Backward Pass"}[given] in page


def test_an_official_run_says_that_it_takes_the_packaged_course(grade: Grade, own: Path, tmp_path: Path) -> None:
    """A course.yaml in a submission is not used, and a message says so. `--course` chooses another course."""
    submission = tmp_path / "work" / "submissions" / "ann"
    done = grade("record", submission / "01_record.py", "--official", cwd=submission)
    assert 2 == done.returncode
    other = own / "course.yaml"
    said = f"grading with the packaged course (backward 2026.1), not with {other}; use --course to name another"
    assert said in done.stderr
    done = grade("record", submission / "01_record.py", "--official", "--course", "packaged", cwd=submission)
    assert (2, False) == (done.returncode, said in done.stderr)
    done = grade("record", submission / "01_record.py", "--official", "--course", own, cwd=submission)
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("course", [(), ("--course", "packaged")])
def test_an_official_run_notes_a_course_in_the_submission(grade: Grade, work: Path, course: tuple[str, ...]) -> None:
    """The note is on the screen and in the report, whether or not `--course` is given."""
    (work / "course.yaml").write_text("id: mine\n")
    shutil.copy(ROOT / "solutions" / "01_distribute.py", work)
    seed = ("--seed", "backward 2026.1")
    done = grade("distribute", "--official", "--from", ".", *course, *seed, "--report", "out.json")
    assert 0 == done.returncode, done.stderr
    note = "course.yaml was ignored; the course is backward 2026.1"
    assert f"Note: {note}\n" in done.stdout
    assert [note] == json.loads((work / "out.json").read_text())["notes"]
    done = grade("distribute", "--official", "--from", ".", "--course", ROOT, *seed, "--json")
    assert [note] == json.loads(done.stdout)["notes"]


@pytest.mark.parametrize("command", ["build", "new exercise second", "release out", "stubs", "verify"])
def test_an_authors_command_needs_a_course_of_ones_own(grade: Grade, work: Path, command: str) -> None:
    """The packaged course is verified or written to only if it is named."""
    done = grade(*command.split())
    assert (2, "") == (done.returncode, done.stdout)
    assert [] == list(work.iterdir())
    assert "there is no course.yaml here or in a folder above; go to the course's folder" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["list", "next", "solution 1", "hint", "stubs", "release out"])
def test_the_commands_that_run_hidden_tests_are_named(grade: Grade, work: Path, command: str) -> None:
    """SECURITY.md names the commands that run the hidden tests of the course in the current folder."""
    shutil.copytree(ROOT / "examples" / "tape", work, dirs_exist_ok=True)
    for path in (work / "tests" / "hidden").glob("test_*.py"):
        path.write_text(f"{path.read_text()}\nopen({str(work / 'ran')!r}, 'w').close()\n")
    for solution in (work / "solutions").glob("*.py"):
        begun = solution.read_text(encoding="utf-8").replace("+=", "-=")
        (work / "exercises" / solution.name).write_text(begun, encoding="utf-8")
    if command == "hint":  # searches for the line of a failure that was reported
        grade()
        (work / "ran").unlink()
    grade(*command.split())
    text = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    named = re.findall(r"`([^`]+)`", text[text.index("All other commands use it.") :].partition(" run the hidden")[0])
    commands = "grade list next solution hint play watch build verify %%grade pytest"
    assert commands.split() == named
    assert (command.split()[0] in named) == (work / "ran").exists()


DEFAULTS = {
    "": "the course of this folder or of one above, or else the packaged course; with --official always the packaged "
    "course",
    "hint": "the course of this folder or of one above, or else the packaged course",
    "start": "the course of this folder or of one above, or else the packaged course",
    "build": "the course of this folder or of one above",
    "new exercise": "the course of this folder or of one above",
    "release": "the course of this folder or of one above",
    "stubs": "the course of this folder or of one above",
    "verify": "the course of this folder or of one above",
    "cohort": "the packaged course; in the folder of another course, name one of the two: its folder, or `packaged`",
    "export": "the course that RESULTS was graded with",
}


@pytest.mark.parametrize("command", DEFAULTS)
def test_help_says_which_course_is_taken(grade: Grade, command: str) -> None:
    """The help of each command has the default of `--course`."""
    text = " ".join(grade(*command.split(), "--help").stdout.split())
    assert f"the course's folder (default: {DEFAULTS[command]})" in text
