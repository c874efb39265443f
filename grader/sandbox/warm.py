"""The trusted end of the warm worker process: ask it for a submission's process, ask it to end one."""

import json
import socket
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..worker import frames
from .launch import Request, die_first

Launcher: TypeAlias = Callable[[Request], "subprocess.Popen[bytes]"]
_PATIENCE_S = 20


class WorkerGone(RuntimeError):
    """The warm process itself has died: the grader's own fault, never a submission's."""


class Warm:
    """One warm process, which has never loaded learner code. A context manager.

    It is launched by the first of `candidates` (tier and launcher) that works: the first one at once, the others
    when those before them turn out not to. If none does, `refuse` makes the error from the reasons.
    """

    def __init__(
        self, candidates: Sequence[tuple[str, Launcher]], allow: dict[str, str], refuse: Callable[[str], Exception]
    ) -> None:
        self.allow = allow
        self._candidates = list(candidates)
        self._refuse = refuse
        self._reasons: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._settled: tuple[str, str] | None = None
        self._launch()

    @property
    def tier(self) -> str:
        """The tier that was reached."""
        return self._settle()[0]

    @property
    def detail(self) -> str:
        """By which means, in a few words."""
        return self._settle()[1]

    def submit(self, channel: socket.socket) -> int:
        """Fork a process that serves one submission on `channel`. Returns the number by which `end` knows it."""
        return self._ask(frames.SUBMIT, [channel.fileno()])

    def end(self, number: int) -> None:
        """Kill a submission's process and all in its group, and reap it."""
        self._ask(frames.KILL + frames.PID.pack(number), [])

    def close(self) -> None:
        """End the warm process and whatever it still runs."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _launch(self) -> None:
        """Launch the next candidate that can be launched at all."""
        while self._candidates:
            launcher = self._candidates[0][1]
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    self._process = launcher(Request(theirs.fileno(), self.allow))
                except OSError as error:
                    ours.close()
                    self._give_up(str(error))
                    continue
            self._control = ours
            return
        raise self._refuse("\n".join(self._reasons))

    def _give_up(self, reason: str) -> None:
        tier, _ = self._candidates.pop(0)
        self._reasons.append(f"  {tier}: {reason}")

    def _settle(self) -> tuple[str, str]:
        """Wait for the process to say that it holds; go on to the next candidate if it does not."""
        while self._settled is None:
            reason, detail = self._greeting()
            if reason is None:
                assert self._process is not None
                die_first(self._process.pid)
                self._settled = self._candidates[0][0], detail
            else:
                self.close()
                self._give_up(reason)
                self._launch()
        return self._settled

    def _greeting(self) -> tuple[str | None, str]:
        """What the process says first: None and how it is isolated, or why it is not."""
        assert self._control is not None
        self._control.settimeout(_PATIENCE_S)
        try:
            (size,) = frames.HEADER.unpack(self._control.recv(frames.HEADER.size, socket.MSG_WAITALL))
            reason, detail = json.loads(self._control.recv(size, socket.MSG_WAITALL))
        except (OSError, ValueError, frames.HeaderError):
            return "the sandbox could not be set up on this system", ""
        self._control.settimeout(None)
        return reason, detail

    def _ask(self, command: bytes, fds: list[int]) -> int:
        self._settle()
        assert self._control is not None
        try:
            socket.send_fds(self._control, [command], fds)
            answer = self._control.recv(frames.PID.size, socket.MSG_WAITALL)
        except OSError as error:
            raise WorkerGone(f"the worker process does not answer: {error}") from error
        if len(answer) < frames.PID.size:
            raise WorkerGone("the worker process has ended")
        (number,) = frames.PID.unpack(answer)
        return int(number)

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
