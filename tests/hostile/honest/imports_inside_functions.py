"""honest: imports where something is needed, and only then."""


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        from operator import add

        out = Value(add(self.data, other.data), (self, other))

        def _backward():
            import math
            from bisect import insort
            from string import Template

            shares = []
            insort(shares, math.prod([out.grad, 1.0]))
            self.grad += shares[0]
            other.grad += shares[0]
            print(Template("$share").substitute(share=shares[0]))

        out._backward = _backward
        return out
