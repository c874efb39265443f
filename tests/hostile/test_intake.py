"""Archives that are expensive to read cost only their submission, and the rest of the class is read as without them."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from ours import COURSE

from grader.classes.intake import Intake, LimitReached, entries
from grader.classes.intake.reader import Reader, ReadingLimits

EXERCISE, ANOTHER = "01_distribute.py", "02_swap.py"
TEXT = "class Value: pass\n"
LAST = b"\1\0\0\xff\xff"  # block of a deflate stream, empty


def costly_blocks(size: int) -> bytes:
    """Return deflate blocks that unpack to nothing and take the longest, because each describes its own codes."""
    bits: list[int] = []

    def put(value: int, count: int) -> None:
        bits.extend(value >> at & 1 for at in range(count))

    for value, count in ((0, 1), (2, 2), (0, 5), (0, 5), (14, 4)):  # not the last, own codes, 257 and 1 and 18 of them
        put(value, count)
    for length in (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1):
        put(1 if length in (18, 1) else 0, 3)
    for run in (138, 118):  # zeros before the end of the block, which alone has a code
        put(1, 1)
        put(run - 11, 7)
    put(0, 3)  # its code has one bit, so has the distance; and here it is
    eight = bits * 8
    block = bytes(sum(bit << at for at, bit in enumerate(eight[i : i + 8])) for i in range(0, len(eight), 8))
    return block * (size // len(block)) + LAST


_NAME = ANOTHER.encode()
HEADER = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 33, 0, 0, 1, len(_NAME), 0) + _NAME  # of a zip file's member


def zip_of(members: bytes, listed: list[tuple[int, int]]) -> bytes:
    """Return a zip file of raw members, listed by their offsets and the lengths of their deflate streams."""
    directory = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 33, 0, size, 1, len(_NAME), 0, 0, 0, 0, 0, start) + _NAME
        for start, size in listed
    )
    count = len(listed)
    return members + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(members), 0)


def zeros(size: int) -> bytes:
    """Return the header of a file in a tar file."""
    info = tarfile.TarInfo("zeros")
    info.size = size
    return info.tobuf()


def one_place() -> dict[str, bytes]:
    stream = costly_blocks(100_000)
    return {"work.zip": zip_of(HEADER + stream, [(0, len(stream))] * 20_000)}


def side_by_side() -> dict[str, bytes]:
    stream = costly_blocks(100_000)
    length = len(HEADER + stream)
    return {"work.zip": zip_of((HEADER + stream) * 300, [(at * length, len(stream)) for at in range(300)])}


def one_in_the_other() -> dict[str, bytes]:
    """Return members that each unpack to the headers of those behind them, and share blocks but no offset."""
    quoted = b"\0" + struct.pack("<HH", len(HEADER), len(HEADER) ^ 0xFFFF) + HEADER
    members = HEADER + quoted * 1999 + costly_blocks(100_000)
    starts = range(0, 2000 * len(quoted), len(quoted))
    return {"work.zip": zip_of(members, [(start, len(members) - start - len(HEADER)) for start in starts])}


def quoted() -> dict[str, bytes]:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr(EXERCISE, "class Value: pass  # another\n")
    outer = inner.getvalue()
    for _ in range(30):
        layer = io.BytesIO()
        with zipfile.ZipFile(layer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("work.zip", outer)
        outer = layer.getvalue()
    return {"work.zip": outer}


def gzip_blocks() -> dict[str, bytes]:
    return {"work.tar.gz": b"\x1f\x8b\x08" + bytes(7) + costly_blocks(20 << 20) + bytes(8)}


def gzip_streams() -> dict[str, bytes]:
    return {f"{n}.tar.gz": gzip.compress(b"") * 30_000 for n in range(32)}


def bomb() -> dict[str, bytes]:
    """Return four gigabytes of zeros in a few megabytes."""
    return {"work.tar.gz": gzip.compress(zeros(4 << 30)) + gzip.compress(bytes(16 << 20)) * 256}


def headers() -> dict[str, bytes]:
    """Return names in extended headers, each of which takes long to parse."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 64 << 10
    return {"work.tar.gz": gzip.compress((info.tobuf() + b"4 =\n" * (16 << 10)) * 500, 1)}


def long_name() -> dict[str, bytes]:
    """Return the header of a name that takes four gigabytes of memory."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 4 << 30
    return {"work.tar.gz": gzip.compress(info.tobuf(tarfile.GNU_FORMAT)) + gzip.compress(bytes(16 << 20)) * 256}


def long_directory() -> dict[str, bytes]:
    """Return a zip file whose directory declares one entry and has millions."""
    directory = zip_of(b"", [(0, 0)])[:-22] * 4_000_000
    return {"work.zip": directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(directory), 0, 0)}


def listings() -> dict[str, bytes]:
    return {f"{n}.zip": zip_of(HEADER + LAST, [(0, len(LAST))] * 20_000) for n in range(32)}


# each trap, and the limits that end the reading of one; some traps are read completely on a fast machine
HOSTILE: list[tuple[Callable[[], dict[str, bytes]], tuple[str, ...]]] = [
    (one_place, ("cpu_limit",)),
    (side_by_side, ("cpu_limit",)),
    (one_in_the_other, ("cpu_limit",)),
    (quoted, ()),
    (gzip_blocks, ("cpu_limit",)),
    (gzip_streams, ("cpu_limit",)),
    (bomb, ("cpu_limit",)),
    (headers, ()),
    (long_name, ("memory_limit",)),
    (long_directory, ("cpu_limit", "memory_limit")),
    (listings, ("cpu_limit",)),
]


# each run has one archive of zip's and one of gzip's, and a long run has the others
SAMPLE = (one_in_the_other, long_name)
CASES = [
    pytest.param(make, limits, id=make.__name__, marks=() if make in SAMPLE else pytest.mark.exhaustive)
    for make, limits in HOSTILE
]


@pytest.mark.parametrize(("make", "limits"), CASES)
def test_an_archive_costs_its_submission_alone(
    tmp_path: Path, make: Callable[[], dict[str, bytes]], limits: tuple[str, ...]
) -> None:
    """It is read, or reaches a limit of the process. In both cases, the next submission is read as ever."""
    for name, files in (("hostile", make()), ("jane", {})):
        (tmp_path / name).mkdir()
        for file, content in {EXERCISE: TEXT.encode(), **files}.items():
            (tmp_path / name / file).write_bytes(content)
    hostile, honest = entries(tmp_path)
    with closing(
        Reader({exercise.id: exercise.filename for exercise in COURSE.exercises}, ReadingLimits(1.0))
    ) as reader:
        outcome, intake = reader.read(hostile), reader.read(honest)
    if isinstance(outcome, LimitReached):
        assert outcome.reason in limits
    else:
        assert isinstance(outcome, Intake)
        assert TEXT == outcome.sources["distribute"].text
        assert "memory_limit" not in limits
    assert isinstance(intake, Intake)
    assert (TEXT, ()) == (intake.sources["distribute"].text, intake.notes)
