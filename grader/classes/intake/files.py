"""Read the files of one submission: a source for each exercise, or the reason why there is none."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import msgspec

from ...base.text import json_text, printable, readable, text_digest
from ...course.load import names_of
from ...runner.client import (
    NOTEBOOK,
    NotebookError,
    Reason,
    Source,
    bounds,
    code_cells,
    cut,
    decode_source,
    joined,
    read_content,
    read_source,
)
from ...words import instructor as intake
from ...words.practice import unread_text
from ...words.sentence import cannot_be_read
from ..people.decisions import Choice, chosen
from . import clones
from .archives import FOREIGN, ArchiveError, is_archive, members
from .platforms import Entry

MAX_FILES = 20_000  # in one folder and all its subfolders
MAX_DEPTH = 16
_SKIPPED = {"node_modules", "__pycache__", "site-packages", "venv", "__MACOSX"}  # in addition to hidden names
# A file with another name may be a learner's work if it has one of these endings, is an archive, or if its name
# begins with that of an exercise file.
_MEANT = (".py", ".ipynb", *FOREIGN)
_CHOOSABLE = (".py", ".ipynb", ".txt")
_SIMILAR = re.compile(r"(?:copy[ _]of[ _])?(?P<stem>.+?)(?:[ _-]*(?:\(\d+\)|copy(?: ?\d+)?))*\.py(?:\.txt)?")
_WORDS = re.compile(r"[a-z]+|[0-9]+")
_TEST = {"test", "tests"}  # in front or at the end, the name of a file with tests
_LONGEST = 300  # characters of a name that is compared with others
_SHOWN = 5
MAX_FOUND, MAX_OTHERS = 20, 100  # files that somebody may choose: for each exercise, and files with other names
MAX_PATH = 500  # characters of the path of such a file
_NOTES = 20  # notes on unreadable files


class Intake(msgspec.Struct, frozen=True, tag="intake"):
    """One submission as it was found: a source for every exercise, and notes for the instructor.

    `found` has the files that somebody may choose from, in the form of `grader.classes.people.decisions.Found`.
    """

    sources: dict[str, Source]
    notes: tuple[str, ...] = ()
    found: dict[str, dict[str, str]] = {}
    submitted_at: str | None = None
    commit: str | None = None

    def of(self, entry: Entry) -> "Intake":
        """Return this intake with the platform's notes and time. The platform's time replaces a commit's."""
        notes, submitted_at = (*entry.notes, *self.notes), entry.submitted_at or self.submitted_at
        return msgspec.structs.replace(self, notes=notes, submitted_at=submitted_at)


def read_files(
    places: Iterable[tuple[Path, str]],
    exercises: Mapping[str, str],
    choices: Mapping[str, Sequence[Choice]] = MappingProxyType({}),
) -> Intake:
    """Read every file of a submission that is graded. Never raises because of the submission's content.

    A choice applies only if the submission has the same files as when it was made. The last such choice counts. If
    there is none, the file with the exercise's name counts. If there is no such file, or if several differ, the file of
    the last choice is read, although the files have changed.

    Args:
        places: folders, archives and files, each with its name before a platform renamed it.
        exercises: file names by exercise id.
        choices: for some exercises, the decisions about which file counts, oldest first.
    """
    paths = {exercises[one]: {choice.path for choice in made} for one, made in choices.items() if one in exercises}
    reading = _Reading(exercises, paths)
    for place, name in places:
        reading.place(place, name)
    # the file that counts for each exercise
    notes, found = reading.notes.all, reading.found(exercises)
    sources = {}
    for exercise, filename in exercises.items():
        decided = choices.get(exercise, ())
        sources[exercise], about = _source(
            exercise,
            reading.candidates[filename],
            reading.in_cells[filename],
            decided,
            chosen(decided, found, exercise),
        )
        notes += about
    # other files that may be meant, if an exercise has none
    missing = [source for source in sources.values() if source.problem == "missing"]
    proposed = {name for source in missing for name in source.names}
    proposed |= {str(source.path) for source in sources.values() if source.problem != "missing"}
    others = [name for name in reading.others if name not in proposed]
    if others and missing:
        notes.append(intake.other_names(others[:_SHOWN], more=len(others) > _SHOWN))
    # the time of a commit, which counts only if the platform gives none
    commit, committed = reading.head or (None, None)
    return Intake(sources, tuple(cut(note, bounds.NOTE) for note in notes), found, committed, commit)


def _source(
    exercise: str, named: "_FoundFiles", in_cells: "_FoundFiles", decided: Sequence[Choice], choice: Choice | None
) -> tuple[Source, list[str]]:
    """Return the source that counts for an exercise, and notes.

    Args:
        named: the files with the name of the exercise's file.
        in_cells: notebooks with other names that have cells for the exercise.
        decided: the decisions about which file counts, oldest first.
        choice: the decision that applies.
    """
    only_in_cells = in_cells.first and not named.first and choice is None
    source, note = (in_cells if only_in_cells else named).source_to_grade(choice.path if choice else None)
    undecided = source.problem == "missing" or bool(source.names)  # no file, or several that may be meant
    # no choice fits these files, but better the file of the last choice than none at all
    if undecided and decided and decided[-1].path in named.by_chosen_path:
        source, note = named.source_to_grade(decided[-1].path)
    notes = [note] if note else []
    if named.first and in_cells.first and choice is None:
        notes.append(intake.cell_not_graded(str(in_cells.first.path), exercise, str(named.first.path)))
    return source, notes


@dataclass
class _FoundFiles:
    """The files with the code of one exercise. There may be very many, so only the first and chosen ones are kept.

    Attributes:
        near: the paths of files whose name is a form of the exercise's file name.
        likely: the paths of files whose name contains the id of this exercise and of no other.
    """

    name: str
    first: Source | None = None
    count: int = 0
    differ: bool = False
    paths: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    likely: list[str] = field(default_factory=list)
    by_chosen_path: dict[str, Source] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def add(self, source: Source) -> None:
        self.note(str(source.path), _digest(source))
        self.first = self.first or source
        self.differ |= (source.text, source.problem) != (self.first.text, self.first.problem)
        self.count += 1
        if self.count <= _SHOWN:
            self.paths.append(str(source.path))

    def note(self, path: str, digest: str) -> None:
        """Record the digest of a file that somebody may choose."""
        if len(self.digests) < MAX_FOUND and len(path) <= MAX_PATH:
            self.digests[path] = digest

    def source_to_grade(self, choice: str | None = None) -> tuple[Source, str | None]:
        """Return the source to grade, and a note if there are several files.

        If no file can be graded, the source states the reason.

        Args:
            choice: the path of the file that somebody chose.
        """
        if choice is not None:
            return self.by_chosen_path[choice], None
        if self.first is None:
            proposed = tuple([*self.near, *self.likely][:_SHOWN])
            missing = Reason("near_name", names=proposed) if proposed else Reason("missing")
            return Source(Path(self.name), unread=missing), None
        if self.count == 1:
            return self.first, None
        if not self.differ:
            return self.first, intake.copies(self.count, self.name, self.paths)
        several = Reason("several_files", count=self.count, names=tuple(self.paths))
        return Source(Path(self.name), unread=several), unread_text(several, self.name)


class _Notes:
    """Notes on a whole submission. There may be thousands, so only the first ones are kept."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._more = 0

    def append(self, note: str) -> None:
        if len(self._kept) < _NOTES:
            self._kept.append(note)
        else:
            self._more += 1

    @property
    def all(self) -> list[str]:
        """Return the kept notes, followed by the number of further notes."""
        return [*self._kept, intake.more_notes(self._more)] if self._more else self._kept


class _Reading:
    """The state while one submission is read. An unreadable part gets a note, and the rest is still read."""

    def __init__(self, exercises: Mapping[str, str], chosen: Mapping[str, set[str]]) -> None:
        self.candidates = {filename: _FoundFiles(filename) for filename in exercises.values()}
        # notebooks with other names that have cells for the exercise
        self.in_cells = {filename: _FoundFiles(filename) for filename in exercises.values()}
        self._names = {name: names_of(id, name.removesuffix(f"_{id}.py")) for id, name in exercises.items()}
        self._chosen_for = {
            path: [file for file, paths in chosen.items() if path in paths] for path in set().union(*chosen.values())
        }
        self._chosen_names = {PurePosixPath(path).name for path in self._chosen_for}
        self._others: dict[str, str] = {}
        self._near = {form: name for name in self.candidates for form in _forms(name)}
        self._ids = {filename: _WORDS.findall(id.lower()) for id, filename in exercises.items()}
        self.notes = _Notes()
        self.others: list[str] = []
        self.head: tuple[str, str] | None = None
        self._stems = tuple(name.removesuffix(".py").lower() for name in self.candidates)

    def place(self, place: Path, name: str) -> None:
        """Read a folder, an archive, or a single file that was originally called `name`."""
        try:
            mode = os.lstat(place).st_mode
        except (OSError, ValueError) as error:
            self._note(place.name, error)
            return
        if stat.S_ISDIR(mode):
            self._folder(place)
            self.head = self.head or clones.head(place)
        elif stat.S_ISLNK(mode):
            self.notes.append(intake.symbolic_link(printable(place.name)))
        else:
            self._file(place, place.parent, name)

    def _note(self, what: str, error: Exception) -> None:
        why = error.strerror if isinstance(error, OSError) else str(error)
        self.notes.append(cannot_be_read(printable(what), why))

    def _folder(self, top: Path) -> None:
        """Read every file in a folder and its subfolders, sorted by name. Skip links and folders made by tools."""
        waiting, left = [(top, 0)], MAX_FILES
        while waiting:
            folder, depth = waiting.pop()
            try:
                with os.scandir(folder) as listed:
                    # one more than is left, to see if there are more; the file system lists in any
                    # order
                    found = sorted((e.name, e.is_dir(follow_symlinks=False)) for e in islice(listed, left + 1))
            except OSError as error:
                self._note(str(folder.relative_to(top.parent)), error)
                continue
            left -= len(found)
            if left < 0:
                self.notes.append(intake.too_many_files(printable(top.name), MAX_FILES))
                return
            inner = []
            for name, is_folder in found:
                if not is_folder:
                    self._file(folder / name, top, name)
                elif not _skipped(name):
                    inner.append((folder / name, depth + 1))
            if inner and depth == MAX_DEPTH:
                self.notes.append(intake.too_deep(printable(top.name), MAX_DEPTH))
            else:
                # the list is a stack, so the first folder must be on top
                waiting += reversed(inner)

    def _file(self, path: Path, root: Path, name: str) -> None:
        shown = readable(path.relative_to(root))
        if name.endswith(NOTEBOOK) and not name.startswith("."):
            self._notebook(shown, name, read_content(path, root, bounds.NOTEBOOK))
        elif is_archive(name) and not name.startswith("."):
            self._archive(path, shown)
        elif name in self.candidates or str(shown) in self._chosen_for or self._may_be_chosen(shown, name):
            self._add(name, msgspec.structs.replace(read_source(path, root), path=shown))
        else:
            self._other(shown, name)

    def _notebook(self, shown: Path, name: str, content: bytes | Reason) -> None:
        """Keep the code of a notebook for each exercise that it may be meant for.

        These are the exercise with the notebook's name, and the exercises that cells of the notebook name.
        """
        # the exercise file that the notebook replaces
        own = name.removesuffix(NOTEBOOK) + ".py"
        try:
            if isinstance(content, Reason):
                raise NotebookError(content)
            cells = code_cells(content)
        except NotebookError as error:
            if own in self.candidates:
                self.candidates[own].add(Source(shown, unread=error.reason))
            else:
                self._other(shown, name)
            return
        for filename in self._chosen_for.get(str(shown), ()):
            self.candidates[filename].by_chosen_path[str(shown)] = joined(shown, cells, self._names[filename])
        if own in self.candidates:
            self.candidates[own].add(joined(shown, cells, self._names[own]))
        # cells may name other exercises than the notebook's name does
        in_cells = [
            filename
            for filename, names in self._names.items()
            if filename != own and any(cell.is_of(names) for cell in cells)
        ]
        for filename in in_cells:
            self.in_cells[filename].add(joined(shown, cells, self._names[filename]))
        if own not in self.candidates and not in_cells:
            self._other(shown, name, hashlib.sha256(content).hexdigest())

    def _archive(self, path: Path, shown: Path) -> None:
        try:
            for inner, content in members(path, self._is_read):
                if any(map(_skipped, inner.parts)):
                    continue
                where = readable(shown / inner)
                if content is None:
                    self._other(where, inner.name)
                elif inner.name.endswith(NOTEBOOK) and inner.name not in self.candidates:
                    self._notebook(where, inner.name, content)
                elif inner.name not in self.candidates and str(where) not in self._chosen_for:
                    self._other(where, inner.name)
                elif isinstance(content, Reason):
                    self._add(inner.name, Source(where, unread=content))
                else:
                    self._add(inner.name, decode_source(where, content))
        except ArchiveError as error:
            self.notes.append(unread_text(error.reason, printable(path.name)))

    def _is_read(self, name: str) -> bool:
        known = name in self.candidates or name in self._chosen_names
        return known or (name.endswith(NOTEBOOK) and not name.startswith("."))

    def _may_be_chosen(self, shown: Path, name: str) -> bool:
        """Return whether to record a file with another name, so that somebody can choose it."""
        listed = name.lower().endswith(_CHOOSABLE) and not _skipped(name)
        return listed and len(self._others) < MAX_OTHERS and len(str(shown)) <= MAX_PATH

    def _add(self, name: str, source: Source) -> None:
        """Add a file to the candidates of its exercise, or to the other files that somebody may choose."""
        for filename in self._chosen_for.get(str(source.path), ()):
            self.candidates[filename].by_chosen_path[str(source.path)] = source
        if name in self.candidates:
            self.candidates[name].add(source)
        else:
            self._other(source.path, name, _digest(source))

    def _other(self, shown: Path, name: str, digest: str = "") -> None:
        """Record a file with another name than those of exercises.

        It may have nearly the name of an exercise, somebody may choose it, and a note may name it.
        """
        low = name.lower()
        meant_for = next((self._near[form] for form in _forms(name) if form in self._near), None)
        if meant_for is not None and not _skipped(name) and len(self.candidates[meant_for].near) < _SHOWN:
            self.candidates[meant_for].near.append(str(shown))
            self.candidates[meant_for].note(str(shown), digest)
        elif str(shown) in self._chosen_for or self._may_be_chosen(shown, name):
            self._others[str(shown)] = digest
            likely_for = self._named_in(low)
            if likely_for is not None and len(self.candidates[likely_for].likely) < _SHOWN:
                self.candidates[likely_for].likely.append(str(shown))
        may_be_work = low.endswith(_MEANT) or is_archive(name) or low.startswith(self._stems)
        if may_be_work and not _skipped(name) and len(self.others) <= _SHOWN:
            self.others.append(str(shown))

    def _named_in(self, low: str) -> str | None:
        """Return the file name of the only exercise whose id is in a name, such as that of predict in predict_final.py.

        Return None for a file of tests, and for a name that begins with the number of another exercise.
        """
        name = low.removesuffix(".txt")
        words = _WORDS.findall(name.removesuffix(".py")) if name.endswith(".py") and len(name) <= _LONGEST else []
        if not words or _TEST & {words[0], words[-1]}:
            return None
        found = [filename for filename, id in self._ids.items() if _contains(words, id)]
        # a name with the ids of two exercises says nothing
        if len(found) != 1:
            return None
        number = found[0].partition("_")[0]
        return None if words[0].isdecimal() and words[0].lstrip("0") != number.lstrip("0") else found[0]

    def found(self, exercises: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Return the files that somebody may choose from, in the form of `grader.classes.people.decisions.Found`."""
        by_exercise = {
            one: self.candidates[file].digests | self.in_cells[file].digests for one, file in exercises.items()
        }
        return {one: paths for one, paths in {**by_exercise, "": self._others}.items() if paths}


def _digest(source: Source) -> str:
    """Return the digest of a file's text, or of the reason why the text cannot be read."""
    return text_digest(source.text if source.unread is None else json_text(source.unread))


def _forms(name: str) -> tuple[str, ...]:
    """Return the forms in which a name is compared with the names of exercise files. Markers of copies are removed.

    `02-swap.py`, `Copy of 02_swap.py`, `2_swap (1).py` and `swap.py` have a form in common with `02_swap.py`.
    """
    found = _SIMILAR.fullmatch(name.lower()) if len(name) <= _LONGEST else None
    if not found:
        return ()
    stem = "".join(c for c in found["stem"] if c.isalnum())
    return stem, stem.lstrip("0"), stem.lstrip("0123456789")


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether the words of `part` are among `words`, next to each other."""
    return bool(part) and any(list(words[at : at + len(part)]) == part for at in range(len(words)))


def _skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED
