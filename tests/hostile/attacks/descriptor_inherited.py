"""descriptor: looks for files, folders and sockets among its open descriptors, and reads what can be read."""

import os
import select
import stat


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for fd in range(3, 1024):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    if fd == 3 and stat.S_ISSOCK(mode):  # by which it is asked, and answers
        continue
    if not stat.S_ISFIFO(mode):
        effect("inherited something else than a pipe")
        continue
    try:
        os.set_blocking(fd, False)
    except OSError:
        pass
    ready, _, _ = select.select([fd], [], [], 0)
    if ready:
        try:
            os.read(fd, 1)
            effect("read from a pipe that it inherited")
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
