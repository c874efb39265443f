"""One submission's process: reads and compiles the file, and forks for each batch of programs.

It never runs a line of the file. Each fork gives up its rights, then runs the file afresh, then the batch: nothing
passes from one check to the next.
"""

import contextlib
import gc
import os
import socket
import sys
from typing import Any, NoReturn

from . import frames, limits, load, run
from .lockdown import Plan


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
    load.offer(parsed, order["allow"])
    _fork(channel, plan, parsed, order, None, fds)
    while True:
        request = frames.receive(channel, 2)
        if request is None:
            os._exit(0)
        batch, fds = request
        _fork(channel, plan, parsed, order, batch, fds)


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


def _fork(
    channel: socket.socket, plan: Plan, parsed: load.Parsed, order: dict[str, Any], batch: Any, fds: list[int]
) -> None:
    """Run the file and a batch (None: the file alone) in a fork, and tell how the fork ended."""
    child = os.fork()
    if child == 0:
        try:
            channel.close()
            _answer(plan, parsed, order, batch, *fds)
        finally:
            os._exit(1)
    for fd in fds:
        os.close(fd)
    _, status = os.waitpid(child, 0)
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    channel.sendall(frames.PID.pack(code))


def _answer(plan: Plan, parsed: load.Parsed, order: dict[str, Any], batch: Any, answer: int, out: int) -> None:
    # a batch shows what its programs print; what the file prints while it is loaded has been shown before
    _point_output_at(out if batch is None else os.dup(0))  # standard input is /dev/null, opened for both ways
    gc.disable()  # a fork is short, and collecting large graphs over and over is not
    limits.forbid_more(order["limits"], 0 if batch is None else batch["cpu_s"])
    plan.apply()
    limits.start_cpu_clock(order["limits"]["cpu_s"])
    try:
        module = load.execute(parsed, order["allow"], order["limits"]["calls"])
    except BaseException as error:
        problem = ["load", *load.describe(error, parsed.filename)]
        message = ["failed", problem] if batch is None else ["unread", problem]
    else:
        if batch is None:
            message = ["loaded"]
        else:
            _flush()
            _redirect(out)
            limits.start_cpu_clock(batch["cpu_s"])
            message = run.execute(module, parsed.filename, batch)
    limits.stop_cpu_clock()
    _flush()
    frames.write_frame(answer, message)
    os._exit(0)


def _point_output_at(descriptor: int) -> None:
    """Standard output and error, as Python has them, onto a descriptor."""
    _redirect(descriptor)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _redirect(descriptor: int) -> None:
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if descriptor > 2:
        os.close(descriptor)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the learner's file may have put anything there
            stream.flush()
