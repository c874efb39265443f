"""nbgrader's layout: `submitted/<student>/<assignment>`."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..base import printable
from ..client import read_source
from ..learners import Submitter
from .canvas import readings
from .layout import Entry, Folder, Layout, is_file_of_a_person, stamped

SUBMITTED = "submitted"
_LOOKED_AT = 20  # the number of folders that are searched for a timestamp
# nbgrader's own folders and files in a course's folder
_OWN = frozenset((SUBMITTED, "source", "release", "autograded", "feedback", "gradebook.db", "nbgrader_config.py"))


def fits(folder: Folder) -> bool:
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


def _is_named(folder: Folder) -> bool:
    return os.path.basename(os.path.abspath(folder.path)) == SUBMITTED


def _is_course(folder: Folder) -> bool:
    """Return whether a folder has a folder `submitted` and nothing beside it that may be a submission."""
    others = [name for name in folder.names if name not in _OWN]
    return (
        SUBMITTED in folder.names
        and (folder.path / SUBMITTED).is_dir()
        and not any(is_file_of_a_person(name) or readings(name) for name in others)
        and not any((folder.path / name).is_dir() or (folder.path / name).is_symlink() for name in others)
    )


def _stamped(folder: Folder) -> int:
    """Return how many of the first names in a folder are those of folders with a timestamp for an assignment."""
    students = [folder.path / name for name in folder.names[:_LOOKED_AT]]
    return sum(next(one.glob("*/timestamp.txt"), None) is not None for one in students)


def _has_assignments(folder: Folder) -> bool:
    """Return whether most of the folders contain only folders, with one name in common, and there is no archive."""
    if any(map(is_file_of_a_person, folder.names)):  # nbgrader unpacks what it collects
        return False
    students = [one for name in folder.names if (one := folder.path / name).is_dir() and not one.is_symlink()]
    common: Counter[str] = Counter()
    for student in students[:_LOOKED_AT]:
        names = Folder.at(student).names
        common.update(names if all((student / name).is_dir() for name in names) else ())
    return 2 * max(common.values(), default=0) > len(students[:_LOOKED_AT])


def read(folder: Folder, assignment: str | None = None) -> Iterator[Entry]:
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
    for student in Folder.at(base).names:
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


def keeps(folder: Folder) -> frozenset[str]:
    """Return the names that belong to nbgrader if this is the folder of a course, or no names."""
    return _OWN if SUBMITTED in folder.names else frozenset()


LAYOUT = Layout("nbgrader", "submitted/<student>/<assignment>", fits, read, keeps)
