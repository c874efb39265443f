"""A layout: how one platform arranges a folder of submissions, read as one `Entry` for each."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...report.model import Submitter
from .archives import is_archive

# what editors, version control and file managers keep in a folder; `._x` is what a Mac keeps of `x`
_TOOLS = re.compile(
    r"\.(?:_.*|git|github|svn|hg|idea|vscode|venv|cache|ipynb_checkpoints|[a-z]+_cache|Trash.*|fseventsd"
    r"|Spotlight-V100|TemporaryItems)"
)


class IntakeError(ValueError):
    """The folder of submissions cannot be taken in; says what to do."""


@dataclass(frozen=True)
class Folder:
    """A folder and the names in it, sorted, without what is hidden or a Mac's."""

    path: Path
    names: tuple[str, ...]

    @classmethod
    def at(cls, path: Path) -> "Folder":
        """Raises `OSError`."""
        return cls(path, tuple(sorted(n for n in os.listdir(path) if not n.startswith(".") and n != "__MACOSX")))

    @property
    def hidden(self) -> list[str]:
        """Hidden folders, links and archives that no tool is known to leave. Raises `OSError`."""
        with os.scandir(self.path) as listed:
            found = [e.name for e in listed if is_archive(e.name) or not e.is_file(follow_symlinks=False)]
        return sorted(name for name in found if name.startswith(".") and not _TOOLS.fullmatch(name))


@dataclass(frozen=True)
class Entry:
    """One submission before it is read. `id` names its report; `places` are folders, archives or single files.

    `renamed` has the names that files had before a platform put its own words in, by the names that they have now.
    """

    id: str
    origin: str
    places: tuple[Path, ...]
    submitters: tuple[Submitter, ...] = ()
    submitted_at: str | None = None
    notes: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> tuple[tuple[Path, str], ...]:
        """Every place with the name that it had before."""
        return tuple((place, self.renamed.get(place.name, place.name)) for place in self.places)


@dataclass(frozen=True)
class Layout:
    """How one platform hands submissions over.

    `name` is what `--layout` calls it, `about` says what such a folder holds. `fits` tells whether a folder looks like
    one, `read` gives its submissions; either may raise `OSError`. `keeps` gives those names in the folder that the
    platform keeps for itself, so that they are nobody's submission.
    """

    name: str
    about: str
    fits: Callable[[Folder], bool]
    read: Callable[[Folder], Iterator[Entry]]
    keeps: Callable[[Folder], frozenset[str]] = lambda folder: frozenset()
