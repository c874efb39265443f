"""Systems other than Linux, as far as they can be imitated on it."""

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

# what CPython has on Linux and not on macOS, among what could be used here
_STRIP = """
import ctypes, os, resource, select, signal, socket, sys, time
sys.platform = "darwin"
for module, prefixes in {
    os: ("memfd_", "MFD_", "pidfd_", "sched_", "SCHED_", "setresuid", "setresgid", "getresuid", "getresgid", "splice",
         "eventfd", "EFD_", "unshare", "setns", "CLONE_", "O_TMPFILE", "O_PATH", "P_PIDFD", "pipe2", "copy_file_range",
         "getrandom", "GRND_", "posix_fadvise", "posix_fallocate", "fdatasync", "setxattr", "getxattr", "listxattr"),
    select: ("epoll", "EPOLL"),
    signal: ("sigtimedwait", "sigwaitinfo", "SIGRT", "SIGPWR", "SIGSTKFLT", "SIGPOLL", "pidfd_"),
    socket: ("SOCK_CLOEXEC", "SOCK_NONBLOCK", "SO_PEERCRED", "AF_NETLINK", "AF_PACKET", "MSG_CMSG_CLOEXEC"),
    resource: ("prlimit", "RLIMIT_SIGPENDING", "RLIMIT_RTPRIO", "RLIMIT_NICE", "RLIMIT_MSGQUEUE"),
    time: ("CLOCK_BOOTTIME", "CLOCK_TAI", "pthread_getcpuclockid"),
}.items():
    for name in dir(module):
        if name.startswith(prefixes):
            delattr(module, name)
"""
_RUN = """
from grader.runner.sandbox import tiers
tiers._BOOT = {strip!r} + tiers._BOOT
from grader.__main__ import main
sys.argv[0] = "grade"
sys.exit(main())
"""


@pytest.mark.slow
def test_a_learner_needs_nothing_that_only_linux_has(work: Path, environment: dict[str, str], handed_out: Path) -> None:
    """Without features that only Linux has, a learner's commands work in a plain process with limits."""
    (work / "exercises").mkdir()
    for path in handed_out.iterdir():
        (work / "exercises" / path.name).write_bytes(path.read_bytes())
    right = (ROOT / "solutions" / "01_distribute.py").read_text(encoding="utf-8")
    (work / "exercises" / "01_distribute.py").write_text(right.replace("+= out.grad", "+= out.grad ** 2"))
    script = _STRIP + _RUN.format(strip=_STRIP)

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", script, *words]
        bare = {**environment, "PATH": str(work)}
        return subprocess.run(command, cwd=work, env=bare, capture_output=True, text=True, check=False)

    shown = run("1")
    assert (1, "") == (shown.returncode, shown.stderr)
    assert "PARTIAL  01 distribute" in shown.stdout
    assert "fact" in shown.stdout
    refused = run("1", "--isolation", "seccomp")
    assert (2, True) == (refused.returncode, "needs Linux" in refused.stderr)
    assert '"tier": "process"' in (work / "exercises" / ".backward" / "report.json").read_text()
    for words in (("hint",), ("list",), ("next",), ("reset", "1")):
        done = run(*words)
        assert (True, "") == (done.returncode in (0, 1), done.stderr)


def test_windows_is_told_to_use_wsl() -> None:
    """On Windows, the message comes before anything is imported that Windows lacks."""
    script = "import sys; sys.platform = 'win32'; from grader.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (2, "") == (done.returncode, done.stdout)
    assert "use WSL" in done.stderr
