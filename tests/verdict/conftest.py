from collections.abc import Callable

import pytest

from grader.course.load import Course
from grader.course.oracle.answer_book import read_book
from grader.verdict.grading import grade
from grader.verdict.report import Report

SEED = "a seed that is not the course's own"


@pytest.fixture(scope="session")
def mixed(course: Course, tmp_path_factory: pytest.TempPathFactory, once: Callable[..., Report]) -> Report:
    """Return the report on a folder in which one thing is right and every other is wrong, under a seed of its own."""
    folder, memo = tmp_path_factory.mktemp("mixed"), tmp_path_factory.mktemp("memo") / "oracle.sqlite"

    def solution(name: str) -> str:
        (exercise,) = [exercise for exercise in course.exercises if exercise.id == name]
        return course.solution(exercise).read_text(encoding="utf-8")

    texts = {
        "distribute": solution("distribute") + "\n)",
        "swap": solution("swap").replace("+= other.data * out.grad", "= other.data\n            print(self, 1 / 3)"),
        "accumulate": solution("accumulate"),
        "build_topo": read_book(course.book).stubs["build_topo"],
        "relu": solution("relu").replace("(self.data > 0) * out.grad", "self.nothing"),
        "engine": solution("engine").replace("reversed(order)", "set(order)"),
    }
    files = {exercise.id: folder / exercise.filename for exercise in course.exercises}
    for name, text in texts.items():
        files[name].write_text(text, encoding="utf-8")
    return once("mixed", lambda: grade(course, read_book(course.book), files, seed=SEED, memo=memo))


@pytest.fixture(params=["solved", pytest.param("mixed", marks=pytest.mark.slow)])
def real(request: pytest.FixtureRequest) -> Report:
    """Return each of two real reports: on the solutions, and on mistakes of every kind."""
    report: Report = request.getfixturevalue(request.param)
    return report
