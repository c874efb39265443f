"""No point depends on how busy the machine is."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from many_graded import grader_of
from msgspec import UNSET
from msgspec.structs import replace
from ours import BOOK, COURSE

from grader.runner.client import Budget, Source
from grader.verdict.grading import Grader, Submission, stamp_of, submission_events
from grader.verdict.report import Report

# a tenth of the usual limits: idle, the class stays far below them, and beside twenty processes the clock exceeds them
QUICK = replace(COURSE, limits=replace(COURSE.limits, cpu_s=COURSE.limits.cpu_s / 4))
MAX_CPU_S, MAX_WALL_S = 20.0, 9.0
BUSY = 20


def wrong(name: str, old: str, new: str) -> str:
    exercise = next(one for one in COURSE.exercises if one.id == name)
    text = COURSE.solution(exercise).read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new)


# what replaces a solution in the submission of each learner, whose other files are right
CLASS: dict[str, dict[str, str]] = {
    "right": {},
    "an endless loop": {"backward": wrong("backward", "node._backward()", "while True: pass")},
    "it sleeps": {"swap": wrong("swap", "self.grad += ", "import time; time.sleep(0.03); self.grad += ")},
    "wrong": {"accumulate": wrong("accumulate", "+=", "=")},
}
FILES = 9  # the first exercises


@contextmanager
def busy(processes: int) -> Iterator[None]:
    # in sessions of their own, because Linux may divide the time among sessions first
    command = [sys.executable, "-S", "-c", "while True: pass"]
    started = [subprocess.Popen(command, start_new_session=True) for _ in range(processes)]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


def bare(report: Report) -> Report:
    """Return a report without times."""
    exercises = [
        replace(one, checks=tuple(replace(check, duration_s=0.0) for check in one.checks)) for one in report.exercises
    ]
    return replace(report, graded_at="", exercises=tuple(exercises), parts=UNSET)


def graded(grader: Grader, files: Mapping[str, str]) -> tuple[Report, Budget]:
    exercises = COURSE.exercises[:FILES]
    sources = {
        one.id: Source(COURSE.solution(one), files.get(one.id) or COURSE.solution(one).read_text(encoding="utf-8"))
        for one in exercises
    }
    budget = Budget(max_cpu_s=MAX_CPU_S, max_wall_s=MAX_WALL_S)
    events = submission_events(grader, Submission(sources, stamp_of("ann", sources)), exercises, budget)
    (report,) = (event for event in events if isinstance(event, Report))
    return bare(report), budget


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("learner", CLASS)
def test_a_class_beside_twenty_busy_processes_has_the_same_reports(learner: str) -> None:
    """CPU time and counts decide, and waiting only while the code sleeps."""
    with grader_of(QUICK, BOOK, None, QUICK.seed) as grader:
        idle, _ = graded(grader, CLASS[learner])
        with busy(BUSY):
            begun = time.monotonic()
            report, budget = graded(grader, CLASS[learner])
            passed = time.monotonic() - begun
    assert idle == report
    assert budget.exceeded is None
    # the clock alone would have ended the submission with the loop
    assert learner != "an endless loop" or min(passed, budget.clock_s) > MAX_WALL_S
