"""The IPython extension: after `%load_ext grader`, a cell that begins with `%%grade EXERCISE` is graded."""

from __future__ import annotations

import atexit
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Practice


_PLAY = "--play"


def load(shell: Any) -> None:
    """Define `%%grade` in IPython's `shell`."""
    magics = _Magics(shell)
    shell.register_magic_function(magics.grade, "cell", "grade")
    atexit.register(magics.close)


class _Magics:
    """The magic `%%grade`. It keeps the course, its sandbox and its answers open between cells."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._practice: Practice | None = None

    def grade(self, line: str, cell: str) -> None:
        """Grade the cell as the file of an exercise, and show the verdict. Then run the cell, if its code can be run.

        The cell is graded by itself: it cannot use names that other cells define. With `--play`, also show the
        replay.
        """
        from IPython.display import display

        from ..base import UserError
        from ..client import Source, without_magics
        from ..remarks import CellStart
        from ..replay import Played
        from ..report.shown import CELL
        from ..views.cell import CellReplay, CellVerdict
        from ..workspace import find_exercise

        try:
            practice = self._warm()
            words = line.split()
            exercise = find_exercise(practice.course, " ".join(word for word in words if word != _PLAY))
            number = len(self._shell.history_manager.input_hist_raw) - 1  # the list begins with an empty entry
            started = CellStart(number, 1)
            source = Source(Path(CELL), "\n" + without_magics(cell), cells=(started,))
            verdict = CellVerdict(practice.grade_source(exercise, source))
            played = practice.replays(exercise, source) if _PLAY in words and verdict.loaded else Played(())
        except UserError as error:
            print(f"grade: {error}")
            return
        display(verdict, *([CellReplay(played)] if played.shows else []))
        if verdict.loaded:
            self._shell.run_cell(cell)

    def close(self) -> None:
        """End the sandbox."""
        if self._practice is not None:
            self._practice.__exit__()
            self._practice = None

    def _warm(self) -> Practice:
        """Return the practice session of the course around the current folder. Start it at the first cell."""
        from ..course import find_course, load_course
        from . import Practice

        here = Path.cwd()
        folder = find_course(None, here)
        if self._practice is not None and self._practice.course.folder != folder:
            self.close()
        if self._practice is None:
            self._practice = Practice(load_course(folder), here).__enter__()
        return self._practice
