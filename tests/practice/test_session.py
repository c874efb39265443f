"""The same processes grade files repeatedly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.load import Course
from grader.practice.session import Practice, Withdrawn, first_unfinished
from grader.runner.sandbox import Warm
from grader.verdict.grading import CheckBegan


@pytest.fixture
def practice(course: Course, tmp_path: Path) -> Iterator[Practice]:
    """Return three files: a correct one, one that ignores the upstream gradient, and an untouched one."""
    first, second, third = course.exercises[:3]
    right = {exercise.id: course.solution(exercise).read_text(encoding="utf-8") for exercise in (first, second)}
    (tmp_path / first.filename).write_text(right[first.id], encoding="utf-8")
    (tmp_path / second.filename).write_text(right[second.id].replace(" * out.grad", ""), encoding="utf-8")
    with Practice(course, tmp_path) as practice:
        (tmp_path / third.filename).write_text(practice.stub(third), encoding="utf-8")
        yield practice


@pytest.mark.slow
def test_each_save_counts(course: Course, practice: Practice) -> None:
    """A file is graded with its present text. Only a file with another text has changed."""
    first, second, third, fourth = course.exercises[:4]
    practice.grade((first, second, third, fourth))
    statuses = [practice.results[exercise.id].status for exercise in (first, second, third, fourth)]
    assert ["passed", "partial", "not_started", "missing"] == statuses

    practice.path(second).write_text(course.solution(second).read_text(encoding="utf-8"), encoding="utf-8")
    practice.path(first).touch()
    assert [second] == practice.changed((first, second, third, fourth))
    practice.grade([second])
    assert ("passed", []) == (practice.results[second.id].status, practice.changed((first, second, third, fourth)))


def test_a_sandbox_that_died_is_started_again(course: Course, practice: Practice) -> None:
    """Nothing is lost if the server process is killed between two saves."""
    first = course.exercises[0]
    practice.grade([first])
    assert practice._grader is not None
    assert isinstance(practice._grader.warm, Warm)
    process = practice._grader.warm._process
    assert process is not None
    process.kill()
    process.wait()
    practice.grade([first])
    assert "passed" == practice.results[first.id].status


def test_a_sandbox_that_dies_during_a_check_is_started_again(course: Course, practice: Practice) -> None:
    """Nothing is lost if the server process is killed while a file is graded."""
    first = course.exercises[0]
    assert practice._grader is not None
    assert isinstance(practice._grader.warm, Warm)
    process = practice._grader.warm._process
    assert process is not None
    for event in practice.events([first]):
        if isinstance(event, CheckBegan) and process.poll() is None:
            process.kill()
            process.wait()
    assert "passed" == practice.results[first.id].status
    assert process.poll() is not None


def test_the_first_unfinished_comes_after_the_one_at_hand(course: Course, practice: Practice) -> None:
    """After the last exercise, the search continues from the first one."""
    second, third = course.exercises[1:3]
    practice.grade(course.exercises)
    assert second == first_unfinished(course, practice.results)
    assert third == first_unfinished(course, practice.results, after=second.id)
    assert second == first_unfinished(course, practice.results, after=course.exercises[-1].id)


def test_a_withdrawn_file_has_no_result_and_counts_as_changed(course: Course, practice: Practice) -> None:
    """The check in progress is stopped, and nothing more of the file is run."""
    second = course.exercises[1]
    given = practice.path(second).read_text(encoding="utf-8")
    endless = given.replace("def _backward():", "def _backward():\n            while True: pass", 1)
    practice.path(second).write_text(endless, encoding="utf-8")
    right = course.solution(second).read_text(encoding="utf-8")
    events = practice.events([second], withdrawn=lambda: bool(practice.changed([second])))
    assert isinstance(next(events), CheckBegan)
    practice.path(second).write_text(right, encoding="utf-8")
    with pytest.raises(Withdrawn):
        list(events)
    assert second.id not in practice.results
    assert [second] == practice.changed([second])
    practice.grade([second])
    assert "passed" == practice.results[second.id].status


@pytest.mark.slow
def test_a_replay_marks_the_line_that_a_search_found(course: Course, practice: Practice) -> None:
    """The replay of a text that was searched has the lines. After another save, it has none."""
    second = course.exercises[1]
    list(practice.events([second], searched=lambda report: [second.id]))
    text = practice.path(second).read_text(encoding="utf-8")
    rules = [line for line, code in enumerate(text.splitlines(), 1) if "grad += " in code]
    assert [tuple(rules)] == [replay.source.repair for replay in practice.replays(second).replays]
    practice.path(second).write_text(f"\n{text}", encoding="utf-8")
    assert [()] == [replay.source.repair for replay in practice.replays(second).replays]
