"""`grade` does not run a file again that has not changed. What ran is counted; no test looks at times."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every

from grader.course.load import load_course
from grader.runner import sandbox
from grader.runner.client import EngineProcess
from grader.verdict.grading import repair, submissions

from .conftest import ROOT

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]
SOLUTIONS = ROOT / "solutions"
FILES = [exercise.filename for exercise in load_course(ROOT).exercises[:3]]
RIGHT = (SOLUTIONS / FILES[0]).read_text(encoding="utf-8")
WRONG = RIGHT.replace("+= out.grad", "+= out.grad ** 2")
ENDLESS = RIGHT.replace("+= out.grad", "+= out.grad\n            while True:\n                pass")


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path, cache: Path) -> dict[str, str]:
    """Return an environment with results of its own, and with the torch answers of all tests."""
    own = tmp_path / "cache"
    own.mkdir()
    (own / "oracle.sqlite").symlink_to(cache / "oracle.sqlite")
    return {**environment, "BACKWARD_CACHE": str(own)}


@pytest.fixture
def exercises(work: Path) -> Path:
    """Return a folder of three exercise files: the first one is wrong."""
    folder = work / "exercises"
    folder.mkdir()
    for name in FILES:
        shutil.copy(SOLUTIONS / name, folder)
    (folder / FILES[0]).write_text(WRONG, encoding="utf-8")
    return folder


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the number of each exercise whose file is loaded first, and `start` for each worker."""
    seen: list[str] = []
    init, start = EngineProcess.__init__, sandbox.start

    def noted_init(self: EngineProcess, host: Any, source: Any, *more: Any, **named: Any) -> None:
        seen.append(source.path.name[:2])
        init(self, host, source, *more, **named)

    def noted_start(*words: Any, **named: Any) -> Any:
        seen.append("start")
        return start(*words, **named)

    monkeypatch.setattr(EngineProcess, "__init__", noted_init)
    monkeypatch.setattr(sandbox, "start", noted_start)
    return seen


ALL = ["start", "01", "02", "03"]


def rerun(ran: list[str], grade: Grade, *words: object, **named: Any) -> tuple[str, list[str]]:
    """Run `grade` on three exercises. Return what it printed, and what ran."""
    ran.clear()
    done = grade("1-3", *words, **named)
    assert not done.stderr
    return done.stdout, list(ran)


def test_unchanged_files_are_not_run_again(grade: Grade, exercises: Path, ran: list[str]) -> None:
    """A second run shows the same text and starts no worker, from another folder too. A changed file is run alone."""
    first, everything = rerun(ran, grade)
    assert ("FAIL" in first, ALL) == (True, everything)
    assert (first, []) == rerun(ran, grade)
    report = json.loads((exercises / ".backward" / "report.json").read_text(encoding="utf-8"))
    assert f"exercises/{FILES[1]}" == report["exercises"][1]["file"]
    assert [] == rerun(ran, grade, cwd=exercises)[1]

    changed = exercises / FILES[1]
    changed.write_text(changed.read_text(encoding="utf-8") + "# a comment\n", encoding="utf-8")
    assert (first, ["start", "02"]) == rerun(ran, grade)
    (exercises / FILES[0]).write_text(RIGHT, encoding="utf-8")
    second, some = rerun(ran, grade)
    assert ("FAIL" in second, ["start", "01"]) == (False, some)
    # one exercise alone has the same result
    assert (True, []) == (grade("1").stdout.startswith("The Backward Pass"), ran[2:])


def test_fresh_runs_all(grade: Grade, exercises: Path, ran: list[str]) -> None:
    """With `--fresh`, every file is run, and the results are kept for the next run."""
    first, _ = rerun(ran, grade, "--fresh")
    assert (first, ALL) == rerun(ran, grade, "--fresh")
    assert (first, []) == rerun(ran, grade)


@every("words", [["--json"], ["--report", "r.json"], ["--instructor"], ["--format", "junit=r.xml"], ["--official"]])
def test_results_for_others_are_never_kept_ones(
    grade: Grade, exercises: Path, ran: list[str], words: list[str]
) -> None:
    """A run whose result may be read by somebody else runs every file."""
    if words == ["--official"]:
        words = ["--official", "--seed", "course", "--isolation", "auto"]
    rerun(ran, grade)
    assert ALL == [one for one in rerun(ran, grade, *words)[1] if one in ALL]


@every("words", [["--seed", "another"], ["--isolation", "process"]])
def test_other_settings_run_all(grade: Grade, exercises: Path, ran: list[str], words: list[str]) -> None:
    """Results of another seed or tier are not shown."""
    rerun(ran, grade)
    assert ALL == rerun(ran, grade, *words)[1]


@every("old, new", [("version: 2", "version: 3"), ("title: The", "title: A")])
def test_a_changed_course_runs_all(
    grade: Grade, exercises: Path, own_course: Path, ran: list[str], old: str, new: str
) -> None:
    """The results of one version of the course are not those of another."""
    words = ["--course", own_course, "--from", exercises]
    rerun(ran, grade, *words)
    assert [] == rerun(ran, grade, *words)[1]
    file = own_course / "course.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    assert ALL == rerun(ran, grade, *words)[1]


@every(
    "text",
    [ENDLESS, f"big = bytearray(1 << 40)\n{RIGHT}", f"import os\nos._exit(3)\n{RIGHT}"],
    ids=["time", "memory", "death"],
)
def test_a_limit_is_not_kept(grade: Grade, exercises: Path, quick_course: Path, ran: list[str], text: str) -> None:
    """A file that a limit ended, or whose process died, runs again. Other files do not."""
    words = ["--course", quick_course, "--from", exercises]
    (exercises / FILES[0]).write_text(text, encoding="utf-8")
    first, _ = rerun(ran, grade, *words)
    assert (first, ["start", "01"]) == rerun(ran, grade, *words)


def rows(path: Path, change: Callable[[str], str], *, signed: bool) -> None:
    """Change every kept result, and its checksum if it is to be signed."""
    connection = sqlite3.connect(path)
    for key, answer in connection.execute("SELECT key, answer FROM answers").fetchall():
        new = change(answer)
        checksum = hashlib.sha256(f"{key}\0{new}".encode()).hexdigest()
        connection.execute("UPDATE answers SET answer = ? WHERE key = ?", (new, key))
        if signed:
            connection.execute("UPDATE answers SET checksum = ? WHERE key = ?", (checksum, key))
    connection.commit()
    connection.close()


def overwrite(path: Path, data: bytes | None) -> None:
    """Replace a file with these bytes, or with a folder."""
    path.unlink()
    path.mkdir() if data is None else path.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "points by hand": lambda path: rows(path, lambda text: text.replace('"score":', '"score":1'), signed=False),
    "another form": lambda path: rows(path, lambda text: text.replace('"checks"', '"marks"'), signed=True),
    "no JSON": lambda path: rows(path, lambda text: text[:50], signed=True),
    "another digest": lambda path: rows(path, lambda text: text.replace('"digest":"', '"digest":"0'), signed=True),
    "no database": lambda path: overwrite(path, b"\0" * 5000),
    "a cut file": lambda path: overwrite(path, path.read_bytes()[:3000]),
    "a folder": lambda path: overwrite(path, None),
}


@every("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_a_damaged_result_is_graded_anew(
    grade: Grade, exercises: Path, environment: dict[str, str], ran: list[str], damage: Callable[[Path], None]
) -> None:
    """Kept results that somebody has changed or damaged are not shown, and do no harm."""
    first, _ = rerun(ran, grade)
    damage(Path(environment["BACKWARD_CACHE"]) / "results.sqlite")
    assert (first, ALL) == rerun(ran, grade)


def test_the_line_that_must_change_is_kept(
    grade: Grade, exercises: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search is made once for a file. A result that was kept without it is searched when it is wanted."""
    searches: list[str] = []

    def noted(grader: Any, exercise: Any, *more: Any) -> Any:
        searches.append(exercise.number)
        return repair.search(grader, exercise, *more)

    monkeypatch.setattr(submissions, "search", noted)
    plain, _ = rerun(ran, grade)
    found, _ = rerun(ran, grade, "--line")
    assert ("every required check" in found, ["01"]) == (True, searches)
    assert (found, []) == rerun(ran, grade, "--line")
    # a run without a search shows and keeps the same as ever
    assert (plain, []) == rerun(ran, grade)
    assert (found, []) == rerun(ran, grade, "--line")
    # the line is shown again beside a file that is run
    (exercises / FILES[1]).write_text((SOLUTIONS / FILES[1]).read_text(encoding="utf-8") + "#\n", encoding="utf-8")
    assert (found, ["start", "02"]) == rerun(ran, grade, "--line")
    assert ["01"] == searches


def test_the_installed_command(
    installed_grade: Grade, exercises: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own, a second run imports nothing that grades, and shows the same text."""
    environment["PYTHONPROFILEIMPORTTIME"] = "1"  # names each imported module on standard error
    first, second, fresh = (installed_grade("1-3", *words) for words in ([], [], ["--fresh"]))
    assert (first.stdout, first.stdout) == (second.stdout, fresh.stdout)
    assert "FAIL" in first.stdout
    grading = [done.stderr.count("grader.verdict.grading.examination") for done in (first, second, fresh)]
    assert [1, 0, 1] == grading
    assert " pytest\n" not in second.stderr
