"""The warm process: never loads learner code, forks a process for each submission, ends it when told.

It imports beforehand what learner files usually import, so that a fork has it for nothing.
"""

# ruff: noqa: F401
import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import inspect
import itertools
import math
import operator
import os
import random
import signal
import socket
import sys
import typing
from collections import defaultdict, deque

from . import frames, submission


def main(control_fd: int) -> None:
    """Serve the trusted side over `control_fd` until it closes: `S` + descriptors forks, `K` + pid kills."""
    control = socket.socket(fileno=control_fd)
    running: set[int] = set()
    while True:
        command, fds, _, _ = socket.recv_fds(control, 1, 3)
        if not command:
            break
        if command == frames.SUBMIT:
            pid = os.fork()
            if pid == 0:
                control.close()
                submission.start(socket.socket(fileno=fds[0]), fds[1], fds[2])
            for fd in fds:
                os.close(fd)
            running.add(pid)
            control.sendall(frames.PID.pack(pid))
        elif command == frames.KILL:
            (pid,) = frames.PID.unpack(control.recv(frames.PID.size, socket.MSG_WAITALL))
            if pid in running:
                running.remove(pid)
                end(pid)
            control.sendall(frames.PID.pack(pid))
    for pid in running:
        end(pid)
    os._exit(0)


def end(pid: int) -> None:
    """Kill a submission's process group and reap the process."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.waitpid(pid, 0)
