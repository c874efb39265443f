"""Verify a course: `grade verify` checks every claim that the course makes. Run it after every edit."""

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from ..course.load import Course, CourseError, Document, Exercise
from ..course.oracle import UNCLEAR, Answer, AnswerBook, KnownExercise, Oracle, read_book
from ..course.program import Question
from ..runner.client import Source, read_source
from ..runner.sandbox import start
from ..verdict.checks import CheckSession, alike
from ..verdict.diagnosis import Misconception, can_be_told, regions
from ..verdict.grading import Examined, Grader, examine, explain, plan
from ..words import author as words
from ..words.practice import unread_text
from .build import OnStep, Steps, build_book, catalogue, ignore_step, is_work, make_stub, steps_of, to_run
from .release import LEARNERS, README, differing, hidden_calls, solution_bodies, squeezed

# -- Determine whether an answer book would be the same if it were made now, or on another machine

DriftKind: TypeAlias = Literal["stub", "misconceptions", "not_in_book", "answer", "not_asked"]

# Machines differ by about 1e-16 of a number. Grading tolerates 1e-9.
_SHAKEN_BY = 1e-13


@dataclass(frozen=True)
class Drift:
    """A part of an answer book that would be different if the book were made now.

    Attributes:
        exercise: the exercise that the part belongs to; None for entries that no exercise asks for.
        questions: the questions that are not in the book, or whose answers differ by more than grading tolerates.
    """

    kind: DriftKind
    exercise: Exercise | None = None
    questions: tuple[Question, ...] = ()


def _clear_in_both(known: KnownExercise, other: KnownExercise) -> KnownExercise:
    """Return known wrong solutions without the programs on which their behaviour is unclear in either of two books.

    A slow engine runs out of CPU time earlier on a slow machine. The programs that it did not run are unclear.
    """
    others = {one.id: one.behaviour for one in other.misconceptions}
    misconceptions = []
    for one in known.misconceptions:
        other_looks = others.get(one.id, {})
        clear = {key: look for key, look in one.behaviour.items() if UNCLEAR not in (look, other_looks.get(key))}
        misconceptions.append(replace(one, behaviour=clear))
    return replace(known, misconceptions=tuple(misconceptions))


def drift(course: Course, book: AnswerBook, made: AnswerBook) -> Iterator[Drift]:
    """Compare a book with `made`, the book made now, and yield each part of each exercise that differs.

    Raises the same errors as `plan`.
    """
    # the questions that the hidden tests ask now, answered from the new book
    with Oracle(made, None) as oracle:
        by_exercise = questions(course, oracle)
    for exercise in course.exercises:
        if made.stubs[exercise.id] != book.stubs.get(exercise.id):
            yield Drift("stub", exercise)
        known, now = book.known.get(exercise.id), made.known[exercise.id]
        if known is None or _clear_in_both(known, now) != _clear_in_both(now, known):
            yield Drift("misconceptions", exercise)
        # new questions, and answers that differ by more than grading tolerates
        missing = [q for key, q in by_exercise[exercise.id].items() if key not in book.answers]
        if missing:
            yield Drift("not_in_book", exercise, tuple(missing))
        differing = [
            q
            for key, q in by_exercise[exercise.id].items()
            if key in book.answers and not alike(made.answers[key], book.answers[key])
        ]
        if differing:
            yield Drift("answer", exercise, tuple(differing))
    # what is only in the old book belongs to no exercise, or to a question that is no longer asked
    parts = ((book.stubs, made.stubs), (book.known, made.known), (book.answers, made.answers))
    if any(set(in_book) - set(now) for in_book, now in parts):
        yield Drift("not_asked")


def questions(course: Course, oracle: Oracle) -> dict[str, dict[str, Question]]:
    """Return the questions that each exercise asks an oracle under the course's own seed, by exercise id and by key.

    Raises the same errors as `plan`.
    """
    by_exercise: dict[str, dict[str, Question]] = {}
    for exercise in course.exercises:
        listening = _Listening(oracle)
        with CheckSession(course, [exercise]) as checks:
            plan(checks, listening, course.seed)
        by_exercise[exercise.id] = listening.heard
    return by_exercise


def made_from_answers(course: Course, made: AnswerBook) -> dict[str, tuple[Question, ...]]:
    """Return, by exercise id, the questions that would change if the last digits of answers were different.

    Such questions would not be found in the book on another machine. Raises the same errors as `plan`.

    Args:
        made: the book with the answers of this machine.
    """
    with ShakenOracle(made, None) as elsewhere:
        other_questions = questions(course, elsewhere)
    return {
        exercise: changed
        for exercise, asked in other_questions.items()
        if (changed := tuple(q for key, q in asked.items() if key not in made.answers))
    }


class ShakenOracle(Oracle):
    """An oracle whose answers have different last digits, like those of another machine."""

    def answers(self, programs: Sequence[Question]) -> list[Answer]:
        return [shaken(answer) for answer in super().answers(programs)]


def shaken(answer: Answer) -> Answer:
    """Return the answer with every number changed by 1e-13 of its size, alternately up and down."""
    # up and down in turn, so that a quotient of two answers changes, too
    up_and_down = cycle((1 + _SHAKEN_BY, 1 - _SHAKEN_BY))
    values = tuple(number * factor for number, factor in zip(answer.values, up_and_down, strict=False))
    grads = tuple(number * factor for number, factor in zip(answer.grads, up_and_down, strict=False))
    return Answer(values, grads)


class _Listening(Oracle):
    """Forwards questions to another oracle, and keeps them by key."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(None, None)
        self._oracle = oracle
        self.heard: dict[str, Question] = {}

    def answers(self, programs: Sequence[Question]) -> list[Answer]:
        self.heard.update((question.key, question) for question in programs)
        return self._oracle.answers(programs)


# -- Verify the exercises of a course

_ROOM = 10  # a solution has to stay below its limits by this factor


@dataclass(frozen=True)
class Defect:
    """A defect of the course: the file, the line (None for the whole file), and a message."""

    path: Path
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" if self.line else f"{self.path}: {self.message}"


@dataclass
class Verified:
    """The result of verifying one exercise.

    Attributes:
        worked_on: whether somebody has worked on the exercise file. Then the stub was verified instead of the file.
        kept: fixed programs for which the seed could not draw other numbers, listed where they first appeared.
    """

    exercise: Exercise
    score: int = 0
    misconceptions: int = 0
    diagnosed: int = 0
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    kept: list[str] = field(default_factory=list)
    worked_on: bool = False
    findings: list[Defect] = field(default_factory=list)


class _Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant that is not a mistake: its name and the reason."""

    mutant: Annotated[str, Meta(min_length=3)]
    because: Annotated[str, Meta(min_length=10)]


def verify(
    course: Course,
    exercises: tuple[Exercise, ...],
    on_step: OnStep = ignore_step,
    seed: str | None = None,
    seeds: int = 0,
) -> Iterator[Verified]:
    """Verify `exercises` one by one.

    Args:
        on_step: called before each solution is run.
        seed: the seed to use instead of the course's own.
        seeds: the number of further seeds under which to score solutions and misconceptions. Different scores under
            these seeds are a finding.

    Raises:
        CourseError: the course cannot be read.
    """
    with ExitStack() as stack:
        warm = stack.enter_context(start(allow_imports=course.allow_imports))
        book = read_book(course.book)
        oracle = stack.enter_context(Oracle(book, None))
        checks = stack.enter_context(CheckSession(course, exercises))
        grader = Grader(course, book, checks, oracle, warm, seed or course.seed)
        # counting parses every solution and its mutants, which takes time
        on_step("counting", 0, 1)
        verifications = [_Verification(grader, exercise, seeds) for exercise in exercises]
        # with every exercise, nothing is taken from the present book: all of it is compared
        part = () if set(exercises) == set(course.exercises) else exercises
        run = to_run(course, book if part else None, part)
        total = sum(one.count() for one in verifications) + sum(steps_of(course, exercise) for exercise in run)
        steps = Steps(on_step, total)
        # the findings about the whole course come with the first exercise
        findings = [*_readme(course), *_drift(course, book, part, steps)]
        for one in verifications:
            yield one.run(findings, steps)
            findings = []


def _readme(course: Course) -> list[Defect]:
    pages = [course.folder / name for name in (README, LEARNERS)]
    return [Defect(path, line, what) for path in pages for line, what in differing(course, path)]


def _drift(course: Course, book: AnswerBook, exercises: Sequence[Exercise], steps: Steps) -> list[Defect]:
    """Compare a book with one made now. Run the misconceptions of `exercises`, or of all exercises if it is empty."""
    made = build_book(course, book if exercises else None, exercises, steps)
    findings = [Defect(course.book, None, words.build_again(drift_text(one))) for one in drift(course, book, made)]
    unstable = made_from_answers(course, made)
    for exercise in course.exercises:
        if exercise.id in unstable:
            text = words.made_from_answer([question.shown for question in unstable[exercise.id]])
            findings.append(Defect(course.hidden_test(exercise), None, text))
    return findings


def drift_text(one: Drift) -> str:
    """Return a sentence about a drift, with the exercise and, if there is one, the program."""
    stem = one.exercise.stem if one.exercise else ""
    return words.drifted(one.kind, stem, [question.shown for question in one.questions])


class _Verification:
    def __init__(self, grader: Grader, exercise: Exercise, seeds: int) -> None:
        self.grader = grader
        self.seeds = seeds
        self.course = grader.course
        self.exercise = exercise
        self.book = grader.book
        self.steps = Steps()
        self.doing = ""
        self.path = self.course.solution(exercise)
        self.solution = read_source(self.path)
        self.result = Verified(exercise)
        self.mutants: list[Mutant] = []
        if not self.solution.problem:
            self.mutants = list(mutants(self.solution.text))

    def count(self) -> int:
        """Return how many solutions will be run. Raises `CourseError`."""
        misconceptions = len(catalogue(self.course, self.exercise))
        # the solution twice, stub, misconceptions, mutants; per seed, the solution and
        # misconceptions
        return 3 + misconceptions + len(self.mutants) + self.seeds * (1 + misconceptions)

    def run(self, known: list[Defect], steps: Steps) -> Verified:
        self.steps = steps
        self.result.findings += known
        if self.solution.unread:
            self._find(self.path, None, unread_text(self.solution.unread, self.path.name))
            return self.result
        # `kept` has the programs of all exercises so far; what is added from here on is this one's
        redraw = self.grader.oracle.redraw(self.grader.seed)
        before = len(redraw.kept)
        for step in (self._solution, self._stub, self._leaks, self._misconceptions, self._mutants, self._scores):
            self.doing = step.__name__.strip("_")
            try:
                step()
            except CourseError as error:
                self._find(error.path, error.line, error.message)
        self.result.kept = [program.shown for program in redraw.kept[before:]]
        return self.result

    def _find(self, path: Path, line: int | None, message: str) -> None:
        self.result.findings.append(Defect(path, line, message))

    def _examine(self, text: str, limit_divisor: int = 1, seed: str | None = None) -> Examined:
        self.steps.take(f"{self.exercise.stem}, {self.doing}")
        source = Source(self.course.exercise_file(self.exercise), text)
        grader = self.grader if seed is None else replace(self.grader, seed=seed)
        return examine(grader, self.exercise, source, limit_divisor=limit_divisor)

    def _passed(self, examined: Examined) -> dict[str, bool]:
        """Return whether each check passed."""
        outcomes = examined.outcomes
        return {
            check.id: check.id in outcomes and outcomes[check.id].status == "passed" for check in self.exercise.checks
        }

    def _points(self, passed: Mapping[str, bool]) -> int:
        return sum(check.points for check in self.exercise.checks if passed[check.id])

    def _all_points(self) -> int:
        return sum(check.points for check in self.exercise.checks)

    def _solution(self) -> None:
        passed = self._passed(self._examine(self.solution.text))
        self.result.score = self._points(passed)
        for check in self.exercise.checks:
            if not passed[check.id]:
                self._find(self.course.file, check.line, words.solution_fails(check.id))
        # a second time with a tenth of the limits
        tight = self._passed(self._examine(self.solution.text, limit_divisor=_ROOM))
        for check in self.exercise.checks:
            if passed[check.id] and not tight[check.id]:
                self._find(self.course.file, check.line, words.solution_is_slow(check.id))

    def _stub(self) -> None:
        # as it would be made now; the file must be the same unless somebody has worked on it
        stub = make_stub(self.course, self.exercise)
        path = self.course.exercise_file(self.exercise)
        if "# TODO" not in stub:
            self._find(path, None, words.NO_TODO)
        self.result.worked_on = is_work(self.course, self.exercise, self.book.stubs)
        if not self.result.worked_on and read_source(path).text != stub:
            self._find(path, None, words.OTHER_STUB)
        passed = self._passed(self._examine(stub))
        for check in self.exercise.checks:
            if check.points and passed[check.id]:
                self._find(self.course.file, check.line, words.stub_passes(check.id))

    def _leaks(self) -> None:
        """Find solutions in the exercise files up to their own exercise, and hidden tests in any exercise file."""
        bodies, calls = solution_bodies(self.solution.text), hidden_calls(self.course, self.exercise)
        for other in self.course.exercises:
            # a file that somebody has worked on may have a solution in it, so its stub is searched
            path = self.course.exercise_file(other)
            worked_on = is_work(self.course, other, self.book.stubs)
            text = squeezed(make_stub(self.course, other) if worked_on else read_source(path).text)
            if other.number <= self.exercise.number and any(body in text for body in bodies):
                self._find(path, None, words.shows_solution(self.exercise.stem))
            if any(call in text for call in calls):
                self._find(path, None, words.shows_check(self.exercise.stem))

    def _misconceptions(self) -> None:
        path = self.path.with_suffix(".mistakes.yaml")
        known = self.book.known.get(self.exercise.id, KnownExercise())
        for one in catalogue(self.course, self.exercise):
            self.result.misconceptions += 1
            examined = self._examine(one.source)
            passed = self._passed(examined)
            if self._points(passed) == self._all_points():
                self._find(path, one.line, words.loses_no_points(one.id))
            elif problem := self._misplaced(one, passed):
                self._find(path, one.line, problem)
            named = {other.id for other in explain(known, examined).values()}
            if named == {one.id}:
                self.result.diagnosed += 1
            # without a name, it is a finding only if the report could name a misconception at all
            elif named or can_be_told(known, examined.behaviour):
                self._find(path, one.line, words.diagnosed_as(one.id, sorted(named)))

    def _misplaced(self, one: Misconception, passed: Mapping[str, bool]) -> str | None:
        """Return a message if `about` is not the check that a misconception fails first, or None."""
        first = next(check.id for check in self.exercise.checks if not passed[check.id])
        if one.about is None:
            return words.about_nothing(one.id, first)
        if one.about not in passed:
            return words.about_no_check(one.id, one.about)
        if one.about != first:
            return words.about_other(one.id, one.about, first)
        return None

    def _scores(self) -> None:
        """Find scores that depend on the seed from which random programs and other numbers are drawn."""
        if not self.seeds:
            return
        seeds = [None, *(f"{self.course.seed}: verify {number}" for number in range(1, self.seeds))]  # None: the run's
        path = self.path.with_suffix(".mistakes.yaml")
        texts: list[tuple[Path, int | None, str, str]] = [(self.path, None, "", self.solution.text)]
        texts += [(path, one.line, one.id, one.source) for one in catalogue(self.course, self.exercise)]
        for where, line, misconception, text in texts:
            passed = [self._passed(self._examine(text, seed=seed)) for seed in seeds]
            differing = [check.id for check in self.exercise.checks if len({one[check.id] for one in passed}) > 1]
            if differing:
                self._find(where, line, words.depends_on_seed(misconception, differing, self.seeds))

    def _mutants(self) -> None:
        path = self.path.with_suffix(".equivalent.yaml")
        listed = _equivalent(path)
        for mutant in self.mutants:
            self.result.mutants += 1
            survived = self._points(self._passed(self._examine(mutant.source))) == self._all_points()
            # what is left in the list at the end names no mutant of this solution
            excused = listed.pop(mutant.name, None) is not None
            self.result.killed += not survived
            self.result.equivalent += survived and excused
            if survived and not excused:
                self._find(self.path, mutant.line, words.mutant_survives(mutant.name))
            elif excused and not survived:
                self._find(path, None, words.not_equivalent(mutant.name))
        for name in listed:
            self._find(path, None, words.no_mutant(name))


def _equivalent(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    document = Document(path)
    return {item.mutant: item.because for item in document.convert(document.root, list[_Equivalent])}


# -- Mutants: mechanical edits of a solution. Each is a small mistake that some check has to catch.
# Operators and signs are exchanged, `+=` becomes `=`, statements are dropped, names are swapped, and numbers are
# changed. Only solution regions are edited.

_BINARY: dict[type[ast.operator], list[type[ast.operator]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add, ast.Div],
    ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult],
}
_COMPARE: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Gt: [ast.GtE, ast.Lt],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.GtE: [ast.Gt],
    ast.LtE: [ast.Lt],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
_NAMES = {"self": "other", "other": "self", "out": "self"}
_ATTRIBUTES = {"data": "grad", "grad": "data"}


@dataclass(frozen=True)
class Mutant:
    """One edit: the line number, the line before and after the edit, and the whole edited file."""

    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """Return the edit as one line, which is the key in the list of equivalent mutants."""
        return f"{self.before} -> {self.after}"


def mutants(solution: str) -> Iterator[Mutant]:
    """Yield every mutant of a solution, in the order of its syntax tree. Mutants with the same text appear once.

    Only the regions that learners write are edited. If there are none, the whole file is.
    """
    tree = ast.parse(solution)
    before = ast.unparse(tree)
    # the lines of the regions, because nodes know only their lines
    lines = set()
    for _, begin, end in regions(solution):
        lines |= set(range(solution.count("\n", 0, begin) + 1, solution.count("\n", 0, end) + 1))
    # an edit that changes nothing in the text is no mutant
    seen = {before}
    for node in ast.walk(tree):
        if not hasattr(node, "lineno") or (lines and node.lineno not in lines):
            continue
        for edited in list(_edits(node)):
            source = _with_edit(tree, node, edited)
            if source not in seen:
                seen.add(source)
                yield Mutant(node.lineno, *_difference(before, source), source)


def _with_edit(tree: ast.AST, node: ast.AST, edited: ast.AST) -> str:
    """Return the text of a tree with another node in the place of `node`. The tree stays as it is."""
    own_type, own_fields = type(node), dict(vars(node))
    _become(node, type(edited), vars(edited))
    try:
        return ast.unparse(tree)
    finally:
        _become(node, own_type, own_fields)


def _become(node: ast.AST, kind: type[ast.AST], fields: Mapping[str, object]) -> None:
    node.__class__ = kind
    vars(node).clear()
    vars(node).update(fields)


def _difference(before: str, after: str) -> tuple[str, str]:
    old, new = before.splitlines(), after.splitlines()
    # the first line that differs; a dropped statement shortens the text
    first = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)) - 1)
    if len(old) != len(new):
        return old[first].strip(), "(dropped)"
    return old[first].strip(), new[first].strip()


def _edits(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node for every edit of one node: of an operator, a value or a name, and of each statement in it."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        yield from (_changed(node, op=operator()) for operator in _BINARY.get(type(node.op), ()))
    match node:
        case ast.AugAssign():
            # `+=` becomes `=`: the contribution overwrites instead of being added
            yield ast.Assign([node.target], node.value, lineno=node.lineno)
        case ast.Compare(ops=[first, *others]):
            yield from (_changed(node, ops=[operator(), *others]) for operator in _COMPARE.get(type(first), ()))
        case ast.UnaryOp(op=ast.USub()):
            yield _changed(node, op=ast.UAdd())
        case ast.Constant(value=bool(value)):
            yield _changed(node, value=not value)
        case ast.Constant(value=int(value) | float(value)):
            yield _changed(node, value=value + 1)
            # 0 would not change
            if value:
                yield _changed(node, value=0)
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMES:
            yield _changed(node, id=_NAMES[name])
        case ast.Attribute(attr=name) if name in _ATTRIBUTES:
            yield _changed(node, attr=_ATTRIBUTES[name])
        case ast.IfExp():
            yield _changed(node, body=node.orelse, orelse=node.body)
        case ast.Call(func=ast.Name(id="reversed")):
            yield _changed(node, func=ast.Name("list", ast.Load()))
    for block in ("body", "orelse"):
        # each statement of a block, replaced by `pass`
        statements = getattr(node, block, None)
        if not isinstance(statements, list):
            continue
        for at, statement in enumerate(statements):
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return) and not _is_text(statement):
                yield _changed(node, **{block: [*statements[:at], ast.Pass(), *statements[at + 1 :]]})


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    """Return a copy of a node with other fields."""
    copied = copy.copy(node)
    vars(copied).update(fields)
    return copied


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
