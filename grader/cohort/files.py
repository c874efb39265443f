"""What lies in one submission: a source for each exercise, or why there is none."""

import os
import stat
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ..course import Course
from ..engine import Source, decode_source, read_source
from .archives import ArchiveError, is_archive, members
from .layouts import Entry

MAX_FILES = 20_000
MAX_DEPTH = 16
_SKIPPED = {"node_modules", "__pycache__", "site-packages", "venv", "__MACOSX"}  # besides hidden folders
_SHOWN = 5


@dataclass(frozen=True)
class Taken:
    """One submission as it was found: a source for every exercise of the course, and what a person should know."""

    sources: dict[str, Source]
    notes: tuple[str, ...] = ()
    submitted_at: str | None = None
    commit: str | None = None

    @property
    def found(self) -> bool:
        """Whether there was a file for any exercise."""
        return any(source.problem is None for source in self.sources.values())


def take_in(entry: Entry, course: Course) -> Taken:
    """Read everything of a submission that is graded. Never raises for what lies in it."""
    names = {exercise.filename for exercise in course.exercises}
    candidates: dict[str, list[Source]] = defaultdict(list)
    notes, others = list(entry.notes), []
    commit, committed = None, None
    for place in entry.places:
        try:
            for source in _sources(place, names, entry):
                name = entry.rename(source.path.name)
                if name in names:
                    candidates[name].append(source)
                elif name.endswith((".py", ".ipynb")):
                    others.append(source.path)
            if commit is None and (place / ".git").is_dir():
                commit, committed = _head(place)
        except (ArchiveError, OSError) as error:
            notes.append(str(error) if isinstance(error, ArchiveError) else f"{place.name}: {error.strerror}")
    sources = {}
    for exercise in course.exercises:
        sources[exercise.id], note = _one_of(candidates[exercise.filename], exercise.filename)
        notes += [note] if note else []
    if others and not all(candidates[name] for name in names):
        shown = ", ".join(map(str, sorted(others)[:_SHOWN])) + (" and more" if len(others) > _SHOWN else "")
        notes.append(f"files of other names, not graded: {shown}")
    return Taken(sources, tuple(notes), entry.submitted_at or committed, commit)


def readable(path: Path) -> Path:
    """A path whose name can be written down, whatever bytes it is made of."""
    return Path(os.fsencode(path).decode("utf-8", "backslashreplace"))


def _one_of(found: list[Source], name: str) -> tuple[Source, str | None]:
    """The one candidate for an exercise, or a source that says why there is none; a note where there were several."""
    if not found:
        return Source(Path(name), problem="missing", message=f"there is no file {name}"), None
    if len(found) == 1:
        return found[0], None
    paths = ", ".join(str(source.path) for source in found[:_SHOWN])
    if len({(source.text, source.problem) for source in found}) == 1:
        return found[0], f"{name} is there {len(found)} times, the same each time: {paths}"
    message = f"{name} is there {len(found)} times, and not the same: {paths}; which one counts is for a person to say"
    return Source(Path(name), problem="unreadable", message=message), message


def _sources(place: Path, names: set[str], entry: Entry) -> Iterator[Source]:
    """Every candidate below a place, its path as it is there; other Python files with no text."""
    if place.is_symlink():
        raise ArchiveError(f"{place.name} is a symbolic link; what it points at is not read")
    if not place.is_dir():
        yield from _archived(place, Path(), names) if is_archive(place.name) else [_shown(place, place.parent)]
        return
    for path in _walk(place):
        name = entry.rename(path.name)
        if is_archive(name):
            yield from _archived(path, path.relative_to(place), names)
        elif name in names:
            yield _shown(path, place)
        elif name.endswith((".py", ".ipynb")):
            yield Source(readable(path.relative_to(place)), problem="unreadable")


def _shown(path: Path, below: Path) -> Source:
    read = read_source(path, below)
    return Source(readable(path.relative_to(below)), read.text, read.problem, read.message)


def _archived(path: Path, shown: Path, names: set[str]) -> Iterator[Source]:
    for inner, content in members(path, lambda name: name.endswith((".py", ".ipynb"))):
        where = readable(shown / inner)
        if inner.name not in names:
            yield Source(where, problem="unreadable")
        elif isinstance(content, str):
            yield Source(where, problem="unreadable", message=f"{inner.name} {content}")
        else:
            yield decode_source(where, content)


def _walk(top: Path) -> Iterator[Path]:
    """Every file below a folder, in the order of names; links are not followed, tools' folders left out."""
    waiting, count = [(top, 0)], 0
    while waiting:
        folder, depth = waiting.pop()
        inner = []
        for entry in sorted(os.scandir(folder), key=lambda found: found.name):
            count += 1
            if count > MAX_FILES:
                raise ArchiveError(f"{top.name} holds more than {MAX_FILES} files")
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in _SKIPPED and depth < MAX_DEPTH:
                    inner.append((Path(entry.path), depth + 1))
            else:
                yield Path(entry.path)
        waiting += reversed(inner)


def _head(repository: Path) -> tuple[str | None, str | None]:
    """The commit that is checked out, and when it was made. Reads the objects alone: git itself would run what a
    repository's own settings name."""
    from dulwich.objects import Commit  # here, not above: only clones need them
    from dulwich.repo import Repo

    try:
        if not stat.S_ISDIR(os.lstat(repository / ".git").st_mode):
            return None, None
        with Repo(str(repository)) as repo:
            head = repo.head()
            commit = repo[head]
    except Exception:  # a damaged repository raises anything, and costs only the time of the commit
        return None, None
    if not isinstance(commit, Commit):
        return None, None
    zone = timezone(timedelta(seconds=commit.commit_timezone))
    return head.decode(), datetime.fromtimestamp(commit.commit_time, zone).isoformat()
