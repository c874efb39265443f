"""Python's module search path without the current folder.

This module imports only modules that Python has loaded at start-up, because it is imported before
the search path is clean.
"""

import os
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def search_path() -> list[str]:
    """Return the folders of `sys.path` without the current folder, which may contain submissions.

    Relative entries are left out too, because they are relative to the current folder. The current
    folder stays if the grader itself is imported from it, as in a checkout.
    """
    try:
        here = os.path.realpath(os.getcwd())
    except FileNotFoundError:  # it was removed, so nothing can be imported from it
        here = ""
    return [
        folder for folder in sys.path if os.path.isabs(folder) and (os.path.realpath(folder) != here or here == _HOME)
    ]
