"""namespace: loads kernel modules, swaps, and asks for accounting (never for a reboot)."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"

attempts = [
    lambda: libc.syscall(175 if x86 else 105, b"", 0, b""),
    lambda: libc.swapoff(b"/nothing") if ctypes.get_errno() == 0 else -1,
    lambda: libc.acct(b"@drop@/keep.txt"),
]
for attempt in attempts:
    if attempt() >= 0:
        effect("changed the kernel")


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
