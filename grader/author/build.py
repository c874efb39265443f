"""Make the answer book: what torch says to every program that the checks ask for, and how misconceptions behave."""

from collections.abc import Iterator

import msgspec

from ..answer_book import FORMAT, AnswerBook, KnownBehaviour
from ..checks.session import CheckSession
from ..client import Source, read_source
from ..course import Course, CourseError, Exercise
from ..diagnosis import Misconception, read_misconceptions
from ..grading import Grader, examine, plan
from ..oracle import Oracle
from ..oracle.answers import torch_version
from ..sandbox import start
from .stubs import make_stub


def build_book(course: Course) -> AnswerBook:
    """Answers for every program the checks ask for under the course's own seed, the stubs, and the behaviour of every
    misconception.

    Raises `CourseError`, `GraderFault` or `OracleError`.
    """
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    empty = AnswerBook(FORMAT, torch_version(), stubs, {}, {})
    with (
        Oracle(None, None) as oracle,
        start(allow_imports=course.allow_imports) as warm,
        CheckSession(course, course.exercises) as checks,
    ):
        plan(checks, oracle, course.seed)
        answers = dict(oracle.known)
        grader = Grader(course, empty, checks, oracle, warm, course.seed)
        misconceptions = {exercise.id: tuple(_known(grader, exercise)) for exercise in course.exercises}
    return msgspec.structs.replace(empty, misconceptions=misconceptions, answers=answers)


def catalogue(course: Course, exercise: Exercise) -> list[Misconception]:
    """The misconceptions of an exercise. Raises `CourseError`."""
    path = course.solution(exercise)
    solution = read_source(path)
    if solution.problem is not None:
        raise CourseError(path, None, solution.message or solution.problem)
    return read_misconceptions(path.with_suffix(".mistakes.yaml"), solution.text, len(exercise.hints))


def _known(grader: Grader, exercise: Exercise) -> Iterator[KnownBehaviour]:
    """How each misconception of an exercise behaves. Raises `CourseError` for one that shows on random programs
    alone: any mistake that does so would be called by its name."""

    def behaviour(text: str) -> dict[str, str]:
        return examine(grader, exercise, Source(course.exercise_file(exercise), text)).behaviour

    course = grader.course
    path = course.solution(exercise)
    right = behaviour(read_source(path).text)
    for one in catalogue(course, exercise):
        wrong = behaviour(one.source)
        if wrong == right:
            message = f"`{one.id}` behaves like the solution on every fixed program; a check needs one that tells"
            raise CourseError(path.with_suffix(".mistakes.yaml"), one.line, message)
        yield KnownBehaviour(one.id, one.believes, one.instead, one.hint, wrong)
