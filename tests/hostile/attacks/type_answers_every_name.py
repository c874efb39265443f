"""type: has every attribute that is asked for, and all of them can be called."""


class Value:
    def __init__(self, *_):
        pass

    def __getattr__(self, name):
        return Value()

    def __call__(self, *_):
        return Value()

    def __add__(self, other):
        return Value()

    def __float__(self):
        return 4.0
