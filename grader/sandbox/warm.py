"""The trusted end of the connection to the server process: start, observe and end engine processes."""

import json
import socket
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..worker.confine import framing
from .launch import Request, die_first

Launcher: TypeAlias = Callable[[Request], "subprocess.Popen[bytes]"]
_PATIENCE_S = 20


class Ended(NamedTuple):
    """How an engine process ended.

    Attributes:
        code: its exit status, or the negative number of a signal.
        cpu_s: the CPU time that it used, in seconds.
    """

    code: int
    cpu_s: float


class WorkerGone(RuntimeError):
    """The server process itself has died. This is a fault of the grader, never of a submission."""


class Warm:
    """A server process, which never loads learner code. A context manager.

    The first candidate is launched at once. If a candidate does not work, the next one is launched.

    Args:
        candidates: pairs of a tier and its launcher, in order of preference.
        allow: the folder of each module, by name, that learner code may import.
        refuse: returns the error to raise if no candidate works. Its argument is the text of the reasons.
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
    def ended(self) -> bool:
        """Return whether the server process has ended."""
        return self._process is None or self._process.poll() is not None

    @property
    def tier(self) -> str:
        """Return the tier that is in use."""
        return self._settle()[0]

    @property
    def detail(self) -> str:
        """Return a short description of the means of isolation."""
        return self._settle()[1]

    def start(self, channel: int, output: int) -> int:
        """Start an engine process on two descriptors. Return its number, which the other methods take."""
        return self._ask(framing.START, [channel, output])[0]

    def cpu_time(self, number: int) -> float | None:
        """Return the CPU seconds that an engine process has used; None if the system cannot tell."""
        (nanoseconds,) = self._ask(framing.CPU_TIME + framing.NUMBER.pack(number))
        return None if nanoseconds < 0 else nanoseconds / 1e9

    def tell_stalled(self, number: int) -> None:
        """Signal to an engine process that it makes no progress, which raises `Stalled` in learner code."""
        self._ask(framing.STALLED + framing.NUMBER.pack(number))

    def end(self, number: int, by_itself: bool = False) -> Ended:
        """Kill an engine process and its process group. With `by_itself`, first wait up to a second for it to exit."""
        command = framing.REAP if by_itself else framing.KILL
        code, nanoseconds = self._ask(command + framing.NUMBER.pack(number), answers=2)
        return Ended(code, nanoseconds / 1e9)

    def close(self) -> None:
        """End the server process and its engine processes."""
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
        """Launch the next candidate whose launcher does not fail. If there is none, raise the error of `refuse`."""
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
        """Wait until the server process reports that its tier works. Launch the next candidate if it does not."""
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
        """Return the first message of the server process: a reason for failure or None, and the means of isolation."""
        assert self._control is not None
        self._control.settimeout(_PATIENCE_S)
        try:
            (size,) = framing.HEADER.unpack(self._control.recv(framing.HEADER.size, socket.MSG_WAITALL))
            reason, detail = json.loads(self._control.recv(size, socket.MSG_WAITALL))
        except (OSError, ValueError, framing.HeaderError):
            return "the sandbox could not be set up on this system", ""
        self._control.settimeout(None)
        return reason, detail

    def _ask(self, command: bytes, fds: Sequence[int] = (), answers: int = 1) -> tuple[int, ...]:
        """Send a command, and return the numbers in its answer."""
        self._settle()
        assert self._control is not None
        size = framing.NUMBER.size
        try:
            if fds:
                socket.send_fds(self._control, [command], fds)
            else:
                self._control.sendall(command)
            answer = self._control.recv(answers * size, socket.MSG_WAITALL)
        except OSError as error:
            raise WorkerGone(f"the worker process does not answer: {error}") from error
        if len(answer) < answers * size:
            raise WorkerGone("the worker process has ended")
        return tuple(number for (number,) in framing.NUMBER.iter_unpack(answer))

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
