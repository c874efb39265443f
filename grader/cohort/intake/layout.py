"""Layouts: how platforms arrange a folder of submissions. A layout yields an `Entry` for each submission."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...report.choices import Choice
from ...report.model import Submitter
from .archives import is_archive

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
