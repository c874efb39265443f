"""Typed messages between a run and the processes that read its submissions, in frames of bounded length."""

from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, TypeVar

import msgspec

from ...client.source import MAX_BYTES
from ...worker.confine.framing import HEADER
from .files import Intake

_Message = TypeVar("_Message")


class Limits(msgspec.Struct, frozen=True):
    """The limits of reading one submission.

    The slowest archive within all counts, 64 MB of noise packed by bzip2, takes 15 s of CPU time on a slow machine. The
    wall clock's limit is ten times that of the CPU, so that a busy machine changes nothing.
    """

    cpu_s: float = 30.0
    wall_s: float = 300.0
    memory_mb: int = 512


class Setup(msgspec.Struct, frozen=True):
    """The settings of a run's readers: the exercises' file names by their ids, and the limits."""

    exercises: dict[str, str]
    limits: Limits


class Order(msgspec.Struct, frozen=True):
    """One submission to be read: its places, each with the name that it had before, in the file system's bytes."""

    places: tuple[tuple[bytes, bytes], ...]


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Orders can come."""


Reason: TypeAlias = Literal["cpu_limit", "wall_limit", "memory_limit"]


class Stopped(msgspec.Struct, frozen=True, tag="stopped"):
    """A submission hit a limit before it was read to the end: which one, in seconds or megabytes."""

    reason: Reason
    limit: float


Reply: TypeAlias = Ready | Intake | Stopped


def most(exercises: dict[str, str]) -> int:
    """Return how many bytes a reply can have: a text for each exercise, and a megabyte for names and notes."""
    return MAX_BYTES * len(exercises) + (1 << 20)


def send(stream: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message. Raises `OSError`."""
    data = msgspec.msgpack.encode(message, enc_hook=str)
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes], kind: Any, at_most: int) -> Any:
    """Return the next message, of the type `kind`, or None at the end. Raises `ValueError` for what is none."""
    header = stream.read(HEADER.size)
    if not header:
        return None
    length = int.from_bytes(header, "big")
    if len(header) < HEADER.size or length > at_most:
        raise ValueError("no message of this length is expected")
    return msgspec.msgpack.decode(stream.read(length), type=kind, dec_hook=_path)


def _path(kind: type, value: Any) -> Path:
    if kind is not Path or not isinstance(value, str):
        raise TypeError(f"a path is a text, not {value!r}")
    return Path(value)
