"""The server process: never loads learner code, forks an engine process for each file, watches and ends it when told.

It imports in advance what learner files usually import, so that a fork has it for nothing, and prepares the plan by
which learner code gives up its rights. It decides nothing: the trusted side asks, and this process looks or acts.
"""

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import time
from typing import Any

from . import framing, limits, process
from .leftovers import Snapshot
from .lockdown import Plan, Unavailable

_STATUS_WAIT_S = 1.0  # an engine process that closed its channel is about to end; then it is killed
_STATUS_STEP_S = 0.001


def main(control_fd: int, settings: str, load: process.Loader) -> None:
    """Serve the trusted side over `control_fd` until it closes.

    `settings` is JSON: `tier`, `readable` (paths that Landlock leaves open), `uid` (0 to keep the user), `secret` (a
    file that must not be readable). `load` makes what an engine process runs. First comes a frame that says
    what was reached: `[null, detail]` or `[why not, ""]`. Commands: see `framing`.
    """
    control = socket.socket(fileno=control_fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        plan, detail = prepare(json.loads(settings))
    except (Unavailable, OSError) as error:
        framing.write_frame(control_fd, [str(error), ""])
        os._exit(1)
    framing.write_frame(control_fd, [None, detail])
    from . import preimport  # noqa: F401  (after everything that every fork uses)

    limits.stop_clocks()  # an engine process that is still importing ignores that it makes no progress
    gc.disable()  # collecting large graphs over and over is slow; an engine process collects between batches
    _Server(control, plan, load, Snapshot()).serve()
    os._exit(0)


class _Server:
    """The engine processes that are running, by process id."""

    def __init__(self, control: socket.socket, plan: Plan, load: process.Loader, snapshot: Snapshot) -> None:
        self.control = control
        self.plan = plan
        self.load = load
        self.snapshot = snapshot
        self.running: set[int] = set()

    def serve(self) -> None:
        """Answer commands until the other end closes, then end what still runs."""
        while True:
            command, fds, _, _ = socket.recv_fds(self.control, 1, 2)
            if not command:
                break
            if command == framing.START:
                self._reply(self._start(fds))
                continue
            (pid,) = framing.NUMBER.unpack(self.control.recv(framing.NUMBER.size, socket.MSG_WAITALL))
            if command == framing.CPU_TIME:
                self._reply(cpu_time_ns(pid) if pid in self.running else -1)
            elif command == framing.STALLED:
                if pid in self.running:
                    with contextlib.suppress(OSError):
                        os.kill(pid, limits.STALLED)
                self._reply(0)
            else:
                self._reply(*self._end(pid, _STATUS_WAIT_S if command == framing.REAP else 0.0))
        for pid in list(self.running):
            self._end(pid, 0.0)

    def _reply(self, *numbers: int) -> None:
        self.control.sendall(b"".join(map(framing.NUMBER.pack, numbers)))

    def _start(self, fds: list[int]) -> int:
        pid = os.fork()
        if pid == 0:
            self.control.close()
            channel, output = fds
            process.start(channel, output, self.plan, self.load, self.snapshot)
        for fd in fds:
            os.close(fd)
        self.running.add(pid)
        return pid

    def _end(self, pid: int, patience_s: float) -> tuple[int, int]:
        """End an engine process and all in its group, after waiting `patience_s` for it to end by itself.

        Returns its exit status, or the signal's number below 0 (0 if it did not end by itself), and the CPU time that
        it used in nanoseconds.
        """
        if pid not in self.running:
            return 0, 0
        self.running.remove(pid)
        deadline = time.monotonic() + patience_s
        ended, status, used = os.wait4(pid, os.WNOHANG)
        while not ended and time.monotonic() < deadline:
            time.sleep(_STATUS_STEP_S)
            ended, status, used = os.wait4(pid, os.WNOHANG)
        for kill in (os.killpg,) if ended else (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        if not ended:
            used = os.wait4(pid, 0)[2]
            status = 0
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return code, int((used.ru_utime + used.ru_stime) * 1e9)


def cpu_time_ns(pid: int) -> int:
    """Return the CPU time of a running process in nanoseconds; -1 where the system does not tell.

    The number of the clock is what clock_getcpuclockid(3) gives for a process: the Linux kernel's ABI.
    """
    if sys.platform != "linux":
        return -1
    try:
        return time.clock_gettime_ns(~pid << 3 | 2)
    except OSError:  # it has ended
        return -1


def prepare(settings: dict[str, Any]) -> tuple[Plan, str]:
    """Return the plan for a tier, tried out in a fork, and how it is done. Raises `Unavailable` or `OSError`."""
    tier = settings["tier"]
    if tier == "process":
        return Plan(uid=settings["uid"]), "separate process, rlimits"
    from . import lockdown  # here, not above: it needs a C library with these calls

    ruleset, detail = -1, "seccomp"
    if tier == "landlock":
        ruleset = lockdown.landlock_ruleset([*lockdown.standard_library(), *settings["readable"]])
        detail = f"Landlock {lockdown.landlock_version()}, seccomp"
    elif tier == "namespaces":
        detail = "bubblewrap, seccomp"
    may_open = tier != "seccomp"
    plan = Plan(settings["uid"], ruleset, lockdown.seccomp_filter(os.uname().machine, may_open=may_open))
    open_door = lockdown.self_test(plan, settings["secret"], may_open)
    if open_door:
        raise Unavailable(f"the sandbox does not hold: {open_door}")
    return plan, detail + (f", uid {settings['uid']}" if settings["uid"] else "")
