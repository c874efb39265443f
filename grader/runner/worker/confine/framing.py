"""The wire format: length-prefixed frames of JSON, and the commands of the server process.

| command    | followed by  | answered by                                                |
|------------|--------------|------------------------------------------------------------|
| `START`    | the descriptors of a channel and an output, in the same message | the engine process's id |
| `FORK`     | the descriptor of a control socket in the same message | the id of a fork that serves there |
| `CPU_TIME` | the id       | CPU time used in nanoseconds, -1 if unknown                |
| `STALLED`  | the id       | 0, after signalling to the process that it makes no progress |
| `KILL`     | the id       | exit status and CPU time in nanoseconds, after killing it  |
| `REAP`     | the id       | the same, but it may exit by itself within a second        |

A process without a server process (`child`) gets the same frames as a fork. All that it sends goes through one pipe, in
frames that begin with a kind:

| kind      | data                                                                                            |
|-----------|-------------------------------------------------------------------------------------------------|
| `READY`   | none: it can take an order                                                                      |
| `TRACES`  | none: the file can leave something behind, so that a fresh start of it needs another process    |
| `PRINTED` | what the file prints, as it prints it                                                           |
| `CPU`     | the CPU time that the process has used, in nanoseconds: every half second, and before an answer |
| `ANSWER`  | the frame of the answer                                                                         |
"""

import json
import os
import struct
from typing import Any

HEADER = struct.Struct("!I")
HeaderError = struct.error
NUMBER = struct.Struct("!q")
START, FORK, CPU_TIME, STALLED, KILL, REAP = b"S", b"F", b"C", b"W", b"K", b"R"
READY, TRACES, PRINTED, CPU, ANSWER = b"R", b"T", b"P", b"C", b"A"
KIND = struct.Struct("!cI")  # the kind, and the number of bytes that follow
REPORTS = b"R"  # comes with the descriptor of the kernel's reports, before the first frame of an engine process
LEFT_BEHIND = 3  # the exit status of an engine process that cannot be restored for another batch, or not cheaply

# bound here, before learner code can replace them
_to_json, _from_json = json.JSONEncoder(separators=(",", ":")).encode, json.JSONDecoder().decode


def encode(message: Any) -> bytes:
    """Return a frame of ASCII JSON."""
    body = _to_json(message).encode("ascii")
    return HEADER.pack(len(body)) + body


def read_frame(fd: int) -> Any:
    """Return the message of the next frame from a descriptor; None if the other end closes before the body.

    Raises `ValueError` if the body is incomplete.
    """
    head = read_all(fd, HEADER.size)
    body = read_all(fd, *HEADER.unpack(head)) if len(head) == HEADER.size else b""
    return _from_json(body.decode()) if body else None


def read_all(fd: int, size: int) -> bytes:
    """Return the next `size` bytes, or fewer if the other end closes."""
    data = bytearray()
    while len(data) < size:
        # in pieces, because `os.read` allocates as much as it may return
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
