"""The known layouts, and the submissions in a folder that has one of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..base import printable
from . import canvas, clones, gradescope, moodle, nbgrader
from .layout import FOLDERS, Entry, Folder, IntakeError, Layout, with_unique_ids

# in the order in which they are tried; the last one fits every folder
_LAYOUTS: tuple[Layout, ...] = (*(platform.LAYOUT for platform in (gradescope, nbgrader, canvas, moodle)), FOLDERS)
# the names of the folders that platforms put around submissions, and a test of such a folder's content
_WRAPPERS = (
    (re.compile(r"assignment_\d+_export"), gradescope.fits),
    (re.compile(r".+-submissions"), clones.lie_in),
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
        folder = _unwrapped(Folder.at(root))
        layout = recognise(folder) if name is None else next(layout for layout in _LAYOUTS if layout.name == name)
        if assignment is None:
            found = list(layout.read(folder))
        elif layout is nbgrader.LAYOUT:
            found = list(nbgrader.read(folder, assignment))
        else:
            where = f"{folder.path} is read as `{layout.name}`"
            raise IntakeError(f"--assignment needs nbgrader's layout, but {where}; use --layout nbgrader")
    except FileNotFoundError:
        raise IntakeError(f"there is no folder {root}") from None
    except NotADirectoryError:
        raise IntakeError(f"{root} is a file; unpack it, and give the folder") from None
    except OSError as error:
        raise IntakeError(f"{error.filename or root} cannot be read: {error.strerror}") from None
    if not found and assignment is not None:
        raise IntakeError(f"nobody below {folder.path} has submitted an assignment {assignment!r}")
    if not found:
        others = "|".join(other for other in LAYOUTS if other != layout.name)
        raise IntakeError(
            f"{folder.path} contains no submissions in the layout `{layout.name}` ({layout.about}); "
            f"the other layouts are --layout {others}"
        )
    return [replace(entry, layout=layout.name) for entry in with_unique_ids(found)]


def recognise(folder: Folder) -> Layout:
    """Return the first layout that fits a folder. Raises `OSError`."""
    return next(layout for layout in _LAYOUTS if layout.fits(folder))


def unclaimed(root: Path, found: Sequence[Entry]) -> list[str]:
    """Return the names of files and folders that belong to no submission, hidden ones included. Raises `OSError`."""
    folder = _unwrapped(Folder.at(root))
    taken = [place.relative_to(folder.path).parts for entry in found for place in entry.places]
    claimed = {parts[0] for parts in taken}
    claimed.update(*(layout.keeps(folder) for layout in _LAYOUTS if layout.name in {one.layout for one in found}))
    beside = [name for name in [*folder.names, *folder.hidden] if name not in claimed]
    students = {parts[1] for parts in taken if parts[0] == nbgrader.SUBMITTED and len(parts) > 1}
    if students:
        inner = Folder.at(folder.path / nbgrader.SUBMITTED)
        beside += [f"{nbgrader.SUBMITTED}/{name}" for name in [*inner.names, *inner.hidden] if name not in students]
    return [printable(name) for name in beside]


def _unwrapped(folder: Folder) -> Folder:
    """Return the only subfolder if a platform made it, or else the folder itself.

    A Gradescope zip file contains one folder, and `gh classroom clone` makes one around the clones. Both folders have
    a known form of name. A subfolder with another name may be the only submission, and must not be unwrapped.
    """
    fits = next((fits for form, fits in _WRAPPERS if len(folder.names) == 1 and form.fullmatch(folder.names[0])), None)
    path = folder.path / "".join(folder.names[:1])
    if fits is None or path.is_symlink() or not path.is_dir():
        return folder
    inner = Folder.at(path)
    return inner if fits(inner) else folder
