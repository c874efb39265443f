"""The folder of results of a class: a run writes it, and every other command reads it."""

import contextlib
import fcntl
import hashlib
import os
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from ...base.files import UserError, in_the_way, plain_folder, read_plain, write_atomically
from ...base.text import json_text, plain, readable
from ...course.learners import ChangedTotal, Decided, Learner
from ...course.load import Course, CourseError, course_around, find_course, load_course, packaged_course
from ...runner.client import Source
from ...verdict.grading import Addition, Submission
from ...verdict.report import SCHEMA, CourseStamp, Report, SubmissionStamp, read_report, to_json
from ...words import instructor as words
from ...words.instructor import misplaced_text, no_such_file, problem_text
from ...words.sentence import cannot_be_read
from ..intake import Entry, Intake, Readers
from ..people import (
    ALL,
    DEADLINES,
    OVERRIDES,
    RECORDED,
    Class,
    HandIn,
    changed_rows,
    compare,
    digests,
    key_of,
    made_for,
    names_for_files,
    read_overrides,
    read_recorded,
    read_roster,
    read_rules,
    see_that_sections_are_known,
    unknown_learners,
    with_times,
)
from ..people.decisions import Found, files_digest
from .summary import Summary

RUN = "run.json"
REPORTS = "reports"
CODE = "code"  # the files of each submission as they were graded
GONE = "gone"
EARLIER = "earlier"  # reports that a later one replaced
WRITTEN = "reports.sha256"  # the digests of all reports as they were written
ROSTER = "roster.csv"
SUMMARY = "cohort.json"  # deleted before a report changes, so that it is never stale


_LOCK = ".lock"
# the names that a run writes to, and the kind of file that each must have
_KINDS = dict.fromkeys((REPORTS, CODE, GONE, EARLIER), "folder")
_KINDS |= dict.fromkeys((RUN, SUMMARY, WRITTEN, ROSTER, DEADLINES, OVERRIDES, RECORDED, _LOCK), "file")


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


# These read files of any version: fields that this version does not know are ignored.
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


class Results:
    """A context manager for a folder of results. Only one run at a time can lock it.

    Attributes:
        folder: the folder.
        reports: the folder of the latest report on each submission.
        summary: the file of the summary.
        earlier: the folder of the reports that later ones replaced.
        edited: the ids of submissions whose report `take_over` left out, because somebody had changed it.
    """

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
            # a name that leads elsewhere must not be written to
            self._refuse_what_is_no_result()
            for folder in (self.reports, self.folder / CODE):
                folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise ResultsError(f"{self.folder} cannot be written: {error.strerror}") from None
        try:
            # the kernel releases the lock when the process ends, also if it is killed
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            busy = f"another run is writing to {self.folder}; wait for it, or name another --out"
            raise ResultsError(busy) from None
        places = (self.folder, self.reports, self.folder / CODE)
        # only now, because these files may be those of a run that is still writing
        for left in chain.from_iterable(place.glob(".*.json.*") for place in places):  # left by a killed run
            if in_the_way(left) is None:
                left.unlink(missing_ok=True)
        try:
            if written(self.folder) is None:  # the reports come from a version that did not record digests
                for path, _ in _files(self.reports):
                    self._record_digest(path.stem, read_plain(path))
        except OSError as error:
            os.close(self._lock)
            raise ResultsError(f"{error.filename or self.folder}: {error.strerror}; name another --out") from None
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def _refuse_what_is_no_result(self) -> None:
        """Raise `ResultsError` if a link, pipe or other special file has the name of a file that the run writes."""
        held = ((self.folder / name, kind) for name, kind in _KINDS.items())
        for path, wanted in chain(held, _files(self.reports), _files(self.folder / CODE)):
            found = in_the_way(path, wanted)
            if found is not None:
                raise ResultsError(f"{path} is a {found}; expected a {wanted}. Remove it, or name another --out.")

    def write(self, report: Report) -> None:
        """Delete the summary, which becomes stale, and write a report atomically. Raises `OSError`."""
        self.summary.unlink(missing_ok=True)
        data = to_json(report)
        # the digest first: if the run is killed here, the earlier report stays valid
        self._record_digest(report.submission.id, data)
        write_atomically(self.path(report.submission.id), data)

    def add(self, entry_id: str, found: Iterable[Addition]) -> None:
        """Add the results of searches to a report. No search of it is pending then. Raises `OSError`."""
        report = self.report(entry_id)
        if report is not None:  # somebody may have changed it meanwhile
            for addition in found:
                report = addition.to(report)
            self.write(msgspec.structs.replace(report, pending=UNSET))

    @property
    def _written(self) -> dict[str, set[str]]:
        """Return the digests of the reports that were written to this folder. Raises `OSError`."""
        if self._known is None:
            self._known = written(self.folder) or {}
        return self._known

    def _record_digest(self, entry_id: str, data: bytes) -> None:
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
        # `stu.json`, then `stu.2.json` and so on
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
            # not by `read_report`, because the points of an edited report may not add up
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
        # their numbers have no gap, so the first one that is missing ends the list
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
        # `run.json` first: without it, nothing is copied
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
                # a report that was edited there is left out, and its submission is graded again
                if known is not None and not is_as_written(known, reports[place], data):
                    self.edited.append(reports[place])
                    continue
                self._record_digest(reports[place], data)
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
            report = msgspec.json.decode(read_plain(self.path(submission.stamp.id)), type=_AnyReport)
        except (OSError, ValueError):
            return None
        files = {exercise.id: Path(exercise.file).name for exercise in report.exercises if exercise.file}
        same = report.submission.sha256 == submission.stamp.sha256
        return report.seed if same and file_names(submission).items() <= files.items() else None

    def write_run(self, run: RunFile) -> None:
        """Write `run.json`. Raises `OSError`."""
        write_atomically(self.folder / RUN, json_text(run).encode())


def rules_digest(folder: Path) -> str:
    """Return a digest of the roster, the deadlines and the decisions in a folder of results. Raises `OSError`."""
    digest = hashlib.sha256()
    for name in (ROSTER, DEADLINES, OVERRIDES):
        try:
            data = read_plain(folder / name)
        except FileNotFoundError:
            continue
        digest.update(f"{name}:{len(data)}\n".encode() + data)
    return digest.hexdigest()


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
        # the form of `sha256sum`; a torn line names no report
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


def file_names(submission: Submission) -> dict[str, str]:
    """Return the name of each readable file of a submission, by exercise."""
    return {name: source.path.name for name, source in sorted(submission.sources.items()) if source.problem is None}


# -- The files of a submission as they were graded, kept beside its report


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
    # a run that is continued writes nothing twice
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


# -- Read results


def summary_of(folder: Path) -> Summary:
    """Return the summary in a folder of results. Raises `UserError`."""
    try:
        return msgspec.json.decode(read_plain(folder / SUMMARY), type=Summary)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(words.no_summary(str(folder), SUMMARY)) from None
    except OSError as error:
        raise UserError(cannot_be_read(str(folder / SUMMARY), error.strerror)) from None
    except msgspec.MsgspecError as error:
        raise UserError(words.damaged_summary(str(folder / SUMMARY), str(error))) from None


def see_that_it_is_settled(folder: Path, summary: Summary) -> None:
    """Raise `UserError` if roster, deadlines or decisions changed after the summary was written."""
    try:
        digest = rules_digest(folder)
    except OSError as error:
        raise UserError(cannot_be_read(str(error.filename or folder), error.strerror)) from None
    if summary.rules and summary.rules != digest:
        raise UserError(words.not_settled(str(folder), SUMMARY))


def course_of(folder: Path, given: Path | None, start: Path) -> Course:
    """Return the course that a folder of results was graded with.

    This is `given` if there is one. Otherwise it is the nearest course in `start` or above if the summary names it, or
    else the packaged one.

    Raises:
        UserError: the summary cannot be read.
        CourseError: the course cannot be read.
    """
    if given is not None:
        return load_course(find_course(given, None))
    wanted = summary_of(folder).course
    # a course around the current folder may be another version, or may have an error
    around = course_around(start)
    if around is not None:
        with contextlib.suppress(CourseError):
            course = load_course(around)
            if CourseStamp.of(course) == wanted:
                return course
    return load_course(packaged_course())


def report_paths(folder: Path) -> list[Path]:
    """Return the sorted paths of the reports in a folder of results. Raises `UserError` if `reports` is no folder."""
    found = in_the_way(folder / REPORTS, "folder")
    if found is not None:
        raise UserError(words.no_folder(str(folder / REPORTS), found))
    return sorted(path for path in (folder / REPORTS).glob("*.json") if not path.name.startswith("."))


def counted_paths(folder: Path, summary: Summary) -> list[Path]:
    """Return the path of the report that counts for each submission, which may be an earlier one."""
    earlier = {row.submission: row.report for row in summary.learners if not row.report.startswith(f"{REPORTS}/")}
    return [folder / (earlier.get(path.stem) or f"{REPORTS}/{path.name}") for path in report_paths(folder)]


def reports(paths: Iterable[Path]) -> Iterator[Report]:
    """Yield each report when it is requested. Raises `UserError` for a report that cannot be used."""
    known: dict[Path, dict[str, set[str]] | None] = {}
    for path in paths:
        folder = path.parent.parent
        try:
            data = read_plain(path)
            report = read_report(data)
            digests = known[folder] if folder in known else known.setdefault(folder, written(folder))
        except OSError as error:
            raise UserError(cannot_be_read(str(path), error.strerror)) from None
        except ValueError as error:
            raise UserError(words.damaged_report(str(path), plain(str(error)))) from None
        if digests is not None and path.parent.name == REPORTS and not is_as_written(digests, path.stem, data):
            raise UserError(words.changed_report(str(path), str(folder), path.stem))
        # an earlier report has a number after its id: `stu.1.json`
        if report.submission.id != (path.stem if path.parent.name == REPORTS else path.stem.rpartition(".")[0]):
            raise UserError(words.misnamed_report(str(path), plain(report.submission.id)))
        yield report


# -- Changes of totals between two runs


def between(before: Path, after: Path) -> tuple[ChangedTotal, ...]:
    """Return the learners whose total or standing differs between two folders of results. Raises `UserError`."""
    first, second = summary_of(before), summary_of(after)
    rows = [(was, now) for was, now in changed_rows(first.learners, second.learners) if was and now]
    old = {was.id: _report(before, was) for was, _ in rows if was.report}
    new = {now.id: _report(after, now) for _, now in rows if now.report}
    return compare(first.learners, second.learners, old, new)


def _report(folder: Path, learner: Learner) -> Report:
    (report,) = reports([folder / learner.report])
    return report


def since(
    before: Summary | None, summary: Summary, results: Results, replaced: Collection[str]
) -> tuple[ChangedTotal, ...]:
    """Return the learners whose row changed since the previous run, with the reasons.

    Args:
        replaced: the ids of submissions whose report was replaced by this run.
    """
    if before is None or before.roster != summary.roster:  # without a roster, learners have other ids
        return ()
    old: dict[str, Report] = {}
    new: dict[str, Report] = {}
    for was, now in changed_rows(before.learners, summary.learners):
        if was is None or now is None or not was.report or not now.report:
            continue
        # if this run replaced the report, its older version is now the last of the earlier ones
        moved = was.report.startswith(f"{REPORTS}/") and was.submission in replaced
        earlier = [results.folder / was.report, *results.earlier_reports(was.submission)][-1 if moved else 0]
        with contextlib.suppress(OSError, ValueError):
            old[was.id] = read_report(read_plain(earlier))
            new[now.id] = read_report(read_plain(results.folder / now.report))
    return compare(before.learners, summary.learners, old, new)


# -- The people of a class and the rules for them: roster, deadlines and decisions


def class_of(
    course: Course,
    results: Path,
    found: Sequence[Entry],
    roster: Path | None = None,
    deadlines: Path | None = None,
    warn: Callable[[str], None] = lambda message: None,
) -> Class:
    """Return the people of a class and the rules for them. Raises `UserError`, `CourseError` and `OSError`.

    Args:
        results: the folder of results with the files of earlier runs.
        found: the submissions of the class.
        roster: the file to read instead of the one in the folder of results.
        deadlines: the file to read instead of the one in the folder of results.
        warn: called with a message about an extension for an unknown learner, if there is no roster.
    """
    # an earlier run has kept the roster and the rules beside the reports
    kept = results / ROSTER
    if roster is None and kept.exists():
        roster = kept
    if deadlines is not None and not deadlines.exists():
        raise CourseError(deadlines, None, problem_text("no_file"))
    rules_file = deadlines or results / DEADLINES
    overrides_file = results / OVERRIDES
    recorded = read_recorded(results)
    rules = read_rules(rules_file, [exercise.id for exercise in course.exercises])
    people = Class(
        submissions=tuple(HandIn(one.id, str(readable(Path(one.origin))), one.submitters) for one in found),
        roster=None if roster is None else read_roster(roster, rules),
        rules=rules,
        overrides=read_overrides(overrides_file, course).made_for(recorded.decisions),
        found=partial(read_found, results),
        times=recorded.times,
    )
    # every name in the rules and in the decisions must be that of a learner or a submission
    for error in unknown_learners(people.rules, rules_file, people.names):
        if people.roster is not None:
            raise error
        warn(f"{error}; {problem_text('not_yet')}")  # without a roster, learners are known by their submissions
    see_that_sections_are_known(people.rules, rules_file, people.sections)
    unknown = people.overrides.unknown(people.names)
    if unknown is not None:
        line, name, near = unknown
        raise CourseError(overrides_file, line, problem_text("unknown", name=name, near=near))
    for wrong in people.misplaced():
        raise CourseError(overrides_file, wrong.line, misplaced_text(wrong.learner, wrong.submission, wrong.owners))
    return people


def see_that_files_are_there(
    course: Course, results: Path, found: Sequence[Entry], people: Class, readers: int
) -> None:
    """Raise `CourseError` if a decision chooses a file that is in no submission of the learner.

    Decisions with digests of files are skipped, because their files existed when they were made.
    """
    # the decisions that no earlier run has checked
    new = {
        entry.id: {
            exercise: [one for one in listed if not one.made_for]
            for exercise, listed in people.choices(entry.id).items()
        }
        for entry in found
    }
    # for each of them, an empty name if a submission has the file, or else what it has instead
    chosen: dict[tuple[int, str, str], list[str]] = {}
    with closing(Readers({exercise.id: exercise.filename for exercise in course.exercises}, readers)) as reading:
        for entry, read in reading.read([entry for entry in found if any(new[entry.id].values())]):
            if not isinstance(read, Intake):
                continue
            for exercise, listed in new[entry.id].items():
                for one in listed:
                    exists = files_digest(read.found, exercise, one.path) is not None
                    names = chosen.setdefault((one.line, exercise, one.path), [])
                    names += [""] if exists else choosable(read.found, exercise)
    for (line, exercise, path), names in sorted(chosen.items()):
        if "" not in names:
            raise CourseError(results / OVERRIDES, line, no_such_file(exercise, path, names))


def choosable(found: Found, exercise: str) -> list[str]:
    """Return the paths of the files that somebody may choose for an exercise, the most likely ones first."""
    return [*found.get(exercise, {}), *found.get("", {})]


def made_for_files(results: Path, learner: Learner | None, decided: Decided) -> dict[str, str]:
    """Return the digests of the files that a decision is made for: those that count for the learner at present.

    Raises `UserError` for a report that cannot be used.
    """
    if learner is None or not learner.report:
        return made_for(decided, {}, {})
    (report,) = reports([results / learner.report])
    return made_for(decided, digests(report), read_found(results, learner.submission))


def record(results: Path, people: Class, learners: Sequence[Learner]) -> None:
    """Record the times that the roster gives, and the files that decisions were made for. Raises `OSError`."""
    before = read_recorded(results)
    recorded = with_times(before, learners, lambda name: _latest(results, name))
    decisions = {}
    for name, listed in people.overrides.by_learner.items():
        if name == ALL:  # these hold for all files
            continue
        row = next((one for one in learners if name in names_of(one)), None)
        for one in listed:
            # the first run after a decision records for which files it was made
            if names_for_files(one) - one.made_for.keys():
                one = msgspec.structs.replace(one, made_for=made_for_files(results, row, one))
            if one.made_for:
                decisions[key_of(name, one)] = one.made_for
    recorded = msgspec.structs.replace(recorded, decisions=decisions)
    if recorded != before:
        write_atomically(results / RECORDED, json_text(recorded).encode())


def names_of(learner: Learner) -> tuple[str, ...]:
    """Return the names by which a decision may refer to a learner."""
    return tuple(filter(None, (learner.id, learner.person.login, learner.person.email, *learner.submissions)))


def _latest(results: Path, submission: str) -> str | None:
    """Return the digest of a submission's files, or None if the platform gave a time or there is no report."""
    path = results / REPORTS / f"{submission}.json"
    stamp = next(reports([path]), None) if path.exists() else None
    # the author of a commit can set its time, so the roster's time counts before it
    if stamp is None or (stamp.submission.submitted_at and not stamp.submission.commit):
        return None
    return stamp.submission.sha256
