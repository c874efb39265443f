"""Who handed in what: the folder of submissions that a platform gives, as one `Entry` for each submission."""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml

from ..report.model import Submitter
from .archives import is_archive, stem

LAYOUTS = ("folders", "gradescope", "nbgrader", "canvas")
GRADESCOPE_METADATA = "submission_metadata.yml"
# jane_LATE_1042_99731_01_distribute-1.py: name, LATE, user's id, submission's id, file's name, how often handed in anew
_CANVAS = re.compile(r"(?P<who>[^_]+)(?:_(?P<late>LATE))?_(?P<user>\d+)_(?P<submission>\d+)_(?P<file>.+)")
_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")


class IntakeError(ValueError):
    """The folder of submissions cannot be taken in; says what to do."""


@dataclass(frozen=True)
class Entry:
    """One submission before it is read. `id` names its report; `places` are folders, archives or single files."""

    id: str
    origin: str
    places: tuple[Path, ...]
    submitters: tuple[Submitter, ...] = ()
    submitted_at: str | None = None
    notes: tuple[str, ...] = ()
    rename: Callable[[str], str] = str


def entries(root: Path, layout: str | None = None) -> list[Entry]:
    """Every submission below `root`, by name, in the layout given or the one that `root` looks like.

    Raises `IntakeError`.
    """
    try:
        names = sorted(os.listdir(root))
    except NotADirectoryError:
        raise IntakeError(f"{root} is a file; unpack it first, a folder for each person") from None
    except OSError as error:
        raise IntakeError(f"{root} cannot be read: {error.strerror}") from None
    layout = layout or recognise(root, names)
    found = list(_READERS[layout](root, names))
    if not found:
        others = "|".join(other for other in LAYOUTS if other != layout)
        raise IntakeError(f"{root} holds no submissions in the layout `{layout}`; there is also --layout {others}")
    return _with_unique_ids(found)


def recognise(root: Path, names: list[str]) -> str:
    """Which layout a folder with these names looks like."""
    if GRADESCOPE_METADATA in names:
        return "gradescope"
    if "submitted" in names and (root / "submitted").is_dir():
        return "nbgrader"
    visible = [name for name in names if not name.startswith(".")]
    if visible and all(_CANVAS.fullmatch(name) for name in visible) and any((root / n).is_file() for n in visible):
        return "canvas"
    return "folders"


def _folders(root: Path, names: list[str]) -> Iterator[Entry]:
    """A folder or an archive for each person; what else lies there is none of ours."""
    for name in names:
        path = root / name
        if name.startswith(".") or name == "__MACOSX":
            continue
        if path.is_dir() and not path.is_symlink():
            yield Entry(name, name, (path,))
        elif path.is_symlink() or is_archive(name):
            yield Entry(stem(name), name, (path,))


def _gradescope(root: Path, names: list[str]) -> Iterator[Entry]:
    path = root / GRADESCOPE_METADATA
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        metadata = yaml.load(path.read_bytes(), Loader=loader)
    except (OSError, yaml.YAMLError) as error:
        raise IntakeError(f"{path} cannot be read: {error}") from None
    if not isinstance(metadata, dict):
        raise IntakeError(f"{path} should map each submission's folder to what Gradescope knows of it")
    for name in sorted(set(map(str, metadata)) | {n for n in names if (root / n).is_dir()}):
        known = metadata.get(name)
        notes = () if isinstance(known, dict) else (f"{GRADESCOPE_METADATA} says nothing of this folder",)
        known = known if isinstance(known, dict) else {}
        yield Entry(
            name,
            name,
            (root / name,),
            submitters=tuple(_submitters(known.get(":submitters"))),
            submitted_at=_time(known.get(":created_at")),
            notes=notes,
        )


def _submitters(listed: Any) -> Iterator[Submitter]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            name, sid, email = (str(one.get(key) or "") for key in (":name", ":sid", ":email"))
            yield Submitter(name=name or email or sid, id=sid, email=email)


def _nbgrader(root: Path, names: list[str]) -> Iterator[Entry]:
    """`submitted/<student>/<assignment>`, below `root` or with `root` as the first of them."""
    inner = root / "submitted"
    base = inner if inner.is_dir() else root
    for student in sorted(os.listdir(base)):
        folder = base / student
        if not folder.is_dir() or student.startswith("."):
            continue
        stamps = sorted(folder.glob("*/timestamp.txt"))
        submitted = _time(stamps[0].read_text(errors="replace").strip()) if len(stamps) == 1 else None
        yield Entry(student, student, (folder,), (Submitter(name=student, id=student),), submitted)


def _canvas(root: Path, names: list[str]) -> Iterator[Entry]:
    """Flat files; those of one person are one submission."""
    files: dict[tuple[str, str], list[tuple[Path, bool]]] = defaultdict(list)
    for name in names:
        found = _CANVAS.fullmatch(name)
        if found:
            files[found["who"], found["user"]].append((root / name, bool(found["late"])))
    for (who, user), listed in files.items():
        notes = ("Canvas marks it as late",) if any(late for _, late in listed) else ()
        places = tuple(path for path, _ in listed)
        yield Entry(
            f"{who}_{user}", f"{who}_{user}", places, (Submitter(name=who, id=user),), None, notes, _canvas_name
        )


def _canvas_name(name: str) -> str:
    """The name that a file had before Canvas put its own before it."""
    found = _CANVAS.fullmatch(name)
    return _AGAIN.sub("", found["file"]) if found else name


def _time(value: Any) -> str | None:
    """A time as ISO 8601 where it can be read as one, else as it stands."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).isoformat(timespec="seconds")
    return str(value) if value else None


def _with_unique_ids(found: list[Entry]) -> list[Entry]:
    """Ids that are safe as file names, and different even where a file system ignores case."""
    plain = [re.sub(r"[^A-Za-z0-9._-]", "_", entry.id).strip(".") for entry in found]
    often: dict[str, int] = defaultdict(int)
    for text in plain:
        often[text.lower()] += 1
    made = []
    for entry, text in zip(found, plain, strict=True):
        if text != entry.id or often[text.lower()] > 1 or len(text) > 100:
            digest = hashlib.sha256(entry.origin.encode("utf-8", "surrogateescape")).hexdigest()[:8]
            text = f"{text[:80]}-{digest}".lstrip("-")
        made.append(replace(entry, id=text))
    return made


_READERS: dict[str, Callable[[Path, list[str]], Iterator[Entry]]] = {
    "folders": _folders,
    "gradescope": _gradescope,
    "nbgrader": _nbgrader,
    "canvas": _canvas,
}
