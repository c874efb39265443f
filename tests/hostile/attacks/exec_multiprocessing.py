"""exec: starts workers with multiprocessing and concurrent.futures."""

import concurrent.futures
import multiprocessing
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


def work(number):
    return number + 1


try:
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        if pool.submit(len, "ab").result(timeout=1) == 2:
            effect("ran a process pool")
except BaseException:
    pass
try:
    process = multiprocessing.get_context("fork").Process(target=work, args=(1,))
    process.start()
    process.join(1)
    effect("ran a process")
except BaseException:
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
