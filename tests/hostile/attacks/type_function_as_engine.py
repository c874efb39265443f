"""type: has a function where the class belongs."""


def Value(data):
    return 4.0
