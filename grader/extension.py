"""The entry point of IPython, for `%load_ext grader`.

The package imports this module first. Therefore it has no imports at module level: `grade` must remove the learner's
folder from the search path before anything else is imported.
"""


def load_ipython_extension(shell: object) -> None:
    """Define `%%grade` in IPython's `shell`."""
    from .practice.magics import load

    load(shell)
