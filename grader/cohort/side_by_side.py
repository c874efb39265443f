"""Several services side by side, and the tasks that they do."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeAlias, TypeVar

_Member = TypeVar("_Member")
Done: TypeAlias = Callable[[Any], None]


class Crew(Generic[_Member]):
    """Members that work side by side. Each has a thread, and does one task at a time.

    A member is an object such as a service. It has a method `close`, which ends its current task.
    """

    def __init__(self, members: Iterable[_Member]) -> None:
        self.members = list(members)
        self._tasks = queue.SimpleQueue[tuple[Callable[[_Member], Any], Done] | None]()
        for member in self.members:
            threading.Thread(target=self._work, args=(member,), daemon=True).start()

    def begin(self, task: Callable[[_Member], Any], done: Done) -> None:
        """Let the next free member do a task. Then call `done` with the result, or with the exception it raised."""
        self._tasks.put((task, done))

    def close(self) -> None:
        """Close every member. Tasks that have not begun are dropped."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._tasks.get_nowait()
        for member in self.members:
            self._tasks.put(None)
            member.close()  # type: ignore[attr-defined]

    def _work(self, member: _Member) -> None:
        while (work := self._tasks.get()) is not None:
            task, done = work
            try:
                result = task(member)
            except BaseException as error:
                result = error
            done(result)


class Flow:
    """Tasks that run side by side. One thread begins them, and gets their results as they finish.

    Attributes:
        running: the number of tasks whose results were not taken yet.
    """

    def __init__(self) -> None:
        self.running = 0
        self._results = queue.SimpleQueue[Any]()

    def begin(self, start: Callable[[Done], None]) -> None:
        """Begin a task. `start` gets the function to call with its result."""
        self.running += 1
        start(self._results.put)

    def next(self) -> Any:
        """Return the next result. Raises the exception of a task."""
        result = self._results.get()
        self.running -= 1
        if isinstance(result, BaseException):
            raise result
        return result
