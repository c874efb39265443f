"""The screens and keys of the loop, with made-up results, without processes and files."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from reports import make_report

from grader.base.text import Style
from grader.course.load import Exercise, load_course
from grader.practice.watch import Pressed, Screen, Watch
from grader.runner.client import Source
from grader.verdict.grading import stamp_of
from grader.verdict.report import CheckResult, ExerciseResult, Repair, Repairs, Report
from grader.verdict.report.model import CourseStamp
from grader.words import practice as said

COURSE = load_course(Path(__file__).resolve().parents[2])
FIRST, SECOND, THIRD = COURSE.exercises[:3]
NO_EVENTS: Any = SimpleNamespace(wait=lambda seconds: None)


def result(exercise: Any, status: str, hint: int = 0) -> ExerciseResult:
    """Return an exercise's result with one check, which failed with that hint, or has the exercise's status."""
    check = CheckResult("one", "a check", "visible", "failed" if hint else status, 0, 2, False, 0.1, hint_number=hint)  # type: ignore[arg-type]
    checks = () if status == "failed" and not hint else (check,)
    return ExerciseResult(exercise.id, exercise.number, exercise.title, status, 0, 2, 0, checks)  # type: ignore[arg-type]


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make the loop with the results of the first exercises. The others are not started. A search finds an edit."""
    monkeypatch.chdir(tmp_path)  # where no progress is known
    sources = {one.id: Source(Path(one.filename), "a.grad = 1\n") for one in COURSE.exercises}

    def make(*results: ExerciseResult, keys: bool = True) -> Watch:
        known = {one.id: result(one, "not_started") for one in COURSE.exercises}
        known.update((one.id, one) for one in results)

        def searched(exercise: Exercise, withdrawn: Callable[[], bool]) -> Iterator[Report]:
            found = replace(known[exercise.id], repairs=Repairs((Repair("constant", (1,)),), 1, exhaustive=False))
            stamp = stamp_of("local", {exercise.id: sources[exercise.id]})
            yield replace(make_report(found), submission=stamp, course=CourseStamp.of(COURSE))

        practice: Any = SimpleNamespace(
            course=COURSE,
            results=known,
            folder=Path("exercises"),
            graded=lambda exercise: sources[exercise.id],
            searched_file=searched,
        )
        screen = Screen(whole=False, keys=keys, style=Style, stream=io.StringIO())
        at = next((one for one in COURSE.exercises if known[one.id].status != "passed"), None)
        return Watch(practice, screen, at)

    return make


def drawn(watch: Watch) -> str:
    """Return the lines that the loop shows now."""
    return "\n".join(watch._view())


def test_a_file_that_is_saved_during_the_first_grading_is_graded_again(watch: Any, tmp_path: Path) -> None:
    """The loop watches the folder before it grades everything, and then grades what has changed meanwhile."""
    loop = watch(keys=False)
    graded: list[list[str]] = []

    def events(exercises: Any, *_: object) -> Iterator[Report]:
        graded.append([one.id for one in exercises])
        if len(graded) == 1:
            (tmp_path / SECOND.filename).write_text("saved")
        else:
            loop._later.append(Pressed("q"))
        yield make_report(result(SECOND, "failed"))

    loop._practice.folder, loop._practice.events = tmp_path, events
    loop._practice.changed = lambda exercises: [SECOND]
    loop.run()
    assert [[one.id for one in COURSE.exercises], [SECOND.id]] == graded


@pytest.mark.parametrize("status", ["not_started", "failed"])
def test_the_first_screen_says_that_no_key_is_taken(watch: Any, status: str) -> None:
    """The message is shown only if no keys are read."""
    assert said.NO_KEYS in " ".join(drawn(watch(result(FIRST, status), keys=False)).split("\n"))
    assert "single keys" not in drawn(watch(result(FIRST, status)))


def test_next_shows_what_was_announced(watch: Any) -> None:
    """After a pass, it shows the named exercise, then the next. Hints and replay belong to the shown exercise."""
    loop = watch(result(FIRST, "passed"))
    loop._turn_to([FIRST])
    assert f"Next: open exercises/{SECOND.filename}" in drawn(loop)
    for exercise in (SECOND, THIRD):
        loop._press("n")
        assert f"TODO     {exercise.number} {exercise.id}" in drawn(loop)
        assert exercise == loop._seen


def test_hints_stay_at_the_failure(watch: Any) -> None:
    """The check's hint comes first, then those of no check, then the last one again. Another failure starts again."""
    loop = watch(result(FIRST, "partial", 2))
    for number, more in ((2, said.NEXT_HINT), *2 * [(4, "That is the last written hint")]):
        loop._press("h")
        assert f"Hint {number} of 5 for 01_distribute" in drawn(loop)
        assert more in drawn(loop)
    loop._practice.results[FIRST.id] = result(FIRST, "failed")
    loop._press("h")
    assert "Hints are for checks, which run once the file can be loaded." in drawn(loop)


@pytest.mark.parametrize(("hint", "written"), [(2, [2, 4]), (0, [])])
def test_the_last_hint_is_a_question_about_the_line(watch: Any, hint: int, written: list[int]) -> None:
    """The file is searched before the last written hint is shown. The question comes after it, and stays."""
    loop = watch(result(FIRST, "partial", hint))
    for number in written:
        loop._press("h", NO_EVENTS)
        assert f"Hint {number} of 5 for 01_distribute" in drawn(loop)
        assert said.NEXT_HINT in drawn(loop)
    for _ in range(2):
        loop._press("h", NO_EVENTS)
        assert "Last hint for 01_distribute" in drawn(loop)
        assert "Which constant is in line 1, and which value is needed there?" in drawn(loop)
        assert "`grade hint distribute N` shows hint N" in drawn(loop)


def test_no_hint_is_shown_if_none_fits(watch: Any) -> None:
    """The screen says so, and how to see the exercise's hints."""
    loop = watch(result(FIRST, "partial", 0))
    loop._press("h")
    assert "There is no hint for this failure." in drawn(loop)
    assert "`grade hint distribute N` shows hint N of the exercise" in " ".join(drawn(loop).split())


def test_a_missing_file_can_be_written_again(watch: Any) -> None:
    """The screen names the key for this."""
    loop = watch(result(FIRST, "missing"))
    assert said.FILE_MISSING in drawn(loop)
    assert said.ON_SAVE not in drawn(loop)


def test_keys_change_the_view(watch: Any, tmp_path: Path) -> None:
    """Keys show all failures, the list, a replay and the exercise. A second `r` resets the file and keeps a copy."""
    loop, path = watch(result(FIRST, "partial", 2)), tmp_path / FIRST.filename
    path.write_text("mine")
    loop._practice.path, loop._practice.stub = lambda one: path, lambda one: "the stub"
    loop._practice.events, loop._play = lambda *_: iter(()), lambda one: ["Replayed."]
    head, asked = f"PARTIAL  {FIRST.number} {FIRST.id}", f"Press r again to reset {FIRST.filename}"
    views = {"a": head, "l": f"> {head}", "p": "Replayed.", "\r": head, "r": asked, "x": asked, "n": SECOND.id}
    for key, text in (*views.items(), ("r", "Press r again")):
        loop._press(key)
        assert text in drawn(loop), key
    loop._press("l")
    assert "mine" == path.read_text()
    loop._press("r")
    loop._press("r")
    assert "is the original file again" in drawn(loop)
    copy = path.parent / ".backward" / "backup" / f"{path.stem}.1.py"
    assert ("the stub", "mine") == (path.read_text(), copy.read_text())
