"""honest: warns, logs and prints tracebacks to standard error."""

import logging
import sys
import traceback
import warnings

logging.basicConfig(level=logging.DEBUG)
warnings.simplefilter("always")


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            warnings.warn("this is a warning", stacklevel=2)
            logging.getLogger(__name__).info("gradient %s", out.grad)
            print("on standard error", file=sys.stderr)
            try:
                raise ValueError("caught")
            except ValueError:
                traceback.print_exc()
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
