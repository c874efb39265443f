"""signal: signals its parent with tgkill, sigqueue, pidfd_send_signal and an owner of SIGIO."""

import ctypes
import fcntl
import os

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"
parent = os.getppid()
tgkill, rt_sigqueueinfo = (234, 129) if x86 else (131, 138)
if libc.syscall(tgkill, parent, parent, 0) == 0:
    effect("signalled its parent by tgkill")
if libc.syscall(rt_sigqueueinfo, parent, 0, ctypes.create_string_buffer(128)) == 0:
    effect("signalled its parent by sigqueue")
handle = libc.syscall(434, parent, 0)
if handle >= 0 and libc.syscall(424, handle, 0, None, 0) == 0:
    effect("signalled its parent by pidfd")
try:
    fcntl.fcntl(0, fcntl.F_SETOWN, parent)
    effect("made its parent the owner of signals")
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
