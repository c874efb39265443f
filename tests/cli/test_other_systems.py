"""Systems other than Linux, as far as they can be imitated on it."""

import json
import queue
import subprocess
import sys
import threading
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


_GRADE = 'from grader.__main__ import main; sys.argv[0] = "grade"; sys.exit(main())'


def restricted(
    environment: Mapping[str, str], cwd: Path, *words: str, run: str = _GRADE
) -> tuple[list[str], dict[str, str]]:
    """Return a command that runs some code in a Python without what Windows lacks, and its environment.

    By default, the code is that of `grade`. Learner code runs in such a Python, too.
    """
    children = f"from grader.runner.sandbox import children\nchildren._BOOT = {PRELUDE!r} + children._BOOT\n"
    return [sys.executable, "-c", PRELUDE + children + run, *words], {
        **environment,
        "PATH": str(cwd),
        "PYTHONPATH": str(ROOT),
    }


def without_posix(
    environment: Mapping[str, str], cwd: Path, *words: str, run: str = _GRADE
) -> "subprocess.CompletedProcess[str]":
    """Run a `restricted` command to its end."""
    command, bare = restricted(environment, cwd, *words, run=run)
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
def test_notebooks_and_consoles_work_without_posix(environment: dict[str, str], tmp_path: Path) -> None:
    """A cell of a notebook is graded. A console of an old code page shows every line, with other marks."""
    right = (ROOT / "solutions" / "01_distribute.py").read_text(encoding="utf-8")
    cell = right.replace("+= out.grad", "+= out.grad ** 2  # é →")
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell},
        ],
    }
    (tmp_path / "work.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    for encoding in ("utf-8", "cp437", "cp1252"):
        shown = without_posix({**environment, "PYTHONIOENCODING": encoding}, tmp_path, "1", "work.ipynb")
        assert (1, "") == (shown.returncode, shown.stderr), encoding
        assert "PARTIAL  01 distribute" in shown.stdout
        assert "each input receives" in " ".join(shown.stdout.split())


@pytest.mark.slow
def test_pytest_works_without_posix(environment: dict[str, str], tmp_path: Path) -> None:
    """Each check is a test, which fails with what `grade` says."""
    assert 0 == without_posix(environment, tmp_path, "start", ".").returncode
    right = (ROOT / "solutions" / "01_distribute.py").read_text(encoding="utf-8")
    (tmp_path / "exercises" / "01_distribute.py").write_text(
        right.replace("+= out.grad", "+= out.grad ** 2"), encoding="utf-8"
    )
    run = "import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'exercises/01_distribute.py']))"
    done = without_posix(environment, tmp_path, run=run)
    assert 1 == done.returncode, done.stderr
    assert "1 failed" in done.stdout
    assert "each input receives" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_watch_works_without_posix(environment: dict[str, str], tmp_path: Path) -> None:
    """A save is graded, also where no keys can be read."""
    assert 0 == without_posix(environment, tmp_path, "start", ".").returncode
    file = tmp_path / "exercises" / "01_distribute.py"
    right = (ROOT / "solutions" / "01_distribute.py").read_text(encoding="utf-8")
    command, bare = restricted({**environment, "PYTHONUNBUFFERED": "1"}, tmp_path, "watch")
    with subprocess.Popen(
        command, cwd=tmp_path, env=bare, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        lines: queue.Queue[str] = queue.Queue()
        assert process.stdout
        reading = (line.decode("utf-8", "replace") for line in process.stdout)
        threading.Thread(target=lambda: [lines.put(line) for line in reading], daemon=True).start()
        try:
            wait_for(lines, "Save the file")
            file.write_text(right, encoding="utf-8")
            wait_for(lines, "PASS")
        finally:
            process.kill()


def wait_for(lines: "queue.Queue[str]", words: str) -> None:
    """Wait for a line with these words."""
    seen = []
    for _ in range(500):
        seen.append(lines.get(timeout=60))
        if words in seen[-1]:
            return
    pytest.fail("".join(seen))


@pytest.mark.slow
def test_scores_that_count_need_linux(environment: dict[str, str], work: Path) -> None:
    """A sentence says so, before anything is imported that Windows lacks."""
    (work / "01_distribute.py").write_text("", encoding="utf-8")
    for words in (("1", "--seed", "course", "--official"), ("cohort", "a", "--out", "b"), ("decide", "b")):
        done = without_posix(environment, work, *words)
        assert (2, "") == (done.returncode, done.stdout), words
        assert "needs Linux; on Windows, use WSL" in " ".join(done.stderr.split())
        assert 1 == len(done.stderr.splitlines())
