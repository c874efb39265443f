"""Where Python looks for modules, without the folder that somebody happens to stand in.

This module imports only what every Python has loaded when a program begins: it is imported before the search path is
clean.
"""

import os
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def search_path() -> list[str]:
    """Return the folders of `sys.path` without the current one, in which submissions may lie.

    What is not absolute means the current folder or one below it, and is left out too. Where the grader itself is
    imported from the current folder, as in a checkout, that folder stays.
    """
    try:
        here = os.path.realpath(os.getcwd())
    except FileNotFoundError:  # it was removed, so nothing can be imported from it
        here = ""
    return [
        folder for folder in sys.path if os.path.isabs(folder) and (os.path.realpath(folder) != here or here == _HOME)
    ]
