"""One submission's process: loads the file once, then forks for each batch of programs."""

import gc
import os
import signal
import socket
import sys
from typing import Any

from . import frames, limits, load, run


def serve(channel: socket.socket) -> None:
    """Answer one load request, then batches, until the other end closes. Never returns."""
    request = frames.receive(channel, 1)
    if request is None:
        os._exit(0)
    order, (answer,) = request
    limits.lock_down(order["limits"])
    module, reply = _load(order)
    _flush()
    frames.write_frame(answer, reply)
    os.close(answer)
    if module is None:
        os._exit(0)
    while True:
        request = frames.receive(channel, 3)
        if request is None:
            os._exit(0)
        batch, fds = request
        child = os.fork()
        if child == 0:
            channel.close()
            _answer(module, order, batch, *fds)
        for fd in fds:
            os.close(fd)
        _, status = os.waitpid(child, 0)
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        channel.sendall(frames.PID.pack(code))


def _load(order: dict[str, Any]) -> tuple[Any, list[Any]]:
    filename, cpu_s = order["filename"], order["limits"]["cpu_s"]
    if order["stub"] is not None and load.same_code(order["source"], order["stub"]):
        return None, ["not_started"]
    limits.start_cpu_clock(cpu_s)
    try:
        with limits.CallBudget(filename, order["limits"]["calls"]):
            module = load.load(order["source"], filename, order["allow"])
    except BaseException as error:
        reply = ["failed", ["load", *load.describe(error, filename)]]
        module = None
    else:
        reply = ["loaded"]
    limits.stop_cpu_clock()
    return module, reply


def _answer(module: Any, order: dict[str, Any], batch: dict[str, Any], answer: int, out: int, err: int) -> None:
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.close(out)
    os.close(err)
    gc.disable()  # a fork is short, and collecting large graphs over and over is not
    limits.start_cpu_clock(batch["cpu_s"])
    message = run.execute(module, order["filename"], batch)
    limits.stop_cpu_clock()
    _flush()
    frames.write_frame(answer, message)
    os._exit(0)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the learner's file may have put anything there
            continue


def start(channel: socket.socket, out: int, err: int) -> None:
    """Become a submission's process (called in a fresh fork of the warm one). Never returns."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.close(out)
        os.close(err)
        serve(channel)
    finally:
        os._exit(1)
