"""Grade every submission in a folder. Keep reports that are still valid, and write each new one at once."""

import contextlib
import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from .. import __version__
from ..base import in_the_way, json_text, plain_folder, read_plain, readable, write_atomically
from ..base.service import Ended
from ..checks.session import CheckSession
from ..client import Source
from ..course import Course
from ..grading import Submission, digest, plan
from ..oracle import Oracle
from ..oracle.answer_book import AnswerBook
from ..people import DEADLINES, OVERRIDES, RECORDED
from ..report import Report, read_report, to_json
from ..report.choices import Found, text_digest
from ..report.model import SCHEMA, CourseStamp, SubmissionStamp
from ..words import instructor as said
from .intake import Entry, Intake, Readers, Stopped, unread
from .pool import Drawn, Faulted, Graded, Job, Pool, Settings
from .side_by_side import Flow

# -- The files of a submission as they were graded, kept beside its report

CODE = "code"


class Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The text of each readable file of a submission, by exercise.

    Attributes:
        sha256: the digest in the report of the submission.
        files: the text of each readable file, by exercise.
        found: the files that somebody may choose from.
    """

    schema: Literal["backward/code/v1"]
    sha256: str
    files: dict[str, str]
    found: dict[str, dict[str, str]] = {}


def keep_code(folder: Path, stamp: SubmissionStamp, sources: Mapping[str, Source], found: Found) -> None:
    """Write the files of a submission to a folder of results, unless they are already there. Raises `OSError`."""
    path = _path(folder, stamp.id)
    files = {name: source.text for name, source in sources.items() if source.problem is None}
    listed = {exercise: dict(paths) for exercise, paths in found.items()}
    data = json_text(Code("backward/code/v1", stamp.sha256, files, listed)).encode()
    with contextlib.suppress(OSError):
        if read_plain(path) == data:
            return
    write_atomically(path, data)


def read_code(folder: Path, report: Report) -> Mapping[str, str]:
    """Return the files that a report was made from, by exercise; empty if they were not kept or have changed."""
    kept = _read(folder, report.submission.id)
    return kept.files if kept is not None and kept.sha256 == report.submission.sha256 else {}


def read_found(folder: Path, submission: str) -> Found:
    """Return the files that somebody may choose from; empty if they were not kept."""
    kept = _read(folder, submission)
    return kept.found if kept is not None else {}


def _read(folder: Path, submission: str) -> Code | None:
    try:
        return msgspec.json.decode(read_plain(_path(folder, submission)), type=Code)
    except (OSError, msgspec.MsgspecError):
        return None


def _path(folder: Path, submission: str) -> Path:
    return folder / CODE / f"{submission}.json"


RUN = "run.json"
REPORTS = "reports"
GONE = "gone"
EARLIER = "earlier"  # reports that a later one replaced
WRITTEN = "reports.sha256"  # the digests of all reports as they were written
ROSTER = "roster.csv"
SUMMARY = "cohort.json"  # deleted before a report changes, so that it is never stale


_LOCK = ".lock"
_HELD = dict.fromkeys((REPORTS, CODE, GONE, EARLIER), "folder")
_HELD |= dict.fromkeys((RUN, SUMMARY, WRITTEN, ROSTER, DEADLINES, OVERRIDES, RECORDED, _LOCK), "file")


class ResultsError(ValueError):
    """The folder of results cannot be used. The message says what to do."""


class RunFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a folder of results. A resumed run uses the same seed.

    Attributes:
        course_folder: the path of the course. It is for people to read, and is empty in files of older versions.
        seen: the seeds with which a run was completed, so that learners may have seen numbers drawn from them. None in
            files of older versions: then `seed` counts as seen.
    """

    course: CourseStamp
    grader_version: str
    seed: Annotated[str, Meta(min_length=1)]
    isolation: str
    course_folder: str = ""
    seen: tuple[str, ...] | None = None


class _AnySchema(msgspec.Struct, frozen=True):
    schema: str


class _AnyStamp(msgspec.Struct, frozen=True):
    sha256: str = ""


class _AnyExercise(msgspec.Struct, frozen=True):
    id: str
    file: str = ""


class _AnyReport(msgspec.Struct, frozen=True):
    """The part of a report in any schema that says which files were graded with which seed."""

    submission: _AnyStamp
    exercises: tuple[_AnyExercise, ...]
    seed: str = ""


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
    """

    total: int
    kept: int = 0
    graded: int = 0
    outdated: int = 0
    damaged: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def done(self) -> int:
        return self.kept + self.graded + len(self.faults)


class Results:
    """A context manager for a folder of results. Only one run at a time can lock it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports = folder / REPORTS
        self.summary = folder / SUMMARY
        self.earlier = folder / EARLIER
        self.edited: list[str] = []
        self._lock = -1
        self._known: dict[str, set[str]] | None = None

    def __enter__(self) -> "Results":
        try:
            self._refuse_what_is_no_result()
            for folder in (self.reports, self.folder / CODE):
                folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise ResultsError(f"{self.folder} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            busy = f"another run is writing to {self.folder}; wait for it, or name another --out"
            raise ResultsError(busy) from None
        places = (self.folder, self.reports, self.folder / CODE)
        for left in chain.from_iterable(place.glob(".*.json.*") for place in places):  # left by a killed run
            if in_the_way(left) is None:
                left.unlink(missing_ok=True)
        try:
            if written(self.folder) is None:  # the reports come from a version that did not record digests
                for path, _ in _files(self.reports):
                    self._note(path.stem, read_plain(path))
        except OSError as error:
            os.close(self._lock)
            raise ResultsError(f"{error.filename or self.folder}: {error.strerror}; name another --out") from None
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def _refuse_what_is_no_result(self) -> None:
        """Raise `ResultsError` if a link, pipe or other special file has the name of a file that the run writes."""
        held = ((self.folder / name, kind) for name, kind in _HELD.items())
        for path, wanted in chain(held, _files(self.reports), _files(self.folder / CODE)):
            found = in_the_way(path, wanted)
            if found is not None:
                raise ResultsError(f"{path} is a {found}; expected a {wanted}. Remove it, or name another --out.")

    def write(self, report: Report) -> None:
        """Delete the summary, which becomes stale, and write a report atomically. Raises `OSError`."""
        self.summary.unlink(missing_ok=True)
        data = to_json(report)
        self._note(report.submission.id, data)  # first: if the run is killed here, the earlier report stays valid
        write_atomically(self.path(report.submission.id), data)

    @property
    def _written(self) -> dict[str, set[str]]:
        """Return the digests of the reports that were written to this folder. Raises `OSError`."""
        if self._known is None:
            self._known = written(self.folder) or {}
        return self._known

    def _note(self, entry_id: str, data: bytes) -> None:
        """Append the digest of a report to the list of written reports. Raises `OSError`."""
        digest = hashlib.sha256(data).hexdigest()
        if digest in self._written.setdefault(entry_id, set()):
            return
        path = self.folder / WRITTEN
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            size = os.fstat(handle).st_size
            os.lseek(handle, max(0, size - 1), os.SEEK_SET)
            torn = size and os.read(handle, 1) != b"\n"  # a run was killed while it wrote the last line
            os.write(handle, b"\n" * bool(torn) + f"{digest}  {REPORTS}/{entry_id}.json\n".encode())
        finally:
            os.close(handle)
        self._written[entry_id].add(digest)

    def forget(self, entry_id: str) -> None:
        """Delete a report that is no longer valid, if there is one."""
        self.summary.unlink(missing_ok=True)
        self.path(entry_id).unlink(missing_ok=True)

    def path(self, entry_id: str) -> Path:
        return self.reports / f"{entry_id}.json"

    def set_aside(self, entries: Sequence[Entry]) -> list[str]:
        """Move the reports of submissions that no longer exist to `gone/`. Return their ids."""
        known = {f"{entry.id}.json" for entry in entries}
        stale = [path for path in sorted(self.reports.glob("*.json")) if path.name not in known]
        for path in stale:
            self._put_away(path)
        return [path.stem for path in stale]

    def _put_away(self, path: Path) -> None:
        """Move a report to `gone/` without overwriting earlier reports of the same name."""
        self.summary.unlink(missing_ok=True)
        plain_folder(self.folder / GONE)
        names = chain([path.name], (f"{path.stem}.{number}.json" for number in count(2)))
        path.replace(next(place for name in names if not os.path.lexists(place := self.folder / GONE / name)))

    def report(self, entry_id: str) -> Report | None:
        """Return the existing report, or None if it is missing, unreadable, inconsistent or edited."""
        try:
            data = read_plain(self.path(entry_id))
            return read_report(data) if is_as_written(self._written, entry_id, data) else None
        except (OSError, ValueError):
            return None

    def is_edited(self, entry_id: str) -> bool:
        """Return whether there is a report that is well-formed but was changed after it was written."""
        try:
            data = read_plain(self.path(entry_id))
            read = msgspec.json.decode(data, type=Report)
        except (OSError, ValueError):
            return False
        return read.submission.id == entry_id and not is_as_written(self._written, entry_id, data)

    def keep_earlier(self, entry_id: str) -> None:
        """Copy a report that will be replaced to `earlier/`. Raises `OSError`."""
        data = read_plain(self.path(entry_id))
        kept = self.earlier_reports(entry_id)
        if kept and read_plain(kept[-1]) == data:  # copied by a run that was killed before it wrote the new report
            return
        plain_folder(self.earlier)
        write_atomically(self.earlier / f"{entry_id}.{len(kept) + 1}.json", data)

    def earlier_reports(self, entry_id: str) -> list[Path]:
        """Return the files of earlier reports on a submission, oldest first."""
        paths = (self.earlier / f"{entry_id}.{number}.json" for number in count(1))
        return list(takewhile(lambda path: in_the_way(path) is None and path.exists(), paths))

    def has_older(self, entry_id: str) -> bool:
        """Return whether there is a report in an older schema, which this version cannot read."""
        try:
            found = msgspec.json.decode(read_plain(self.path(entry_id)), type=_AnySchema)
        except (OSError, ValueError):
            return False
        return found.schema != SCHEMA and found.schema.startswith(SCHEMA.rpartition("/")[0])

    def keep_aside(self, entry_id: str) -> bool:
        """Move a damaged report to `gone/`. Return whether a report was there. Raises `OSError`."""
        path = self.path(entry_id)
        if not os.path.lexists(path):
            return False
        self._put_away(path)
        return True

    def take_over(self, earlier: Path, entries: Iterable[Entry]) -> None:
        """Copy the seed, the rules and the reports of an earlier folder of results.

        Files that this folder already has are not copied.
        As in every run, a submission that has changed since then is graded again.

        Raises:
            ResultsError: `earlier` contains no results.
            OSError: a file cannot be written.
        """
        known = written(earlier)
        entries = tuple(entries)
        reports = {f"{REPORTS}/{entry.id}.json": entry.id for entry in entries}
        kept = Results(earlier)
        before = {f"{EARLIER}/{path.name}" for entry in entries for path in kept.earlier_reports(entry.id)}
        for place in (RUN, ROSTER, DEADLINES, OVERRIDES, RECORDED, *reports, *sorted(before)):
            if os.path.lexists(self.folder / place):
                continue
            try:
                data = read_plain(earlier / place)
            except FileNotFoundError:
                if place == RUN:
                    raise ResultsError(f"--since {earlier}: the folder has no results of `grade cohort`") from None
                continue
            except OSError as error:
                raise ResultsError(f"--since {earlier / place} cannot be read: {error.strerror}") from None
            if place in reports:
                if known is not None and not is_as_written(known, reports[place], data):
                    self.edited.append(reports[place])
                    continue
                self._note(reports[place], data)
            if place in before:
                plain_folder(self.earlier)
            write_atomically(self.folder / place, data)

    def seed(self, given: str | None) -> tuple[str, tuple[str, ...]]:
        """Return the seed of a run, and the seeds that learners may have seen numbers of.

        The seed is the given one, or else the one in `run.json`, or else a new secret one. Raises `ResultsError` if
        `run.json` cannot be read.
        """
        try:
            before: RunFile | None = msgspec.json.decode(read_plain(self.folder / RUN), type=RunFile)
        except FileNotFoundError:
            before = None
        except (OSError, msgspec.MsgspecError) as error:
            raise ResultsError(f"{self.folder / RUN} cannot be read ({error}); name another --out") from None
        if before is None:
            return given or secrets.token_hex(16), ()
        return given or before.seed, (before.seed,) if before.seen is None else before.seen

    def seed_before(self, submission: Submission) -> str | None:
        """Return the seed with which the same files were graded, according to a report in any schema, or None."""
        try:
            there = msgspec.json.decode(read_plain(self.path(submission.stamp.id)), type=_AnyReport)
        except (OSError, ValueError):
            return None
        files = {exercise.id: Path(exercise.file).name for exercise in there.exercises if exercise.file}
        same = there.submission.sha256 == submission.stamp.sha256
        return there.seed if same and _file_names(submission).items() <= files.items() else None

    def note(self, run: RunFile) -> None:
        """Write `run.json`. Raises `OSError`."""
        write_atomically(self.folder / RUN, json_text(run).encode())


def rules_digest(folder: Path) -> str:
    """Return a digest of the roster, the deadlines and the decisions in a folder of results. Raises `OSError`."""
    made = hashlib.sha256()
    for name in (ROSTER, DEADLINES, OVERRIDES):
        try:
            data = read_plain(folder / name)
        except FileNotFoundError:
            continue
        made.update(f"{name}:{len(data)}\n".encode() + data)
    return made.hexdigest()


def written(folder: Path) -> dict[str, set[str]] | None:
    """Return the digests of all reports that were written to a folder of results, by submission.

    Returns None if the folder has no list of digests. Raises `OSError`.
    """
    try:
        lines = read_plain(folder / WRITTEN).decode("ascii", "replace").splitlines()
    except FileNotFoundError:
        return None
    found: dict[str, set[str]] = {}
    for line in lines:
        digest, _, name = line.partition("  ")
        if name.startswith(f"{REPORTS}/") and name.endswith(".json"):
            found.setdefault(name.removeprefix(f"{REPORTS}/").removesuffix(".json"), set()).add(digest)
    return found


def is_as_written(known: Mapping[str, set[str]], entry_id: str, data: bytes) -> bool:
    """Return whether the data of a report has one of the digests recorded when reports were written."""
    return hashlib.sha256(data).hexdigest() in known.get(entry_id, ())


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every path in a folder that is named like a result, with the expected kind of file."""
    yield from ((path, "file") for path in sorted(folder.glob("*.json")))


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
) -> Iterator[Standing]:
    """Grade every submission that has no report for the same files, course, seed and grader version.

    Args:
        seed: the seed of the run.
        seen: whether learners may have seen numbers that were drawn from the seed. Then it counts only for files that
            were graded with it before. Any other submission gets a seed of its own.
        readers: the number of processes that read submissions in parallel.

    Yields:
        The progress after each submission. It is always the same object.

    Raises:
        OSError: a report cannot be written.
        PoolError: nothing can be graded.
        IntakeError: nothing can be read.
    """
    standing = Standing(len(entries), edited=list(results.edited))
    exercises = {exercise.id: exercise.filename for exercise in course.exercises}
    grading = _Grading(course, results, seed, seen, standing)
    flow, waiting = Flow(), iter(entries)
    with Readers(exercises, readers) as reading:
        while True:
            # read so many submissions ahead that no process waits, and no more
            while flow.running < pool.room and (entry := next(waiting, None)) is not None:
                flow.begin(partial(reading.begin, entry))
            if not flow.running:
                break
            match flow.next():
                case Graded(_, report):
                    results.write(report)
                    standing.graded += 1
                case Faulted(name, message):
                    grading.faulted(name, message)
                case entry, Ended(status):
                    grading.faulted(entry.id, said.reading_ended(status))
                case entry, read:
                    intake = unread(read, entry, exercises) if isinstance(read, Stopped) else read
                    job = grading.job(submission_of(entry, intake), intake)
                    if job is not None:
                        flow.begin(partial(pool.begin, job))
                        continue
            yield standing
    yield standing


class _Grading:
    """The decisions of a run: which submissions are graded, with which seed, and what becomes of earlier reports."""

    def __init__(self, course: Course, results: Results, seed: str, seen: bool, standing: Standing) -> None:
        self.course = course
        self.results = results
        self.seed = seed
        self.seen = seen and seed != course.seed
        self.standing = standing
        self.stamp = CourseStamp(course.id, course.version, course.hash)

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
            standing.kept += 1
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
    stamp = SubmissionStamp(
        id=entry.id,
        sha256=digest(intake.sources),
        origin=str(readable(Path(entry.origin))),
        submitters=entry.submitters or UNSET,
        submitted_at=intake.submitted_at or UNSET,
        commit=UNSET if entry.submitted_at else intake.commit or UNSET,
        late=True if entry.late and not entry.submitted_at else UNSET,
        files={name: text_digest(one.text) for name, one in intake.sources.items() if one.problem is None},
    )
    return Submission(intake.sources, stamp, intake.notes)


def own_seed(seed: str, submission: Submission) -> str:
    """Return the seed of a submission that changed after learners may have seen numbers drawn from the run's seed.

    It follows from the run's seed, which is secret, and from everything of the submission that its code can find out:
    the texts of its files, and their names. So no file can contain numbers that were drawn from its own seed.
    """
    known = json_text([submission.stamp.id, submission.stamp.sha256, _file_names(submission)])
    return hmac.new(seed.encode(), known.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:32]


def _file_names(submission: Submission) -> dict[str, str]:
    """Return the name of each readable file of a submission, by exercise."""
    return {name: source.path.name for name, source in sorted(submission.sources.items()) if source.problem is None}


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
