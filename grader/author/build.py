"""Make the answer book: what torch says to every program that the checks ask for, and how misconceptions behave."""

from collections.abc import Iterator

from ..course import Course, CourseError, Exercise
from ..diagnosis import Misconception, read_misconceptions
from ..engine import Source, read_source
from ..grading import examine, plan
from ..oracle import AnswerBook, KnownBehaviour, Oracle
from ..oracle.answers import torch_version
from ..oracle.book import FORMAT
from ..sandbox import Warm, start
from .stubs import make_stub


def build_book(course: Course) -> AnswerBook:
    """Answers for every program the checks ask for under the course's own seed, the stubs, and the behaviour of every
    misconception.

    Raises `CourseError`, `GraderFault` or `OracleError`.
    """
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    with Oracle(None, None) as oracle, start(allow_imports=course.allow_imports) as warm:
        plan(course, oracle, course.seed)
        answers = dict(oracle.known)
        misconceptions = {exercise.id: tuple(_known(course, exercise, warm, oracle)) for exercise in course.exercises}
    return AnswerBook(FORMAT, torch_version(), stubs, misconceptions, answers)


def catalogue(course: Course, exercise: Exercise) -> list[Misconception]:
    """The misconceptions of an exercise. Raises `CourseError`."""
    path = course.solution(exercise)
    solution = read_source(path)
    if solution.problem is not None:
        raise CourseError(path, None, solution.message or solution.problem)
    return read_misconceptions(path.with_suffix(".mistakes.yaml"), solution.text, len(exercise.hints))


def _known(course: Course, exercise: Exercise, warm: Warm, oracle: Oracle) -> Iterator[KnownBehaviour]:
    """How each misconception of an exercise behaves. Raises `CourseError` for one that shows on random programs
    alone: any mistake that does so would be called by its name."""

    def behaviour(text: str) -> dict[str, str]:
        source = Source(course.exercise_file(exercise), text)
        examined = examine(
            course, [exercise], lambda: {exercise.id: source}, {}, warm=warm, oracle=oracle, seed=course.seed
        )
        return examined.behaviour(exercise)

    path = course.solution(exercise)
    right = behaviour(read_source(path).text)
    for one in catalogue(course, exercise):
        wrong = behaviour(one.source)
        if wrong == right:
            message = f"`{one.id}` behaves like the solution on every fixed program; a check needs one that tells"
            raise CourseError(path.with_suffix(".mistakes.yaml"), one.line, message)
        yield KnownBehaviour(one.id, one.believes, one.instead, one.hint, wrong)
