"""namespace: clones itself into new namespaces with raw clone and clone3."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"
for flags in (0x10000000 | 17, 0x10000000 | 0x20000000 | 17):
    if x86:
        pid = libc.syscall(56, flags, None, None, None, None)
    else:
        pid = libc.syscall(220, flags, None, None, None, None)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
        effect("cloned into a namespace")


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
