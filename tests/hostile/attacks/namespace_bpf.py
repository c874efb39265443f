"""namespace: loads a program into the kernel with bpf."""

import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"

attempts = [
    lambda: libc.syscall(
        321 if x86 else 280, 0, ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 8, 1, 0), 128), 128
    ),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("made a map in the kernel")


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
