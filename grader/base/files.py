"""Read and write regular files without following links or waiting for pipes, and read YAML within bounds."""

import contextlib
import errno
import os
import stat
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import yaml

from .text import printable

_PAUSES_S = (0.01, 0.05, 0.2, 0.5)  # a scanner or an editor of Windows has a file open for a moment
_MAX_READ = 256 << 20  # bytes
_PIECE = 1 << 20  # bytes that are read at a time
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # the flags that a system lacks are 0
_WAITLESS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_TO_TERMINAL = getattr(os, "O_NOCTTY", 0)
_KINDS = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
}


class UserError(Exception):
    """The user's input is wrong, or their machine lacks something. The message says what to do.

    The command line prints the message and exits with 2.
    """


def open_plain(path: Path, *, follow: bool = False) -> IO[bytes]:
    """Open a regular file for reading. Never wait for the other end of a pipe.

    A symbolic link is refused unless `follow` is true. Raises `OSError`.
    """
    handle = os.open(path, os.O_RDONLY | _WAITLESS | _BINARY | (0 if follow else _NO_FOLLOW))
    # of the open file, because another one may have taken the path since
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, f"{printable(path.name)} is not a regular file", str(path))
    return os.fdopen(handle, "rb")


def read_plain(path: Path, most: int = _MAX_READ, *, follow: bool = False) -> bytes:
    """Return the bytes of a regular file, opened by `open_plain`.

    Raises `OSError`, also for a file of more than `most` bytes.
    """
    try:
        file = open_plain(path, follow=follow)
    except OSError as error:
        if path.is_symlink() and not follow:
            raise OSError(error.errno, "is a symbolic link", str(path)) from None
        raise
    pieces, left = [], most + 1  # one byte more shows that the file is too large
    with file:
        # in pieces, because `read` allocates as much as it may return
        while left and (piece := file.read(min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
    if not left:
        raise OSError(errno.EFBIG, f"is larger than {most >> 20} MB", str(path))
    return b"".join(pieces)


def in_the_way(path: Path, wanted: str = "file") -> str | None:
    """Return the kind of an obstacle at `path`, such as `symbolic link`; None if the path can be used.

    Args:
        wanted: the kind that is allowed there, `file` or `folder`. A missing path is allowed too.

    Raises:
        OSError: the kind cannot be determined.
    """
    try:
        kind = _KINDS.get(stat.S_IFMT(os.lstat(path).st_mode), "special file")
    except FileNotFoundError:
        return None
    return None if kind == wanted else kind


def plain_folder(path: Path) -> None:
    """Make a folder and its parents, unless they exist. Raises `OSError`, also for a link at `path`."""
    kind = in_the_way(path, "folder")
    if kind:
        raise NotADirectoryError(errno.ENOTDIR, f"is a {kind}; expected a folder", str(path))
    path.mkdir(parents=True, exist_ok=True)


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file so that it always holds either the old or the new content, never a part.

    Anything at `path` but a regular file is left unchanged. Raises `OSError`, and any error of the
    iterable `data`.
    """
    kind = in_the_way(path)
    if kind == "folder":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if kind:
        raise FileExistsError(errno.EEXIST, f"a {kind} has that name", str(path))
    # in the same folder, because a file is replaced at once only within one file system
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(_pieces(data))
            file.flush()
            os.fsync(file.fileno())  # otherwise a power cut may leave an empty file with the name
        os.chmod(temporary, 0o644)  # `mkstemp` gives only the owner access
        _replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _replace(temporary: str, path: Path) -> None:
    """Put a file in the place of another. On Windows, wait for a program that has the other one open."""
    for pause in (*_PAUSES_S, None):
        try:
            os.replace(temporary, path)
            return
        except PermissionError as error:
            if pause is None or getattr(error, "winerror", None) is None:  # only errors of Windows have this number
                raise
            time.sleep(pause)


def write_files(files: Mapping[str, bytes], folder: Path, replace: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Write files into a folder.

    An existing path is left unchanged unless it is in `replace`. A file that begins with `#!` becomes executable.

    Args:
        files: the contents, by path in the folder.

    Returns:
        The paths that were written, and those that were left unchanged.

    Raises:
        OSError: also for a link in place of a folder in `folder`.
    """
    kept = [name for name in files if name not in replace and os.path.lexists(folder / name)]
    written = [name for name in files if name not in kept]
    for name in written:
        path = folder / name
        folder.mkdir(parents=True, exist_ok=True)
        # one folder after another, because `mkdir` with parents follows links
        for inner in reversed(path.relative_to(folder).parents[:-1]):
            plain_folder(folder / inner)
        write_atomically(path, files[name])
        if files[name].startswith(b"#!"):
            path.chmod(0o755)
    return written, kept


def write_named(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write to a path that the user named.

    A device (`/dev/null`), a pipe with a reader, and an open descriptor of this process
    (`/dev/stdout`) are written to and not replaced. Disks are refused. Other links are refused,
    because they may lead anywhere. Raises `OSError`, and any error of the iterable `data`.
    """
    # a descriptor is written to as it is, for example the pipe of `>(...)` in a shell
    own = _own_descriptor(path)
    if own is not None:
        handle = os.dup(own)
    elif in_the_way(path) in ("pipe", "device"):
        handle = _open_other_end(path)
    else:
        write_atomically(path, data)
        return
    with os.fdopen(handle, "wb") as file:
        file.writelines(_pieces(data))


def _open_other_end(path: Path) -> int:
    try:
        handle = os.open(path, os.O_WRONLY | _NO_FOLLOW | _WAITLESS | _TO_TERMINAL)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "a pipe has that name, and nothing reads from it", str(path)) from None
        raise
    if stat.S_ISBLK(os.fstat(handle).st_mode):
        os.close(handle)
        raise FileExistsError(errno.EEXIST, "a disk has that name", str(path))
    os.set_blocking(handle, True)  # only opening must not wait
    return handle


def _own_descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that a path such as `/dev/stdout` or `/dev/fd/63` names, or None."""
    own = (Path(f"/proc/{os.getpid()}/fd"), Path("/dev/fd"))
    for place in (path, path.parent / os.readlink(path)) if path.is_symlink() else ():
        if place.name.isdecimal() and place.parent.resolve() in own:
            return int(place.name)
    return None


def _pieces(data: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return [data] if isinstance(data, bytes) else data


# -- YAML
#
# PyYAML builds its result by recursion, in C if libyaml is installed. A text of 200,000 `[` then ends the process with
# a segmentation fault. Thirty lines of aliases of aliases expand to more than any memory holds. Therefore the depth and
# size of a document are checked first, on its stream of events.

MAX_DEPTH = 100
MAX_NODES = 20_000  # of a tree; each alias of a node counts as another copy of it
_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text is not valid YAML, or exceeds a bound. `line` is the line of the problem, or None."""

    def __init__(self, problem: str, line: int | None) -> None:
        super().__init__(problem)
        self.line = line

    def __str__(self) -> str:
        problem: str = self.args[0]
        return problem if self.line is None else f"line {self.line}: {problem}"

    @property
    def problem(self) -> str:
        """Return the problem, without the line."""
        return str(self.args[0])


def yaml_tree(text: str) -> yaml.Node | None:
    """Return the root node of a document; None for an empty one. Nodes know their lines. Raises `YamlError`."""
    _count(text)
    try:
        return yaml.compose(text, Loader=_SAFE)
    except yaml.YAMLError as error:
        raise _yaml_error(error) from None


def yaml_texts(data: bytes) -> Any:
    """Return a document as dictionaries, lists and strings. No scalar becomes a number, a time or an object.

    An alias becomes the same object as its anchor. Raises `YamlError`.
    """
    top: list[Any] = []
    filling: list[tuple[Any, list[Any]]] = [(top, top)]  # the open collections, each with the list of its items
    by_anchor: dict[str | None, Any] = {}
    for event in _events(data):
        value: Any
        # the end of a collection: a mapping gets its keys and values now
        if isinstance(event, yaml.CollectionEndEvent):
            value, items = filling.pop()
            if isinstance(value, dict):
                _fill(value, items, event)
            continue
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in by_anchor:
                raise YamlError("an alias without an anchor before it", _line(event))
            value = by_anchor[event.anchor]
        elif isinstance(event, yaml.NodeEvent) and event.anchor is not None and event.anchor in by_anchor:
            raise YamlError(f"the anchor `{event.anchor}` is defined twice", _line(event))
        elif isinstance(event, yaml.ScalarEvent):
            by_anchor[event.anchor] = value = event.value
        elif isinstance(event, yaml.CollectionStartEvent):
            by_anchor[event.anchor] = value = {} if isinstance(event, yaml.MappingStartEvent) else []
        else:
            continue
        # the value is an item of the innermost open collection, and may be open itself
        filling[-1][1].append(value)
        if isinstance(event, yaml.CollectionStartEvent):
            filling.append((value, value if isinstance(value, list) else []))
    return top[0] if top else None


def _fill(mapping: dict[str, Any], items: list[Any], event: yaml.Event) -> None:
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, str):
            raise YamlError("a key must be a string", _line(event))
        mapping[key] = value


def _count(text: str) -> None:
    """Raise `YamlError` for a document whose tree would be too large."""
    sizes = [0]  # of the open collections; the first is the document
    anchors: list[str | None] = []
    known: dict[str | None, int] = {}
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            sizes.append(1)
            anchors.append(event.anchor)
            continue
        if isinstance(event, yaml.ScalarEvent):
            size, anchor = 1, event.anchor
        elif isinstance(event, yaml.CollectionEndEvent):
            size, anchor = sizes.pop(), anchors.pop()
        elif isinstance(event, yaml.AliasEvent):
            size, anchor = known.get(event.anchor, 1), None  # a collection that contains itself is not known yet
        else:
            continue
        sizes[-1] += size
        if sizes[-1] > MAX_NODES:
            raise YamlError(f"it has more than {MAX_NODES:,} values", _line(event))
        if anchor is not None:
            known[anchor] = size


def _events(text: str | bytes) -> Iterator[yaml.Event]:
    """Yield the events of one document. Raises `YamlError`."""
    depth = documents = 0
    try:
        for event in yaml.parse(text, Loader=_SAFE):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            documents += isinstance(event, yaml.DocumentStartEvent)
            if depth > MAX_DEPTH:
                raise YamlError(f"it is nested more than {MAX_DEPTH} deep", _line(event))
            if documents > 1:
                raise YamlError("it holds several documents", _line(event))
            yield event
    except yaml.YAMLError as error:
        raise _yaml_error(error) from None


def _yaml_error(error: yaml.YAMLError) -> YamlError:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        return YamlError(error.problem or "malformed", mark.line + 1 if mark else None)
    return YamlError(" ".join(str(error).split()), None)


def _line(event: yaml.Event) -> int:
    return (event.start_mark.line if event.start_mark else 0) + 1
