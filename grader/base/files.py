"""Read and write regular files without following links, waiting for pipes or opening devices."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import IO

from .text import printable

_MAX_READ = 256 << 20
_PIECE = 1 << 20
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
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
    pieces, left = [], most + 1
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
        found = _KINDS.get(stat.S_IFMT(os.lstat(path).st_mode), "special file")
    except FileNotFoundError:
        return None
    return None if found == wanted else found


def plain_folder(path: Path) -> None:
    """Make a folder and its parents, unless they exist. Raises `OSError`, also for a link at `path`."""
    found = in_the_way(path, "folder")
    if found:
        raise NotADirectoryError(errno.ENOTDIR, f"is a {found}; expected a folder", str(path))
    path.mkdir(parents=True, exist_ok=True)


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file so that it always holds either the old or the new content, never a part.

    Anything at `path` but a regular file is left unchanged. Raises `OSError`, and any error of the
    iterable `data`.
    """
    found = in_the_way(path)
    if found == "folder":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if found:
        raise FileExistsError(errno.EEXIST, f"a {found} has that name", str(path))
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(_pieces(data))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


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
        for inner in reversed(path.relative_to(folder).parents[:-1]):
            plain_folder(folder / inner)
        write_atomically(path, files[name])
        if files[name].startswith(b"#!"):
            path.chmod(0o755)
    return written, kept


def write_named(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write to a path that the user named.

    A device (`/dev/null`), a pipe with a reader, and an open descriptor of this process
    (`/dev/stdout`) are written to and not replaced. Other links are refused, because they may lead
    anywhere, and so are disks. Raises `OSError`, and any error of the iterable `data`.
    """
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
    os.set_blocking(handle, True)
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
