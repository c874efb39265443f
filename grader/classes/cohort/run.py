"""Grade every submission in a folder, in processes on this machine or on a Dask cluster.

A report that is still valid is kept, and each new one is written at once. A process that dies is started again.
"""

import hmac
import os
import socket
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from ... import __version__
from ...base.processes import TRIES, Crew, Flow, OnDone, Service, ServiceEnded, ServiceNotStarted, decode, encode
from ...base.text import json_text, readable
from ...course.load import Course
from ...course.oracle import Answer, AnswerBook, Oracle
from ...verdict.checks import CheckSession
from ...verdict.grading import Addition, Submission, is_searched, plan, stamp_of
from ...verdict.report import CourseStamp, Report, waited_too_long
from ...words import instructor as words
from ..intake import Entry, Intake, LimitReached, Readers, unread
from .results import Results, file_names, keep_code

# -- The messages between the process that runs a cohort and its grading processes


class Drawn(msgspec.Struct, frozen=True):
    """The data drawn from the seed of a run: answers by program key, and new leaf values for fixed programs."""

    answers: dict[str, Answer] = {}
    redrawn: dict[str, tuple[float, ...]] = {}


class Settings(msgspec.Struct, frozen=True):
    """The settings of a run, which are the same for every submission.

    Attributes:
        course: the path of the course's folder, in the file system's bytes.
    """

    course: bytes
    course_hash: str
    seed: str
    isolation: str
    official: bool
    drawn: Drawn


class _OfSubmission(msgspec.Struct, frozen=True):
    submission: Submission

    @property
    def id(self) -> str:
        """Return the id of the submission."""
        return self.submission.stamp.id


class Job(_OfSubmission, frozen=True, tag="job"):
    """One submission to grade. If `seed` is empty, the seed of the run counts."""

    seed: str = ""

    def failed(self, message: str) -> "Faulted":
        """Return the outcome if the grader fails."""
        return Faulted(self.id, message)


class SearchJob(_OfSubmission, frozen=True, tag="search"):
    """A submission whose report is written, to be searched for the lines that must change.

    Attributes:
        exercises: the ids of the exercises whose files are searched.
        seed: the seed of the report. If it is empty, the seed of the run counts.
    """

    exercises: tuple[str, ...]
    seed: str = ""

    def failed(self, message: str) -> "Unsearched":
        """Return the outcome if the grader fails."""
        return Unsearched(self.id, message)


class GradingReady(msgspec.Struct, frozen=True, tag="ready"):
    """The process accepts jobs. `tier` is the tier of isolation in use."""

    tier: str


class Graded(msgspec.Struct, frozen=True, tag="graded"):
    """The instructor's report."""

    id: str
    report: Report


class Faulted(msgspec.Struct, frozen=True, tag="faulted"):
    """A fault of the grader, so there is no report. An empty `id` means that nothing can be graded at all."""

    id: str
    message: str


class SearchAdditions(msgspec.Struct, frozen=True, tag="searched"):
    """The results of the searches of a submission, which are added to its report."""

    id: str
    found: tuple[Addition, ...]


class Unsearched(msgspec.Struct, frozen=True, tag="unsearched"):
    """A fault of the grader in a search. The report stays as it is, and its searches are still pending."""

    id: str
    message: str


Task: TypeAlias = Job | SearchJob
Outcome: TypeAlias = Graded | Faulted | SearchAdditions | Unsearched
GradingReply: TypeAlias = GradingReady | Outcome


# -- The processes on this machine


class Pool(Protocol):
    """The processes that grade jobs, on one machine or on many."""

    def start(self) -> str:
        """Start, and return the tier of isolation that was reached."""

    @property
    def room(self) -> int:
        """Return how many jobs may be begun at a time, so that no process has to wait for one."""

    def begin(self, job: Task, done: OnDone) -> None:
        """Grade or search as soon as a process is free. `done` gets the outcome, or a `PoolError`."""

    def close(self) -> None:
        """End all processes."""


class PoolError(RuntimeError):
    """Nothing can be graded: the course, the checks or the sandbox cannot be loaded here."""


class GradingProcess(Service):
    """One grading process. `grade` never raises because of a submission."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("grader.classes.cohort.grading_process", GradingReply, settings, GradingReady)

    @property
    def settings(self) -> Settings:
        """Return the settings with which the next process starts."""
        settings: Settings = self.setup  # type: ignore[assignment]
        return settings

    def start(self) -> None:
        """Start the process unless it runs, and wait until it can grade. Raises `PoolError`."""
        try:
            ready = super().start()
        except ServiceNotStarted as failure:
            refusal = failure.reply
            raise PoolError(
                refusal.message if isinstance(refusal, Faulted) else "a grading process did not start"
            ) from None
        if isinstance(ready, GradingReady):  # a process that replaces this one must not use a weaker tier
            self.setup = replace(self.settings, isolation=ready.tier)

    def grade(self, job: Task) -> Outcome:
        """Grade or search a submission. Raises `PoolError`."""
        message = ""
        expected = Graded if isinstance(job, Job) else SearchAdditions
        for _ in range(TRIES):
            reply = self.ask(job)
            if isinstance(reply, expected) and reply.id == job.id:
                return reply
            self.end()  # the next attempt starts another process
            message = reply.message if isinstance(reply, Faulted | Unsearched) else words.grading_killed()
            if isinstance(reply, Faulted) and not reply.id:
                raise PoolError(message)
        return job.failed(message)


class LocalPool(Crew[GradingProcess, Task]):
    """Grading processes on this machine. A free process takes the next job."""

    def __init__(self, settings: Settings, count: int) -> None:
        super().__init__((GradingProcess(settings) for _ in range(count)), GradingProcess.grade)

    def start(self) -> str:
        """Start the first process and return its tier, which the others will also use. Raises `PoolError`."""
        first, *others = self.members
        first.start()
        for process in others:
            process.setup = first.setup
        return first.settings.isolation


# -- A pool of grading processes on the workers of a Dask cluster

_AHEAD = 2  # jobs in flight for each of the cluster's threads, so that no thread waits for the network
_PATIENCE_S = 30
_here = threading.local()


class Parcel(msgspec.Struct, frozen=True):
    """The settings of a run, and the files of its course by relative path."""

    grader_version: str
    settings: Settings
    course: dict[str, bytes]


def pack(settings: Settings) -> bytes:
    """Return the settings together with the course files that grading reads, as JSON. Raises `OSError`."""
    root = Path(os.fsdecode(settings.course))
    paths = [root / "course.yaml", *root.glob("exercises/*.py"), *root.glob("tests/hidden/*")]
    course = {str(path.relative_to(root)): path.read_bytes() for path in paths if path.is_file()}
    return msgspec.json.encode(Parcel(__version__, settings, course))


@cache
def _unpacked(parcel: bytes) -> tuple[Settings, Any]:
    """Copy the course to this machine. Return settings that name the copy, and the copy's temporary folder.

    The cache keeps the folder until this process ends. Raises `PoolError` if the versions of the grader differ.
    """
    sent = msgspec.json.decode(parcel, type=Parcel)
    if sent.grader_version != __version__:
        raise PoolError(
            f"a worker has version {__version__} of the grader; this run needs {sent.grader_version}. "
            "Install the same version on every machine."
        )
    folder = tempfile.TemporaryDirectory(prefix="backward-course-")
    for name, content in sent.course.items():
        path = Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return replace(sent.settings, course=os.fsencode(folder.name)), folder


def _process_for(parcel: bytes) -> GradingProcess:
    """Return this thread's grading process for these settings. End an earlier process that has other settings."""
    if getattr(_here, "parcel", None) != parcel:
        if hasattr(_here, "process"):
            _here.process.close()
        _here.process, _here.parcel = GradingProcess(_unpacked(parcel)[0]), parcel
    return _here.process  # type: ignore[no-any-return]


def start_there(parcel: bytes) -> str:
    """Start this thread's grading process on a worker, and return its tier. Raises `PoolError`."""
    process = _process_for(parcel)
    process.start()
    return process.settings.isolation


def grade_there(parcel: bytes, job: bytes) -> bytes:
    """Grade a job on a worker. Job and outcome are encoded as for a service. Raises `PoolError`."""
    return encode(_process_for(parcel).grade(decode(job, Task)))


def _reach(address: str) -> None:
    """Check that something listens at `tcp://host:port`, because Dask's client would retry silently.

    Raises:
        OSError: nothing answers.
        ValueError: the address does not have this form.
    """
    found = urlsplit(address)
    if not found.hostname or not found.port:
        raise ValueError("an address looks like tcp://10.0.0.1:8786")
    socket.create_connection((found.hostname, found.port), timeout=_PATIENCE_S).close()


class DaskPool:
    """The workers of a Dask cluster whose scheduler listens at `address`."""

    def __init__(self, settings: Settings, address: str) -> None:
        self.address = address
        self._parcel = pack(settings)
        self._settings = settings
        self._client: Any = None
        self._sent: Any = None
        self._futures: set[object] = set()  # Dask cancels a task whose future is not referenced

    def start(self) -> str:
        """Connect to the cluster, start a grading process on a worker, and return its tier. Raises `PoolError`."""
        try:
            self._dask: object = import_module("distributed")  # an extra: most classes need one machine only
        except ImportError:
            raise PoolError("--dask needs the extra: pip install 'backward-grader[dask]'") from None
        try:
            _reach(self.address)
            self._client = self._dask.Client(self.address, timeout=_PATIENCE_S, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise PoolError(f"no Dask cluster with a worker at {self.address}: {error}") from None
        try:
            tier: str = self._client.submit(start_there, self._parcel, pure=False).result()
        except Exception as error:  # a worker may raise anything, for example when an import fails there
            raise PoolError(f"a worker of {self.address} cannot grade: {error}") from None
        # no other worker may use a weaker tier
        self._parcel = pack(replace(self._settings, isolation=tier))
        return tier

    @property
    def room(self) -> int:
        """Return how many jobs may be begun at a time. It changes as workers join and leave."""
        threads: dict[str, int] = self._client.nthreads()
        return _AHEAD * max(1, sum(threads.values()))

    def begin(self, job: Task, done: OnDone) -> None:
        """Grade or search on any worker. `done` gets the outcome, or a `PoolError`."""

        def finish(future: object) -> None:
            self._futures.discard(future)
            done(_outcome(job, future))

        if self._sent is None:  # a task instead of scattered data: it is repeated if all workers that hold it leave
            self._sent = self._client.submit(bytes, self._parcel, pure=False)
        future = self._client.submit(grade_there, self._sent, encode(job), pure=False)
        self._futures.add(future)
        future.add_done_callback(finish)

    def close(self) -> None:
        """Disconnect from the cluster. Results of tasks that are still running are discarded."""
        if self._client is not None:
            self._client.close()
            self._client = None


def _outcome(job: Task, future: Any) -> Outcome | PoolError:
    try:
        reply: Outcome = decode(future.result(), Outcome)
    except PoolError as error:
        return error
    except Exception as error:  # its worker died repeatedly, or cannot import the grader
        return job.failed(words.no_worker(f"{type(error).__name__}: {error}"))
    return reply


# -- The run


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
) -> Iterator[RunProgress]:
    """Grade every submission that has no report for the same files, course, seed and grader version.

    Args:
        seed: the seed of the run.
        seen: whether learners may have seen numbers that were drawn from the seed. Then it counts only for files that
            were graded with it before. Any other submission gets a seed of its own.
        readers: the number of processes that read submissions in parallel.
        lines: whether files that fail are searched for the line that must change. A search begins when the report is
            written, and adds its result to it.

    Yields:
        The progress at the beginning and after each submission. It is always the same object.

    Raises:
        OSError: a report cannot be written.
        PoolError: nothing can be graded.
        IntakeError: nothing can be read.
    """
    progress = RunProgress(len(entries), edited=list(results.edited))
    grading = _Grading(course, results, seed, seen, progress, lines)
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
        self, course: Course, results: Results, seed: str, seen: bool, progress: RunProgress, lines: bool
    ) -> None:
        self.course = course
        self.results = results
        self.seed = seed
        self.lines = lines
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
        if earlier is not None and _made_from(earlier, submission, self.stamp, seed, self.course):
            progress.kept += 1
            progress.report = earlier
            return self._search(Job(submission, seed), earlier)
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
