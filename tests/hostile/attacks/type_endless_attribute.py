"""type: loops without end whenever an attribute is looked at."""


class Value:
    def __init__(self, data, _prev=()):
        object.__setattr__(self, "data", data)

    def __getattribute__(self, name):
        return getattr(self, name + "_")

    def __add__(self, other):
        return Value(0.0)
