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
from .checks.plugin import METADATA
from .checks.session import run_checks
from .checks.under_check import EngineUnderCheck
from .course import Check, Course, Exercise
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
    with ExitStack() as stack:
        warm = warm or stack.enter_context(sandbox.start(allow_imports=course.allow_imports, official=official))
        oracle = stack.enter_context(Oracle(book, memo))
        examined = examine(course, sources, book.stubs, warm=warm, oracle=oracle, seed=seed, on_check=on_check)
        tier = warm.tier
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
        submission=SubmissionStamp(submission_id, _digest(exercises, sources)),
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        isolation=Isolation(tier, LimitsStamp(**msgspec.structs.asdict(course.limits))),
        status=scoring.overall(results),
        score=sum(result.score for result in results),
        max_score=sum(result.max_score for result in results),
        bonus=sum(result.bonus for result in results),
        notes=(),
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
    sources: Mapping[str, Source],
    stubs: Mapping[str, str],
    *,
    warm: Warm,
    oracle: Oracle,
    seed: str,
    on_check: Callable[[Exercise, Check], None] = lambda exercise, check: None,
    tighter: int = 1,
) -> Examined:
    """Load each source in a worker and run the hidden checks of its exercise on it.

    `tighter` divides every budget of calls and CPU time.
    """
    exercises = [exercise for exercise in course.exercises if exercise.id in sources]
    states: dict[str, FileState] = {}
    engines: dict[tuple[str, str], EngineUnderCheck] = {}
    engine_for = {}

    def prepare(submission: Submission, source: Source, exercise: Exercise, check: Check) -> EngineUnderCheck:
        check_seed = f"{seed}:{exercise.id}:{check.id}"
        ask = submission.run if tighter == 1 else lambda batch: submission.run(batch.tightened(tighter))
        engine = EngineUnderCheck(ask, oracle.answers, source.text, course.limits, check_seed)
        engines[exercise.id, check.id] = engine
        return engine

    with ExitStack() as stack:
        for exercise in exercises:
            source = sources[exercise.id]
            stub = stubs.get(exercise.id)
            if source.problem is not None or source.text == stub:
                states[exercise.id] = FileState(source.problem or "not_started", str(source.path), source.message)
                continue
            submission = Submission(warm, source.text, source.path.name, stub, course.limits)
            stack.enter_context(submission)
            states[exercise.id] = state = _load(submission, source)
            if state.state == "loaded":
                engine_for[exercise.id] = partial(prepare, submission, source)
        pytest_report = run_checks(course, exercises, engine_for, on_check)
    return Examined(states, pytest_report, engines)


def _load(submission: Submission, source: Source) -> FileState:
    loaded = submission.load()
    path = str(source.path)
    match loaded:
        case Loaded(output):
            return FileState("loaded", path, output=output)
        case NotStarted():
            return FileState("not_started", path)
        case LoadFailed(Problem() as problem, output):
            text = problem_text(problem, source.text.split("\n"))
            return FileState("failed", path, f"{source.path.name} could not be loaded: {text}", output)
        case LoadFailed(Died(message=message), output):
            return FileState("failed", path, f"{source.path.name} could not be loaded: {message}", output)
    raise TypeError(loaded)


def _digest(exercises: Sequence[Exercise], sources: Mapping[str, Source]) -> str:
    digest = hashlib.sha256()
    for exercise in exercises:
        source = sources[exercise.id]
        if source.problem is None:
            text = source.text.encode()
            digest.update(f"{exercise.id}:{len(text)}\n".encode() + text)
    return digest.hexdigest()
