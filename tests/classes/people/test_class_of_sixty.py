"""A class of sixty with all kinds of events gets the same final table from seven layouts.

The expected table is computed here from `course.yaml` and the list of people alone. Nothing is graded: a pool answers
with the known report on each of a few texts.
"""

import csv
import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from answered_pool import AnsweredPool
from msgspec import UNSET
from msgspec.structs import replace
from submitted import written

from grader.classes.cohort.export import export
from grader.classes.cohort.jobs import Graded, Job
from grader.classes.intake import LAYOUTS
from grader.cli import cohort
from grader.cli.cohort import run_cohort
from grader.cli.decide import run_decide
from grader.cli.instructor import compare
from grader.cli.options import CohortOptions, DecideOptions
from grader.course.load import Course
from grader.verdict.formats.registry import ExportRequest, export_formats
from grader.verdict.report import Report, with_results
from grader.verdict.report.model import ReportStatus

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
EXERCISE = "01_distribute.py"
DUE = datetime(2026, 3, 1, 22, 59, tzinfo=UTC)
DEADLINES = """\
due: 2026-03-01T23:59:00+01:00
grace: 10 min
penalty: {percent: 10, per: day, cap: 25}
sections:
  B: {due: 2026-03-02T23:59:00+01:00}
extensions:
  - {learner: stu10, extra: 2 days, why: ill}
"""
HOURS = (-30.0, -2.0, 0.1, 5.0, 30.0, 80.0)  # after the due date of section A
ABSENT = (5, 17, 33, 60)
FAILED = (0, 2, 9, 16, 24, 87)  # how many of the first checks each text fails


@dataclass(frozen=True)
class Someone:
    """One person of the class. `number` determines everything about the person."""

    number: int

    @property
    def login(self) -> str:
        return f"stu{self.number}"

    @property
    def first(self) -> str:
        return "Jo" if self.number in (11, 12) else f"Zoë{chr(64 + self.number % 26 + 1)}"

    @property
    def last(self) -> str:
        return "Roe" if self.number in (11, 12) else f"Müller{chr(64 + self.number // 26 + 1)}"

    @property
    def section(self) -> str:
        return "AB"[self.number % 2]

    @property
    def group(self) -> int:
        """Return the number of a pair, whose first member submits, or 0 for a single person."""
        return self.number // 2 if 50 <= self.number <= 59 else 0

    @property
    def author(self) -> int:
        """Return the number of the person who submitted for this one."""
        return 2 * self.group if self.group else self.number

    @property
    def time(self) -> datetime:
        return DUE + timedelta(hours=HOURS[self.author % len(HOURS)])

    @property
    def variant(self) -> int:
        return self.author % len(FAILED)

    @property
    def submits(self) -> bool:
        return self.number == self.author and self.number not in ABSENT


CLASS = [Someone(number) for number in range(1, 61)]
EVE = "eve"  # is in no roster


def roster(times: bool) -> str:
    header = "Login;Name;E-Mail;Section;Team;Canvas ID;Moodle ID;Submitted at\n"
    rows = [
        f"{p.login};{p.first} {p.last};{p.login}@example.edu;{p.section};{f'Team {p.group}' if p.group else ''};"
        f"{1000 + p.number};{7000 + p.number};{p.time.isoformat() if times and p.number not in ABSENT else ''}\n"
        for p in CLASS
    ]
    return header + "".join(rows)


def text(variant: int) -> str:
    return f"# {variant}\n"


# -- the layouts -------------------------------------------------------------------------------------------


Files = dict[str, str | bytes]
SUBMITTED = [p for p in CLASS if p.submits]


def folders() -> Files:
    return {**{f"{p.login}/{EXERCISE}": text(p.variant) for p in SUBMITTED}, f"{EVE}/": ""}


def clones() -> Files:
    """Return clones with a prefix and a commit whose time counts."""
    files: Files = {f"backward-{p.login}/{EXERCISE}": text(p.variant) for p in SUBMITTED}
    for name, p in [*((p.login, p) for p in SUBMITTED), (EVE, CLASS[0])]:
        content = f"tree {'0' * 40}\ncommitter x <x@y> {int(p.time.timestamp())} +0100\n\nx".encode()
        stored = b"commit %d\0" % len(content) + content
        digest = hashlib.sha1(stored, usedforsecurity=False).hexdigest()
        files[f"backward-{name}/.git/objects/{digest[:2]}/{digest[2:]}"] = zlib.compress(stored)
        files[f"backward-{name}/.git/HEAD"] = f"{digest}\n"
    return files


def classroom50() -> Files:
    """Return what `gh teacher download` of Classroom 50 makes: clones, and beside them a line for each attempt."""
    header = "username,first_name,last_name,email,section,score,max_score,datetime,submission_tag,submitted_by,late"
    lines = [
        f"{p.login},{p.first},{p.last},,{p.section},{number},9,{p.time.isoformat()},submit/{number},{p.login},false"
        for p in SUBMITTED
        for number in (1, 2)
    ]
    return {**clones(), "scores.csv": "\n".join([header, *lines, ""])}


def moodle() -> Files:
    names = {f"{p.first} {p.last}_{7000 + p.number}_assignsubmission_file_/{EXERCISE}": p for p in SUBMITTED}
    return {**{name: text(p.variant) for name, p in names.items()}, "Eve_7999_assignsubmission_file_/": ""}


def gradescope() -> Files:
    metadata: dict[str, Any] = {}
    for p in SUBMITTED:
        people = [q for q in CLASS if q.author == p.number]
        metadata[f"submission_{p.number}"] = {
            ":submitters": [{":name": f"{q.first} {q.last}", ":email": f"{q.login}@example.edu"} for q in people],
            ":created_at": p.time.strftime("%Y-%m-%d %H:%M:%S.000000000 Z"),
        }
    metadata["submission_999"] = {":submitters": [{":name": "Eve", ":email": "eve@example.edu"}]}
    files: Files = {f"submission_{p.number}/{EXERCISE}": text(p.variant) for p in SUBMITTED}
    return {**files, "submission_999/": "", "submission_metadata.yml": yaml.safe_dump(metadata)}


def nbgrader() -> Files:
    files: Files = {f"submitted/{EVE}/backward/": ""}
    for p in SUBMITTED:
        files[f"submitted/{p.login}/backward/{EXERCISE}"] = text(p.variant)
        files[f"submitted/{p.login}/backward/timestamp.txt"] = p.time.strftime("%Y-%m-%d %H:%M:%S.123456 UTC")
    return files


def canvas() -> Files:
    files: Files = {f"eve_1999_900999_{EXERCISE}": text(5)}
    for p in SUBMITTED:
        who = f"{p.last}{p.first}".lower() + "_LATE" * (p.time > DUE)
        files[f"{who}_{1000 + p.number}_{900000 + p.number}_{EXERCISE}"] = text(p.variant)
    return files


LAYOUT = {"folders": folders, "clones": clones, "moodle": moodle, "gradescope": gradescope}
LAYOUT |= {"nbgrader": nbgrader, "canvas": canvas, "classroom50": classroom50}
TIMELESS = ("folders", "moodle", "canvas")  # the roster has the times


# -- the expected table ------------------------------------------------------------------------------------


@cache
def points_of(failed: int) -> tuple[int, int, int]:
    """Return score and bonus of a text, and its points for the grade, computed from `course.yaml` alone."""
    course = yaml.safe_load((ROOT / "course.yaml").read_text(encoding="utf-8"))
    second = course["parts"][1]["first"]
    checks = [(exercise["id"], check) for exercise in course["exercises"] for check in exercise["checks"].values()]
    of_first = {id for id, _ in checks[: next(i for i, (id, _) in enumerate(checks) if id == second)]}
    bonus = [(id, check["points"]) for id, check in checks if check.get("bonus")]
    worth = [(id, check["points"]) for id, check in checks if not check.get("bonus")][failed:]
    graded = sum(points for id, points in [*worth, *bonus] if id in of_first)
    return sum(points for _, points in worth), sum(points for _, points in bonus), graded


def expected_row(p: Someone, better: bool, decided: bool) -> dict[str, Any]:
    """Return standing, score, bonus, penalty, total and grade of one person."""
    if p.number in ABSENT:
        return {"standing": "absent", "score": 0, "bonus": 0, "late_s": 0, "penalty": 0, "total": 0, "grade": ""}
    score, bonus, graded = points_of(FAILED[0 if better and p.author == 40 else p.variant])
    if decided and p.number == 29:
        score, graded = score + 2, graded + 2  # the first check has 2 points, and the text of 29 fails it
    due = DUE + timedelta(days=(p.section == "B") + 2 * (p.number == 10))
    late = p.time - due
    late_s = int(late.total_seconds()) if late > timedelta(minutes=10) else 0
    days = -(-late_s // 86400)
    percent = 0 if decided and p.number == 35 else min(10 * days, 25)
    penalty = (score + bonus) * percent // 100
    total = score + bonus - penalty
    graded -= graded * percent // 100
    grade = next((name for name, least in (("A", 90), ("B", 80), ("C", 70), ("D", 60)) if graded >= least), "")
    row = {"standing": "graded", "score": score, "bonus": bonus, "late_s": late_s, "penalty": penalty, "total": total}
    if decided and p.number == 32:
        return {**row, "standing": "excused", "grade": ""}
    return {**row, "grade": grade}


def expected(better: bool = False, decided: bool = True) -> dict[str, dict[str, Any]]:
    return {p.login: expected_row(p, better, decided) for p in CLASS}


# -- the runs ----------------------------------------------------------------------------------------------


def known(solved: Report, job: Job) -> Graded:
    """Return the known report on a text."""
    written = job.submission.sources["distribute"].text
    variant = int(written[2:]) if written else None
    left = len(solved.exercises) * 99 if variant is None else FAILED[variant]
    exercises = []
    for exercise in solved.exercises:
        checks = []
        for check in exercise.checks:
            fails = left > 0 and (not check.bonus or variant is None)
            left -= fails
            checks.append(replace(check, status="failed", score=0) if fails else check)
        score = sum(check.score for check in checks if not check.bonus)
        bonus = sum(check.score for check in checks if check.bonus)
        status = "passed" if score == exercise.max_score else "partial" if score else "failed"
        exercises.append(replace(exercise, checks=tuple(checks), score=score, bonus=bonus, status=status))
    report = with_results(solved, exercises)
    overall: ReportStatus = "passed" if variant == 0 else "partial"
    stamp, notes = job.submission.stamp, job.submission.notes
    return Graded(job.id, replace(report, submission=stamp, notes=notes, status=overall, seed=UNSET))


@pytest.fixture
def run(
    course: Course, solved: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, dict[str, Any]]]:
    """Run `grade cohort` on a layout and return the final table by login."""
    monkeypatch.setattr(cohort, "LocalPool", lambda *_: AnsweredPool(lambda job: known(solved, job)))

    def table(layout: str, **more: Any) -> dict[str, dict[str, Any]]:
        name = layout if layout in LAYOUTS else "folders"
        options: dict[str, Any] = {"layout": name, "jobs": 1, "seed": course.seed, "isolation": "auto"}
        options |= {"allow_process": False, "out": tmp_path / "results", **more}
        assert 1 == run_cohort(course, CohortOptions(tmp_path / layout, **options))
        return rows(options["out"])

    return table


KEYS = ("standing", "score", "bonus", "late_s", "penalty", "total", "grade")
ZERO = {"standing": "", "score": 0, "bonus": 0, "late_s": 0, "penalty": 0, "total": 0, "grade": ""}


def rows(results: Path) -> dict[str, dict[str, Any]]:
    learners = json.loads((results / "cohort.json").read_text())["learners"]
    return {one["id"]: {key: {**ZERO, **one}[key] for key in KEYS} for one in learners}


def decide(course: Course, results: Path, learner: str, **what: Any) -> None:
    run_decide(course, DecideOptions(results, learner, why="it was so", by="Ada", **what))


@pytest.mark.parametrize(
    "layout", [name if name == "gradescope" else pytest.param(name, marks=pytest.mark.exhaustive) for name in LAYOUT]
)
def test_the_same_table_from_each_layout(
    run: Callable[..., dict[str, dict[str, Any]]],
    course: Course,
    tmp_path: Path,
    layout: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every number is the same after a first run, after three decisions, and after another submission."""
    written(tmp_path / layout, {"files": [LAYOUT[layout]()]})
    (tmp_path / "roster.csv").write_text(roster(layout in TIMELESS), encoding="utf-8")
    (tmp_path / "deadlines.yaml").write_text(DEADLINES, encoding="utf-8")
    results = tmp_path / "results"

    first = run(layout, roster=tmp_path / "roster.csv", deadlines=tmp_path / "deadlines.yaml")
    strangers = [name for name, row in first.items() if row["standing"] == "unclaimed"]
    assert 1 == len(strangers)
    assert expected(decided=False) == {name: row for name, row in first.items() if name not in strangers}
    said = capsys.readouterr().out
    assert "Submitted nothing (4): " in said
    assert "Not in the roster (1): " in said

    decide(course, results, "stu29", points=["distribute.both_inputs=2"])
    decide(course, results, "stu35", penalty=0)
    decide(course, results, "stu32", excused=True)
    reports = {path.name: path.read_bytes() for path in (results / "reports").iterdir()}
    second = run(layout)
    assert expected() == {name: row for name, row in second.items() if name not in strangers}
    assert reports == {path.name: path.read_bytes() for path in (results / "reports").iterdir()}
    assert "because decision on distribute.both_inputs: none -> 2" in capsys.readouterr().out

    (changed,) = [path for path in (tmp_path / layout).rglob(f"*{EXERCISE}") if is_of(path, 40)]
    changed.write_text(text(0))
    third = run(layout, out=tmp_path / "third", since=results)
    assert expected(better=True) == {name: row for name, row in third.items() if name not in strangers}
    before, after = expected()["stu40"]["total"], expected(better=True)["stu40"]["total"]
    assert f"(stu40): {before} -> {after}, because the files changed; " in capsys.readouterr().out
    assert 1 == compare(results, tmp_path / "third")
    assert f"(stu40): {before} -> {after}, because the files changed; " in capsys.readouterr().out

    export(export_formats()["csv"], ExportRequest(tmp_path / "third"))
    with (tmp_path / "third" / "exports" / "grades.csv").open(encoding="utf-8", newline="") as file:
        exported = {row["id"]: row for row in csv.DictReader(file)}
    for login, row in expected(better=True).items():
        numbers = {key: str(row[key]) for key in KEYS[1:]}
        assert numbers == {key: exported[login][key] for key in numbers}, login


def is_of(path: Path, number: int) -> bool:
    p = CLASS[number - 1]
    marks = (p.login, f"backward-{p.login}", f"submission_{number}", f"_{7000 + number}_", f"_{1000 + number}_")
    return any(mark == part or (mark.startswith("_") and mark in part) for part in path.parts[-4:] for mark in marks)


def test_totals_are_spread(course: Course) -> None:
    """The test is not vacuous: each grade, several penalties and every standing occur."""
    found = expected().values()
    assert {"A", "B", "C", "D", ""} == {row["grade"] for row in found}
    assert {"graded", "absent", "excused"} == {row["standing"] for row in found}
    assert len({row["penalty"] for row in found}) >= 5
