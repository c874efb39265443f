"""Grading side by side: the order of the events, the budget, and helpers that fail."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from many_graded import grader_of
from msgspec.structs import replace

from grader.course.load import load_course
from grader.course.oracle import read_book
from grader.runner import sandbox
from grader.runner.client import Budget, EngineProcess, read_exercise
from grader.runner.sandbox import Started
from grader.verdict.grading import CheckEnded, Grader, Submission, stamp_of, submission_events
from grader.verdict.report import Report

COURSE = load_course(Path(__file__).resolve().parents[3])
EXERCISES = COURSE.exercises[:5]
IDS = [exercise.id for exercise in EXERCISES]

pytestmark = pytest.mark.slow


class Observed(EngineProcess):
    """A process that notes which files this process runs."""

    here: list[str] = []

    def __init__(self, host: Any, source: Any, *more: Any, **named: Any) -> None:
        Observed.here.append(source.path.name[:2])
        super().__init__(host, source, *more, **named)


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """Return a grader with the course's seed."""
    with grader_of(COURSE, read_book(COURSE.book), None, COURSE.seed) as one:
        yield replace(one, process=Observed)


@pytest.fixture
def beside() -> Iterator[Started]:
    """Return the server process of a helper."""
    with sandbox.start(allow_imports=COURSE.allow_imports) as warm:
        yield warm


@pytest.fixture
def graded(grader: Grader, beside: Started) -> Callable[[Budget], list[Any]]:
    """Return a function that grades five right files with a helper, and returns the events."""
    Observed.here.clear()
    sources = {one.id: read_exercise(one, COURSE.solution(one)) for one in EXERCISES}
    submission = Submission(sources, stamp_of("local", sources))
    return lambda budget: list(submission_events(grader, submission, EXERCISES, budget, sandboxes=[beside]))


def test_checks_end_in_the_order_of_the_course(graded: Callable[[Budget], list[Any]]) -> None:
    """A helper takes the last exercise first. What it says of it comes last, and is charged to the budget."""
    budget = Budget()
    *events, report = graded(budget)
    ended = [(event.exercise.id, event.result.id) for event in events if isinstance(event, CheckEnded)]
    assert [(exercise.id, check.id) for exercise in EXERCISES for check in exercise.checks] == ended
    assert isinstance(report, Report)
    assert [(name, "passed") for name in IDS] == [(one.id, one.status) for one in report.exercises]
    assert budget.cpu_s > 0
    assert "05" not in Observed.here


def test_what_does_not_fit_in_the_budget_is_graded_here(graded: Callable[[Budget], list[Any]]) -> None:
    """Then an exercise runs with what the exercises before it have left, as without helpers."""
    budget = Budget(cpu_s=59.2)
    report = graded(budget)[-1]
    assert (["01", "02", "03", "04", "05"], ["passed"] * 5) == (Observed.here, [one.status for one in report.exercises])
    assert 59.2 < budget.cpu_s < 60


def test_a_helper_that_fails_costs_nothing(graded: Callable[[Budget], list[Any]], beside: Started) -> None:
    """This process grades the exercises of a helper that ends without a result."""
    beside.close()
    report = graded(Budget())[-1]
    assert (["01", "02", "03", "04", "05"], ["passed"] * 5) == (Observed.here, [one.status for one in report.exercises])
