"""The trusted end of the connection to a server process, and to those that it forks."""

import json
import socket
from collections.abc import Mapping, Sequence

from ..worker.confine import framing
from .schedule import children_of, number_inside

_PATIENCE_S = 20


class WorkerGone(RuntimeError):
    """The server process itself has died. This is a fault of the grader, never of a submission."""


class Connection:
    """The connection to a server process (`grader/runner/worker/confine/server.py`).

    Args:
        control: The socket to the process.

    Attributes:
        pid: The number of the process in our own namespace; None if it is not known.
    """

    def __init__(self, control: socket.socket) -> None:
        self.pid: int | None = None
        self._control = control
        self._forked: list[int] = []  # server processes that this one has forked

    def greeting(self) -> tuple[str | None, str]:
        """Return the first message of the process: a reason for failure or None, and the means of isolation."""
        self._control.settimeout(_PATIENCE_S)
        try:
            (size,) = framing.HEADER.unpack(self._control.recv(framing.HEADER.size, socket.MSG_WAITALL))
            reason, detail = json.loads(self._control.recv(size, socket.MSG_WAITALL))
        except (OSError, ValueError, framing.HeaderError):
            return "the sandbox could not be set up on this system", ""
        self._control.settimeout(None)  # an answer may take long on a busy machine
        return reason, detail

    def ask(self, command: bytes, fds: Sequence[int] = (), answers: int = 1) -> tuple[int, ...]:
        """Send a command, and return the numbers in its answer. Raises `WorkerGone`."""
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

    def fork(self, folders: Mapping[str, str]) -> "Connection":
        """Fork the process. Return the connection to the fork, which imports modules from their folders, by name.

        Raises `WorkerGone`.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            (number,) = self.ask(framing.FORK, [theirs.fileno()])
        ours.sendall(framing.encode(folders))
        fork = Connection(ours)
        fork.pid = self.pid_of(number)
        if fork.pid is not None:
            self._forked.append(fork.pid)
        return fork

    def pid_of(self, number: int) -> int | None:
        """Return the number in our own namespace of a child of the process; None if the system cannot tell."""
        if self.pid is None:
            return None
        try:
            pids = [pid for pid in children_of(self.pid) if pid not in self._forked]
            # inside of a namespace, processes have other numbers
            return next((pid for pid in pids if len(pids) == 1 or number_inside(pid) == number), None)
        except OSError:
            return None

    def close(self) -> None:
        """Close the connection. The process then ends."""
        self._control.close()
