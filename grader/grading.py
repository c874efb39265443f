"""Grade one submission from end to end: read its files, run the hidden checks, diagnose, score, report."""

import hashlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from . import __version__, sandbox, scoring
from .base import json_text, readable
from .checks import EngineUnderCheck
from .checks.outcome import CheckOutcome
from .checks.session import CheckSession
from .client import (
    NOTEBOOK,
    Batch,
    Budget,
    Died,
    EngineProcess,
    Loaded,
    LoadFailed,
    NotStarted,
    Problem,
    Ran,
    Read,
    Source,
    read_exercise,
    reason_of,
    stopped,
)
from .course import Check, Course, Exercise, Limits
from .diagnosis import (
    Behaviour,
    arrived,
    behaviour,
    can_be_named,
    diagnose,
    gradient_facts,
    gradient_probes,
    pass_facts,
    pass_probes,
    rule_facts,
    rule_probes,
)
from .oracle import Oracle
from .oracle.answer_book import AnswerBook, KnownBehaviour, KnownExercise
from .program import Program
from .report.model import SCHEMA, CheckResult, CourseStamp, Isolation, Report, SubmissionStamp
from .sandbox import Warm
from .scoring import FileState
from .words.facts import FaultFact

_HASTE = 4  # divides the limits of programs that serve only an explanation, if a check has run out of time


class Submission(Struct, frozen=True):
    """A submission to be graded: a source for each exercise, its identity for the report, and notes for the report."""

    sources: Mapping[str, Source]
    stamp: SubmissionStamp
    notes: tuple[str, ...] = ()


class Listener(Struct, frozen=True):
    """Callbacks for the progress of grading.

    Attributes:
        began: Called as each check begins.
        ended: Called with the full result of each check, before its failure is diagnosed.
        withdrawn: Returns whether the submission is no longer to be graded. The report is then useless.
    """

    began: Callable[[Exercise, Check], None] = lambda exercise, check: None
    ended: Callable[[Exercise, CheckResult], None] = lambda exercise, result: None
    withdrawn: Callable[[], bool] = lambda: False


SILENT = Listener()


class Grader(Struct, frozen=True):
    """Everything that is needed to grade submissions: course, answer book, checks, oracle, server process, seed."""

    course: Course
    book: AnswerBook
    checks: CheckSession
    oracle: Oracle
    warm: Warm
    seed: str


def grade(
    course: Course,
    book: AnswerBook,
    files: Mapping[str, Path],
    *,
    seed: str,
    memo: Path | None,
    warm: Warm | None = None,
    official: bool = False,
    root: Path | None = None,
    here: Path | None = None,
    submission_id: str = "local",
    notes: tuple[str, ...] = (),
    listener: Listener = SILENT,
) -> Report:
    """Grade `files`, a path for each exercise to be graded, and return the full (instructor's) report.

    Args:
        warm: The server process to use. By default, one is started for this submission.
        official: Whether to accept only a sandbox that holds against hostile code.
        root: A folder. No folder between it and a file may be a symbolic link.
        here: The folder to which the report's paths are relative. By default, they are as given.
        notes: Notes for the report.
        listener: Called as each check begins and ends.

    Raises `CourseError`, `GraderFault`, `OracleError` or `WorkerGone`. Learner code never causes an exception.
    """
    exercises = [exercise for exercise in course.exercises if exercise.id in files]
    sources = {exercise.id: read_exercise(exercise, files[exercise.id], root) for exercise in exercises}
    if here is not None:
        read = {name: _read_from(files[name], source) for name, source in sources.items()}
        sources = {name: replace(source, path=relative_path(read[name], here)) for name, source in sources.items()}
    submission = Submission(sources, SubmissionStamp(submission_id, digest(sources)), notes)
    with ExitStack() as stack:
        warm = warm or stack.enter_context(sandbox.start(allow_imports=course.allow_imports, official=official))
        oracle = stack.enter_context(Oracle(book, memo))
        checks = stack.enter_context(CheckSession(course, exercises))
        return grade_submission(Grader(course, book, checks, oracle, warm, seed), submission, listener)


def grade_submission(
    grader: Grader,
    submission: Submission,
    listener: Listener = SILENT,
    exercises: Sequence[Exercise] | None = None,
) -> Report:
    """Grade exercises of a submission (by default all) one after the other, and return the full report.

    Raises the same exceptions as `grade`.
    """
    course, book, budget = grader.course, grader.book, Budget(withdrawn=listener.withdrawn)
    results = []
    # one file at a time: each may take as much memory as the limits allow
    for exercise in grader.checks.exercises if exercises is None else exercises:
        source = submission.sources[exercise.id]
        stub = book.stubs.get(exercise.id)
        examined = examine(grader, exercise, source, budget, stub=stub, listener=listener, facts=True)
        known = book.known.get(exercise.id)
        explained = explain(known, examined) if known else {}
        own = own_lines(source.text, stub or "") if examined.failures else ()
        results.append(
            scoring.score(
                exercise, examined.state, examined.outcomes, explained, examined.facts, own, sorted(examined.attempts)
            )
        )
    return Report(
        schema=SCHEMA,
        grader_version=__version__,
        course=CourseStamp(course.id, course.version, course.hash),
        submission=submission.stamp,
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        isolation=Isolation(grader.warm.tier, course.limits),
        status=scoring.overall(results),
        score=sum(result.score for result in results),
        max_score=sum(result.max_score for result in results),
        bonus=sum(result.bonus for result in results),
        notes=submission.notes,
        exercises=tuple(results),
        seed=grader.seed if grader.seed != course.seed else UNSET,
    )


def _read_from(path: Path, source: Source) -> Path:
    """Return the path from which a source was read: the given path, or that of the notebook beside it."""
    return path.with_suffix(NOTEBOOK) if source.path.suffix == NOTEBOOK else path


def relative_path(path: Path, here: Path) -> Path:
    """Return a path relative to a folder, in a form that can be shown. On another drive, return only the name."""
    try:
        return readable(Path(os.path.relpath(path, here)))
    except ValueError:
        return readable(Path(path.name))


def explain(known: KnownExercise, examined: "Examined") -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the failed checks of a file, by check."""
    return diagnose(known, examined.behaviour, examined.failures, examined.facts, examined.without_gradients)


class Examined(Struct, frozen=True):
    """The outcomes of an exercise's checks on a file, before points and diagnosis.

    Attributes:
        engines: The engines that ran the course's own programs, by check.
        shown: The program on which the first failure was found.
        facts: The fault facts about an engine that failed.
        attempts: The system calls that the sandbox refused and reported.
    """

    state: FileState
    outcomes: Mapping[str, CheckOutcome] = field(default_factory=dict)
    engines: Mapping[str, EngineUnderCheck] = field(default_factory=dict)
    shown: Program | None = None
    facts: tuple[FaultFact, ...] = ()
    attempts: Collection[str] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the checks that were run and did not pass."""
        return tuple(check for check, outcome in self.outcomes.items() if outcome.status != "passed")

    @property
    def without_gradients(self) -> tuple[str, ...]:
        """Return the checks that failed because of an error or a wrong value, before any gradient was compared."""
        return tuple(
            check
            for check in self.failures
            if (outcome := self.outcomes[check]).wrong_value or (outcome.finding and outcome.finding.reason)
        )

    @property
    def behaviour(self) -> Behaviour:
        """Return the behaviour of the engine on the course's own programs."""
        return behaviour({check: engine.shown for check, engine in self.engines.items()})


def examine(
    grader: Grader,
    exercise: Exercise,
    source: Source,
    budget: Budget | None = None,
    *,
    stub: str | None = None,
    listener: Listener = SILENT,
    limit_divisor: int = 1,
    to_the_end: bool = False,
    facts: bool = False,
) -> Examined:
    """Load the source of an exercise in a separate process, and run the checks on it.

    Args:
        budget: The limits of the whole submission. By default, the source has its own budget.
        stub: The file as it was given out. A source that is equal to it is not run.
        limit_divisor: Divides every limit of calls and CPU time.
        to_the_end: Whether to run every batch of every check, even after a failure. The outcomes are then
            meaningless.
        facts: Whether to find the fault facts of an engine that fails, and to run the course's own programs if a
            misconception may be named.
    """
    if source.problem is not None or source.text == stub:
        return Examined(FileState(source.problem or "not_started", str(source.path), reason=source.unread))
    course, limits = grader.course, grader.course.limits
    cells = [start.line for start in source.cells]
    name = source.path.name
    with EngineProcess(grader.warm, source.text, name, stub, limits, budget, cells=cells, apart=to_the_end) as process:
        state = _load(process, source)
        if state.state != "loaded":
            return Examined(state, attempts=process.attempts)
        engines: dict[str, EngineUnderCheck] = {}

        def engine_for(check: Check, seed: str = grader.seed) -> EngineUnderCheck:
            ask = process.run if limit_divisor == 1 else lambda batch: process.run(batch.tightened(limit_divisor))
            # a program that counts is run again in a fresh process if it fails; one that serves only a diagnosis is not
            apart = process if seed == grader.seed else None
            engine = _engine(
                course, grader.oracle, seed, exercise, check, ask, source.text, apart, to_the_end=to_the_end
            )
            if seed == course.seed:
                engines[check.id] = engine
            return engine

        asked: dict[str, EngineUnderCheck] = {}

        def heard(check: Check) -> EngineUnderCheck:
            listener.began(exercise, check)
            return asked.setdefault(check.id, engine_for(check))

        def ended(outcome: CheckOutcome) -> None:
            check = next(check for check in exercise.checks if check.id == outcome.check)
            listener.ended(exercise, scoring.score_check(exercise, check, outcome, cells=source.cells))
            if outcome.status != "passed":
                process.restart()  # the next check probably fails as well, and only a fresh process decides that

        outcomes = grader.checks.run(exercise, heard, ended)
        failed = (check for check, outcome in outcomes.items() if outcome.status not in ("passed", "not_started"))
        run = asked[check].failing if (check := next(failed, None)) else None
        examined = Examined(state, outcomes, engines, run.program if run else None, attempts=process.attempts)
        if not facts or not examined.failures:
            return examined
        ran_out = any(outcome.status == "timeout" for outcome in outcomes.values())
        examined = replace(examined, facts=_facts(process, source, limits, examined.shown, ran_out=ran_out))
        known = grader.book.known.get(exercise.id)
        gradients = arrived(batch for engine in asked.values() for batch in engine.shown)
        named = known is not None and can_be_named(known, examined.facts) and gradients is not False
        if grader.seed != course.seed and named:
            # misconceptions are identified by their behaviour on the course's own programs; this run gives no points
            grader.checks.run(exercise, partial(engine_for, seed=course.seed))
        return examined


def _facts(
    process: EngineProcess, source: Source, limits: Limits, shown: Program | None, *, ran_out: bool
) -> tuple[FaultFact, ...]:
    """Return the fault facts of an engine, from programs that run in fresh processes and cost no points.

    Args:
        ran_out: Whether a check has run out of time. The programs then have less time.
    """

    def answer(probes: Batch) -> Read | Problem | Died:
        process.restart()
        return process.run(probes.tightened(_HASTE) if ran_out else probes).answer

    rules = answer(rule_probes(limits))
    if not isinstance(rules, Read):
        return ()
    found = rule_facts(rules, source.text, shown)
    passes = answer(pass_probes(limits, shown))
    of_pass = pass_facts(passes, found, shown) if isinstance(passes, Read) else ()
    if found or of_pass:
        return of_pass + found  # a fault of the backward pass concerns every operation, so it comes first

    def gradients(only: str = "") -> tuple[FaultFact, ...]:
        read = answer(gradient_probes(limits, only))
        return gradient_facts(read, only) if isinstance(read, Read) else ()

    # code that keeps state may compute other gradients if no other operation ran before
    return tuple(fact for fact in gradients() if fact in gradients(fact.operation or fact.program))


def _engine(
    course: Course,
    oracle: Oracle,
    seed: str,
    exercise: Exercise,
    check: Check,
    ask: Callable[[Batch], Ran | None],
    source: str = "",
    process: EngineProcess | None = None,
    *,
    to_the_end: bool = False,
) -> EngineUnderCheck:
    """Return an engine that runs a check's batches through `ask`.

    Fixed programs get other numbers under any seed but the course's own.
    """
    redraw = None if seed == course.seed else oracle.redraw(seed)
    check_seed = f"{seed}:{exercise.id}:{check.id}"
    return EngineUnderCheck(
        ask,
        oracle.answers,
        source,
        course.limits,
        check_seed,
        process,
        redraw,
        to_the_end=to_the_end,
        clock=oracle.clock,
    )


def plan(checks: CheckSession, oracle: Oracle, seed: str) -> None:
    """Run every check without an engine, so that programs, and the oracle's answers to them under a seed, are known.

    Raises:
        CourseError: A hidden test is wrong.
        GraderFault: The grader failed.
    """

    def ask(batch: Batch) -> None:
        batch.encode()  # arranges the programs for each order seed

    for exercise in checks.exercises:

        def planning(check: Check, exercise: Exercise = exercise) -> EngineUnderCheck:
            return _engine(checks.course, oracle, seed, exercise, check, ask)

        checks.run(exercise, planning)


def own_lines(text: str, stub: str) -> frozenset[int]:
    """Return the numbers of the lines of a file that do not occur in its stub, without blank lines."""
    given = {line.strip() for line in stub.splitlines()} | {""}
    return frozenset(number for number, line in enumerate(text.split("\n"), 1) if line.strip() not in given)


def _load(process: EngineProcess, source: Source) -> FileState:
    loaded = process.load()
    path = str(source.path)
    match loaded:
        case Loaded(output):
            return FileState("loaded", path, output, cells=source.cells)
        case NotStarted():
            return FileState("not_started", path)
        case LoadFailed(Problem() as problem, output):
            why = stopped(problem, source.text)
            return FileState("failed", path, output, reason_of(problem), why, source.cells)
        case LoadFailed(Died() as died, output):
            return FileState("failed", path, output, reason_of(died), cells=source.cells)
    raise TypeError(loaded)


def digest(sources: Mapping[str, Source]) -> str:
    """Return the SHA-256 of all data that decides a verdict: every exercise's text, or why there is no text."""
    made = hashlib.sha256()
    for name, source in sorted(sources.items()):
        text = source.text if source.unread is None else json_text(source.unread)
        data = text.encode("utf-8", "surrogatepass")
        made.update(f"{name}:{source.problem or 'text'}:{len(data)}\n".encode() + data)
        made.update("".join(f"{start.cell}:{start.line}\n" for start in source.cells).encode())
    return made.hexdigest()
