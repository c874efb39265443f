"""The keys of a Windows console, which this system can only imitate."""

import queue

from grader.practice.keys import console_keys


class Console:
    """A console on which keys are pressed, with the functions of `msvcrt`."""

    def __init__(self, typed: str) -> None:
        self.typed = list(typed)

    def kbhit(self) -> bool:
        return bool(self.typed)

    def getwch(self) -> str:
        return self.typed.pop(0)


def test_a_console_delivers_each_key_once() -> None:
    """An arrow key arrives as two characters, of which the second is no key."""
    pressed: queue.SimpleQueue[str] = queue.SimpleQueue()
    with console_keys(pressed.put, Console("h\xe0Hq")):
        keys = [pressed.get(timeout=10) for _ in range(3)]
    assert ["h", "\x1b", "q"] == keys
