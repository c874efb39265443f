"""Process items in parallel threads, each of which drives a process."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def side_by_side(
    workers: Sequence[Callable[[_Item], _Result]], items: Iterable[_Item], ahead: int
) -> Iterator[_Result]:
    """Yield the workers' results for the items, in the order in which they finish.

    Each worker runs in a thread. Raises any error of `items` or of a worker.

    Args:
        workers: functions that compute a result from an item.
        items: the items to process. One is taken whenever a worker is free.
        ahead: the number of items that may be taken before their results are consumed.
    """
    waiting, done = iter(items), queue.SimpleQueue[Any]()
    room, lock, stop = threading.Semaphore(ahead), threading.Lock(), threading.Event()

    def next_item() -> _Item | None:
        room.acquire()
        with lock:
            return None if stop.is_set() else next(waiting, None)

    def work(worker: Callable[[_Item], _Result]) -> None:
        try:
            while (item := next_item()) is not None:
                done.put((worker(item),))
            done.put(None)
        except BaseException as error:
            done.put(error)

    running = len(workers)
    for worker in workers:
        threading.Thread(target=work, args=(worker,), daemon=True).start()
    try:
        while running:
            made = done.get()
            room.release()
            if isinstance(made, BaseException):
                raise made
            if made is None:
                running -= 1
            else:
                yield made[0]
    finally:
        stop.set()
        room.release(len(workers))  # wake the threads that wait for room, so that they stop
