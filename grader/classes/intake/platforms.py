"""How platforms arrange a folder of submissions: Canvas, Gradescope, Moodle, nbgrader, and a folder for each person.

A layout yields an `Entry` for each submission. `entries` recognises the layout of a folder.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from statistics import median_low
from typing import Any
from zoneinfo import ZoneInfo

from ...base.files import YamlError, read_plain, yaml_texts
from ...base.text import decoded, printable
from ...course.learners import Submitter
from ...runner.client import read_source
from ...words import instructor as intake
from ..people import moment
from ..people.decisions import Choice
from .archives import FOREIGN, is_archive, stem

# -- What a layout is made of

# hidden files of editors, version control and file managers; macOS keeps metadata of `x` in `._x`
_TOOLS = re.compile(
    r"\.(?:_.*|git|github|svn|hg|idea|vscode|venv|cache|ipynb_checkpoints|[a-z]+_cache|Trash.*|fseventsd"
    r"|Spotlight-V100|TemporaryItems)"
)


class IntakeError(ValueError):
    """The folder of submissions cannot be read. The message says what to do."""


@dataclass(frozen=True)
class ListedFolder:
    """A folder and the sorted names in it, without hidden names and `__MACOSX`."""

    path: Path
    names: tuple[str, ...]

    @classmethod
    def at(cls, path: Path) -> "ListedFolder":
        """List the folder at `path`. Raises `OSError`."""
        return cls(path, tuple(sorted(n for n in os.listdir(path) if not n.startswith(".") and n != "__MACOSX")))

    @property
    def hidden(self) -> list[str]:
        """Return hidden folders, links and archives, except those of known tools. Raises `OSError`."""
        with os.scandir(self.path) as listed:
            found = [e.name for e in listed if is_archive(e.name) or not e.is_file(follow_symlinks=False)]
        return sorted(name for name in found if name.startswith(".") and not _TOOLS.fullmatch(name))


@dataclass(frozen=True)
class Entry:
    """One submission before it is read.

    Attributes:
        id: the id of the submission, which is also the name of its report.
        origin: the path of the submission in the folder, for people to read.
        places: the folders, archives or single files of the submission.
        submitted_at: the time that the platform gives, in ISO 8601.
        late: whether the platform marks the submission as late without giving a time.
        choices: for some exercises, the decisions about which file counts, oldest first.
        renamed: the original names of files that a platform renamed, by their present names.
        layout: the name of the layout as which the folder was read.
    """

    id: str
    origin: str
    places: tuple[Path, ...]
    submitters: tuple[Submitter, ...] = ()
    submitted_at: str | None = None
    notes: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    late: bool = False
    choices: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    layout: str = ""

    @property
    def named(self) -> tuple[tuple[Path, str], ...]:
        """Return every place with its original name."""
        return tuple((place, self.renamed.get(place.name, place.name)) for place in self.places)


@dataclass(frozen=True)
class Layout:
    """The arrangement of submissions that one platform uses.

    Attributes:
        name: the name for `--layout`.
        about: a description of a folder with this layout.
        fits: returns whether a folder looks like this layout; may raise `OSError`.
        read: yields the submissions of a folder; may raise `OSError`.
        keeps: returns the names in a folder that belong to the platform and not to a submission.
    """

    name: str
    about: str
    fits: Callable[[ListedFolder], bool]
    read: Callable[[ListedFolder], Iterator[Entry]]
    keeps: Callable[[ListedFolder], frozenset[str]] = lambda folder: frozenset()


# -- Make ids for submissions that are safe as file names, unique, and the same on every run

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)  # reserved on Windows
_DIGEST = re.compile(r"-[0-9a-f]{12}$")


def with_unique_ids(found: Sequence[Entry]) -> list[Entry]:
    """Return the entries with ids that are safe as file names, and unique even if case is ignored.

    A digest of the origin is appended to a name that is unsafe, not unique, or ends like a digest.
    Origins are unique. Entries with the same name get a note.
    """
    plain = [re.sub(r"[^A-Za-z0-9._-]", "_", decoded(entry.id)).strip(".-") for entry in found]
    often = Counter(text.lower() for text in plain)
    unique: list[Entry] = []
    taken = set()
    named = Counter(entry.id for entry in found)
    for entry, text in zip(found, plain, strict=True):
        if named[entry.id] > 1:
            alike = [printable(other.origin) for other in found if other.id == entry.id]
            entry = replace(entry, notes=(*entry.notes, intake.several_times(alike)))
        unsafe = not text or text != entry.id or len(text) > 100 or _DEVICES.fullmatch(text) or _DIGEST.search(text)
        if unsafe or often[text.lower()] > 1:
            text, origin = text[:80].replace(".", "_") or "submission", decoded(entry.origin)
            while (name := f"{text}-{_digest(origin)}").lower() in taken:
                origin += "/"
            text = name
        taken.add(text.lower())
        unique.append(replace(entry, id=text))
    return unique


def _digest(origin: str) -> str:
    return hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()[:12]


# -- Read the times that platforms write into their files

_NAMED = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.\d+)? ([A-Za-z_]+/[A-Za-z_/+-]+)", re.ASCII)


def stamped(value: Any) -> tuple[str | None, tuple[str, ...]]:
    """Return the time that a platform wrote, in ISO 8601. Return a note as well if a text is not a time.

    The zone may be given by name, as nbgrader does: `2026-03-01 10:00:00.948203 America/Los_Angeles`.
    """
    text = value.strip() if isinstance(value, str) else ""
    found = moment(text) or _in_zone(text)
    if found or not text:
        return found, ()
    return None, (intake.no_time(printable(text)),)


def _in_zone(text: str) -> str | None:
    named = _NAMED.fullmatch(text)
    if not named:
        return None
    try:
        return datetime.fromisoformat(named[1]).replace(tzinfo=ZoneInfo(named[2])).isoformat()
    except (ValueError, OSError, LookupError):  # the time or the zone does not exist
        return None


# -- The layout with a folder or an archive for each person


def is_file_of_a_person(name: str) -> bool:
    """Return whether a file with this name is listed as a submission. Some cannot be read, but a person sees them."""
    return is_archive(name) or name.lower().endswith(FOREIGN)


def each_person(folder: ListedFolder) -> Iterator[Entry]:
    """Yield an entry for each folder, archive and link. Other files are not submissions."""
    for name in folder.names:
        path = folder.path / name
        if path.is_dir() and not path.is_symlink():
            yield Entry(name, name, (path,), (Submitter(name=printable(name)),))
        elif path.is_symlink() or is_file_of_a_person(name):
            yield Entry(stem(name), name, (path,), (Submitter(name=printable(stem(name))),))


_SCORES = frozenset({"scores.csv"})  # `gh teacher download` of Classroom 50 writes it beside the clones


def _are_clones(folder: ListedFolder) -> bool:
    """Return whether all subfolders of a folder are clones and the folder itself is not. It may also contain files."""
    inner = [folder.path / name for name in folder.names if (folder.path / name).is_dir()]
    return bool(inner) and all((path / ".git").is_dir() for path in inner) and not (folder.path / ".git").exists()


FOLDERS = Layout(
    "folders",
    "a folder, zip or tar file for each person",
    fits=lambda folder: True,
    read=each_person,
    keeps=lambda folder: _SCORES if _are_clones(folder) else frozenset(),
)


# -- Canvas' flat download, where the names of the files identify the submitters

_USER = re.compile(r"_(?P<late>LATE_)?(?P<user>[1-9][0-9]*)(?=_)")
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?(?P<who>anon_[^_]+)(?=_)")
_REST = re.compile(r"_(?:(?P<number>[1-9][0-9]*)_(?P<file>.+)|(?:text|link)\.html)", re.DOTALL)
_AGAIN = re.compile(r"-(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.[^.]+$)")
_EXERCISE = re.compile(r"[0-9]{2}_(?!.*_[0-9]+_)[a-z][a-z0-9_]*\.py")
_SMALL = 100  # if an id is smaller than the median id by this factor, it is treated as part of a name
_LEAST = 10  # the smallest number that is treated as an id, if no median is known


@dataclass(frozen=True)
class FileNameReading:
    """One interpretation of a file's name.

    Attributes:
        file: the original name, or None for a text or a link.
        before: what comes before the original name.
    """

    name: str
    user: str
    late: bool
    number: int | None
    file: str | None
    before: str

    @property
    def who(self) -> str:
        """Return the part of the file's name that identifies the person."""
        return f"{self.name}_{self.user}" if self.user else self.name


def readings(name: str) -> tuple[FileNameReading, ...]:
    """Return a reading of a file's name for each person to whom it may belong, the shortest person's name first.

    If the original name is that of an exercise file in some readings, only those readings are returned.
    """
    found: dict[str, FileNameReading] = {}
    for reading in _readings(name):
        found.setdefault(reading.who, reading)
    exercises = [reading for reading in found.values() if reading.file and _EXERCISE.fullmatch(reading.file)]
    return tuple(exercises or found.values())


def likely_readings(names: Iterable[str]) -> dict[str, tuple[FileNameReading, ...]]:
    """Return the readings of each name that has any. Omit readings in which the file's id is implausibly small.

    Canvas numbers its files consecutively, so the ids in one assignment have similar sizes.
    Learners cannot choose these ids. If every reading of a name is implausible, all of them are returned.
    """
    found = {name: read for name in names if (read := readings(name))}
    numbers = [read[0].number for read in found.values() if len(read) == 1 and read[0].number is not None]
    least = median_low(numbers) // _SMALL if numbers else _LEAST
    likely = {
        name: tuple(reading for reading in read if reading.number is None or reading.number >= least)
        for name, read in found.items()
    }
    return {name: likely[name] or found[name] for name in found}


def _readings(name: str) -> Iterator[FileNameReading]:
    anonymous = _ANONYMOUS.match(name)
    people = [(anonymous, anonymous["who"], "")] if anonymous else []
    people += [(user, name[: user.start()], user["user"]) for user in _USER.finditer(name)]
    for found, who, user in people:
        rest = _REST.fullmatch(name, found.end())
        if rest is not None:
            number, file = rest["number"], rest["file"]
            own = file and _AGAIN.sub("", file)
            before = name[: len(name) - len(file or "")]
            yield FileNameReading(who, user, found["late"] is not None, int(number) if number else None, own, before)


def _fits_canvas(folder: ListedFolder) -> bool:
    """Return whether most entries of the folder are files with names in Canvas' form."""
    flat = [name for name in folder.names if readings(name) and (folder.path / name).is_file()]
    return bool(flat) and 2 * len(flat) > len(folder.names)


def _read_canvas(folder: ListedFolder) -> Iterator[Entry]:
    """Yield an entry with all files of each person, and an entry for each file that may belong to several people."""
    files: dict[str, dict[str, FileNameReading]] = {}
    doubtful: dict[str, list[str]] = {}
    for name, (first, *others) in likely_readings(folder.names).items():
        # the name fits one person
        if not others:
            files.setdefault(first.who, {})[name] = first
            continue
        # The name fits several people. Nothing is guessed: the file is a submission of its own, and
        # those of them who have other files get a note.
        fitting = [printable(reading.who) for reading in (first, *others)]
        for reading in (first, *others):
            doubtful.setdefault(reading.who, []).append(printable(name))
        renamed = {name: first.file or name}
        late = any(reading.late for reading in (first, *others))
        submitter = Submitter(fitting[-1])
        yield Entry(
            name,
            name,
            (folder.path / name,),
            (submitter,),
            notes=(intake.in_doubt(fitting),),
            renamed=renamed,
            late=late,
        )
    # all files of one person are one submission
    for who, listed in files.items():
        person = next(iter(listed.values()))
        late = any(one.late for one in listed.values())  # the names contain no other information about time
        submitter = Submitter(printable(person.name), person.user)
        places = tuple(folder.path / name for name in listed)
        renamed = {name: one.file or name for name, one in listed.items()}
        other = doubtful.get(who, [])
        notes = (intake.may_also_belong(other),) if other else ()
        yield Entry(who, who, places, (submitter,), notes=notes, renamed=renamed, late=late)


_CANVAS = Layout("canvas", "files named name_user_file_01_exercise.py", _fits_canvas, _read_canvas)


# -- A Gradescope export: a folder for each submission, and a file that lists the submitters

METADATA = "submission_metadata.yml"
_REMEDY = "; `--layout folders` reads the folders without it"


def _fits_gradescope(folder: ListedFolder) -> bool:
    """Return whether the folder contains the export's metadata. A folder of that name may be a person's."""
    return METADATA in folder.names and not (folder.path / METADATA).is_dir()


def _read_gradescope(folder: ListedFolder) -> Iterator[Entry]:
    """Yield an entry for each submission in the metadata and for each other folder. Raises `IntakeError`."""
    metadata = _metadata(folder)
    present = set(folder.names)
    for name in sorted({*metadata, *(n for n in folder.names if (folder.path / n).is_dir())}):
        known = metadata.get(name)
        notes = [] if isinstance(known, dict) else [intake.not_listed(METADATA)]
        notes += [] if name in present else [intake.not_in_export()]
        known = known if isinstance(known, dict) else {}
        submitted, unclear = stamped(known.get(":created_at"))
        yield Entry(
            name,
            name,
            # a name from the metadata must not lead out of the export
            (folder.path / name,) if name in present else (),
            submitters=tuple(_submitters(known.get(":submitters"))),
            submitted_at=submitted,
            notes=(*notes, *unclear),
        )


def _metadata(folder: ListedFolder) -> dict[Any, Any]:
    path = folder.path / METADATA
    try:
        metadata = yaml_texts(read_plain(path))  # the file also holds output of submissions, and Ruby's YAML tags
    except (OSError, YamlError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise IntakeError(f"{path} cannot be read: {why}{_REMEDY}") from None
    if not isinstance(metadata, dict):
        raise IntakeError(f"{path} does not map folders to submissions{_REMEDY}")
    return metadata


def _submitters(listed: Any) -> Iterator[Submitter]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            values = (one.get(key) for key in (":name", ":sid", ":email"))
            name, sid, email = (printable(text) if isinstance(text, str) else "" for text in values)
            yield Submitter(name=name or email or sid, id=sid, email=email)


_GRADESCOPE = Layout(
    "gradescope",
    f"an export with its {METADATA}",
    _fits_gradescope,
    _read_gradescope,
    keeps=lambda folder: frozenset({METADATA}),
)


# -- Moodle's "download in folders": a folder for each person and kind of submission, for example
# `Jane Doe_12345_assignsubmission_file_`

_NAME = re.compile(r"(?P<who>(?P<name>.+?)(?:_(?P<id>\d+))?)_assignsubmission_[a-z]+_?", re.DOTALL)


def _match(folder: ListedFolder, name: str) -> re.Match[str] | None:
    found = _NAME.fullmatch(name)
    return found if found and (folder.path / name).is_dir() else None


def _fits_moodle(folder: ListedFolder) -> bool:
    """Return whether most folders and archives are folders with names in Moodle's form."""
    others = [name for name in folder.names if (folder.path / name).is_dir() or is_file_of_a_person(name)]
    return 2 * sum(_match(folder, name) is not None for name in others) > len(others)


def _read_moodle(folder: ListedFolder) -> Iterator[Entry]:
    """Yield an entry for each folder or archive with another name, then an entry with all folders of each person."""
    people: dict[str, Entry] = {}
    others = []
    for name in folder.names:
        found = _match(folder, name)
        if found:
            submitter = Submitter(printable(found["name"]), found["id"] or "")
            before = people.get(found["who"], Entry(found["who"], name, (), (submitter,)))
            people[found["who"]] = replace(before, places=(*before.places, folder.path / name))
        else:
            others.append(name)
    yield from each_person(ListedFolder(folder.path, tuple(others)))
    yield from people.values()


_MOODLE = Layout("moodle", "folders named Name_12345_assignsubmission_file_", _fits_moodle, _read_moodle)


# -- nbgrader's layout: `submitted/<student>/<assignment>`

SUBMITTED = "submitted"
_LOOKED_AT = 20  # the number of folders that are searched for a timestamp
# nbgrader's own folders and files in a course's folder
_OWN = frozenset((SUBMITTED, "source", "release", "autograded", "feedback", "gradebook.db", "nbgrader_config.py"))


def _fits_nbgrader(folder: ListedFolder) -> bool:
    """Return whether this is the folder of an nbgrader course, or its `submitted` folder.

    The folder of a course has a folder `submitted`, and no other folder, link or archive except nbgrader's own.
    Otherwise `submitted` may be the folder of a person.

    A `submitted` folder has a timestamp for most students. A single timestamp proves nothing, because a person may have
    created it in any folder. If most students have a folder with the same assignment and nothing else, a timestamp for
    half of them is enough, and the name `submitted`, which no student chooses, needs none.
    """
    if _is_course(folder):
        return True
    stamped, students = _stamped(folder), len(folder.names[:_LOOKED_AT])
    if 2 * stamped > students:
        return True
    return _has_assignments(folder) and (_is_named(folder) or 2 * stamped == students)


def _is_named(folder: ListedFolder) -> bool:
    return os.path.basename(os.path.abspath(folder.path)) == SUBMITTED


def _is_course(folder: ListedFolder) -> bool:
    """Return whether a folder has a folder `submitted` and nothing beside it that may be a submission."""
    others = [name for name in folder.names if name not in _OWN]
    return (
        SUBMITTED in folder.names
        and (folder.path / SUBMITTED).is_dir()
        and not any(is_file_of_a_person(name) or readings(name) for name in others)
        and not any((folder.path / name).is_dir() or (folder.path / name).is_symlink() for name in others)
    )


def _stamped(folder: ListedFolder) -> int:
    """Return how many of the first names in a folder are those of folders with a timestamp for an assignment."""
    students = [folder.path / name for name in folder.names[:_LOOKED_AT]]
    return sum(next(one.glob("*/timestamp.txt"), None) is not None for one in students)


def _has_assignments(folder: ListedFolder) -> bool:
    """Return whether most of the folders contain only folders, with one name in common, and there is no archive."""
    if any(map(is_file_of_a_person, folder.names)):  # nbgrader unpacks what it collects
        return False
    students = [one for name in folder.names if (one := folder.path / name).is_dir() and not one.is_symlink()]
    common: Counter[str] = Counter()
    for student in students[:_LOOKED_AT]:
        names = ListedFolder.at(student).names
        common.update(names if all((student / name).is_dir() for name in names) else ())
    return 2 * max(common.values(), default=0) > len(students[:_LOOKED_AT])


def _read_nbgrader(folder: ListedFolder, assignment: str | None = None) -> Iterator[Entry]:
    """Yield an entry for each student.

    Args:
        assignment: the only assignment to read; None for all. A named assignment becomes part of the entry's origin,
            because feedback is written to a folder of that name.
    """
    inner = folder.path / SUBMITTED
    # a student may be called `submitted`, too
    is_base = not inner.is_dir() or (not _is_course(folder) and (_is_named(folder) or _stamped(folder) > 0))
    base = folder.path if is_base else inner
    if assignment is not None and Path(assignment).name != assignment:  # a path could lead out of the folder
        return
    for student in ListedFolder.at(base).names:
        own = base / student
        # A link may lead to another student's folder. A link that is the place itself is not followed.
        place = own if own.is_symlink() else own / (assignment or "")
        if place.is_symlink() or place.is_dir():
            listed = () if place.is_symlink() else place.glob("timestamp.txt" if assignment else "*/timestamp.txt")
            stamps = sorted(islice(listed, 2))
            submitted, notes = stamped(read_source(stamps[0], base).text if len(stamps) == 1 else None)
            known = printable(student)
            origin = f"{student}/{assignment}" if assignment else student
            yield Entry(student, origin, (place,), (Submitter(name=known, id=known),), submitted, notes)


def _keeps_nbgrader(folder: ListedFolder) -> frozenset[str]:
    """Return the names that belong to nbgrader if this is the folder of a course, or no names."""
    return _OWN if SUBMITTED in folder.names else frozenset()


_NBGRADER = Layout("nbgrader", "submitted/<student>/<assignment>", _fits_nbgrader, _read_nbgrader, _keeps_nbgrader)


# -- All layouts

# in the order in which they are tried; the last one fits every folder
_LAYOUTS: tuple[Layout, ...] = (_GRADESCOPE, _NBGRADER, _CANVAS, _MOODLE, FOLDERS)


# the names of the folders that platforms put around submissions, and a test of such a folder's content
_WRAPPERS = (
    (re.compile(r"assignment_\d+_export"), _fits_gradescope),
    (re.compile(r".+-submissions|.+_submissions_[0-9_T]+"), _are_clones),
)
LAYOUTS = tuple(layout.name for layout in reversed(_LAYOUTS))


def entries(root: Path, name: str | None = None, assignment: str | None = None) -> list[Entry]:
    """Return every submission below `root`, sorted by name.

    Args:
        root: the folder of submissions.
        name: the name of the layout; None to recognise it.
        assignment: the assignment to read from an nbgrader course; None for all.

    Raises:
        IntakeError: the folder cannot be read, or it contains no submissions.
    """
    try:
        folder = _unwrapped(ListedFolder.at(root))
        layout = recognise(folder) if name is None else next(layout for layout in _LAYOUTS if layout.name == name)
        # the layout's own reading, or one assignment of an nbgrader course
        if assignment is None:
            found = list(layout.read(folder))
        elif layout is _NBGRADER:
            found = list(_read_nbgrader(folder, assignment))
        else:
            where = f"{folder.path} is read as `{layout.name}`"
            raise IntakeError(f"--assignment needs nbgrader's layout, but {where}; use --layout nbgrader")
    except FileNotFoundError:
        raise IntakeError(f"there is no folder {root}") from None
    except NotADirectoryError:
        raise IntakeError(f"{root} is a file; unpack it, and give the folder") from None
    except OSError as error:
        raise IntakeError(f"{error.filename or root} cannot be read: {error.strerror}") from None
    # nothing to grade is an error: perhaps the folder or its layout is another one
    if not found and assignment is not None:
        raise IntakeError(f"nobody below {folder.path} has submitted an assignment {assignment!r}")
    if not found:
        others = "|".join(other for other in LAYOUTS if other != layout.name)
        raise IntakeError(
            f"{folder.path} contains no submissions in the layout `{layout.name}` ({layout.about}); "
            f"the other layouts are --layout {others}"
        )
    return [replace(entry, layout=layout.name) for entry in with_unique_ids(found)]


def recognise(folder: ListedFolder) -> Layout:
    """Return the first layout that fits a folder. Raises `OSError`."""
    return next(layout for layout in _LAYOUTS if layout.fits(folder))


def unclaimed(root: Path, found: Sequence[Entry]) -> list[str]:
    """Return the names of files and folders that belong to no submission, hidden ones included. Raises `OSError`."""
    folder = _unwrapped(ListedFolder.at(root))
    taken = [place.relative_to(folder.path).parts for entry in found for place in entry.places]
    claimed = {parts[0] for parts in taken}
    claimed.update(*(layout.keeps(folder) for layout in _LAYOUTS if layout.name in {one.layout for one in found}))
    beside = [name for name in [*folder.names, *folder.hidden] if name not in claimed]
    students = {parts[1] for parts in taken if parts[0] == SUBMITTED and len(parts) > 1}
    if students:
        inner = ListedFolder.at(folder.path / SUBMITTED)
        beside += [f"{SUBMITTED}/{name}" for name in [*inner.names, *inner.hidden] if name not in students]
    return [printable(name) for name in beside]


def _unwrapped(folder: ListedFolder) -> ListedFolder:
    """Return the only subfolder if a platform made it, or else the folder itself.

    A Gradescope zip file contains one folder, and `gh classroom clone` and `gh teacher download` make one around
    the clones. These folders have known forms of names. A subfolder with another name may be the only submission, and
    must not be unwrapped.
    """
    fits = next((fits for form, fits in _WRAPPERS if len(folder.names) == 1 and form.fullmatch(folder.names[0])), None)
    path = folder.path / "".join(folder.names[:1])
    if fits is None or path.is_symlink() or not path.is_dir():
        return folder
    inner = ListedFolder.at(path)
    return inner if fits(inner) else folder
