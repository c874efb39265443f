"""Run a learner's file as a program in this interpreter, as `python FILE` does, for someone who reads what it prints.

Nothing of the interpreter is restored afterwards, so it must run nothing else.
"""

import ast
import linecache
import sys
import textwrap
import time
import traceback
from collections.abc import Callable
from io import StringIO, TextIOBase
from types import ModuleType

_AT_ONCE = 200  # texts that are sent when they are printed; later ones together
_TOGETHER_S = 0.05
_SELECTION = "<selection>"


class ProgramOutput(TextIOBase):
    """A stream that sends what is printed, as it is printed.

    Args:
        heard: A function to call with each piece of text.
    """

    def __init__(self, heard: Callable[[str], object]) -> None:
        self._heard = heard
        self._waiting: list[str] = []
        self._sent = 0
        self._last = 0.0

    def write(self, text: str) -> int:
        """Take a text. It is sent at the end of its line; if there are many, it waits for others."""
        self._waiting.append(text)
        if "\n" in text and (self._sent < _AT_ONCE or time.perf_counter() - self._last > _TOGETHER_S):
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Pass on what waits."""
        text = "".join(self._waiting)
        self._waiting.clear()
        if text:
            self._heard(text)
            self._sent += 1
            self._last = time.perf_counter()


def run_as_program(source: str, filename: str, heard: Callable[[str], object], selection: str = "") -> str:
    """Run a file as a program, or run a selection of lines after the file was imported.

    If the last statement of a selection is an expression, its value is printed, as in an interactive session.

    Args:
        heard: A function to call with each piece of text that the program prints.
        selection: The lines. If they are empty, the file's own `if __name__ == "__main__":` part runs.

    Returns:
        The traceback of the error that ended the program, with the frames of the file alone; empty if none did.
    """
    module = ModuleType("exercise" if selection else "__main__")
    sys.modules[module.__name__] = module
    printed = ProgramOutput(heard)
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = StringIO(), printed, printed
    try:
        _execute(source, filename, vars(module))
        if selection:
            _execute(textwrap.dedent(selection), _SELECTION, vars(module))
    except SystemExit as error:
        return "" if error.code is None or isinstance(error.code, int) else f"{error.code}\n"
    except BaseException as error:
        return _traceback(error, (filename, _SELECTION))
    finally:
        printed.flush()
        sys.stdin, sys.stdout, sys.stderr = streams
    return ""


def _execute(source: str, filename: str, names: dict[str, object]) -> None:
    # the lines of a traceback are read from here
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    tree = ast.parse(source, filename)
    if filename == _SELECTION and tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Interactive([tree.body.pop()])
        exec(compile(tree, filename, "exec"), names)
        exec(compile(last, filename, "single"), names)
    else:
        exec(compile(tree, filename, "exec"), names)


def _traceback(error: BaseException, files: tuple[str, ...]) -> str:
    """Return the traceback of an error without the frames of this module and of the interpreter's own code."""
    described = traceback.TracebackException.from_exception(error)
    own = [frame for frame in described.stack if frame.filename in files]
    described.stack = traceback.StackSummary.from_list(own)
    return "".join(described.format(chain=False))
