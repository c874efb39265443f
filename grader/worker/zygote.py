"""The warm process: never loads learner code, forks a process for each submission, ends it when told.

It imports beforehand what learner files usually import, so that a fork has it for nothing, and prepares the plan by
which learner code will give up its rights.
"""

import contextlib
import gc
import json
import os
import signal
import socket
from typing import Any

from . import frames, submission
from .lockdown import Plan, Unavailable
from .rehearsal import rehearse


def main(control_fd: int, settings: str) -> None:
    """Serve the trusted side over `control_fd` until it closes: `S` + descriptor forks, `K` + pid kills.

    `settings` is JSON: `tier`, `readable` (paths that Landlock leaves open), `uid` (0 to keep the user), `secret` (a
    file that must not be readable). First comes a frame that says what was reached: `[null, detail]` or
    `[why not, ""]`.
    """
    control = socket.socket(fileno=control_fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        plan, detail = prepare(json.loads(settings))
    except (Unavailable, OSError) as error:
        frames.write_frame(control_fd, [str(error), ""])
        os._exit(1)
    frames.write_frame(control_fd, [None, detail])
    from . import beforehand  # noqa: F401  (after everything that every fork uses)

    rehearse()
    submission.open_streams()
    gc.freeze()
    gc.disable()  # every fork is short, and collecting large graphs over and over is not
    running: set[int] = set()
    while True:
        command, fds, _, _ = socket.recv_fds(control, 1, 1)
        if not command:
            break
        if command == frames.SUBMIT:
            pid = os.fork()
            if pid == 0:
                control.close()
                submission.start(socket.socket(fileno=fds[0]), plan)
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


def prepare(settings: dict[str, Any]) -> tuple[Plan, str]:
    """The plan for a tier, tried out in a fork, and a word on how it is done. Raises `Unavailable` or `OSError`."""
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


def end(pid: int) -> None:
    """Kill a submission's process group and reap the process."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
