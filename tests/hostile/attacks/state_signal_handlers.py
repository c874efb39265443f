"""state: leaves handlers, masks, timers, a umask and a working folder to what comes after."""

import os
import signal


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


if signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN):
    effect("found a handler that an earlier run left")
for number in (signal.SIGTERM, signal.SIGPROF, signal.SIGCHLD, signal.SIGPIPE):
    signal.signal(number, lambda *_: None)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
try:
    os.umask(0o777)
    os.chdir("@drop@")
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
