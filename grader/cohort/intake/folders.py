"""The layout with a folder or an archive for each person."""

from collections.abc import Iterator

from ...base import printable
from ...learners import Submitter
from .archives import is_archive, stem
from .layout import Entry, Folder, Layout

_FOREIGN = (".7z", ".rar")  # these cannot be read, but are listed as submissions so that a person sees them


def is_file_of_a_person(name: str) -> bool:
    """Return whether a file with this name is listed as a submission, even if it cannot be read."""
    return is_archive(name) or name.lower().endswith(_FOREIGN)


def read(folder: Folder) -> Iterator[Entry]:
    """Yield an entry for each folder, archive and link. Other files are not submissions."""
    for name in folder.names:
        path = folder.path / name
        if path.is_dir() and not path.is_symlink():
            yield Entry(name, name, (path,), (Submitter(name=printable(name)),))
        elif path.is_symlink() or is_file_of_a_person(name):
            yield Entry(stem(name), name, (path,), (Submitter(name=printable(stem(name))),))


LAYOUT = Layout("folders", "a folder, zip or tar file for each person", fits=lambda folder: True, read=read)
