"""Moodle's "download in folders": one for each kind of submission, `Jane Doe_12345_assignsubmission_file_`."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ...outside import printable
from ...report.model import Submitter
from . import folders
from .layout import Entry, Folder, Layout

_NAME = re.compile(r"(?P<who>(?P<name>.+?)(?:_(?P<id>\d+))?)_assignsubmission_[a-z]+_?", re.DOTALL)


def _match(folder: Folder, name: str) -> re.Match[str] | None:
    found = _NAME.fullmatch(name)
    return found if found and (folder.path / name).is_dir() else None


def fits(folder: Folder) -> bool:
    """Tell whether any folder is named as Moodle names one."""
    return any(_match(folder, name) for name in folder.names)


def read(folder: Folder) -> Iterator[Entry]:
    """Give an entry for each person, of all their folders; what others have put there comes first."""
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
    yield from folders.read(Folder(folder.path, tuple(others)))
    yield from people.values()


LAYOUT = Layout("moodle", "folders named Name_12345_assignsubmission_file_", fits, read)
