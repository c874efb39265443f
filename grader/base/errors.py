"""The base class of errors that a user can correct."""


class UserError(Exception):
    """The user's input is wrong, or their machine lacks something. The message says what to do.

    The command line prints the message and exits with 2.
    """
