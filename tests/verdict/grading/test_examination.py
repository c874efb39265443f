"""The checks of an exercise on one file, and the processes in which they run."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from many_graded import grader_of, process_per_batch
from msgspec.structs import replace

from grader.course.load import load_course
from grader.course.oracle.answer_book import read_book
from grader.runner.client import Batch, EngineProcess, Ran, Source
from grader.verdict.grading import CheckBegan, CheckEnded, Grader
from grader.verdict.grading.examination import examination

COURSE = load_course(Path(__file__).resolve().parents[3])
EXERCISE = next(exercise for exercise in COURSE.exercises if exercise.id == "accumulate")
RIGHT = COURSE.solution(EXERCISE).read_text(encoding="utf-8")


class Observed(EngineProcess):
    """A process that notes whether each batch ran in a fresh one."""

    fresh_runs: ClassVar[list[bool]] = []

    def run(self, batch: Batch) -> Ran:
        Observed.fresh_runs.append(self.fresh)
        return super().run(batch)


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with grader_of(COURSE, read_book(COURSE.book), None, COURSE.seed) as grader:
        yield replace(grader, process=Observed)


def events_of(grader: Grader, text: str) -> Iterator[CheckBegan | CheckEnded]:
    """Yield the events of all checks."""
    for event in examination(grader, EXERCISE, Source(Path(EXERCISE.filename), text)):
        if isinstance(event, CheckBegan | CheckEnded):
            yield event


def observed(grader: Grader, text: str) -> list[tuple[str, list[bool]]]:
    """Return the status of each check, and whether each of its batches ran in a fresh process."""
    found: list[tuple[str, list[bool]]] = []
    for event in events_of(grader, text):
        if isinstance(event, CheckEnded):
            found.append((event.result.status, Observed.fresh_runs.copy()))
        Observed.fresh_runs.clear()
    return found


def test_every_check_begins_and_ends_once(grader: Grader) -> None:
    """The events of a check come one after the other, in the order of the course."""
    expected = [(kind, check.id) for check in EXERCISE.checks for kind in (CheckBegan, CheckEnded)]
    assert expected == [
        (type(e), e.check.id if isinstance(e, CheckBegan) else e.result.id) for e in events_of(grader, RIGHT)
    ]


def test_checks_that_pass_share_a_process(grader: Grader) -> None:
    """Only the first batch of a right file runs in a fresh process."""
    runs = [fresh for status, fresh in observed(grader, RIGHT) if status == "passed"]
    assert len(EXERCISE.checks) == len(runs)
    assert 1 == sum(map(sum, runs))
    assert runs[0][0]


def test_only_a_fresh_process_decides_that_a_check_failed(grader: Grader) -> None:
    """A check that fails in a used process is run again, and the check after it begins in a fresh one."""
    before = "failed"
    for status, fresh in observed(grader, RIGHT.replace("+=", "=")):
        assert fresh[0] == (before != "passed")
        assert status == "passed" or fresh[-1]
        before = status


ENDS = RIGHT.replace("+=", "= undefined +")


def test_after_two_equal_endings_no_check_is_repeated(grader: Grader) -> None:
    """Each further check runs once, and each of its batches in a fresh process. Its status is that of any other."""
    found = observed(grader, ENDS)
    assert {"error"} == {status for status, _ in found}
    assert all(all(fresh) for _, fresh in found[2:])
    alone = replace(grader, process=process_per_batch)
    assert [status for status, _ in found] == [status for status, _ in observed(alone, ENDS)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_two_equal_endings_cost_no_further_check(grader: Grader, count: int) -> None:
    """A file of which only some rules end has the results of one whose batches all run in fresh processes."""
    text = RIGHT.replace("+=", "= undefined +", count)
    found = [
        [status for status, _ in observed(one, text)] for one in (grader, replace(grader, process=process_per_batch))
    ]
    assert "error" in found[0]
    assert found[0] == found[1]


def test_a_check_that_fails_because_of_another_one_passes(grader: Grader) -> None:
    """A file that works only in a fresh process gets all points, and each check but the first is run twice."""
    once = "import json\nseen = vars(json.dumps).setdefault('seen', [])\nassert not seen\nseen.append(True)\n"
    found = observed(grader, once + RIGHT)
    assert {"passed"} == {status for status, _ in found}
    assert [True] + [False] * (len(found) - 1) == [fresh[0] for _, fresh in found]
    assert all(fresh[-1] for _, fresh in found)
