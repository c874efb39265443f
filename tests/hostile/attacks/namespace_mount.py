"""namespace: mounts, unmounts, binds and pivots."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


attempts = [
    lambda: libc.mount(b"none", b"@drop@/empty", b"tmpfs", 0, None),
    lambda: libc.umount2(b"@drop@/empty", 2),
    lambda: libc.mount(b"/etc", b"@drop@/empty", None, 4096, None),
    lambda: libc.umount2(b"@drop@/empty", 2),
    lambda: libc.syscall(428, -100, b"/", 1),
    lambda: libc.syscall(430, b"tmpfs", 0),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("changed mounts")


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
