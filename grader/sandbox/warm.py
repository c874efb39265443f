"""The trusted end of the warm worker process: ask it for a submission's process, ask it to end one."""

import contextlib
import socket
import subprocess
from typing import Any

from ..worker import frames


class WorkerGone(RuntimeError):
    """The warm process itself has died: the grader's own fault, never a submission's."""


class Warm:
    """One warm process, which has never loaded learner code. A context manager; `tier` names its isolation."""

    def __init__(self, process: "subprocess.Popen[bytes]", control: socket.socket, tier: str) -> None:
        self.tier = tier
        self._process = process
        self._control = control

    def submit(self, channel: socket.socket, out: int, err: int) -> int:
        """Fork a process that serves one submission on `channel`, its output going to `out` and `err`.

        Returns the number by which `end` knows it.
        """
        return self._ask(frames.SUBMIT, [channel.fileno(), out, err])

    def end(self, number: int) -> None:
        """Kill a submission's process and all in its group, and reap it."""
        self._ask(frames.KILL + frames.PID.pack(number), [])

    def _ask(self, command: bytes, fds: list[int]) -> int:
        try:
            socket.send_fds(self._control, [command], fds)
            answer = self._control.recv(frames.PID.size, socket.MSG_WAITALL)
        except OSError as error:
            raise WorkerGone(f"the worker process does not answer: {error}") from error
        if len(answer) < frames.PID.size:
            raise WorkerGone(f"the worker process has ended (exit status {self._process.poll()})")
        (number,) = frames.PID.unpack(answer)
        return int(number)

    def close(self) -> None:
        """End the warm process and whatever it still runs."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            with contextlib.suppress(OSError):
                self._process.stderr.close()

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
