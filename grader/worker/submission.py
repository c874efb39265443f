"""One submission's process: reads and compiles the file, and forks for each batch of programs.

It never runs a line of the file. Each fork gives up its rights, then runs the file afresh, then the batch: nothing
passes from one check to the next.
"""

import contextlib
import os
import socket
import sys
from typing import Any, NamedTuple, NoReturn

from . import frames, limits, load, run
from .lockdown import Plan


class Work(NamedTuple):
    """What every fork of a submission's process starts from."""

    plan: Plan
    parsed: load.Parsed
    builtins: dict[str, Any]
    limits: dict[str, Any]


def start(channel: socket.socket, plan: Plan) -> NoReturn:
    """Become a submission's process (called in a fresh fork of the warm one)."""
    try:
        os.setsid()
        with contextlib.suppress(KeyboardInterrupt):
            _serve(channel, plan)
    finally:
        os._exit(1)


def _serve(channel: socket.socket, plan: Plan) -> None:
    """Answer one load request, then batches, until the other end closes."""
    request = frames.receive(channel, 2)
    if request is None:
        os._exit(0)
    order, fds = request
    limits.apply(order["limits"])
    parsed = _read(order, fds[0])
    if parsed is None:
        channel.sendall(frames.PID.pack(0))
        os._exit(0)
    work = Work(plan, parsed, load.offer(parsed, order["allow"]), order["limits"])
    _fork(channel, work, None, fds)
    while True:
        request = frames.receive(channel, 2)
        if request is None:
            os._exit(0)
        batch, fds = request
        _fork(channel, work, batch, fds)


def _read(order: dict[str, Any], answer: int) -> load.Parsed | None:
    """The file, compiled; None after answering that it was not started or cannot be."""
    if order["stub"] is not None and load.same_code(order["source"], order["stub"]):
        frames.write_frame(answer, ["not_started"])
        return None
    limits.start_cpu_clock(order["limits"]["cpu_s"])
    try:
        return load.parse(order["source"], order["filename"])
    except BaseException as error:
        frames.write_frame(answer, ["failed", ["load", *load.describe(error, order["filename"])]])
        return None
    finally:
        limits.stop_cpu_clock()


def _fork(channel: socket.socket, work: Work, batch: Any, fds: list[int]) -> None:
    """Run the file and a batch (None: the file alone) in a fork, and tell how the fork ended."""
    child = os.fork()
    if child == 0:
        try:
            channel.close()
            _answer(work, batch, *fds)
        finally:
            os._exit(1)
    for fd in fds:
        os.close(fd)
    _, status = os.waitpid(child, 0)
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    channel.sendall(frames.PID.pack(code))


def _answer(work: Work, batch: Any, answer: int, out: int) -> None:
    # a batch shows what its programs print; what the file prints while it is loaded has been shown before
    _point_output_at(out if batch is None else os.dup(0))  # standard input is /dev/null, opened for both ways
    limits.forbid_more(work.limits, 0 if batch is None else batch["cpu_s"])
    work.plan.apply()
    limits.start_cpu_clock(work.limits["cpu_s"])
    filename = work.parsed.filename
    try:
        module = load.execute(work.parsed, work.builtins, work.limits["calls"])
    except BaseException as error:
        problem = ["load", *load.describe(error, filename)]
        message = ["failed", problem] if batch is None else ["unread", problem]
    else:
        if batch is None:
            message = ["loaded"]
        else:
            _flush()
            _point_output_at(out)
            limits.start_cpu_clock(batch["cpu_s"])
            message = run.execute(module, filename, batch)
    limits.stop_cpu_clock()
    _flush()
    frames.write_frame(answer, message)
    os._exit(0)


def open_streams() -> None:
    """Give this process, which has none, standard output and error as Python has them; every fork inherits them.

    They are opened onto a pipe, as what they will be pointed at is one, then onto what was there before.
    """
    kept = [os.dup(number) for number in (1, 2)]
    other_end, pipe = os.pipe()
    _point_output_at(pipe)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
        os.dup2(kept[number - 1], number)
        os.close(kept[number - 1])
    os.close(other_end)


def _point_output_at(descriptor: int) -> None:
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if descriptor > 2:
        os.close(descriptor)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the learner's file may have put anything there
            stream.flush()
