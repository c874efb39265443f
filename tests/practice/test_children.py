"""Where the system cannot fork, the same files get the same verdicts as in a process."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from reports import comparable
from without_posix import PRELUDE

from grader.author.build import catalogue
from grader.base.text import Style
from grader.course.load import Exercise, load_course
from grader.practice.screens import exercise_screen
from grader.practice.session import Practice
from grader.runner.client import decode_source
from grader.runner.sandbox import Children, children
from grader.runner.sandbox.tiers import module_folders
from grader.verdict.report import Report, to_json

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
# a loop that does not end takes a second in each check
QUICK = msgspec.structs.replace(COURSE, limits=msgspec.structs.replace(COURSE.limits, cpu_s=0.5))

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def hosted() -> Iterator[Children]:
    """Let files run in a Python without what Windows lacks."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(children, "_BOOT", PRELUDE + children._BOOT)
        with Children(module_folders(COURSE.allow_imports)) as host:
            yield host


@pytest.fixture(scope="module")
def practices(hosted: Children) -> Iterator[tuple[Practice, Practice]]:
    """Return what grades in a process with limits, and what grades without forks."""
    with (
        Practice(COURSE, ROOT / "exercises", isolation="process") as forked,
        Practice(COURSE, ROOT / "exercises", host=hosted) as without_forks,
    ):
        yield forked, without_forks


@pytest.fixture(scope="module")
def quick(hosted: Children) -> Iterator[tuple[Practice, Practice]]:
    """Return the same for files that hang."""
    with (
        Practice(QUICK, ROOT / "exercises", isolation="process") as forked,
        Practice(QUICK, ROOT / "exercises", host=hosted) as without_forks,
    ):
        yield forked, without_forks


def reports(practices: tuple[Practice, Practice], exercise: Exercise, text: str) -> list[Report]:
    source = decode_source(Path("exercises", exercise.filename), text.encode())
    return [practice.grade_source(exercise, source) for practice in practices]


def agree(forked: Report, without_forks: Report) -> None:
    """Fail unless points, reasons, facts, misconceptions and every sentence are the same."""
    assert "child" == without_forks.isolation.tier
    assert comparable(json.loads(to_json(forked))) == comparable(json.loads(to_json(without_forks)))
    shown = [exercise_screen(report.exercises[0], style=Style(width=80)) for report in (forked, without_forks)]
    if "maximum recursion depth" in " ".join(" ".join(shown[0]).split()):
        shown = [[line for line in screen if not re.match(r" +line \d+: ", line)] for screen in shown]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_a_right_file_passes(practices: tuple[Practice, Practice], exercise: Exercise) -> None:
    """Every solution has full marks."""
    forked, without_forks = reports(practices, exercise, COURSE.solution(exercise).read_text(encoding="utf-8"))
    assert "passed" == without_forks.exercises[0].status
    agree(forked, without_forks)


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_a_wrong_file_fails_for_the_same_reason(practices: tuple[Practice, Practice], exercise: Exercise) -> None:
    """The first misconception of every exercise gets the same explanation. So does a file that can leave traces."""
    entry = catalogue(COURSE, exercise)[0]
    agree(*reports(practices, exercise, entry.source))
    agree(*reports(practices, exercise, f"{entry.source}\nimport sys\nprint(len(sys.argv))\n"))


MULTIPLIES = COURSE.by_id["accumulate"]
BROKEN = {
    "loop": "while True: pass",
    "catches": "exec('while True:\\n try:\\n  while True: pass\\n except BaseException: pass')",
    "sleeps": "__import__('time').sleep(1000)",
    "waits for input": "input()",
    "recursion": "(lambda f: f(f))(lambda f: f(f))",
    "prints": "while True: print('x' * 1000)",
    "exits": "__import__('os')._exit(3)",
    "crashes": "__import__('ctypes').string_at(0)",
    "leaves a builtin": "__builtins__['len'] = None",
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_file_that_hangs_costs_only_its_own_checks(quick: tuple[Practice, Practice], line: str) -> None:
    """A rule of `*` that hangs, floods or ends its process has the same points and sentences as in a process."""
    right = COURSE.solution(MULTIPLIES).read_text(encoding="utf-8")
    head, rule, tail = right.rpartition("def _backward():\n")
    assert rule
    agree(*reports(quick, MULTIPLIES, f"{head}{rule}            {line}\n{tail}"))
