"""Grade files in two ways: all batches in one process, or each batch in a separate process."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from many_graded import grader_of, process_per_batch, results
from msgspec.structs import replace
from ours import BOOK, COURSE

from grader.verdict.grading import Grader


@pytest.fixture(scope="module")
def cpu_s() -> float:
    """Return the seconds of CPU time for a program: the course's own limit."""
    return COURSE.limits.cpu_s


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory, cpu_s: float) -> Iterator[Grader]:
    """Return a grader that uses a plain process, in which more can be left behind than in a sandbox."""
    course = replace(COURSE, limits=replace(COURSE.limits, cpu_s=cpu_s))
    with grader_of(course, BOOK, tmp_path_factory.mktemp("memo") / "memo.sqlite", COURSE.seed, "process") as one:
        yield one


@pytest.fixture
def grade(grader: Grader) -> Callable[..., dict[str, Any]]:
    """Grade texts, by exercise, as one submission. Return each result in the report, without durations."""

    def grade_texts(texts: Mapping[str, str], *, apart: bool) -> dict[str, Any]:
        return results(replace(grader, process=process_per_batch) if apart else grader, texts)

    return grade_texts
