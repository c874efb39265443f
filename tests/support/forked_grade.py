"""Run `grade` many times in processes that are forked from one Python, which has made the imports already.

Each command still has a process, a current folder, an environment and pipes of its own. Only what the interpreter does
before `main` is done once. `grade` as it is installed is run by the tests of packaging, streams and the current folder.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

GRADE = Path(sys.executable).parent / "grade"
# what the interpreter itself reads before `main`: another value needs another interpreter
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_")
_START = {"LC_ALL": "C.UTF-8"}
_LONGEST = 1 << 20
# left out: learner code's side, torch and Dask, and what runs when it is imported
_NOT_IMPORTED = ("grader.worker", "grader.oracle.compute", "grader.__main__")


class Commands:
    """Runs `grade` with any words. A context manager, which starts the process to fork from when it is first needed."""

    def __enter__(self) -> "Commands":
        self._server: subprocess.Popen[bytes] | None = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._channel.close()
            self._server.communicate()

    def run(
        self, words: Sequence[object], cwd: Path, env: Mapping[str, str], timeout: float = 60
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a command to its end. Raises `subprocess.TimeoutExpired` and ends it if that takes too long."""
        command = [str(GRADE), *(os.fsdecode(word) if isinstance(word, bytes) else str(word) for word in words)]
        asked = {name: value for name, value in env.items() if name.startswith(_READ_AT_START)}
        if sys.platform != "linux" or asked != _START:
            return subprocess.run(command, cwd=cwd, env=env, capture_output=True, timeout=timeout, check=False)
        channel = self._start()
        with contextlib.ExitStack() as stack:
            pipes = [os.pipe(), os.pipe()]
            ours = [stack.enter_context(open(end, "rb", buffering=0)) for end, _ in pipes]
            job = json.dumps({"command": command, "cwd": str(cwd), "env": dict(env)}).encode()
            assert len(job) < _LONGEST
            socket.send_fds(channel, [job], [end for _, end in pipes])
            for _, end in pipes:
                os.close(end)
            child = json.loads(channel.recv(_LONGEST))
            try:
                said = _read([pipe.fileno() for pipe in ours], timeout)
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, timeout) from None
            finally:
                status = json.loads(channel.recv(_LONGEST))
        return subprocess.CompletedProcess(command, status, *said)

    def _start(self) -> socket.socket:
        if self._server is None:
            self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._server = subprocess.Popen(
                    [sys.executable, "-P", __file__, str(theirs.fileno())],
                    env={"PATH": os.environ["PATH"], **_START},
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    # pipes, as a command's are: Python asks once, before `main`, whether they can seek
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
        return self._channel


def text(done: "subprocess.CompletedProcess[bytes]") -> "subprocess.CompletedProcess[str]":
    """Return the result of a command with its output as text."""
    said, complained = (output.decode("utf-8") for output in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, said, complained)


def _read(pipes: Sequence[int], timeout: float) -> list[bytes]:
    """Return everything that is written to the pipes until all are closed. Raises `TimeoutError`."""
    said = {pipe: bytearray() for pipe in pipes}
    reading = list(pipes)
    end = time.monotonic() + timeout
    while reading:
        ready = select.select(reading, [], [], max(0.0, end - time.monotonic()))[0]
        if not ready:
            raise TimeoutError
        for pipe in ready:
            data = os.read(pipe, 1 << 16)
            said[pipe] += data
            if not data:
                reading.remove(pipe)
    return [bytes(text) for text in said.values()]


def main(channel: socket.socket) -> int:
    """Fork a process for each command that arrives. Return the exit code of the command, in its process."""
    _import_everything()
    gc.freeze()
    while True:
        job, ends, *_ = socket.recv_fds(channel, _LONGEST, 2)
        if not job:
            return 0
        child = os.fork()
        if child == 0:
            channel.close()
            _become(json.loads(job), ends)
            from grader.__main__ import main as grade

            return grade()
        for end in ends:
            os.close(end)
        channel.sendall(json.dumps(child).encode())
        channel.sendall(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _become(job: Mapping[str, Any], ends: Sequence[int]) -> None:
    """Take over a command's words, folder, environment and pipes."""
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    time.tzset()
    tempfile.tempdir = None
    for number, end in enumerate(ends, 1):
        os.dup2(end, number)
        os.close(end)
    sys.argv[:] = job["command"]
    sys.path[0] = str(GRADE.parent)


def _import_everything() -> None:
    import grader

    for module in pkgutil.walk_packages(grader.__path__, "grader.", onerror=lambda _: None):
        if not module.name.startswith(_NOT_IMPORTED):
            importlib.import_module(module.name)
    from _pytest.config import default_plugins

    for name in default_plugins:
        importlib.import_module(f"_pytest.{name}")
    importlib.import_module("pytest_jsonreport.plugin")


if __name__ == "__main__":
    sys.exit(main(socket.socket(fileno=int(sys.argv[1]))))
