"""Make the answer book: torch's answers to all programs of the checks, and the behaviour of misconceptions."""

import ast
import hashlib
import math
from collections.abc import Callable, Sequence

import msgspec

from ..answer_book import FORMAT, UNCLEAR, AnswerBook, KnownBehaviour, KnownExercise
from ..checks.session import CheckSession
from ..client import Budget, Source, read_source
from ..course import Course, CourseError, Exercise
from ..diagnosis import Behaviour, Misconception, check_of, read_misconceptions, regions, unfinished, without
from ..grading import Grader, examine, plan
from ..oracle import Oracle
from ..oracle.answers import torch_version
from ..sandbox import start
from ..words.files import unread_text
from .steps import Steps
from .stubs import make_stub


def build_book(
    course: Course,
    before: AnswerBook | None = None,
    exercises: Sequence[Exercise] = (),
    steps: Steps | None = None,
) -> AnswerBook:
    """Return the answer book of a course.

    It has the stubs, the answers to every program that the checks ask for under the course's own seed, and the
    behaviour of every misconception.

    Args:
        before: a book from which to take the behaviour of misconceptions.
        exercises: exercises whose misconceptions are run even if `before` has their behaviour.
        steps: counts a step for each solution that is run.

    Raises:
        CourseError: the course cannot be read, or a misconception is wrong.
        GraderFault: a hidden test is wrong.
        OracleError: torch cannot answer.
    """
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    empty = AnswerBook(FORMAT, torch_version(), stubs, {}, {})
    run = to_run(course, before, exercises)
    steps = steps or Steps()
    with (
        Oracle(None, None) as oracle,
        start(allow_imports=course.allow_imports) as warm,
        CheckSession(course, course.exercises) as checks,
    ):
        plan(checks, oracle, course.seed)
        answers = dict(oracle.known)
        grader = Grader(course, empty, checks, oracle, warm, course.seed)
        known = {
            exercise.id: _known(grader, exercise, steps)
            if before is None or exercise in run
            else before.known[exercise.id]
            for exercise in course.exercises
        }
    return msgspec.structs.replace(empty, known=known, answers=answers)


def to_run(course: Course, before: AnswerBook | None, exercises: Sequence[Exercise]) -> list[Exercise]:
    """Return the exercises whose misconceptions `build_book` runs: `exercises`, and those missing in `before`."""
    known = {} if before is None else before.known
    return [exercise for exercise in course.exercises if exercise in exercises or exercise.id not in known]


def steps_of(course: Course, exercise: Exercise) -> int:
    """Return approximately how many solutions `build_book` runs for an exercise. Raises `CourseError`."""
    misconceptions = catalogue(course, exercise)
    if not misconceptions:
        return 0
    solution = read_source(course.solution(exercise)).text
    return len(misconceptions) + len(set(map(_plain, unfinished(solution)))) + len(regions(solution))


def catalogue(course: Course, exercise: Exercise) -> list[Misconception]:
    """Return the misconceptions of an exercise. Raises `CourseError`."""
    path = course.solution(exercise)
    solution = read_source(path)
    if solution.unread is not None:
        raise CourseError(path, None, unread_text(solution.unread, path.name))
    return read_misconceptions(path.with_suffix(".mistakes.yaml"), solution.text, len(exercise.hints))


def _known(grader: Grader, exercise: Exercise, steps: Steps) -> KnownExercise:
    """Return the behaviour of wrong solutions of an exercise.

    Raises:
        CourseError: a misconception behaves like the solution on every fixed program. Any mistake that shows only on
            random programs would then be diagnosed as this misconception.
    """
    course = grader.course
    path = course.solution(exercise)
    solution = read_source(path).text

    def behave(text: str) -> Behaviour:
        steps.take(f"answer book, {exercise.stem}")
        source = Source(course.exercise_file(exercise), text)
        # a solution that loops in every batch waits for minutes on a busy machine, and the book must not depend on that
        unhurried = Budget(max_wall_s=math.inf)
        return examine(grader, exercise, source, unhurried, to_the_end=True).behaviour

    misconceptions, right, true_of_unfinished = [], [solution], []
    paid = {check.id for check in exercise.checks if not check.bonus}
    for one in catalogue(course, exercise):
        wrong = _wrong(behave(one.source))
        if not wrong:
            message = f"`{one.id}` behaves like the solution on every fixed program; a check needs one that tells"
            raise CourseError(path.with_suffix(".mistakes.yaml"), one.line, message)
        functions = changed_functions(solution, one.source)
        if paid.isdisjoint(map(check_of, wrong)):  # it only loses a bonus, so it is another way to write the solution
            right.append(one.source)
        if one.unfinished:
            true_of_unfinished.append(wrong)
        misconceptions.append(KnownBehaviour(one.id, one.title, one.explanation, one.hint, functions, wrong))
    if not misconceptions:
        return KnownExercise()
    believed = {_plain(one.source) for one in catalogue(course, exercise)}
    texts = dict.fromkeys(_plain(text) for one in right for text in unfinished(one))
    rivals = [_wrong(behave(text)) for text in texts if text not in believed]
    rivals = [rival for rival in rivals if rival not in true_of_unfinished]
    kept = {str(rival): rival for rival in rivals if any(_rivals(rival, one.behaviour) for one in misconceptions)}
    return KnownExercise(tuple(misconceptions), tuple(kept.values()), _functions(solution, behave))


def _plain(text: str) -> str:
    """Return a text in the spelling of its syntax tree."""
    return ast.unparse(ast.parse(text))


def _rivals(one: dict[str, str], other: dict[str, str]) -> bool:
    """Return whether two behaviours are the same in a check that both do not pass."""
    there = _by_check(other)
    return any(looks == there.get(check) for check, looks in _by_check(one).items())


def _by_check(looks: dict[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for key, look in looks.items():
        found.setdefault(check_of(key), {})[key] = look
    return found


def _wrong(seen: Behaviour) -> dict[str, str]:
    return dict(sorted({**seen.wrong, **dict.fromkeys(seen.unclear, UNCLEAR)}.items()))


def changed_functions(solution: str, edited: str) -> dict[str, str]:
    """Return the functions and methods in which two texts differ, with a fingerprint of each in the second text."""
    before, after = _written(solution), _written(edited)
    return {
        name: hashlib.sha256(text.encode()).hexdigest()[:8] for name, text in after.items() if text != before.get(name)
    }


def _written(text: str) -> dict[str, str]:
    """Return the functions of a file and the methods of its classes, in the spelling of their syntax trees."""
    body = ast.parse(text).body
    members = [node for cls in body if isinstance(cls, ast.ClassDef) for node in cls.body]
    return {node.name: ast.unparse(node) for node in (*body, *members) if isinstance(node, ast.FunctionDef)}


def _functions(solution: str, behave: Callable[[str], Behaviour]) -> dict[str, tuple[str, ...]]:
    """Return, for each function to fill in, the programs that depend on no other one of them.

    Returns nothing if there are fewer than two such functions.
    """
    names = list(dict.fromkeys(name for name, _, _ in regions(solution)))
    if len(names) < 2:
        return {}
    needing = {name: behave(without(solution, name)).unclear for name in names}
    return {
        name: tuple(sorted(keys.difference(*(needing[other] for other in names if other != name))))
        for name, keys in needing.items()
    }
