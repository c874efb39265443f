"""Recognise git clones, and determine the commit that a clone has checked out.

This module reads the clone's files directly and bounds every size. Neither git nor a library for it
is safe with untrusted repositories. Git runs programs that a repository's settings name. Both follow
links and includes, and block on pipes.

For the formats, see git's gitformat-pack and gitrepository-layout.
"""

import os
import re
import stat
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import IO

from ...base.files import open_plain
from ...runner.client import read_source

_MAX_OBJECT = 64 << 10  # bytes of a commit
_MAX_PACKS, _MAX_CHAIN = 100, 64  # git's default is 50 for both
_COMMIT, _OFFSET_DELTA, _NAME_DELTA = 1, 6, 7
_COMMITTER = re.compile(rb"committer [^\n]*> (\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


def head(repository: Path) -> tuple[str, str] | None:
    """Return the id of the checked-out commit and its time in ISO 8601, or None if they cannot be determined."""
    git = repository / ".git"
    try:
        if not stat.S_ISDIR(os.lstat(git).st_mode):
            return None
        name = _checked_out(git)
        kind, content = _object(git / "objects", bytes.fromhex(name))
        found = _COMMITTER.search(content.partition(b"\n\n")[0])
        if kind != _COMMIT or found is None:
            return None
        seconds, sign, hours, minutes = found.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes))
        zone = timezone(-ahead if sign == b"-" else ahead)
        return name, datetime.fromtimestamp(int(seconds), zone).isoformat()
    except Exception:  # a damaged repository may raise anything; then only the commit and its time are unknown
        return None


def _checked_out(git: Path) -> str:
    """Return the id of the commit that HEAD refers to: 40 hexadecimal digits."""
    head = read_source(git / "HEAD", git).text.strip()
    if head.startswith("ref: refs/") and ".." not in head:
        ref = head.removeprefix("ref: ")
        packed = read_source(git / "packed-refs", git).text.splitlines()
        head = read_source(git / ref, git).text.strip() or next(line[:40] for line in packed if line[41:] == ref)
    if not re.fullmatch("[0-9a-f]{40}", head):
        raise ValueError(head)
    return head


def _object(objects: Path, name: bytes, chain: int = 0) -> tuple[int, bytes]:
    """Return the kind and the content of an object, which is stored loose or in a pack."""
    loose = objects / name.hex()[:2] / name.hex()[2:]
    if loose.exists():
        with open_plain(loose) as file:
            header, _, content = _inflate(file).partition(b"\0")
        return (_COMMIT if header.startswith(b"commit ") else 0), content
    for path in sorted(islice((objects / "pack").glob("*.idx"), _MAX_PACKS)):
        with open_plain(path) as index:
            offset = _offset(index, name)
        if offset is not None:
            with open_plain(path.with_suffix(".pack")) as pack:
                return _packed(objects, pack, offset, chain)
    raise KeyError(name)


def _offset(index: IO[bytes], name: bytes) -> int | None:
    """Return the offset of an object in a pack according to the pack's index (version 2, see gitformat-pack)."""

    def number(at: int, size: int = 4) -> int:
        index.seek(at)
        return int.from_bytes(index.read(size), "big")

    # after the header and a table with the number of names up to each first byte
    names = 8 + 4 * 256
    if number(0, 8) != 0xFF744F6300000002:
        return None
    # a binary search among the names that begin with this byte; a name has 20 bytes
    count = number(names - 4)
    low, high = (number(4 + 4 * name[0]) if name[0] else 0), number(8 + 4 * name[0])
    while low < high:
        middle = (low + high) // 2
        index.seek(names + 20 * middle)
        found = index.read(20)
        if found == name:
            # after the names: checksums and offsets of 4 bytes each, then large offsets of 8 bytes
            offset = number(names + 24 * count + 4 * middle)
            large = names + 28 * count + 8 * (offset & 0x7FFFFFFF)
            return number(large, 8) if offset >> 31 else offset
        low, high = (middle + 1, high) if found < name else (low, middle)
    return None


def _packed(objects: Path, pack: IO[bytes], offset: int, chain: int) -> tuple[int, bytes]:
    """Return the kind and the content of the object at `offset` of a pack, which is stored whole or as a delta."""
    if chain > _MAX_CHAIN:
        raise ValueError("the chain of deltas is too long")
    pack.seek(offset)
    head = pack.read(64)
    at = iter(head)
    byte = next(at)
    kind = byte >> 4 & 7
    while byte & 128:
        byte = next(at)  # skip the size, because `_inflate` bounds the unpacked content
    # the base of a delta: in the same pack, so far back (7 bits in each byte), or the object with a
    # name
    if kind == _OFFSET_DELTA:
        byte = next(at)
        back = byte & 127
        while byte & 128:
            byte = next(at)
            back = (back + 1 << 7) | byte & 127
    elif kind == _NAME_DELTA:
        base = bytes(islice(at, 20))
    pack.seek(offset + len(head) - len(bytes(at)))
    content = _inflate(pack)
    if kind == _OFFSET_DELTA:
        kind, before = _packed(objects, pack, offset - back, chain + 1)
    elif kind == _NAME_DELTA:
        kind, before = _object(objects, base, chain + 1)
    else:
        return kind, content
    return kind, _changed(before, iter(content))


def _inflate(file: IO[bytes]) -> bytes:
    stream = zlib.decompressobj()
    content = stream.decompress(file.read(_MAX_OBJECT), _MAX_OBJECT)
    if not stream.eof:
        raise ValueError("too large, or truncated")
    return content


def _changed(before: bytes, steps: Iterator[int]) -> bytes:
    """Apply a delta to an object: copy parts of the object, and insert new bytes."""
    for _ in range(2):  # skip the sizes of both objects
        while next(steps) & 128:
            pass
    after = b""
    for step in steps:
        if step & 128:
            # the low 7 bits tell which bytes follow: 4 of the start, 3 of the size; size 0 means 64
            # KB
            start = sum(next(steps) << 8 * i for i in range(4) if step >> i & 1)
            size = sum(next(steps) << 8 * i for i in range(3) if step >> 4 + i & 1) or 0x10000
            after += before[start : start + size]
        else:
            after += bytes(islice(steps, step))
        if len(after) > _MAX_OBJECT:
            raise ValueError("too large")
    return after
