"""Backward's grader: hidden checks run on learners' files, a score for each exercise."""

__all__ = ["__version__", "load_ipython_extension"]

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """Define `%%grade` in IPython's `shell`. IPython calls this for `%load_ext grader`."""
    # Nothing is imported above: `grade` first takes the learner's folder from the search path.
    from .magics import load

    load(shell)
