"""Grade one submission from end to end: read its files, load them in workers, run the hidden checks, score."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from . import __version__, sandbox, scoring
from .checks.finding import problem_text
from .checks.plugin import METADATA, EngineFor
from .checks.session import run_checks
from .checks.under_check import EngineUnderCheck
from .course import Check, Course, CourseError, Exercise
from .diagnosis import diagnose, fingerprint
from .engine import Died, Loaded, LoadFailed, NotStarted, Problem, Source, Submission, read_source
from .oracle import AnswerBook, Oracle
from .report.model import SCHEMA, CourseStamp, Isolation, LimitsStamp, Report, SubmissionStamp
from .sandbox import Warm
from .scoring import FileState


def grade(
    course: Course,
    book: AnswerBook,
    files: Mapping[str, Path],
    *,
    seed: str,
    memo: Path | None,
    warm: Warm | None = None,
    official: bool = False,
    below: Path | None = None,
    submission_id: str = "local",
    on_check: Callable[[Exercise, Check], None] = lambda exercise, check: None,
) -> Report:
    """Grade `files`, a path for each exercise to be graded, and return the full (instructor's) report.

    `warm` is a warm worker process to use; without one, one is started for this submission alone. With
    `official`, only a sandbox that holds against hostile code will do. No folder between `below` and a file may be
    a symbolic link.
    Raises `CourseError`, `GraderFault`, `OracleError` or `WorkerGone`; never for anything a learner did.
    """
    exercises = [exercise for exercise in course.exercises if exercise.id in files]
    sources = {exercise.id: read_source(files[exercise.id], below) for exercise in exercises}
    handed = Handed(sources, SubmissionStamp(submission_id, digest(sources)))
    with ExitStack() as stack:
        warm = warm or stack.enter_context(sandbox.start(allow_imports=course.allow_imports, official=official))
        oracle = stack.enter_context(Oracle(book, memo))
        return grade_handed(
            course, book, exercises, lambda: handed, warm=warm, oracle=oracle, seed=seed, on_check=on_check
        )


@dataclass(frozen=True)
class Handed:
    """A submission as it is graded: a source for each exercise, and what its report says of where it came from."""

    sources: Mapping[str, Source]
    stamp: SubmissionStamp
    notes: tuple[str, ...] = ()


def grade_handed(
    course: Course,
    book: AnswerBook,
    exercises: Sequence[Exercise],
    obtain: Callable[[], Handed],
    *,
    warm: Warm,
    oracle: Oracle,
    seed: str,
    on_check: Callable[[Exercise, Check], None] = lambda exercise, check: None,
) -> Report:
    """Collect the hidden checks of `exercises`, then `obtain` a submission and grade it.

    `obtain` may fork: each process then grades the submission that it was given. Raises what `grade` does.
    """
    obtained: list[Handed] = []

    def sources() -> Mapping[str, Source]:
        obtained.append(obtain())
        return obtained[0].sources

    examined = examine(course, exercises, sources, book.stubs, warm=warm, oracle=oracle, seed=seed, on_check=on_check)
    (handed,) = obtained
    diagnoses = {
        exercise.id: diagnose(book.misconceptions.get(exercise.id, ()), examined.behaviour(exercise))
        for exercise in exercises
        if exercise.id in book.misconceptions and examined.failed(exercise)
    }
    results = scoring.score(course, exercises, examined.states, examined.pytest_report, diagnoses)
    return Report(
        schema=SCHEMA,
        grader_version=__version__,
        course=CourseStamp(course.id, course.version, course.hash),
        submission=handed.stamp,
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        isolation=Isolation(warm.tier, LimitsStamp(**msgspec.structs.asdict(course.limits))),
        status=scoring.overall(results),
        score=sum(result.score for result in results),
        max_score=sum(result.max_score for result in results),
        bonus=sum(result.bonus for result in results),
        notes=handed.notes,
        exercises=results,
        seed=seed if seed != course.seed else UNSET,
    )


@dataclass(frozen=True)
class Examined:
    """What came of running the hidden checks on some files: before scores, and before diagnoses."""

    states: Mapping[str, FileState]
    pytest_report: Mapping[str, Any]
    engines: Mapping[tuple[str, str], EngineUnderCheck]

    def failed(self, exercise: Exercise) -> bool:
        """Whether any check of the exercise was run and not passed."""
        results = (test.get("metadata", {}).get(METADATA, {}) for test in self.pytest_report["tests"])
        return any(r.get("exercise") == exercise.id and r.get("status") != "passed" for r in results)

    def behaviour(self, exercise: Exercise) -> dict[str, str]:
        """The fingerprint of each batch of fixed programs, by `check:n`."""
        return {
            f"{check.id}:{n}": fingerprint(answer)
            for check in exercise.checks
            if (exercise.id, check.id) in self.engines
            for n, answer in enumerate(self.engines[exercise.id, check.id].shown)
            if answer is not None
        }


def examine(
    course: Course,
    exercises: Sequence[Exercise],
    obtain: Callable[[], Mapping[str, Source]],
    stubs: Mapping[str, str],
    *,
    warm: Warm,
    oracle: Oracle,
    seed: str,
    on_check: Callable[[Exercise, Check], None] = lambda exercise, check: None,
    tighter: int = 1,
) -> Examined:
    """Collect the hidden checks of `exercises`, `obtain` their sources; then, one exercise after the other, load its
    source in a worker and run its checks on it.

    `tighter` divides every budget of calls and CPU time.
    """
    states: dict[str, FileState] = {}
    engines: dict[tuple[str, str], EngineUnderCheck] = {}

    def prepare(submission: Submission, source: Source, exercise: Exercise, check: Check) -> EngineUnderCheck:
        check_seed = f"{seed}:{exercise.id}:{check.id}"
        ask = submission.run if tighter == 1 else lambda batch: submission.run(batch.tightened(tighter))
        engine = EngineUnderCheck(ask, oracle.answers, source.text, course.limits, check_seed)
        engines[exercise.id, check.id] = engine
        return engine

    with ExitStack() as stack:

        def load(sources: Mapping[str, Source], exercise: Exercise) -> EngineFor | None:
            stack.close()  # one file at a time: each may take as much memory as the limits allow
            source, stub = sources[exercise.id], stubs.get(exercise.id)
            if source.problem is not None or source.text == stub:
                states[exercise.id] = FileState(source.problem or "not_started", str(source.path), source.message)
                return None
            submission = stack.enter_context(Submission(warm, source.text, source.path.name, stub, course.limits))
            states[exercise.id] = state = _load(submission, source)
            return partial(prepare, submission, source) if state.state == "loaded" else None

        pytest_report = run_checks(course, exercises, lambda: partial(load, obtain()), on_check)
    return Examined(states, pytest_report, engines)


def plan(course: Course, oracle: Oracle, seed: str) -> None:
    """Run every check without an engine, so that the oracle learns what they ask under a seed.

    Raises `CourseError` for a test that fails by itself.
    """

    def planning(exercise: Exercise, check: Check) -> EngineUnderCheck:
        check_seed = f"{seed}:{exercise.id}:{check.id}"
        return EngineUnderCheck(lambda batch: None, oracle.answers, "", course.limits, check_seed)

    report = run_checks(course, course.exercises, lambda: lambda exercise: planning)
    for test in report["tests"]:
        fault = test.get("metadata", {}).get(METADATA, {}).get("fault")
        if fault:
            file, _, name = test["nodeid"].rpartition("::")
            raise CourseError(course.hidden / Path(file).name, None, f"{name}: {fault}")


def _load(submission: Submission, source: Source) -> FileState:
    loaded = submission.load()
    path = str(source.path)
    match loaded:
        case Loaded(output):
            return FileState("loaded", path, output=output)
        case NotStarted():
            return FileState("not_started", path)
        case LoadFailed(Problem() as problem, output):
            text = problem_text(problem, source.text)
            return FileState("failed", path, f"{source.path.name} could not be loaded: {text}", output)
        case LoadFailed(Died(message=message), output):
            return FileState("failed", path, f"{source.path.name} could not be loaded: {message}", output)
    raise TypeError(loaded)


def digest(sources: Mapping[str, Source]) -> str:
    """SHA-256 over what decides a verdict: every exercise's text, or why there is none."""
    made = hashlib.sha256()
    for name, source in sorted(sources.items()):
        data = (source.text if source.problem is None else source.message or "").encode("utf-8", "surrogatepass")
        made.update(f"{name}:{source.problem or 'text'}:{len(data)}\n".encode() + data)
    return made.hexdigest()
