"""Canvas' flat download, where the names of the files identify the submitters (see `canvas_names`)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median_low

from ..base import printable
from ..learners import Submitter
from ..words import instructor as intake
from .layout import Entry, Folder, Layout

# -- Determine from a file's name in Canvas' download who submitted the file

_USER = re.compile(r"_(?P<late>LATE_)?(?P<user>[1-9][0-9]*)(?=_)")
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?(?P<who>anon_[^_]+)(?=_)")
_REST = re.compile(r"_(?:(?P<number>[1-9][0-9]*)_(?P<file>.+)|(?:text|link)\.html)", re.DOTALL)
_AGAIN = re.compile(r"-(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.[^.]+$)")
_EXERCISE = re.compile(r"[0-9]{2}_(?!.*_[0-9]+_)[a-z][a-z0-9_]*\.py")
_SMALL = 100  # if an id is smaller than the median id by this factor, it is treated as part of a name
_LEAST = 10  # the smallest number that is treated as an id, if no median is known


@dataclass(frozen=True)
class Reading:
    """One interpretation of a file's name. `file` is the original name, or None for a text or a link."""

    name: str
    user: str
    late: bool
    number: int | None
    file: str | None

    @property
    def who(self) -> str:
        """Return the part of the file's name that identifies the person."""
        return f"{self.name}_{self.user}" if self.user else self.name


def readings(name: str) -> tuple[Reading, ...]:
    """Return a reading of a file's name for each person to whom it may belong, the shortest person's name first.

    If the original name is that of an exercise file in some readings, only those readings are returned.
    """
    found: dict[str, Reading] = {}
    for reading in _readings(name):
        found.setdefault(reading.who, reading)
    exercises = [reading for reading in found.values() if reading.file and _EXERCISE.fullmatch(reading.file)]
    return tuple(exercises or found.values())


def likely_readings(names: Iterable[str]) -> dict[str, tuple[Reading, ...]]:
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


def _readings(name: str) -> Iterator[Reading]:
    anonymous = _ANONYMOUS.match(name)
    people = [(anonymous, anonymous["who"], "")] if anonymous else []
    people += [(user, name[: user.start()], user["user"]) for user in _USER.finditer(name)]
    for found, who, user in people:
        rest = _REST.fullmatch(name, found.end())
        if rest is not None:
            number, file = rest["number"], rest["file"]
            own = file and _AGAIN.sub("", file)
            yield Reading(who, user, found["late"] is not None, int(number) if number else None, own)


def fits(folder: Folder) -> bool:
    """Return whether most entries of the folder are files with names in Canvas' form."""
    flat = [name for name in folder.names if readings(name) and (folder.path / name).is_file()]
    return bool(flat) and 2 * len(flat) > len(folder.names)


def read(folder: Folder) -> Iterator[Entry]:
    """Yield an entry with all files of each person, and an entry for each file that may belong to several people."""
    files: dict[str, dict[str, Reading]] = {}
    doubtful: dict[str, list[str]] = {}
    for name, (first, *others) in likely_readings(folder.names).items():
        if not others:
            files.setdefault(first.who, {})[name] = first
            continue
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
    for who, listed in files.items():
        person = next(iter(listed.values()))
        late = any(one.late for one in listed.values())  # the names contain no other information about time
        submitter = Submitter(printable(person.name), person.user)
        places = tuple(folder.path / name for name in listed)
        renamed = {name: one.file or name for name, one in listed.items()}
        other = doubtful.get(who, [])
        notes = (intake.may_also_belong(other),) if other else ()
        yield Entry(who, who, places, (submitter,), notes=notes, renamed=renamed, late=late)


LAYOUT = Layout("canvas", "files named name_user_file_01_exercise.py", fits, read)
