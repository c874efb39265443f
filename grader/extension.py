"""The entry of IPython, for `%load_ext grader`.

The package imports this first, so it imports nothing by itself: `grade` takes the learner's folder from the search path
before anything else is imported.
"""


def load_ipython_extension(shell: object) -> None:
    """Define `%%grade` in IPython's `shell`."""
    from .magics import load

    load(shell)
