"""Canvas' flat download: files whose names say whose they are.

As Canvas' content_zipper.rb makes them: doejane_LATE_1042_99731_01_distribute-1.py is name, LATE, the user's id, the
file's id and its name, with a number if it was handed in anew; a text or a link has no file; anonymous grading gives
anon_h3XyZ instead of name and user. The name is in lower case, and may have digits and underscores.
"""

import re
from collections.abc import Iterator

from ...report.model import Submitter
from .archives import printable
from .layout import Entry, Folder, Layout

_NAME = re.compile(
    r"(?:(?P<late>LATE_)?(?P<anonymous>anon_[^_]+)|(?P<name>.*?)_(?P<too_late>LATE_)?(?P<user>\d+))"
    r"_(?:\d+_(?P<file>.+)|text\.html|link\.html)",
    re.DOTALL,
)
_AGAIN = re.compile(r"-(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.[^.]+$)")


def fits(folder: Folder) -> bool:
    """Tell whether most of what lies there is files with such names."""
    flat = [name for name in folder.names if _NAME.fullmatch(name) and (folder.path / name).is_file()]
    return bool(flat) and 2 * len(flat) > len(folder.names)


def read(folder: Folder) -> Iterator[Entry]:
    """Give an entry for each person, of all their files."""
    files: dict[str, list[re.Match[str]]] = {}
    for name in folder.names:
        found = _NAME.fullmatch(name)
        if found:
            who = found["anonymous"] or f"{found['name']}_{found['user']}"
            files.setdefault(who, []).append(found)
    for who, listed in files.items():
        first = listed[0]
        submitter = Submitter(printable(first["name"] or first["anonymous"] or ""), first["user"] or "")
        late = any(found["late"] or found["too_late"] for found in listed)
        when = "late" if late else None  # all that the names say of time
        places = tuple(folder.path / found.string for found in listed)
        renamed = {place.name: own_name(place.name) for place in places}
        yield Entry(who, who, places, (submitter,), when, renamed=renamed)


def own_name(name: str) -> str:
    """Return the name that a file had before Canvas put its own before it."""
    found = _NAME.fullmatch(name)
    return _AGAIN.sub("", found["file"]) if found and found["file"] else name


LAYOUT = Layout("canvas", "files named name_user_file_01_exercise.py", fits, read)
