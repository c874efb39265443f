"""type: keeps inputs in a container that never ends."""


class Endless(list):
    def __iter__(self):
        while True:
            yield self

    def __len__(self):
        return 2**62


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, Endless(_prev)
        self._local = Endless([1.0, 1.0])

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))
