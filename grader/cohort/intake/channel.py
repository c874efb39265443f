"""The messages between a run and the processes that read its submissions."""

from typing import Literal, TypeAlias

import msgspec

from ...client import bounds
from ...report.choices import Choice
from .files import MAX_FOUND, MAX_OTHERS, MAX_PATH, Intake

_CELL = 32  # bytes of the position where a cell begins
_DIGEST = 80  # bytes of a digest


class Limits(msgspec.Struct, frozen=True):
    """The limits for reading one submission.

    The slowest archive within the bounds of `archives` is 64 MB of noise packed by bzip2. It takes 15 s of
    CPU time on a slow machine. The limit in wall time is ten times the limit in CPU time, so that load on
    the machine changes no result.
    """

    cpu_s: float = 30.0
    wall_s: float = 300.0
    memory_mb: int = 512


class Setup(msgspec.Struct, frozen=True):
    """The settings of a run's readers: file names by exercise id, and limits."""

    exercises: dict[str, str]
    limits: Limits


class Order(msgspec.Struct, frozen=True):
    """One submission to read.

    Attributes:
        places: pairs of a path and its original name, in the file system's bytes.
        choices: for some exercises, the decisions about which file counts.
    """

    places: tuple[tuple[bytes, bytes], ...]
    choices: dict[str, tuple[Choice, ...]] = {}


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The reader accepts orders."""


Reason: TypeAlias = Literal["cpu_limit", "wall_limit", "memory_limit"]


class Stopped(msgspec.Struct, frozen=True, tag="stopped"):
    """A submission reached a limit before it was read completely. `limit` is in seconds or megabytes."""

    reason: Reason
    limit: float


Reply: TypeAlias = Ready | Intake | Stopped


def most(exercises: dict[str, str]) -> int:
    """Return the maximum size of a reply in bytes.

    A reply has a source for each exercise, the files that somebody may choose, and 1 MB of names and notes.
    """
    found = (3 * MAX_FOUND * len(exercises) + MAX_OTHERS) * (4 * MAX_PATH + _DIGEST)
    return (bounds.SOURCE + _CELL * bounds.CELLS) * len(exercises) + found + (1 << 20)
