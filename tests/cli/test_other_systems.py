"""Systems other than Linux, as far as they can be imitated on it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from without_posix import PRELUDE

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


def without_posix(environment: Mapping[str, str], cwd: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run `grade` in a Python without what Windows lacks. Learner code runs in such a Python, too."""
    script = (
        PRELUDE
        + f"""
from grader.runner.sandbox import children
children._BOOT = {PRELUDE!r} + children._BOOT
from grader.__main__ import main
sys.argv[0] = "grade"
sys.exit(main())
"""
    )
    command = [sys.executable, "-c", script, *words]
    bare = {**environment, "PATH": str(cwd), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=bare, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_learner_needs_nothing_that_windows_lacks(environment: dict[str, str], tmp_path: Path) -> None:
    """Without forks, limits and signals of POSIX, a learner's commands work, in a folder whose name has a space."""
    folder = tmp_path / "my work"
    folder.mkdir()
    started = without_posix(environment, folder, "start")
    assert (0, "") == (started.returncode, started.stderr)
    right = (ROOT / "solutions" / "01_distribute.py").read_text(encoding="utf-8")
    file = folder / "exercises" / "01_distribute.py"
    file.write_text(right.replace("+= out.grad", "+= out.grad ** 2"), encoding="utf-8", newline="\r\n")

    shown = without_posix(environment, folder, "1", "--line")
    assert (1, "") == (shown.returncode, shown.stderr)
    assert "PARTIAL  01 distribute" in shown.stdout
    assert "each input receives 6.25" in " ".join(shown.stdout.split())
    assert '"tier": "child"' in (folder / "exercises" / ".backward" / "report.json").read_text(encoding="utf-8")
    for words in (("hint",), ("next",), ("play", "1", "--no-open"), ("reset", "1"), ("list",)):
        done = without_posix(environment, folder, *words)
        assert (True, "") == (done.returncode == 0, done.stderr), words


@pytest.mark.slow
def test_scores_that_count_need_linux(environment: dict[str, str], work: Path) -> None:
    """A sentence says so, before anything is imported that Windows lacks."""
    (work / "01_distribute.py").write_text("", encoding="utf-8")
    for words in (("1", "--seed", "course", "--official"), ("cohort", "a", "--out", "b"), ("decide", "b")):
        done = without_posix(environment, work, *words)
        assert (2, "") == (done.returncode, done.stdout), words
        assert "needs Linux; on Windows, use WSL" in " ".join(done.stderr.split())
        assert 1 == len(done.stderr.splitlines())
