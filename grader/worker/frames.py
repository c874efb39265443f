"""Bytes on the wire: length-prefixed frames, descriptors beside them, numbers spelled exactly."""

import json
import os
import re
import socket
import struct
import sys
from typing import Any

HEADER = struct.Struct("!I")
HeaderError = struct.error
SUBMIT, KILL = b"S", b"K"
PID = struct.Struct("!q")

_to_json = json.JSONEncoder(separators=(",", ":")).encode
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_type_name = type.__dict__["__name__"].__get__
_plain_ways: dict[type, Any] = {}  # from other kinds of number to Python's own


def learn_numbers() -> None:
    """Take the ways to a plain number that imported modules have, before learner code runs: numpy's own `item`, and
    `float` for fractions and decimals."""
    if "numpy" in sys.modules:
        import numpy

        _plain_ways[numpy.generic] = numpy.generic.item
        _plain_ways[numpy.ndarray] = numpy.ndarray.item
    for module, name in (("fractions", "Fraction"), ("decimal", "Decimal")):
        if module in sys.modules:
            _plain_ways[getattr(sys.modules[module], name)] = float


def name_of(kind: type) -> str:
    """A type's name, cut down to what the trusted side accepts as a name."""
    return clean_name(_type_name(kind))


def clean_name(name: str) -> str:
    """A learner's name for something, in what the trusted side accepts as a name: ASCII, at most 40 characters."""
    match = _NAME.match(re.sub(r"[^A-Za-z0-9_]", "_", name))
    return match.group() if match else "object"


def spell(number: object) -> str:
    """A number as `float.hex()`; anything that is no plain number as `!` and its type's name."""
    kind = type(number)
    if kind is float:
        return float.hex(number)  # type: ignore[arg-type]
    if kind is int:
        try:
            return float(number).hex()  # type: ignore[arg-type]
        except OverflowError:
            return "!int"
    for base, item in _plain_ways.items():
        if any(base is ancestor for ancestor in type.mro(kind)):
            try:
                plain = item(number)
            except (ValueError, OverflowError):
                break
            if type(plain) in (float, int):
                return spell(plain)
            break
    return "!" + name_of(kind)


def receive(channel: socket.socket, descriptors: int) -> tuple[Any, list[int]] | None:
    """The next request and the descriptors that came with it; None when the other end is gone."""
    head, fds, _, _ = socket.recv_fds(channel, HEADER.size, descriptors)
    if not head:
        return None
    head += read_all(channel.fileno(), HEADER.size - len(head))
    if len(head) < HEADER.size:
        return None
    (size,) = HEADER.unpack(head)
    body = read_all(channel.fileno(), size)
    return (json.loads(body), fds) if len(body) == size else None


def encode(message: Any) -> bytes:
    """A frame of ASCII JSON."""
    body = _to_json(message).encode("ascii")
    return HEADER.pack(len(body)) + body


def read_frame(fd: int) -> Any:
    """The next frame from a descriptor; None when the other end is gone."""
    head = read_all(fd, HEADER.size)
    body = read_all(fd, *HEADER.unpack(head)) if len(head) == HEADER.size else b""
    return json.loads(body) if body else None


def read_all(fd: int, size: int) -> bytes:
    """The next `size` bytes, or what there is until the other end closes."""
    data = bytearray()
    while len(data) < size:
        more = os.read(fd, min(1 << 20, size - len(data)))
        if not more:
            break
        data += more
    return bytes(data)


def write_frame(fd: int, message: Any) -> None:
    """Write one whole frame to a descriptor."""
    view = memoryview(encode(message))
    while view:
        view = view[os.write(fd, view) :]
