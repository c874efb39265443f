"""Layouts: how platforms arrange a folder of submissions. A layout yields an `Entry` for each submission.

The layout `FOLDERS`, which fits every folder, is here too.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ..base import decoded, printable
from ..learners import Submitter
from ..people import moment
from ..people.decisions import Choice
from ..words import instructor as intake
from .archives import FOREIGN, is_archive, stem

# hidden files of editors, version control and file managers; macOS keeps metadata of `x` in `._x`
_TOOLS = re.compile(
    r"\.(?:_.*|git|github|svn|hg|idea|vscode|venv|cache|ipynb_checkpoints|[a-z]+_cache|Trash.*|fseventsd"
    r"|Spotlight-V100|TemporaryItems)"
)


class IntakeError(ValueError):
    """The folder of submissions cannot be read. The message says what to do."""


@dataclass(frozen=True)
class Folder:
    """A folder and the sorted names in it, without hidden names and `__MACOSX`."""

    path: Path
    names: tuple[str, ...]

    @classmethod
    def at(cls, path: Path) -> "Folder":
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
    fits: Callable[[Folder], bool]
    read: Callable[[Folder], Iterator[Entry]]
    keeps: Callable[[Folder], frozenset[str]] = lambda folder: frozenset()


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
    made: list[Entry] = []
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
        made.append(replace(entry, id=text))
    return made


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


def each_person(folder: Folder) -> Iterator[Entry]:
    """Yield an entry for each folder, archive and link. Other files are not submissions."""
    for name in folder.names:
        path = folder.path / name
        if path.is_dir() and not path.is_symlink():
            yield Entry(name, name, (path,), (Submitter(name=printable(name)),))
        elif path.is_symlink() or is_file_of_a_person(name):
            yield Entry(stem(name), name, (path,), (Submitter(name=printable(stem(name))),))


FOLDERS = Layout("folders", "a folder, zip or tar file for each person", fits=lambda folder: True, read=each_person)
