"""An error that a user can correct."""


class UserError(Exception):
    """A mistake in what a user gave, or something that their machine lacks; the message says what to do.

    The command line prints the message and exits with 2.
    """
