"""nbgrader's layout: `submitted/<student>/<assignment>`."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...client import read_source
from ...outside import printable
from ...report.model import Submitter
from .folders import is_file_of_a_person
from .layout import Entry, Folder, Layout
from .times import stamped

SUBMITTED = "submitted"
_LOOKED_AT = 20  # the number of folders that are searched for a timestamp
# nbgrader's own folders and files in a course's folder
_OWN = frozenset((SUBMITTED, "source", "release", "autograded", "feedback", "gradebook.db", "nbgrader_config.py"))


def fits(folder: Folder) -> bool:
    """Return whether this is the folder of an nbgrader course, or its `submitted` folder.

    A `submitted` folder has a timestamp for most students. A single timestamp proves nothing, because a person may have
    created it in any folder. If most students have a folder with the same assignment and nothing else, a timestamp for
    half of them is enough, and the name `submitted`, which no student chooses, needs none.
    """
    if SUBMITTED in folder.names and (folder.path / SUBMITTED).is_dir():
        return True
    students = [folder.path / name for name in folder.names[:_LOOKED_AT]]
    stamped = sum(next(one.glob("*/timestamp.txt"), None) is not None for one in students)
    if 2 * stamped > len(students):
        return True
    named = os.path.basename(os.path.abspath(folder.path)) == SUBMITTED
    return _has_assignments(folder) and (named or 2 * stamped == len(students))


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
    base = inner if inner.is_dir() else folder.path
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
