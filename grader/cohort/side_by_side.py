"""Work that several threads do side by side, each with a process of its own behind it."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def side_by_side(
    workers: Sequence[Callable[[_Item], _Result]], items: Iterable[_Item], ahead: int
) -> Iterator[_Result]:
    """Give what the workers make of the items, each worker in a thread, in the order in which they are done.

    Items are taken one by one, as workers become free, and at most `ahead` of them before their results are asked for.
    Raises what `items` and the workers raise.
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
        room.release(len(workers))  # who waits for room finds that it is over
