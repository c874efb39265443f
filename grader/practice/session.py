"""Grade one learner's files repeatedly. The sandbox, collected checks and answers stay in memory between the runs."""

import math
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from ..course.load import Course, Exercise
from ..course.oracle import Answer, Oracle, read_book
from ..course.program import Program
from ..runner import sandbox
from ..runner.client import Budget, Host, Source, read_exercise
from ..runner.sandbox import Started, Warm
from ..verdict.checks import CheckSession, GraderFault
from ..verdict.grading import (
    Addition,
    CheckEnded,
    Grader,
    GradingEvent,
    Searched,
    Searching,
    Submission,
    relative_path,
    stamp_of,
    submission_events,
)
from ..verdict.report import ExerciseResult, Repairs, Report, check_for_learner, for_learner
from .replay import Played
from .replay.landscape import record_all
from .replay.record import CheckedFile, FileToReplay, Subject, answers_of
from .workspace import next_exercise

PATIENCE_S = 2.0  # how long a learner waits for the search for the line that must change


PracticeEvent: TypeAlias = GradingEvent | Searching | Report


class Withdrawn(Exception):
    """The files are no longer to be graded, so there is no result."""


class Practice:
    """A context manager with a learner's exercise files and everything that grades them.

    Args:
        course: the course, whose own seed is used.
        folder: the folder with the exercise files.
        isolation: the tier of isolation, or `auto`.
        memo: the file for torch's answers to programs that are not in the answer book.
        host: the place where the files run, if it is not a sandbox of this tier.
    """

    def __init__(
        self,
        course: Course,
        folder: Path,
        *,
        isolation: str = "auto",
        memo: Path | None = None,
        host: Started | Host | None = None,
    ) -> None:
        self.course = course
        self.folder = folder
        self.results: dict[str, ExerciseResult] = {}
        self._book = read_book(course.book)
        self._isolation = isolation
        self._memo = memo
        self._host = host
        self._stack = ExitStack()
        self._grader: Grader | None = None
        self._graded: dict[str, Source] = {}

    def __enter__(self) -> "Practice":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def path(self, exercise: Exercise) -> Path:
        """Return the learner's file for an exercise."""
        return self.folder / exercise.filename

    def stub(self, exercise: Exercise) -> str:
        """Return the file of an exercise as the course hands it out."""
        return self._book.stubs[exercise.id]

    def graded(self, exercise: Exercise) -> Source | None:
        """Return the source of an exercise that was graded last, or None if none was."""
        return self._graded.get(exercise.id)

    def changed(self, exercises: Iterable[Exercise]) -> list[Exercise]:
        """Return the exercises whose file has changed since it was last graded, or since its grading began."""
        return [one for one in exercises if self._read(one) != self._graded.get(one.id)]

    def grade(self, exercises: Iterable[Exercise]) -> Report:
        """Grade the files of these exercises, keep their results, and return the report for the learner.

        Raises the same errors as `events`.
        """
        return _only_report(self.events(exercises))

    def events(
        self,
        exercises: Iterable[Exercise],
        withdrawn: Callable[[], bool] = lambda: False,
        searched: Searched | None = None,
    ) -> Generator[PracticeEvent, None, None]:
        """Grade the files of these exercises. Yield the progress and the report, as learners may see them.

        The results are kept. A sandbox that has died is started again once.

        Args:
            withdrawn: returns whether the files are no longer to be graded, or no longer to be searched.
            searched: returns the ids of the exercises that are searched for the line that must change. Each search
                that has a result is followed by a second report.

        Raises `GraderFault` and `OracleError`, and `Withdrawn` if the files are no longer to be graded.
        """
        chosen = tuple(exercises)
        sources = {one.id: self._read(one) for one in chosen}
        # what was graded before counts again if this grading is withdrawn
        before = dict(self._graded)
        # now, so that a file that is saved while it is graded counts as changed
        self._graded.update(sources)
        graded = False
        for event in self._events(chosen, sources, withdrawn, searched):
            if isinstance(event, Report):
                if withdrawn() and not graded:
                    self._graded = before
                    raise Withdrawn
                graded = True
                self.results.update((result.id, result) for result in event.exercises)
            yield event

    def searched_file(
        self, exercise: Exercise, withdrawn: Callable[[], bool] = lambda: False
    ) -> Generator[PracticeEvent, None, None]:
        """Grade the file of an exercise, and then search it for the line that must change, for two seconds.

        Yields the same as `events`, and raises the same errors.
        """
        end = math.inf

        def searched(report: Report) -> list[str]:  # is called when the search begins
            nonlocal end
            end = time.monotonic() + PATIENCE_S
            return [exercise.id]

        return self.events([exercise], lambda: time.monotonic() > end or withdrawn(), searched)

    def grade_source(self, exercise: Exercise, source: Source) -> Report:
        """Grade a source in place of an exercise's file. Its result is not kept. Raises the same errors as `grade`."""
        return _only_report(self._events((exercise,), {exercise.id: source}))

    def searched_source(self, exercise: Exercise, source: Source) -> Generator[PracticeEvent, None, None]:
        """Grade a source in place of an exercise's file, and search it for the line that must change if it fails.

        Yields the progress, the report, and a second report if the search has a result. Neither is kept. Raises the
        same errors as `grade`.
        """
        return self._events((exercise,), {exercise.id: source}, searched=lambda report: [exercise.id])

    def _read(self, exercise: Exercise) -> Source:
        """Return the source of an exercise, with its path relative to the current folder."""
        source = read_exercise(exercise, self.path(exercise))
        read = self.path(exercise).with_suffix(source.path.suffix)  # the learner may have a notebook instead
        return replace(source, path=relative_path(read, Path.cwd()))

    def replays(
        self,
        exercise: Exercise,
        source: Source | None = None,
        others: Sequence[Subject] = (),
        repairs: Repairs | None = None,
    ) -> Played:
        """Record how a source runs on the program of its first failing check.

        If all checks pass, the first program of the first check is recorded. Without a check that can be shown, there
        are no replays.

        Args:
            source: the source to run; None for the exercise's file.
            others: further programs to record, if the file can build them.
            repairs: what a search of this source has found; by default, that of the exercise's file.
        """
        source = source or self._read(exercise)
        try:
            return self._replays_once(exercise, source, others, repairs)
        except (sandbox.WorkerGone, GraderFault) as error:
            self._restart(error)
            return self._replays_once(exercise, source, others, repairs)

    def _replays_once(
        self, exercise: Exercise, source: Source, others: Sequence[Subject], repairs: Repairs | None
    ) -> Played:
        assert self._grader is not None
        grader = self._grader
        checked = CheckedFile(grader, exercise, source)
        first, by_torch = checked.first(), answers_of(grader.oracle)
        thermometers = checked.thermometers(by_torch)
        if first is None and not thermometers:
            return Played(())
        # a result is known only for the text that was graded
        result = self.results.get(exercise.id) if source == self._graded.get(exercise.id) else None
        file = FileToReplay(exercise.id, source.path.name, source, repairs or (result and result.repairs) or None)

        def answers(wanted: Program) -> Answer | None:
            """Return torch's answer to the program of a check, which is known. Torch is not started for another one."""
            known = (first.program, first.program.truth) if first and first.training is None else ()
            return by_torch(wanted) if wanted in known else None

        return record_all(grader.warm, self.course.limits, file, first, others, answers, thermometers)

    def _events(
        self,
        exercises: Sequence[Exercise],
        sources: Mapping[str, Source],
        withdrawn: Callable[[], bool] = lambda: False,
        searched: Searched | None = None,
    ) -> Generator[PracticeEvent, None, None]:
        try:
            yield from self._events_once(exercises, sources, Budget(withdrawn=withdrawn), searched)
        except (sandbox.WorkerGone, GraderFault) as error:
            self._restart(error)
            yield from self._events_once(exercises, sources, Budget(withdrawn=withdrawn), searched)

    def _restart(self, error: sandbox.WorkerGone | GraderFault) -> None:
        """Start everything again after the sandbox has died. If it has not, the grader itself failed: raise `error`.

        If the sandbox dies while a check runs, the check raises `GraderFault`.
        """
        assert self._grader is not None
        warm = self._grader.warm
        # a fault of the grader itself would come again
        if isinstance(error, GraderFault) and not (isinstance(warm, Warm) and warm.ended):
            raise error
        self._stack.close()
        self._start()

    def _events_once(
        self, exercises: Sequence[Exercise], sources: Mapping[str, Source], budget: Budget, searched: Searched | None
    ) -> Generator[PracticeEvent, None, None]:
        assert self._grader is not None
        details = self.course.details
        # events and reports are redacted, because a learner reads them
        submission = Submission(sources, stamp_of("local", sources))
        for event in submission_events(self._grader, submission, exercises, budget, searched):
            match event:
                case Report():
                    report = event
                    yield for_learner(report, details)
                case Addition():
                    report = event.to(report)
                    yield for_learner(report, details)
                case CheckEnded(exercise, result):
                    yield replace(event, result=check_for_learner(exercise.id, result, details))
                case _:
                    yield event

    def _start(self) -> None:
        course, enter = self.course, self._stack.enter_context
        # first, because the worker starts while the rest is made ready
        warm = self._host or enter(sandbox.start(self._isolation, allow_imports=course.allow_imports))
        oracle = enter(Oracle(self._book, self._memo))
        checks = enter(CheckSession(course, course.exercises, on_demand=True))
        self._grader = Grader(course, self._book, checks, oracle, warm, course.seed)


def _only_report(events: Iterable[PracticeEvent]) -> Report:
    """Return the report among events without a search."""
    (report,) = (event for event in events if isinstance(event, Report))
    return report


def first_unfinished(course: Course, results: Mapping[str, ExerciseResult], after: str = "") -> Exercise | None:
    """Return the first exercise after the id `after` that is not passed, continuing from the start; None if all are."""
    return next_exercise(course, {one for one, result in results.items() if result.status == "passed"}, after)
