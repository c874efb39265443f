"""Grading from files to a report."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from many_graded import grade_texts, grader_of
from msgspec.structs import replace

from grader.author.build import catalogue
from grader.course.load import load_course
from grader.course.oracle.answer_book import read_book
from grader.runner.client import Batch, EngineProcess, Ran
from grader.verdict.grading import Grader
from grader.verdict.report import Report

COURSE = load_course(Path(__file__).resolve().parents[3])
BOOK = read_book(COURSE.book)
SEEDS = (COURSE.seed, "a secret")


class Observed(EngineProcess):
    """A process that counts the files that are open, and the batches."""

    opened = most = batches = 0

    def __enter__(self) -> EngineProcess:
        Observed.opened += 1
        Observed.most = max(Observed.most, Observed.opened)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        Observed.opened -= 1
        super().__exit__(*error)

    def run(self, batch: Batch) -> Ran:
        Observed.batches += 1
        return super().run(batch)


@pytest.fixture(scope="module")
def graders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Grader]]:
    """Return graders with the course's seed and with a secret one."""
    memo = tmp_path_factory.mktemp("memo") / "memo"
    with grader_of(COURSE, BOOK, memo, SEEDS[0]) as one, grader_of(COURSE, BOOK, memo, SEEDS[1]) as other:
        yield [replace(grader, process=Observed) for grader in (one, other)]


def test_files_are_loaded_one_at_a_time(graders: list[Grader]) -> None:
    """Files run one after the other, so a submission takes no more memory than one file may take."""
    texts = {exercise.stem: COURSE.solution(exercise).read_text(encoding="utf-8") for exercise in COURSE.exercises[:4]}
    report = grade_texts(graders[0], texts)
    assert ["passed"] * 4 == [result.status for result in report.exercises[:4]]
    assert (1, 0) == (Observed.most, Observed.opened)


def test_an_error_has_the_line_of_the_learner(graders: list[Grader]) -> None:
    """Lines that were handed out are not named."""
    exercise = COURSE.exercises[0]
    text = COURSE.solution(exercise).read_text(encoding="utf-8").replace("self.grad += out.grad", "raise KeyError")
    first = grade_texts(graders[0], {exercise.stem: text}).exercises[0]
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "raise KeyError" in line)
    assert [line] * len(first.checks) == [check.line for check in first.checks]


def checks_of(report: Report, stem: str) -> dict[str, tuple[Any, Any, Any]]:
    """Return the status, the program and the misconception of each check of an exercise."""
    result = next(result for result in report.exercises if f"{result.number}_{result.id}" == stem)
    return {check.id: (check.status, check.program, check.diagnosis) for check in result.checks}


@pytest.mark.slow
def test_a_misconception_is_named_whatever_numbers_are_asked(graders: list[Grader]) -> None:
    """Under a secret seed, other programs fail, but the misconception is the same.

    It is found on the course's own programs, which give no points.
    """
    exercise = next(exercise for exercise in COURSE.exercises if exercise.id == "accumulate")
    (believed, *_) = catalogue(COURSE, exercise)
    practice, official = (
        checks_of(grade_texts(grader, {exercise.stem: believed.source}), exercise.stem) for grader in graders
    )
    assert any(status != "passed" for status, _, _ in practice.values())
    assert believed.id in {known.id for _, _, known in official.values() if known}
    for check, (status, program, known) in official.items():
        assert (status, known) == (practice[check][0], practice[check][2])
        assert (status == "passed") or program != practice[check][1]


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [("", ""), ("node._backward()", "pass")], ids=["correct", "no gradients"])
def test_where_none_can_be_named_no_misconception_is_looked_for(graders: list[Grader], old: str, new: str) -> None:
    """Such a file runs as many batches under a secret seed as under the course's seed."""
    exercise = next(exercise for exercise in COURSE.exercises if exercise.id == "backward")
    text = COURSE.solution(exercise).read_text(encoding="utf-8").replace(old, new)
    counts = []
    for grader in graders:
        before = Observed.batches
        result = next(one for one in grade_texts(grader, {exercise.stem: text}).exercises if one.id == exercise.id)
        counts.append((result.status, Observed.batches - before))
    assert [("failed" if new else "passed", counts[0][1])] * 2 == counts
