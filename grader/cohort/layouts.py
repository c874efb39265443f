"""Who handed in what: the folder of submissions that a platform gives, as one `Entry` for each submission."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from ..engine import read_source
from ..outside import YamlError, decoded, few, printable, read_plain, yaml_texts
from ..report.model import Submitter
from .archives import is_archive, stem
from .canvas_names import Reading, likely_readings, readings

LAYOUTS = ("folders", "gradescope", "nbgrader", "canvas")
GRADESCOPE_METADATA = "submission_metadata.yml"
_LOOKED_AT = 20  # folders in which to look for an nbgrader timestamp
# Moodle's "download in folders", a folder for each kind of hand-in: Jane Doe_12345_assignsubmission_file_
_MOODLE = re.compile(r"(?P<who>(?P<name>.+?)(?:_(?P<id>\d+))?)_assignsubmission_[a-z]+_?", re.DOTALL)
# what nbgrader keeps in a course's folder beside the submissions
_NBGRADERS = ("submitted", "source", "release", "autograded", "feedback", "gradebook.db", "nbgrader_config.py")
# what editors, version control and file managers keep in a folder; `._x` is what a Mac keeps of `x`
_TOOLS = re.compile(
    r"\.(?:_.*|git|github|svn|hg|idea|vscode|venv|cache|ipynb_checkpoints|[a-z]+_cache|Trash.*|fseventsd|Spotlight-V100|TemporaryItems)"
)
_FOREIGN = (".7z", ".rar")  # archives that are not read, but must not go unseen
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)? ?(?:Z|UTC|UCT|GMT|([+-]\d\d):?(\d\d))?", re.ASCII)
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)  # no file names on Windows
_DIGEST = re.compile(r"-[0-9a-f]{12}$")


class IntakeError(ValueError):
    """The folder of submissions cannot be taken in; says what to do."""


@dataclass(frozen=True)
class Entry:
    """One submission before it is read. `id` names its report; `places` are folders, archives or single files, of
    which `rename` gives the names that they had before a platform put its own words in."""

    id: str
    origin: str
    places: tuple[Path, ...]
    submitters: tuple[Submitter, ...] = ()
    submitted_at: str | None = None
    notes: tuple[str, ...] = ()
    rename: Callable[[str], str] = str


def entries(root: Path, layout: str | None = None, assignment: str | None = None) -> list[Entry]:
    """Every submission below `root`, by name, in the layout given or the one that `root` looks like.

    `assignment` is one of several that an nbgrader course keeps for each student. Raises `IntakeError`.
    """
    try:
        root, names = _unwrapped(root, _visible(root))
        layout = layout or recognise(root, names)
        if assignment is not None and layout != "nbgrader":
            raise IntakeError(f"--assignment goes with nbgrader's layout, and {root} is taken for `{layout}`")
        found = list(_READERS[layout](root, names) if assignment is None else _nbgrader(root, names, assignment))
    except FileNotFoundError:
        raise IntakeError(f"there is no folder {root}") from None
    except NotADirectoryError:
        raise IntakeError(f"{root} is a file; unpack it first, a folder for each person") from None
    except OSError as error:
        raise IntakeError(f"{error.filename or root} cannot be read: {error.strerror}") from None
    if not found and assignment is not None:
        raise IntakeError(f"nobody below {root} has handed in an assignment {assignment!r}")
    if not found:
        others = "|".join(other for other in LAYOUTS if other != layout)
        raise IntakeError(
            f"{root} holds no submissions in the layout `{layout}`, which is {_ABOUT[layout]}; "
            f"there is also --layout {others}"
        )
    return _with_unique_ids(found)


def recognise(root: Path, names: list[str]) -> str:
    """Which layout a folder with these names looks like."""
    if GRADESCOPE_METADATA in names:
        return "gradescope"
    if "submitted" in names and (root / "submitted").is_dir():
        return "nbgrader"
    flat = [name for name in names if readings(name) and (root / name).is_file()]
    if flat and 2 * len(flat) > len(names):
        return "canvas"
    if any(next((root / name).glob("*/timestamp.txt"), None) for name in names[:_LOOKED_AT]):
        return "nbgrader"
    return "folders"


def strangers(root: Path, found: Sequence[Entry]) -> list[str]:
    """What lies beside the submissions, hidden or not, and belongs to none of them. Raises `OSError`."""
    root, names = _unwrapped(root, _visible(root))
    taken = [place.relative_to(root).parts for entry in found for place in entry.places]
    known = {GRADESCOPE_METADATA, *(parts[0] for parts in taken), *(_NBGRADERS if "submitted" in names else ())}
    beside = [name for name in [*names, *_hidden(root)] if name not in known]
    if "submitted" in known and any(parts[0] == "submitted" and len(parts) > 1 for parts in taken):
        inner = root / "submitted"
        students = {parts[1] for parts in taken}
        beside += [f"submitted/{name}" for name in [*_visible(inner), *_hidden(inner)] if name not in students]
    return [printable(name) for name in beside]


def _visible(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith(".") and name != "__MACOSX")


def _hidden(folder: Path) -> list[str]:
    """Hidden folders, links and archives that no tool is known to leave."""
    with os.scandir(folder) as listed:
        found = [e.name for e in listed if is_archive(e.name) or not e.is_file(follow_symlinks=False)]
    return sorted(name for name in found if name.startswith(".") and not _TOOLS.fullmatch(name))


def _unwrapped(root: Path, names: list[str]) -> tuple[Path, list[str]]:
    """The one folder in `root`, where that is what a platform gave: a Gradescope export is a folder in its zip file,
    and `gh classroom clone` makes one around the clones."""
    if len(names) == 1 and (root / names[0]).is_dir() and not (root / names[0]).is_symlink():
        inner = root / names[0]
        below = _visible(inner)
        folders = [name for name in below if (inner / name).is_dir()]
        clones = all((inner / name / ".git").is_dir() for name in folders)
        if GRADESCOPE_METADATA in below or (folders and clones and not (inner / ".git").exists()):
            return inner, below
    return root, names


def _folders(root: Path, names: list[str]) -> Iterator[Entry]:
    """A folder or an archive for each person; what else lies there is none of ours."""
    moodle: dict[str, Entry] = {}
    for name in names:
        path = root / name
        found = _MOODLE.fullmatch(name)
        if found and path.is_dir():
            who = Submitter(printable(found["name"]), found["id"] or "")
            before = moodle.get(found["who"], Entry(found["who"], name, (), (who,)))
            moodle[found["who"]] = replace(before, places=(*before.places, path))
        elif path.is_dir() and not path.is_symlink():
            yield Entry(name, name, (path,), (Submitter(name=printable(name)),))
        elif path.is_symlink() or is_archive(name) or name.lower().endswith(_FOREIGN):
            yield Entry(stem(name), name, (path,), (Submitter(name=printable(stem(name))),))
    yield from moodle.values()


def _gradescope(root: Path, names: list[str]) -> Iterator[Entry]:
    path = root / GRADESCOPE_METADATA
    remedy = "; `--layout folders` takes the folders without it"
    try:
        metadata = yaml_texts(read_plain(path))  # output of submissions stands there too, with tags of Ruby's
    except (OSError, YamlError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise IntakeError(f"{path} cannot be read: {why}{remedy}") from None
    if not isinstance(metadata, dict):
        raise IntakeError(f"{path} should map each submission's folder to what Gradescope knows of it{remedy}")
    listed = set(names)
    for name in sorted({*metadata, *(n for n in names if (root / n).is_dir())}):
        known = metadata.get(name)
        notes = [] if isinstance(known, dict) else [f"{GRADESCOPE_METADATA} says nothing of this folder"]
        notes += [] if name in listed else ["the export holds no such folder"]
        known = known if isinstance(known, dict) else {}
        yield Entry(
            name,
            name,
            (root / name,) if name in listed else (),  # a path that leads out of the export is never listed
            submitters=tuple(_submitters(known.get(":submitters"))),
            submitted_at=_time(known.get(":created_at")),
            notes=tuple(notes),
        )


def _submitters(listed: Any) -> Iterator[Submitter]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            said = (one.get(key) for key in (":name", ":sid", ":email"))
            name, sid, email = (printable(text) if isinstance(text, str) else "" for text in said)
            yield Submitter(name=name or email or sid, id=sid, email=email)


def _nbgrader(root: Path, names: list[str], assignment: str | None = None) -> Iterator[Entry]:
    """`submitted/<student>/<assignment>`, below `root` or with `root` as the first of them; all of a student's
    assignments are one submission, unless one is named."""
    inner = root / "submitted"
    base = inner if inner.is_dir() else root
    if assignment is not None and Path(assignment).name != assignment:  # it may lead anywhere
        return
    for student in _visible(base):
        folder = base / student / (assignment or "")
        if folder.is_dir() and folder.resolve().is_relative_to((base / student).resolve()):
            stamps = sorted(islice(folder.glob("timestamp.txt" if assignment else "*/timestamp.txt"), 2))
            submitted = _time(read_source(stamps[0], base).text) if len(stamps) == 1 else None
            known = printable(student)
            yield Entry(student, student, (folder,), (Submitter(name=known, id=known),), submitted)


def _canvas(root: Path, names: list[str]) -> Iterator[Entry]:
    """Flat files; those of one person are one submission, and one that may be of several people is one by itself."""
    read = likely_readings(names)
    files: dict[str, dict[str, Reading]] = {}
    doubtful: dict[str, list[str]] = {}
    for name, (first, *others) in read.items():
        if not others:
            files.setdefault(first.who, {})[name] = first
            continue
        people = [printable(reading.who) for reading in (first, *others)]
        for reading in (first, *others):
            doubtful.setdefault(reading.who, []).append(printable(name))
        note = f"it cannot be told from its name whose file this is: {' or '.join(people)}; it is graded by itself"
        own = {name: first.file or name}
        yield Entry(name, name, (root / name,), (Submitter(people[-1]),), notes=(note,), rename=_renaming(own))
    for who, listed in files.items():
        person = next(iter(listed.values()))
        late = "late" if any(one.late for one in listed.values()) else None  # all that the names say of time
        submitter = Submitter(printable(person.name), person.user)
        places = tuple(root / name for name in listed)
        own = {name: one.file or name for name, one in listed.items()}
        other = doubtful.get(who, [])
        notes = (f"may be theirs too, and is graded by itself: {few(other)}",) if other else ()
        yield Entry(who, who, places, (submitter,), late, notes, rename=_renaming(own))


def _renaming(own: Mapping[str, str]) -> Callable[[str], str]:
    """Return what gives a file the name that it had before Canvas put its own before it."""
    return lambda name: own.get(name, name)


def _time(value: Any) -> str | None:
    """A time as ISO 8601 where it can be read as one, else as it stands; nbgrader and Gradescope mean UTC unless they
    say otherwise."""
    text = value.strip() if isinstance(value, str) else ""
    found = _TIME.fullmatch(text)
    if found:
        day, hour, ahead, minutes = found.groups()
        try:
            return datetime.fromisoformat(f"{day}T{hour}{ahead or '+00'}:{minutes or '00'}").isoformat()
        except ValueError:
            pass
    return printable(text) or None


def _with_unique_ids(found: list[Entry]) -> list[Entry]:
    """Ids that are safe as file names, and different even where a file system ignores case: a name that is not, or
    that looks like one of these, gets a digest of the origin, which is nobody else's."""
    plain = [re.sub(r"[^A-Za-z0-9._-]", "_", decoded(entry.id)).strip(".-") for entry in found]
    often = Counter(text.lower() for text in plain)
    made: list[Entry] = []
    taken = set()
    named = Counter(entry.id for entry in found)
    for entry, text in zip(found, plain, strict=True):
        if named[entry.id] > 1:
            alike = ", ".join(printable(other.origin) for other in found if other.id == entry.id)
            entry = replace(entry, notes=(*entry.notes, f"handed in more than once, each graded by itself: {alike}"))
        unsafe = not text or text != entry.id or len(text) > 100 or _DEVICES.fullmatch(text) or _DIGEST.search(text)
        if unsafe or often[text.lower()] > 1:
            text, origin = text[:80].replace(".", "_") or "submission", decoded(entry.origin)
            while (name := f"{text}-{_digest(origin)}").lower() in taken:
                origin += "/"
            text = name
        taken.add(text.lower())
        made.append(replace(entry, id=text))
    return made


def _digest(origin: str) -> str:
    return hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()[:12]


_READERS: dict[str, Callable[[Path, list[str]], Iterator[Entry]]] = {
    "folders": _folders,
    "gradescope": _gradescope,
    "nbgrader": _nbgrader,
    "canvas": _canvas,
}
_ABOUT = {
    "folders": "a folder, zip or tar file for each person",
    "gradescope": f"an export with its {GRADESCOPE_METADATA}",
    "nbgrader": "submitted/<student>/<assignment>",
    "canvas": "files named name_user_file_01_exercise.py",
}
