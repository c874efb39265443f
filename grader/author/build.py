"""Make the answer book: torch's answers to all programs of the checks, and the behaviour of misconceptions."""

import ast
import hashlib
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from string import Template
from typing import TypeAlias

import msgspec
from msgspec import structs

from ..base.files import read_plain, write_atomically
from ..base.memo import Memo, grader_digest
from ..base.text import did_you_mean, text_digest
from ..course.load import Course, CourseError, Exercise
from ..course.oracle import FORMAT, UNCLEAR, AnswerBook, KnownBehaviour, KnownExercise, Oracle, torch_version
from ..runner.client import Budget, Source, read_source
from ..runner.sandbox import start
from ..verdict.checks import CheckSession
from ..verdict.diagnosis import Behaviour, Misconception, check_of, read_misconceptions, regions, unfinished, without
from ..verdict.grading import Grader, examine, plan
from ..words.practice import unread_text
from .drawing import drawn

SOLUTION = Path(__file__).resolve().parent / "templates" / "solution.py.txt"  # of a new exercise

# -- Make exercise files from solutions: a TODO replaces the code between the markers

_BEGIN = re.compile(r"(?P<indent>[ ]*)# BEGIN SOLUTION(?: (?P<prompt>.*\S))?\s*")
_NEARLY = re.compile(r"#.*\b(BEGIN|END)\s+SOLUTION", re.IGNORECASE)
_END = re.compile(r"[ ]*# END SOLUTION\s*")
_FIGURE = re.compile(r"(?P<indent>[ ]*)\[figure: (?P<id>[^\]]*)\]\s*")


def make_stub(course: Course, exercise: Exercise) -> str:
    """Return the exercise file for a solution. Raises `CourseError` for markers that do not pair."""
    path = course.solution(exercise)
    source = read_source(path)
    if source.unread is not None:
        raise CourseError(path, None, unread_text(source.unread, path.name))
    return _stub_of(path, source.text, exercise)


def _stub_of(path: Path, solution: str, exercise: Exercise) -> str:
    """Return the exercise file for the text of a solution. Raises `CourseError`, which names the path."""
    # `opened` is the line in which the present region began, or 0
    lines: list[str] = []
    opened = 0
    region_count = 0
    missing = {figure.id for figure in exercise.figures}
    for number, line in enumerate(solution.splitlines(), 1):
        begin = _BEGIN.fullmatch(line)
        if begin and opened:
            raise CourseError(path, number, f"BEGIN SOLUTION within the region that began in line {opened}")
        if begin:
            if not begin["prompt"]:
                raise CourseError(path, number, "BEGIN SOLUTION needs a question for the learner after it")
            opened, region_count = number, region_count + 1
            text = begin["prompt"].replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f"{begin['indent']}# TODO: {begin['prompt']}")
            lines.append(f'{begin["indent"]}raise NotImplementedError("{exercise.id}: {text}")')
        elif _END.fullmatch(line):
            if not opened:
                raise CourseError(path, number, "END SOLUTION without a BEGIN SOLUTION")
            opened = 0
        elif _NEARLY.search(line):
            raise CourseError(path, number, "write a marker as `# BEGIN SOLUTION question` or `# END SOLUTION`")
        elif not opened and (place := _FIGURE.fullmatch(line)):
            if place["id"] not in figures_of(exercise):
                problem = f"course.yaml has no figure `{place['id']}` for this exercise"
                raise CourseError(path, number, problem + did_you_mean(place["id"], figures_of(exercise)))
            missing.discard(place["id"])
            lines += _indented(exercise, place)
        elif not opened:
            lines.append(line)
    if opened:
        raise CourseError(path, opened, "BEGIN SOLUTION without an END SOLUTION")
    if not region_count:
        raise CourseError(path, None, "has no solution region: put # BEGIN SOLUTION and # END SOLUTION around it")
    if missing:
        figure = min(missing)
        raise CourseError(
            path, None, f"has no place for the figure `{figure}`: write `[figure: {figure}]` in its lesson"
        )
    return "\n".join(lines) + "\n"


def figures_of(exercise: Exercise) -> dict[str, list[str]]:
    """Return the figures of an exercise in characters, by id."""
    return {figure.id: drawn(figure) for figure in exercise.figures}


def _indented(exercise: Exercise, place: re.Match[str]) -> list[str]:
    """Return the lines of a figure for its place in a lesson."""
    return [(place["indent"] + line).rstrip() for line in figures_of(exercise)[place["id"]]]


def shown_solution(course: Course, exercise: Exercise) -> str:
    """Return a solution as a learner would write it: with its figures, and without the lines that mark its regions.

    Raises:
        OSError: the file cannot be read.
    """
    lines: list[str] = []
    for line in read_plain(course.solution(exercise), follow=True).decode("utf-8").splitlines():
        place = _FIGURE.fullmatch(line)
        if place and place["id"] in figures_of(exercise):
            lines += _indented(exercise, place)
        elif not (_BEGIN.fullmatch(line) or _END.fullmatch(line)):
            lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def write_stubs(course: Course, known: Mapping[str, str], *, force: bool = False) -> list[str]:
    """Write every exercise file that is out of date with its solution. Return the names of the written files.

    A file that a learner or author has worked on is left alone unless `force` is true.

    Args:
        known: The stubs of an earlier version by exercise id. A file with such a text is replaced.
    """
    written = []
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    for exercise in course.exercises:
        path, stub = course.exercise_file(exercise), stubs[exercise.id]
        if read_source(path).text == stub or (is_work(course, exercise, known) and not force):
            continue
        try:
            path.parent.mkdir(exist_ok=True)
            write_atomically(path, stub.encode())
        except OSError as error:
            raise CourseError(path, None, f"cannot be written: {error.strerror}") from None
        written.append(path.name)
    return written


def is_work(course: Course, exercise: Exercise, known: Mapping[str, str]) -> bool:
    """Return whether somebody has worked on an exercise's file.

    A file is not work if it is missing, empty, the present stub of its solution, the stub in `known` (by exercise id),
    or the one that `grade new` wrote. Raises the same errors as `make_stub`.
    """
    present = read_source(course.exercise_file(exercise))
    if present.problem is not None:
        return present.problem != "missing"
    # blank lines at the ends do not count as work, because editors add and remove them
    untouched = ("", make_stub(course, exercise).strip(), known.get(exercise.id, "").strip())
    if present.text.strip() in untouched:
        return False
    # the title, which is in the first line, may have changed since
    fields = {"number": exercise.number, "id": exercise.id, "title": exercise.title}
    text = Template(SOLUTION.read_text(encoding="utf-8")).substitute(fields)
    new = _stub_of(SOLUTION, text, structs.replace(exercise, figures=()))
    return present.text.strip().partition("\n")[2] != new.strip().partition("\n")[2]


# -- The progress of a long command, in steps of about the same length that are counted in advance

OnStep: TypeAlias = Callable[[str, int, int], None]
"""Called as a step begins, with its name, the number of steps done, and the number of all steps."""


def ignore_step(text: str, done: int, total: int) -> None:
    """Ignore a step."""


class Steps:
    """Counts steps and reports each one."""

    def __init__(self, on_step: OnStep = ignore_step, total: int = 0) -> None:
        self.total = total
        self._on_step = on_step
        self._done = 0

    def take(self, text: str) -> None:
        """Report the beginning of a step."""
        self._on_step(text, self._done, max(self.total, self._done + 1))
        self._done += 1


def build_book(
    course: Course,
    before: AnswerBook | None = None,
    exercises: Sequence[Exercise] = (),
    steps: Steps | None = None,
    kept: Path | None = None,
) -> AnswerBook:
    """Return the answer book of a course.

    It has the stubs, the answers to every program that the checks ask for under the course's own seed, and the
    behaviour of every misconception.

    Args:
        before: a book from which to take the behaviour of misconceptions.
        exercises: exercises whose misconceptions are run even if `before` has their behaviour.
        steps: counts a step for each solution that is run.
        kept: a file that keeps the behaviour of each solution until the book is made, so that the next run after an
            interruption goes on; None to keep nothing.

    Raises:
        CourseError: the course cannot be read, or a misconception is wrong.
        GraderFault: a hidden test is wrong.
        OracleError: torch cannot answer.
    """
    stubs = {exercise.id: make_stub(course, exercise) for exercise in course.exercises}
    empty = AnswerBook(FORMAT, torch_version(), stubs, {}, {})
    run = to_run(course, before, exercises)
    steps = steps or Steps()
    behaviours = Behaviours(course, kept)
    with (
        Oracle(None, None) as oracle,
        start(allow_imports=course.allow_imports) as warm,
        CheckSession(course, course.exercises) as checks,
    ):
        # without learner code: the checks say which programs they ask for
        plan(checks, oracle, course.seed)
        # a copy: the book has only what checks ask for, and not what misconceptions are run on
        answers = dict(oracle.known)
        grader = Grader(course, empty, checks, oracle, warm, course.seed)
        known = {
            exercise.id: _known(grader, exercise, steps, behaviours)
            if before is None or exercise in run
            else before.known[exercise.id]
            for exercise in course.exercises
        }
    behaviours.forget()
    return msgspec.structs.replace(empty, known=known, answers=answers)


class Behaviours:
    """The behaviours that an interrupted `build_book` found, in a file.

    They count only for the same course, grader, Python and torch.

    Args:
        path: the file; None to keep nothing.
    """

    def __init__(self, course: Course, path: Path | None) -> None:
        self._path = path
        self._memo = Memo(path) if path else None
        around = f"{course.hash} {torch_version()} {sys.version} {grader_digest()}" if path else ""
        self._stamp = text_digest(around)

    def of(self, exercise: Exercise, text: str, run: Callable[[], Behaviour]) -> Behaviour:
        """Return the behaviour of a solution: the one that is kept, or else that of a run."""
        if self._memo is None:
            return run()
        key = f"{self._stamp} {exercise.id} {text_digest(text)}"
        kept = self._memo.get([key]).get(key)
        if kept is not None:
            return msgspec.json.decode(kept, type=Behaviour)
        found = run()
        self._memo.put({key: msgspec.json.encode(found).decode()})
        return found

    def forget(self) -> None:
        """Remove the file, because the book has everything."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


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


def _known(grader: Grader, exercise: Exercise, steps: Steps, kept: Behaviours) -> KnownExercise:
    """Return the behaviour of the misconceptions of an exercise, what may be confused with them, and its functions.

    A rival is an unfinished solution that behaves like a misconception in some check. That misconception is then not
    named.

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
        run = partial(examine, grader, exercise, source, unhurried, to_the_end=True)
        return kept.of(exercise, text, lambda: run().behaviour)

    # the behaviour of each misconception
    misconceptions, right, true_of_unfinished = [], [solution], []
    paid = {check.id for check in exercise.checks if not check.bonus}
    for one in catalogue(course, exercise):
        wrong = _wrong(behave(one.source))
        if not wrong:
            message = f"`{one.id}` behaves like the solution on every fixed program; a check needs one that tells"
            raise CourseError(path.with_suffix(".mistakes.yaml"), one.line, message)
        functions = changed_functions(solution, one.source)
        # it only loses a bonus with functions that others need, so it is another way to write the solution
        if paid.isdisjoint(map(check_of, wrong)) and any(
            not paid.isdisjoint(map(check_of, behave(without(solution, name)).unclear)) for name in functions
        ):
            right.append(one.source)
        if one.unfinished:
            true_of_unfinished.append(wrong)
        misconceptions.append(KnownBehaviour(one.id, one.title, one.explanation, one.hint, functions, wrong))
    if not misconceptions:
        return KnownExercise()
    # unfinished solutions that behave like a misconception in some check
    misconception_texts = {_plain(one.source) for one in catalogue(course, exercise)}
    texts = dict.fromkeys(_plain(text) for one in right for text in unfinished(one))
    behaviours = [_wrong(behave(text)) for text in texts if text not in misconception_texts]
    rivals = {
        str(one): one
        for one in behaviours
        if one not in true_of_unfinished and any(_rivals(one, known.behaviour) for known in misconceptions)
    }
    # the programs that need one function only
    return KnownExercise(tuple(misconceptions), tuple(rivals.values()), _programs_by_function(solution, behave))


def _plain(text: str) -> str:
    """Return a text in the spelling of its syntax tree."""
    return ast.unparse(ast.parse(text))


def _rivals(one: dict[str, str], other: dict[str, str]) -> bool:
    """Return whether two behaviours are the same in a check that both do not pass."""
    others = _by_check(other)
    return any(looks == others.get(check) for check, looks in _by_check(one).items())


def _by_check(looks: dict[str, str]) -> dict[str, dict[str, str]]:
    by_check: dict[str, dict[str, str]] = {}
    for key, look in looks.items():
        by_check.setdefault(check_of(key), {})[key] = look
    return by_check


def _wrong(seen: Behaviour) -> dict[str, str]:
    return dict(sorted({**seen.wrong, **dict.fromkeys(seen.unclear, UNCLEAR)}.items()))


def changed_functions(solution: str, edited: str) -> dict[str, str]:
    """Return the functions and methods in which two texts differ, with a fingerprint of each in the second text."""
    before, after = _functions_by_name(solution), _functions_by_name(edited)
    return {
        name: hashlib.sha256(text.encode()).hexdigest()[:8] for name, text in after.items() if text != before.get(name)
    }


def _functions_by_name(text: str) -> dict[str, str]:
    """Return the functions of a file and the methods of its classes by name, in the spelling of their syntax trees."""
    body = ast.parse(text).body
    members = [node for cls in body if isinstance(cls, ast.ClassDef) for node in cls.body]
    texts: dict[str, str] = {}
    for node in (*body, *members):
        if isinstance(node, ast.FunctionDef):  # methods of several classes can have one name
            others = [texts[node.name]] if node.name in texts else []
            texts[node.name] = "\n".join([*others, ast.unparse(node)])
    return texts


def _programs_by_function(solution: str, behave: Callable[[str], Behaviour]) -> dict[str, tuple[str, ...]]:
    """Return, for each function to fill in, the programs that need only this function.

    Returns nothing if there are fewer than two such functions.
    """
    names = list(dict.fromkeys(name for name, _, _ in regions(solution)))
    # with one function to fill in, every program needs it
    if len(names) < 2:
        return {}
    needing = {name: behave(without(solution, name)).unclear for name in names}
    return {
        name: tuple(sorted(keys.difference(*(needing[other] for other in names if other != name))))
        for name, keys in needing.items()
    }
