"""exec: executes with execveat and through the dynamic loader."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


execveat = 322 if os.uname().machine == "x86_64" else 281
arguments = (ctypes.c_char_p * 4)(b"echo", b"EFFECT became another program", None)
libc.syscall(execveat, -100, b"/bin/echo", arguments, None, 0)
loaded = (ctypes.c_char_p * 4)(b"ld", b"/bin/echo", b"EFFECT became another program", None)
libc.execv(b"/lib64/ld-linux-x86-64.so.2", loaded)


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
