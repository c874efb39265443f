"""Grade every submission in a folder: a report that is still valid is kept, and each new one is written at once."""

import hmac
import os
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from ... import __version__
from ...base.processes import Flow, ServiceEnded
from ...base.text import json_text, readable
from ...course.load import Course
from ...course.oracle import AnswerBook, Oracle
from ...verdict.checks import CheckSession
from ...verdict.grading import Submission, is_searched, plan, stamp_of
from ...verdict.report import CourseStamp, Report, waited_too_long
from ...words import instructor as words
from ..intake import Entry, Intake, LimitReached, Readers, unread
from .jobs import Drawn, Faulted, Graded, Job, SearchAdditions, SearchJob, Settings, Task, Unsearched
from .pools import Pool
from .results import Results, file_names, keep_code


@dataclass
class RunProgress:
    """The progress of a run: numbers of submissions, and the ids of submissions with a problem.

    Attributes:
        total: the number of all submissions.
        kept: the number whose existing report is still valid.
        graded: the number graded by this run.
        outdated: the number graded again because their report had an older schema.
        damaged: the ids of submissions whose report was damaged.
        edited: the ids of submissions whose report was changed after it was written.
        replaced: the ids of submissions whose report was replaced because the files, course, seed or grader changed.
        faults: the reason for each submission that could not be graded, by id.
        unsearched: the ids of submissions whose search ended with a fault of the grader. Their reports count.
        report: the valid report on the submission that came last, whether it was graded or kept; None after a fault.
    """

    total: int
    kept: int = 0
    graded: int = 0
    outdated: int = 0
    damaged: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    unsearched: list[str] = field(default_factory=list)
    report: Report | None = None

    @property
    def done(self) -> int:
        return self.kept + self.graded + len(self.faults)


def drawn(course: Course, book: AnswerBook, seed: str, memo: Path | None) -> Drawn:
    """Return the data drawn from a seed, computed once for all submissions.

    The oracle's process has ended when this function returns.
    """
    if seed == course.seed:  # the answer book contains everything for the course's own seed
        return Drawn()
    with Oracle(book, memo) as oracle:
        with CheckSession(course, course.exercises) as checks:
            plan(checks, oracle, seed)
        answers = {key: answer for key, answer in oracle.known.items() if key not in book.answers}
        return Drawn(answers, oracle.redraw(seed).leaves)


def grade_entries(
    course: Course,
    entries: Sequence[Entry],
    results: Results,
    seed: str,
    pool: Pool,
    readers: int = 1,
    *,
    seen: bool = False,
    lines: bool = False,
    again: Collection[str] = (),
) -> Iterator[RunProgress]:
    """Grade every submission that has no report for the same files, course, seed and grader version.

    Args:
        seed: the seed of the run.
        seen: whether learners may have seen numbers that were drawn from the seed. Then it counts only for files that
            were graded with it before. Any other submission gets a seed of its own.
        readers: the number of processes that read submissions in parallel.
        lines: whether files that fail are searched for the line that must change. A search begins when the report is
            written, and adds its result to it.
        again: the ids of the submissions that are also graded if there is such a report.

    Yields:
        The progress at the beginning and after each submission. It is always the same object.

    Raises:
        OSError: a report cannot be written.
        PoolError: nothing can be graded.
        IntakeError: nothing can be read.
    """
    progress = RunProgress(len(entries), edited=list(results.edited))
    grading = _Grading(course, results, seed, seen, progress, lines, again)
    flow, waiting = Flow(), iter(entries)
    yield progress
    with closing(Readers(grading.filenames, readers)) as reading:
        while True:
            # read so many submissions ahead that no process waits, and no more
            while flow.running < pool.room and (entry := next(waiting, None)) is not None:
                flow.begin(partial(reading.begin, entry))
            # at the end, those that waited too long, one at a time, with nothing else of this run beside it
            if not flow.running:
                late = grading.begin_late()
                if late is None:
                    break
                flow.begin(partial(pool.begin, late))
            # take the next result, and begin what follows from it
            done = progress.done
            task = grading.take(flow.next())
            if task is not None:
                flow.begin(partial(pool.begin, task))
            if progress.done > done:
                yield progress


class _Grading:
    """The decisions of a run: which submissions are graded, with which seed, and what becomes of earlier reports."""

    def __init__(
        self,
        course: Course,
        results: Results,
        seed: str,
        seen: bool,
        progress: RunProgress,
        lines: bool,
        again: Collection[str],
    ) -> None:
        self.course = course
        self.results = results
        self.seed = seed
        self.lines = lines
        self.again = again
        self.seen = seen and seed != course.seed
        self.progress = progress
        self.stamp = CourseStamp.of(course)
        self.filenames = {exercise.id: exercise.filename for exercise in course.exercises}
        self._begun: dict[str, Job] = {}
        # a busy machine costs no point: a submission that waited too long is graded again at the end, alone
        self._late = deque[Job]()
        self._alone: set[str] = set()

    def begin_late(self) -> Job | None:
        """Return the next job that waited too long, or None. Its second report counts."""
        if not self._late:
            return None
        job = self._late.popleft()
        self._begun[job.id] = job
        self._alone.add(job.id)
        return job

    def take(self, result: Any) -> Task | None:
        """Take the result of reading, grading or searching a submission. Return the task that follows, or None."""
        self.progress.report = None
        match result:
            case entry, ServiceEnded(status):
                self._faulted(entry.id, words.reading_ended(status))
            case entry, read:
                intake = unread(read, entry, self.filenames) if isinstance(read, LimitReached) else read
                task = self._task(submission_of(entry, intake), intake)
                if isinstance(task, Job):
                    self._begun[task.id] = task
                return task
            case Graded(name, report) if waited_too_long(report) and name not in self._alone:
                self._late.append(self._begun.pop(name))
            case Graded(name, report):
                search = self._search(self._begun.pop(name), report)
                # first the report, which is final, and then the search, which only adds to it
                self.results.write(report if search is None else replace(report, pending=search.exercises))
                self.progress.graded += 1
                self.progress.report = report
                return search
            case Faulted(name, message):
                self._begun.pop(name, None)
                self._faulted(name, message)
            case SearchAdditions(name, found):
                self.results.add(name, found)
            case Unsearched(name):
                self.progress.unsearched.append(name)
        return None

    def _faulted(self, name: str, message: str) -> None:
        """Note that a submission could not be graded."""
        if self.results.report(name) is not None:  # a report on other files, or for another version of the course
            self.results.keep_earlier(name)
        self.results.forget(name)
        self.progress.faults[name] = message

    def _search(self, job: Job, report: Report) -> SearchJob | None:
        """Return the search of the files that fail, or None if no search is wanted or possible."""
        failing = tuple(one.id for one in report.exercises if is_searched(one) and one.repairs is UNSET)
        names = report.pending or failing
        return SearchJob(job.submission, names, job.seed) if self.lines and names else None

    def _task(self, submission: Submission, intake: Intake) -> Task | None:
        """Return the job for a submission. If its report is still valid, return the search that it lacks, or None."""
        results, progress, name = self.results, self.progress, submission.stamp.id
        # also if the report stays valid, because people may choose from other files now
        keep_code(results.folder, submission.stamp, submission.sources, intake.found)
        # the seed under which the report would be made now
        earlier, seed = results.report(name), self.seed
        if self.seen and results.seed_before(submission) != seed:
            seed = own_seed(seed, submission)
        kept = None if name in self.again else earlier
        if kept is not None and _made_from(kept, submission, self.stamp, seed, self.course):
            progress.kept += 1
            progress.report = kept
            return self._search(Job(submission, seed), kept)
        # why an earlier report does not count, for the messages at the end
        if earlier is not None:
            results.keep_earlier(name)
            progress.replaced.append(name)
        elif results.has_older(name):
            progress.outdated += 1
        elif results.is_edited(name):
            results.keep_aside(name)
            progress.edited.append(name)
        elif results.keep_aside(name):
            progress.damaged.append(name)
        return Job(submission, seed)


def submission_of(entry: Entry, intake: Intake) -> Submission:
    """Return the submission to grade: its sources, and the stamp for its report."""
    stamp = replace(
        stamp_of(entry.id, intake.sources),
        origin=str(readable(Path(entry.origin))),
        submitters=entry.submitters or UNSET,
        submitted_at=intake.submitted_at or UNSET,
        commit=UNSET if entry.submitted_at else intake.commit or UNSET,
        late=True if entry.late and not entry.submitted_at else UNSET,
    )
    return Submission(intake.sources, stamp, intake.notes)


def own_seed(seed: str, submission: Submission) -> str:
    """Return the seed of a submission that changed after learners may have seen numbers drawn from the run's seed.

    It follows from the run's seed, which is secret, and from everything of the submission that its code can find out:
    the texts of its files, and their names. So no file can contain numbers that were drawn from its own seed.
    """
    known = json_text([submission.stamp.id, submission.stamp.sha256, file_names(submission)])
    return hmac.new(seed.encode(), known.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:32]


def _made_from(report: Report, submission: Submission, course: CourseStamp, seed: str, settings: Course) -> bool:
    return (
        (report.submission, report.notes, report.course) == (submission.stamp, submission.notes, course)
        and report.grader_version == __version__
        and (report.seed if report.seed is not UNSET else settings.seed) == seed
    )


def settings(course: Course, seed: str, from_it: Drawn, *, isolation: str, official: bool) -> Settings:
    """Return the settings for a run's grading processes."""
    # absolute, because a grading process has another current folder
    folder = os.fsencode(course.folder.absolute())
    return Settings(folder, course.hash, seed, isolation, official, from_it)
