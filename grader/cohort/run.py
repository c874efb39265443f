"""Grade every submission in a folder. Keep reports that are still valid, and write each new one at once."""

import hmac
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from .. import __version__
from ..base import json_text, readable
from ..base.service import Ended, Flow
from ..checks.session import CheckSession
from ..course import Course
from ..grading import Submission, is_searched, plan, stamp_of
from ..intake import Entry, Intake, Readers, Stopped, unread
from ..oracle import Oracle
from ..oracle.answer_book import AnswerBook
from ..report import Report
from ..report.model import CourseStamp
from ..words import instructor as words
from .pool import Drawn, Faulted, Graded, Job, Pool, Settings
from .results import Results, file_names, keep_code


@dataclass
class Standing:
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
) -> Iterator[Standing]:
    """Grade every submission that has no report for the same files, course, seed and grader version.

    Args:
        seed: the seed of the run.
        seen: whether learners may have seen numbers that were drawn from the seed. Then it counts only for files that
            were graded with it before. Any other submission gets a seed of its own.
        readers: the number of processes that read submissions in parallel.
        lines: whether a report is only kept if its files were searched for the line that must change.

    Yields:
        The progress at the beginning and after each submission. It is always the same object.

    Raises:
        OSError: a report cannot be written.
        PoolError: nothing can be graded.
        IntakeError: nothing can be read.
    """
    standing = Standing(len(entries), edited=list(results.edited))
    exercises = {exercise.id: exercise.filename for exercise in course.exercises}
    grading = _Grading(course, results, seed, seen, standing, lines)
    flow, waiting = Flow(), iter(entries)
    yield standing
    with closing(Readers(exercises, readers)) as reading:
        while True:
            # read so many submissions ahead that no process waits, and no more
            while flow.running < pool.room and (entry := next(waiting, None)) is not None:
                flow.begin(partial(reading.begin, entry))
            if not flow.running:
                break
            # take the next result: a submission that was read, or one that was graded
            standing.report = None
            match flow.next():
                case Graded(_, report):
                    results.write(report)
                    standing.graded += 1
                    standing.report = report
                case Faulted(name, message):
                    grading.faulted(name, message)
                case entry, Ended(status):
                    grading.faulted(entry.id, words.reading_ended(status))
                case entry, read:
                    intake = unread(read, entry, exercises) if isinstance(read, Stopped) else read
                    job = grading.job(submission_of(entry, intake), intake)
                    if job is not None:
                        flow.begin(partial(pool.begin, job))
                        continue
            yield standing


class _Grading:
    """The decisions of a run: which submissions are graded, with which seed, and what becomes of earlier reports."""

    def __init__(
        self, course: Course, results: Results, seed: str, seen: bool, standing: Standing, lines: bool
    ) -> None:
        self.course = course
        self.results = results
        self.seed = seed
        self.lines = lines
        self.seen = seen and seed != course.seed
        self.standing = standing
        self.stamp = CourseStamp.of(course)

    def faulted(self, name: str, message: str) -> None:
        """Note that a submission could not be graded."""
        if self.results.report(name) is not None:  # a report on other files, or for another version of the course
            self.results.keep_earlier(name)
        self.results.forget(name)
        self.standing.faults[name] = message

    def job(self, submission: Submission, intake: Intake) -> Job | None:
        """Return the job for a submission. Return None if its report is still valid."""
        results, standing, name = self.results, self.standing, submission.stamp.id
        keep_code(results.folder, submission.stamp, submission.sources, intake.found)
        earlier, seed = results.report(name), self.seed
        if self.seen and results.seed_before(submission) != seed:
            seed = own_seed(seed, submission)
        if earlier is not None and _made_from(earlier, submission, self.stamp, seed, self.course):
            if self.lines and any(one.repairs is UNSET for one in earlier.exercises if is_searched(one)):
                return Job(submission, seed)
            standing.kept += 1
            standing.report = earlier
            return None
        if earlier is not None:
            results.keep_earlier(name)
            standing.replaced.append(name)
        elif results.has_older(name):
            standing.outdated += 1
        elif results.is_edited(name):
            results.keep_aside(name)
            standing.edited.append(name)
        elif results.keep_aside(name):
            standing.damaged.append(name)
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


def settings(
    course: Course, seed: str, from_it: Drawn, *, isolation: str, official: bool, lines: bool = False
) -> Settings:
    """Return the settings for a run's grading processes."""
    # absolute, because a grading process has another current folder
    folder = os.fsencode(course.folder.absolute())
    return Settings(folder, course.hash, seed, isolation, official, from_it, lines)
