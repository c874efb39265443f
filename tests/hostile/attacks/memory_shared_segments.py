"""memory: makes System V shared memory and message queues and POSIX queues, which outlive a process."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


segment = libc.shmget(0, 1 << 20, 0o1600)
if segment >= 0:
    effect("made shared memory")
    libc.shmctl(segment, 0, None)
queue = libc.msgget(0, 0o1600)
if queue >= 0:
    effect("made a message queue")
    libc.msgctl(queue, 0, None)
for name in (b"/@marker@",):
    handle = libc.mq_open(name, 0o102, 0o600, None)
    if handle >= 0:
        effect("made a POSIX queue")
        libc.mq_unlink(name)


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
