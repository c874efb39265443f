"""read: opens devices: kernel memory, disks, the terminal."""

import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for path in ("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/tty", "/dev/pts/0", "/dev/random"):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        effect("opened a device")
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
