"""type: has a function in place of the class."""


def Value(data):
    return 4.0
