"""Moodle's "download in folders": a folder for each person and kind of submission.

A folder is called, for example, `Jane Doe_12345_assignsubmission_file_`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ..base import printable
from ..learners import Submitter
from .layout import Entry, Folder, Layout, each_person, is_file_of_a_person

_NAME = re.compile(r"(?P<who>(?P<name>.+?)(?:_(?P<id>\d+))?)_assignsubmission_[a-z]+_?", re.DOTALL)


def _match(folder: Folder, name: str) -> re.Match[str] | None:
    found = _NAME.fullmatch(name)
    return found if found and (folder.path / name).is_dir() else None


def fits(folder: Folder) -> bool:
    """Return whether most folders and archives are folders with names in Moodle's form."""
    others = [name for name in folder.names if (folder.path / name).is_dir() or is_file_of_a_person(name)]
    return 2 * sum(_match(folder, name) is not None for name in others) > len(others)


def read(folder: Folder) -> Iterator[Entry]:
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
    yield from each_person(Folder(folder.path, tuple(others)))
    yield from people.values()


LAYOUT = Layout("moodle", "folders named Name_12345_assignsubmission_file_", fits, read)
