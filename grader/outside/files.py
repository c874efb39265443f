"""Regular files, read and written without following a link, waiting for a pipe or opening a device in their place.

Folders of results and of submissions are shared, copied and unpacked from archives: whatever has the name of a file may
be anything. Where that is so, an `OSError` says what it is, and nothing is touched.
"""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from .text import printable

_MAX_READ = 256 << 20
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


def open_plain(path: Path, *, follow: bool = False) -> IO[bytes]:
    """Open a regular file, never waiting for the other end of a pipe, and through a symbolic link only to `follow` it.

    Raises `OSError`.
    """
    handle = os.open(path, os.O_RDONLY | _WAITLESS | _BINARY | (0 if follow else _NO_FOLLOW))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, f"{printable(path.name)} is not a regular file", str(path))
    return os.fdopen(handle, "rb")


def read_plain(path: Path, most: int = _MAX_READ, *, follow: bool = False) -> bytes:
    """Return the bytes of a regular file, opened as `open_plain` does. Raises `OSError`, for more than `most` too."""
    try:
        file = open_plain(path, follow=follow)
    except OSError as error:
        if path.is_symlink() and not follow:
            raise OSError(error.errno, "is a symbolic link", str(path)) from None
        raise
    with file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"is larger than {most >> 20} MB", str(path))
    return data


def in_the_way(path: Path, wanted: str = "file") -> str | None:
    """Return what stands at `path` instead of a `file` or `folder`, such as `symbolic link`; None where it may be used.

    Raises `OSError` where that cannot be found out.
    """
    try:
        found = _KINDS.get(stat.S_IFMT(os.lstat(path).st_mode), "special file")
    except FileNotFoundError:
        return None
    return None if found == wanted else found


def plain_folder(path: Path) -> None:
    """Make a folder, or take the one that is there; its parents are made too. Raises `OSError`, for a link too."""
    found = in_the_way(path, "folder")
    if found:
        raise NotADirectoryError(errno.ENOTDIR, f"is a {found}, and should be a folder", str(path))
    path.mkdir(parents=True, exist_ok=True)


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write so that the file holds the old content or the new one, never a part. Raises `OSError`, and what making
    the data raises.

    Whatever is there and no regular file is left as it is, and an `OSError` says so.
    """
    found = in_the_way(path)
    if found == "folder":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if found:
        raise FileExistsError(errno.EEXIST, f"there is a {found} of that name", str(path))
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


def write_named(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write to a path that somebody named. Raises `OSError`, and what making the data raises.

    A device (`/dev/null`), a pipe that somebody reads, and what a process has open (`/dev/stdout`) are written to, not
    replaced. Any other link is left alone, since it may lead anywhere, and so is a disk.
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
            raise OSError(error.errno, "there is a pipe of that name, and nobody reads it", str(path)) from None
        raise
    if stat.S_ISBLK(os.fstat(handle).st_mode):
        os.close(handle)
        raise FileExistsError(errno.EEXIST, "there is a disk of that name", str(path))
    os.set_blocking(handle, True)
    return handle


def _own_descriptor(path: Path) -> int | None:
    """Return which of this process' descriptors a link of the system's is, such as `/dev/stdout` or `/dev/fd/63`."""
    own = (Path(f"/proc/{os.getpid()}/fd"), Path("/dev/fd"))
    for place in (path, path.parent / os.readlink(path)) if path.is_symlink() else ():
        if place.name.isdecimal() and place.parent.resolve() in own:
            return int(place.name)
    return None


def _pieces(data: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return [data] if isinstance(data, bytes) else data
