"""write: makes links, pipes, folders and devices where everybody may write."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for attempt in (
    lambda: os.symlink("/etc/passwd", "@drop@/@marker@.link"),
    lambda: os.link("@drop@/keep.txt", "@drop@/@marker@.hard"),
    lambda: os.mkfifo("@drop@/@marker@.fifo"),
    lambda: os.mkdir("@drop@/@marker@.folder"),
    lambda: os.mknod("@drop@/@marker@.device"),
):
    try:
        attempt()
        effect("made something in a folder")
    except OSError:
        pass


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
