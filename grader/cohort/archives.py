"""Read files out of zip and tar archives without unpacking them: nothing is written, so nothing can escape."""

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from ..engine.source import MAX_BYTES

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
MAX_MEMBERS = 20_000
MAX_ARCHIVE = 256 << 20
_MAX_UNPACKED = 256 << 20  # how much of a compressed tar file is looked through
# what the standard library raises for archives that are cut off, forged or of an unknown kind
_DAMAGED: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    LookupError,
    OverflowError,
    MemoryError,
    zlib.error,
)
_DAMAGED += (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError)


class ArchiveError(ValueError):
    """An archive that cannot be read, or that would take too much to read."""


def is_archive(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """The name of an archive without its ending: `jane.tar.gz` is `jane`."""
    ending = next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)] if ending else name


def members(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[PurePosixPath, bytes | str]]:
    """Path and content of each file whose last name is `wanted`; a word on why instead of a content not to be had.

    At most `MAX_BYTES + 1` bytes of each are read. Raises `ArchiveError`.
    """
    try:
        if path.stat().st_size > MAX_ARCHIVE:
            raise ArchiveError(f"{path.name} is larger than {MAX_ARCHIVE >> 20} MB")
        yield from (_zip if path.name.lower().endswith(".zip") else _tar)(path, wanted)
    except ArchiveError:
        raise
    except _DAMAGED as error:
        raise ArchiveError(f"{path.name} cannot be read: {error or type(error).__name__}") from error


def _zip(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[PurePosixPath, bytes | str]]:
    with zipfile.ZipFile(path) as archive:
        if len(archive.filelist) > MAX_MEMBERS:
            raise ArchiveError(f"{path.name} holds more than {MAX_MEMBERS} files")
        for info in archive.filelist:
            inner = PurePosixPath(info.filename.replace("\\", "/"))
            if info.is_dir() or not wanted(inner.name):
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                yield inner, "is no regular file"
            elif info.flag_bits & 1:
                yield inner, "is encrypted"
            else:
                with archive.open(info) as file:
                    yield inner, file.read(MAX_BYTES + 1)


class _Capped:
    """A stream that ends in an `ArchiveError` after so many bytes."""

    def __init__(self, stream: IO[bytes], name: str, left: int) -> None:
        self._stream, self._name, self._left = stream, name, left

    def read(self, size: int) -> bytes:
        data = self._stream.read(min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveError(f"{self._name} unpacks to more than {_MAX_UNPACKED >> 20} MB")
        return data


def _tar(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[PurePosixPath, bytes | str]]:
    with _decompressed(path) as plain:
        capped: Any = _Capped(plain, path.name, _MAX_UNPACKED)
        archive = tarfile.open(fileobj=capped, mode="r|")  # noqa: SIM115  (nothing of its own to close)
        for count, info in enumerate(archive):
            if count >= MAX_MEMBERS:
                raise ArchiveError(f"{path.name} holds more than {MAX_MEMBERS} files")
            inner = PurePosixPath(info.name)
            if info.isdir() or not wanted(inner.name):
                continue
            file = archive.extractfile(info) if info.isreg() else None
            yield inner, file.read(MAX_BYTES + 1) if file else "is no regular file"


def _decompressed(path: Path) -> Any:
    name = path.name.lower()
    if name.endswith((".gz", ".tgz")):
        return gzip.open(path, "rb")
    if name.endswith((".bz2", ".tbz2")):
        return bz2.open(path, "rb")
    if name.endswith((".xz", ".txz")):
        return lzma.open(path, "rb")
    return path.open("rb")
