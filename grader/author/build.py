"""Make the answer book: run every hidden check without an engine, and ask the oracle for what it asked."""

from ..checks.session import run_checks
from ..checks.under_check import EngineUnderCheck
from ..course import Check, Course, Exercise
from ..oracle import AnswerBook, Oracle
from ..oracle.answers import torch_version
from ..oracle.book import FORMAT
from .stubs import make_stub


def build_book(course: Course) -> AnswerBook:
    """Answers for every program the checks ask for under the course's own seed, and the stubs.

    Raises `CourseError`, `GraderFault` or `OracleError`.
    """
    with Oracle(None, None) as oracle:

        def planning(exercise: Exercise, check: Check) -> EngineUnderCheck:
            seed = f"{course.seed}:{exercise.id}:{check.id}"
            return EngineUnderCheck(lambda batch: None, oracle.answers, "", course.limits, seed)

        run_checks(course, course.exercises, {exercise.id: planning for exercise in course.exercises})
        answers = oracle.known
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    return AnswerBook(FORMAT, torch_version(), stubs, answers)
