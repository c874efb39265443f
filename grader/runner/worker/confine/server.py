"""The server process: it forks an engine process for each file, and never loads learner code.

It pre-imports modules that learner files commonly use, so that forks inherit them. For files that import modules which
the course allows, a fork of it imports these, and serves them. It also prepares the plan of rights to drop. It makes no
decisions: the trusted side commands it to observe and end engine processes.
"""

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from . import framing, limits, process
from .leftovers import Snapshot
from .lockdown import Plan, Unavailable

Importer: TypeAlias = Callable[[dict[str, str]], None]

_STATUS_WAIT_S = 1.0  # how long an engine process that closed its channel may take to exit before it is killed
_STATUS_STEP_S = 0.001


def main(control_fd: int, settings: str, load: process.Loader, import_allowed: Importer) -> None:
    """Serve the trusted side over `control_fd` until it closes.

    The first frame sent is `[null, detail]`, or `[reason, ""]` if the tier does not work. `framing`
    lists the commands.

    Args:
        settings: JSON with `tier`, `readable` (paths that Landlock allows to read), `uid` (0 to keep the user) and
            `secret` (a file that must not be readable).
        load: makes the learner's file from an order, in an engine process.
        import_allowed: imports modules from their folders, by name.
    """
    control = socket.socket(fileno=control_fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        plan, detail = prepare(json.loads(settings))
    except (Unavailable, OSError) as error:
        framing.write_frame(control_fd, [str(error), ""])
        os._exit(1)
    # the trusted side continues as soon as it reads this, while the modules below are imported
    framing.write_frame(control_fd, [None, detail])
    process.preimport()
    limits.stop_clocks()  # ignore the signal for `Stalled` in an engine process that is still importing
    gc.disable()  # repeated collection of large graphs is slow; an engine process collects between batches
    _Server(control, plan, load, import_allowed).serve()
    os._exit(0)


class _Server:
    """The engine processes that are running, by process id."""

    def __init__(self, control: socket.socket, plan: Plan, load: process.Loader, import_allowed: Importer) -> None:
        self.control = control
        self.plan = plan
        self.load = load
        self.import_allowed = import_allowed
        self.snapshot = Snapshot()
        self.running: set[int] = set()

    def serve(self) -> None:
        """Answer commands until the other end closes, then end all engine processes."""
        while True:
            # a command is one byte; only `START` comes with descriptors
            command, fds, _, _ = socket.recv_fds(self.control, 1, 2)
            if not command:
                break
            if command in (framing.START, framing.FORK):
                self._reply(self._start(fds) if command == framing.START else self._fork(*fds))
                continue
            (pid,) = framing.NUMBER.unpack(self.control.recv(framing.NUMBER.size, socket.MSG_WAITALL))
            if command == framing.CPU_TIME:
                self._reply(cpu_time_ns(pid) if pid in self.running else -1)
            elif command == framing.STALLED:
                # the id of a process that was reaped may belong to another process by now
                if pid in self.running:
                    with contextlib.suppress(OSError):
                        os.kill(pid, limits.STALLED)
                self._reply(0)
            else:
                self._reply(*self._end(pid, _STATUS_WAIT_S if command == framing.REAP else 0.0))
        # the trusted side is gone, and no engine process may outlive it
        for pid in list(self.running):
            self._end(pid, 0.0)

    def _reply(self, *numbers: int) -> None:
        self.control.sendall(b"".join(map(framing.NUMBER.pack, numbers)))

    def _start(self, fds: list[int]) -> int:
        pid = os.fork()
        if pid == 0:
            # an engine process must not be able to command this one
            self.control.close()
            channel, output = fds
            process.start(channel, output, self.plan, self.load, self.snapshot)
        for fd in fds:
            os.close(fd)
        self.running.add(pid)
        return pid

    def _fork(self, control_fd: int) -> int:
        """Fork a server process. It reads folders by the names of modules, imports these, and serves."""
        pid = os.fork()
        if pid == 0:
            self.control.close()
            try:
                self.import_allowed(framing.read_frame(control_fd) or {})
                _Server(socket.socket(fileno=control_fd), self.plan, self.load, self.import_allowed).serve()
            finally:
                os._exit(0)
        os.close(control_fd)
        return pid

    def _end(self, pid: int, patience_s: float) -> tuple[int, int]:
        """End an engine process and its process group, after waiting up to `patience_s` for it to exit.

        Returns:
            The exit status or the negative number of a signal (0 if the process had to be killed), and the CPU time
            that it used, in nanoseconds.
        """
        if pid not in self.running:
            return 0, 0
        self.running.remove(pid)
        deadline = time.monotonic() + patience_s
        ended, status, used = os.wait4(pid, os.WNOHANG)
        while not ended and time.monotonic() < deadline:
            time.sleep(_STATUS_STEP_S)
            ended, status, used = os.wait4(pid, os.WNOHANG)
        # The group may hold processes that learner code started. A process that has ended was
        # reaped above, so its number may belong to another one. A process that was just forked may
        # have no group of its own yet, so it is killed by its number as well.
        for kill in (os.killpg,) if ended else (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        if not ended:
            used = os.wait4(pid, 0)[2]
            status = 0
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return code, int((used.ru_utime + used.ru_stime) * 1e9)


def cpu_time_ns(pid: int) -> int:
    """Return the CPU time of a running process in nanoseconds; -1 if the system cannot tell.

    The number of the clock is that of clock_getcpuclockid(3), part of the Linux kernel's ABI.
    """
    if sys.platform != "linux":
        return -1
    try:
        return time.clock_gettime_ns(~pid << 3 | 2)
    except OSError:  # it has ended
        return -1


def prepare(settings: dict[str, Any]) -> tuple[Plan, str]:
    """Return the plan for a tier, after a self-test in a fork, and a description of it.

    Raises `Unavailable` or `OSError`.
    """
    tier = settings["tier"]
    if tier == "process":
        return Plan(uid=settings["uid"]), "separate process, rlimits"
    if sys.platform != "linux":
        raise Unavailable(f"the tier `{tier}` needs Linux")
    from . import lockdown  # here, not above: it needs a C library with these functions

    ruleset, detail = -1, "seccomp"
    if tier == "landlock":
        ruleset = lockdown.landlock_ruleset([*lockdown.standard_library(), *settings["readable"]])
        detail = f"Landlock {lockdown.landlock_version()}, seccomp"
    elif tier == "namespaces":
        detail = "bubblewrap, seccomp"
    may_open = tier != "seccomp"  # the other tiers restrict the file system by other means
    machine = os.uname().machine
    # Where two filters apply, the kernel takes the stricter result, and an error is stricter than a
    # report. So this filter has to allow the calls that the other one reports.
    rest = lockdown.seccomp_filter(machine, may_open=may_open, beside_reporter=True)
    plan = Plan(
        settings["uid"],
        ruleset,
        lockdown.seccomp_filter(machine, may_open=may_open),
        (lockdown.reporting_filter(machine), rest),
    )
    failure = lockdown.self_test(plan, settings["secret"], may_open)
    if failure:
        raise Unavailable(f"the self-test of the sandbox failed: {failure}")
    return plan, detail + (f", uid {settings['uid']}" if settings["uid"] else "")
