"""Read files from zip and tar archives in memory. Nothing is written, so no path can escape.

The sizes that an archive declares may be false, so each step has its own bound: bytes on disk,
bytes of a directory or an extended header, and files in an archive. Two more bounds apply to all
archives of a submission together: the unpacked bytes, and the excess of compressed over unpacked bytes.
"""

import io
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO

from ...base.files import open_plain
from ...base.text import printable
from ...runner.client import NOTEBOOK, Reason, bounds

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")
FOREIGN = (".7z", ".rar", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")  # archives that cannot be read
MAX_MEMBERS = 20_000
MAX_ARCHIVE = 256 << 20
MAX_ARCHIVES = 32  # in one submission
MAX_UNPACKED = 256 << 20  # of all archives of one submission
_MAX_EXCESS = 4 << 20  # compressed bytes minus unpacked bytes
_MAX_DIRECTORY = 4 << 20  # bytes of a zip file's directory, where an entry takes 100 to 200 bytes
_MAX_HEADER = 64 << 10  # of a tar file's extended header, which holds a name
_MAX_STREAMS = 10_000  # concatenated compressed streams, as bgzip writes them
_LISTED, _RECORDED = 1000, 16  # costs in bytes of unpacked gzip: of a zip entry, and of a byte of a header
_CHUNK = 64 << 10
_BLOCK = tarfile.BLOCKSIZE
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
    MemoryError,
    struct.error,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
)

ArchiveMember = tuple[PurePosixPath, bytes | Reason | None]


class ArchiveError(ValueError):
    """An archive cannot be read, or exceeds a limit, for the given reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Allowance:
    """The remaining budget for reading the archives of one submission."""

    def __init__(self) -> None:
        self.archives, self.unpacked, self.excess = MAX_ARCHIVES, MAX_UNPACKED, _MAX_EXCESS

    def open(self) -> None:
        """Count an archive. Raises `ArchiveError` if there are too many, or if an earlier one exceeded a limit."""
        self.archives -= 1
        if self.archives < 0:
            raise ArchiveError(Reason("too_many_archives", count=MAX_ARCHIVES))
        self.spend(0)

    def spend(self, size: int) -> None:
        """Charge for work that takes as long as unpacking `size` bytes of gzip. Raises `ArchiveError`."""
        self.unpacked -= size
        if self.unpacked < 0:
            raise ArchiveError(Reason("too_much_data"))

    def unpack(self, size: int) -> None:
        """Count `size` unpacked bytes. Raises `ArchiveError`."""
        self.excess += size
        self.spend(size)

    def read(self, size: int) -> None:
        """Count `size` compressed bytes, because blocks that unpack to nothing also take time.

        Raises `ArchiveError`.
        """
        self.excess -= size
        if self.excess < 0:
            raise ArchiveError(Reason("compressed_excess"))


def is_archive(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """Return an archive's name without its suffix: `jane` for `jane.tar.gz`."""
    ending = next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(ending)] if ending else name


def members(path: Path, wanted: Callable[[str], bool], allowance: Allowance) -> Iterator[ArchiveMember]:
    """Yield the path of each file in an archive, with the file's content if it is wanted.

    Paths are relative and stay inside the archive. The content is None unless `wanted` accepts the
    file's name. If a wanted file cannot be read, the reason replaces its content. At most
    `_most(name) + 1` bytes of each file are read.

    Raises:
        ArchiveError: the archive cannot be read, or exceeds a limit.
    """
    try:
        allowance.open()
        with open_plain(path) as file:
            found = os.fstat(file.fileno())
            if found.st_nlink > 1:
                raise ArchiveError(Reason("hard_link"))
            if found.st_size > MAX_ARCHIVE:
                raise ArchiveError(Reason("too_large", limit_kb=MAX_ARCHIVE >> 10))
            read = _zip if path.name.lower().endswith(".zip") else _tar
            for count, (name, content) in enumerate(read(file, path.name.lower(), wanted, allowance)):
                if count >= MAX_MEMBERS:
                    raise ArchiveError(_TOO_MANY)
                yield name, content
    except ArchiveError:
        raise
    except _DAMAGED as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
        raise ArchiveError(Reason("not_opened", detail=printable(why))) from error


def _most(name: str) -> int:
    """Return the maximum size of a file in bytes."""
    return bounds.NOTEBOOK if name.endswith(NOTEBOOK) else bounds.SOURCE


_TOO_MANY = Reason("too_many_files", count=MAX_MEMBERS)


def _inside(name: str) -> PurePosixPath:
    """Return a path from an archive as a relative path, without `..`, drives and leading slashes.

    Backslashes also separate parts, because archives made on Windows may use them.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return PurePosixPath(*(part for part in parts if part not in ("/", "//", "..") and not _DRIVE.fullmatch(part)))


class _Bounded(io.BufferedReader):
    """A zip file with a bound on each single read, because `zipfile` reads the whole directory before it counts files.

    Once `allowance` is set, it counts every read.
    """

    allowance: Allowance | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_DIRECTORY:
            raise ArchiveError(_TOO_MANY)
        data = super().read(_MAX_DIRECTORY if size is None or size < 0 else size)
        if self.allowance:
            self.allowance.read(len(data))
        return data


def _refuse_overlaps(listed: list[zipfile.ZipInfo]) -> None:
    """Raise `ArchiveError` if two entries overlap, because the shared bytes would be unpacked several times."""
    end = 0
    for info in sorted(listed, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise ArchiveError(Reason("overlap"))
        end = info.header_offset + zipfile.sizeFileHeader + info.compress_size  # type: ignore[attr-defined]


def _zip(file: IO[bytes], _: str, wanted: Callable[[str], bool], allowance: Allowance) -> Iterator[ArchiveMember]:
    with (
        io.FileIO(file.fileno(), closefd=False) as raw,
        _Bounded(raw) as bounded,
        zipfile.ZipFile(bounded) as archive,
    ):
        allowance.spend(_LISTED * len(archive.filelist))
        if len(archive.filelist) > MAX_MEMBERS:
            raise ArchiveError(_TOO_MANY)
        _refuse_overlaps(archive.filelist)
        bounded.allowance = allowance
        for info in archive.filelist:
            inner = _inside(info.filename)
            if info.is_dir() or not inner.name:
                continue
            yield inner, _zipped(archive, info, allowance) if wanted(inner.name) else None


def _zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, allowance: Allowance) -> bytes | Reason:
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return Reason("not_regular")
    if info.flag_bits & 1:
        return Reason("encrypted")
    if info.compress_type not in _COMMON:
        return Reason("compression")
    try:
        with archive.open(info) as file:
            content = file.read(_most(info.filename) + 1)
    except ArchiveError:
        raise
    except _DAMAGED as error:
        return Reason("damaged", detail=printable(str(error)) or type(error).__name__)
    allowance.unpack(len(content))
    return content


def _tar(file: IO[bytes], name: str, wanted: Callable[[str], bool], allowance: Allowance) -> Iterator[ArchiveMember]:
    """Yield the files of a tar archive (POSIX `pax`, GNU or older formats).

    This does not use `tarfile` to read the archive. `tarfile` reads extended headers and the maps of sparse files
    without a bound, and keeps them in memory.
    """
    tar = _Stream(_unpacked(file, name, allowance), allowance)
    extended = _Extended()
    for number in range(3 * MAX_MEMBERS):  # folders and extended headers are entries too
        block = tar.read(_BLOCK, required=number == 0)
        if not block.strip(b"\0"):
            return
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if info.type in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
            extended = extended.with_header(info, tar, allowance)
            continue
        if info.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK):
            tar.content(info.size, 0)
            continue
        if info.type == tarfile.GNUTYPE_SPARSE:
            raise ArchiveError(Reason("sparse_file"))
        yield from _entry(info, extended, tar, wanted)
        extended = _Extended()
    raise ArchiveError(_TOO_MANY)


_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)


def _entry(
    info: tarfile.TarInfo, extended: "_Extended", tar: "_Stream", wanted: Callable[[str], bool]
) -> Iterator[ArchiveMember]:
    """Read the content of an entry. Yield the entry unless it is a folder."""
    inner = _inside(extended.name or info.name)
    size = info.size if extended.size is None else extended.size
    if info.islnk() or info.issym() or info.isdev() or info.isdir():  # no content follows, whatever the size says
        size = 0
    is_read = info.type in _FILES and wanted(inner.name)
    content = tar.content(size, _most(inner.name) + 1 if is_read else 0)
    if inner.name and not info.isdir():
        yield inner, content if is_read else Reason("not_regular") if wanted(inner.name) else None


@dataclass(frozen=True)
class _Extended:
    """Name and size of the next entry, as extended headers give them."""

    name: str = ""
    size: int | None = None

    def with_header(self, info: tarfile.TarInfo, tar: "_Stream", allowance: Allowance) -> "_Extended":
        """Read an extended header. Return the data with that of the header. Raises `ArchiveError`."""
        if not 0 <= info.size <= _MAX_HEADER:
            raise ArchiveError(Reason("long_name", limit_kb=_MAX_HEADER >> 10))
        allowance.spend(_RECORDED * info.size)
        header = tar.content(info.size, info.size)
        if info.type == tarfile.GNUTYPE_LONGNAME:
            return replace(self, name=header.split(b"\0", 1)[0].decode("utf-8", "surrogateescape"))
        records = _records(header)
        return _Extended(records.get("path", self.name), int(records["size"]) if "size" in records else self.size)


def _records(header: bytes) -> dict[str, str]:
    """Return the records of a pax header. Each record has the form `LENGTH KEYWORD=VALUE` and ends with a newline."""
    records, at = {}, 0
    while at < len(header):
        space = header.index(b" ", at)
        end = at + int(header[at:space])
        if not space < end <= len(header):
            raise ArchiveError(Reason("damaged_header"))
        keyword, _, value = header[space + 1 : end - 1].partition(b"=")
        records[keyword.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at = end
    return records


class _Stream:
    """The uncompressed bytes of a tar file, read in small pieces."""

    def __init__(self, chunks: Iterator[bytes], allowance: Allowance) -> None:
        self._chunks, self._allowance = chunks, allowance
        self._chunk, self._at = b"", 0

    def read(self, size: int, required: bool = True) -> bytes:
        """Return exactly `size` bytes, or no bytes at the end of the stream unless they are `required`.

        Raises:
            EOFError: the stream is truncated.
            ArchiveError: a limit is exceeded.
        """
        got = b""
        while len(got) < size:
            if self._at == len(self._chunk):
                self._chunk, self._at = next(self._chunks, b""), 0
                self._allowance.unpack(len(self._chunk))
                if not self._chunk:
                    break
            part = self._chunk[self._at : self._at + size - len(got)]
            self._at += len(part)
            got += part
        if len(got) < size and (required or got):
            raise EOFError("it is truncated")
        return got

    def content(self, size: int, keep: int) -> bytes:
        """Read a member of `size` bytes and the padding of its last block. Return its first `keep` bytes."""
        if size < 0:
            raise ArchiveError(Reason("damaged_header"))
        kept = self.read(min(size, keep))
        left = -(-size // _BLOCK) * _BLOCK - len(kept)
        while left:
            left -= len(self.read(min(left, _CHUNK)))
        return kept


def _unpacked(file: IO[bytes], name: str, allowance: Allowance) -> Iterator[bytes]:
    """Return the chunks of a tar file, unpacked if it is compressed."""

    def read() -> bytes:
        data = file.read(_CHUNK)
        allowance.read(len(data))
        return data

    return iter(read, b"") if name.endswith(".tar") else _inflated(read)


def _inflated(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Yield the unpacked chunks of concatenated streams of gzip.

    `gzip.GzipFile` does not bound a chunk, and reads its header byte by byte.
    """
    data = read()
    for _ in range(_MAX_STREAMS):
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            chunk = stream.decompress(data, _CHUNK)
            if chunk:
                yield chunk
            data = stream.unconsumed_tail
            if not (chunk or data or stream.eof):
                data = read()
                if not data:
                    raise EOFError("it is truncated")
        data = stream.unused_data or read()
        if not data.strip(b"\0"):
            return
    raise ArchiveError(Reason("too_many_streams", count=_MAX_STREAMS))
