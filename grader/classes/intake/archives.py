"""Read files from zip and tar archives in memory. Nothing is written, so no path can escape.

Nothing here bounds the time and the memory that a hostile archive takes. The process that reads a submission has limits
for both (`ReadingLimits`).
"""

import gzip
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ...base.files import open_plain
from ...base.text import printable
from ...runner.client import NOTEBOOK, Reason, bounds

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")
FOREIGN = (".7z", ".rar", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")  # archives that cannot be read
MAX_ARCHIVE = 256 << 20
_DRIVE = re.compile(r"[A-Za-z]:")
_COMMON = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # `zipfile` does not bound decompression by other methods
# the exceptions of the standard library for archives that are truncated, forged or of an unknown kind
_DAMAGED: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    LookupError,
    OverflowError,
    struct.error,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
)

ArchiveMember = tuple[PurePosixPath, bytes | Reason | None]


class ArchiveError(ValueError):
    """An archive cannot be read, for the given reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def is_archive(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """Return an archive's name without its suffix: `jane` for `jane.tar.gz`."""
    ending = next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)] if ending else name


def members(path: Path, wanted: Callable[[str], bool]) -> Iterator[ArchiveMember]:
    """Yield the path of each file in an archive, with the file's content if it is wanted.

    Paths are relative and stay inside the archive. The content is None unless `wanted` accepts the
    file's name. If a wanted file cannot be read, the reason replaces its content. At most
    `_most(name) + 1` bytes of each file are read.

    Raises:
        ArchiveError: the archive cannot be read.
        MemoryError: reading it takes more memory than this process may have.
    """
    try:
        with open_plain(path) as file:
            status = os.fstat(file.fileno())
            if status.st_nlink > 1:
                raise ArchiveError(Reason("hard_link"))
            if status.st_size > MAX_ARCHIVE:
                raise ArchiveError(Reason("too_large", limit_kb=MAX_ARCHIVE >> 10))
            name = path.name.lower()
            yield from _zip(file, wanted) if name.endswith(".zip") else _tar(file, name, wanted)
    except ArchiveError:
        raise
    except _DAMAGED as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
        raise ArchiveError(Reason("not_opened", detail=printable(why))) from error


def _most(name: str) -> int:
    """Return the maximum size of a file in bytes."""
    return bounds.NOTEBOOK if name.endswith(NOTEBOOK) else bounds.SOURCE


def _inside(name: str) -> PurePosixPath:
    """Return a path from an archive as a relative path, without `..`, drives and leading slashes.

    Backslashes also separate parts, because archives made on Windows may use them.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return PurePosixPath(*(part for part in parts if part not in ("/", "//", "..") and not _DRIVE.fullmatch(part)))


def _zip(file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[ArchiveMember]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.filelist:
            inner = _inside(info.filename)
            if inner.name and not info.is_dir():
                yield inner, _zipped(archive, info) if wanted(inner.name) else None


def _zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | Reason:
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return Reason("not_regular")
    if info.flag_bits & 1:
        return Reason("encrypted")
    if info.compress_type not in _COMMON:
        return Reason("compression")
    try:
        with archive.open(info) as file:
            return file.read(_most(info.filename) + 1)
    except _DAMAGED as error:
        return Reason("damaged", detail=printable(str(error)) or type(error).__name__)


class _StrictHeader(tarfile.TarInfo):
    """The header of a file in a tar archive. A damaged one is an error, and not the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> "_StrictHeader":
        try:
            return super().fromtarfile(archive)
        except (tarfile.EmptyHeaderError, tarfile.EOFHeaderError):  # type: ignore[attr-defined]
            raise
        except (tarfile.HeaderError, RecursionError) as error:  # `tarfile` reads headers of headers recursively
            raise tarfile.ReadError("a header is damaged or incomplete") from error


def _tar(file: IO[bytes], name: str, wanted: Callable[[str], bool]) -> Iterator[ArchiveMember]:
    """Yield the files of a tar archive (POSIX `pax`, GNU or older formats), which may be compressed by gzip."""
    plain = file if name.endswith(".tar") else gzip.GzipFile(fileobj=file)
    with tarfile.open(fileobj=plain, mode="r:", tarinfo=_StrictHeader, encoding="utf-8") as archive:
        for info in archive:
            inner = _inside(info.name)
            if inner.name and not info.isdir():
                yield inner, _untarred(archive, info) if wanted(inner.name) else None


def _untarred(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes | Reason:
    file = archive.extractfile(info) if info.isreg() else None
    if file is None:
        return Reason("not_regular")
    most = _most(info.name) + 1
    content = file.read(most)
    if len(content) < min(info.size, most):
        raise EOFError("it is truncated")
    return content
