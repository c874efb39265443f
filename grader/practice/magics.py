"""The IPython extension: after `%load_ext grader`, a cell that begins with `%%grade EXERCISE` is graded."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import sys
from html import escape
from pathlib import Path
from typing import Any

from ..base.files import UserError
from ..base.text import Style, plain
from ..course.load import find_course, load_course
from ..course.remarks import CellStart
from ..runner.client import Source, without_magics
from ..verdict.report import CELL, ExerciseResult, Report, first_failure
from ..verdict.terminal import explained, status_word
from ..words import practice as words
from .replay import Played
from .replay.page import build_replay_page
from .screens import exercise_screen
from .session import Practice
from .workspace import find_exercise

# -- The verdict on a cell: as HTML in a notebook, and as text elsewhere

# Styles are inline, because notebooks remove style sheets. A word accompanies every colour.
_FRAME = "width: 100%; height: 45em; border: 0"
_ROW = "text-align: left; padding: 0.1em 1em 0.1em 0"


class CellVerdict:
    """The verdict on one exercise, as HTML and as text. IPython chooses the form that it can show."""

    def __init__(self, report: Report) -> None:
        (self._result,) = report.exercises

    @property
    def loaded(self) -> bool:
        """Return whether the code ran to its end."""
        return any(check.status != "skipped" for check in self._result.checks)

    def __repr__(self) -> str:
        return "\n".join(exercise_screen(self._result, style=_style()))

    def _repr_html_(self) -> str:
        result = self._result
        rows = "".join(
            _row(status_word(check.status), check.title, f"{check.score}/{check.max_score}")
            for check in result.checks
            if check.status != "skipped"
        )
        table = f'<table aria-label="checks"><tbody>{rows}</tbody></table>' if rows else ""
        return f"<div>{_headline(result)}{table}{_why(result)}</div>"


class CellReplay:
    """The page that replays a learner's backward pass, in a frame that cannot access the notebook."""

    def __init__(self, played: Played) -> None:
        self._played = played

    def __repr__(self) -> str:
        return f"Replay: {plain(self._played.about)} (a notebook shows it as a page)"

    def _repr_html_(self) -> str:
        page = escape(build_replay_page(self._played))
        title = _text(f"Replay of {self._played.about}")
        return f'<iframe title="{title}" sandbox="allow-scripts" style="{_FRAME}" srcdoc="{page}"></iframe>'


def _style() -> Style:
    """Return the style for a cell, in which `!` begins a command of the shell."""
    usual, own = shutil.which("grade"), Path(sys.executable).with_name("grade")
    # a notebook's kernel may run in another environment than the `grade` of the search path
    found = usual is not None and own.exists() and os.path.samefile(usual, own)
    return Style(grade="!grade" if found else f"!{shlex.quote(sys.executable)} -I -m grader")


def _headline(result: ExerciseResult) -> str:
    bonus = f" + {result.bonus} bonus" if result.bonus else ""
    name = f"{status_word(result.status)}: {result.number} {result.title}, {result.score}/{result.max_score}{bonus}"
    return f"<p><strong>{_text(name)}</strong></p>"


def _row(*cells: str) -> str:
    return "<tr>" + "".join(f'<td style="{_ROW}">{_text(cell)}</td>' for cell in cells) + "</tr>"


def _why(result: ExerciseResult) -> str:
    """Return the first failure in full, and the message about the code, as HTML."""
    check = first_failure(result)
    # a missed bonus of a passed exercise is not explained
    lines = (
        explained(result, check, style=_style()) if check and not (check.bonus and result.status == "passed") else []
    )
    title = f"<p>{_text(check.title)}</p>" if check and lines else ""
    text = result.message if isinstance(result.message, str) and result.status != "not_started" else ""
    text += f"\n{words.learnt(result.learnt)}" if result.learnt else ""
    message = "".join(f"<p>{_text(line)}</p>" for line in text.splitlines() if line)
    shown = "\n".join(map(_text, lines))
    return message + (f"{title}<pre>{shown}</pre>" if lines else "")


def _text(text: str) -> str:
    return escape(plain(text))


# -- The magic

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
        from IPython.display import display  # the grader does not depend on IPython, which runs this magic

        try:
            practice = self._warm()
            arguments = line.split()
            exercise = find_exercise(practice.course, " ".join(word for word in arguments if word != _PLAY))
            number = len(self._shell.history_manager.input_hist_raw) - 1  # the list begins with an empty entry
            # Jupyter counts the line `%%grade`, too; the empty line keeps the line numbers the same
            source = Source(Path(CELL), "\n" + without_magics(cell), cells=(CellStart(number, 1),))
            verdict = CellVerdict(practice.grade_source(exercise, source))
            # code that could not be loaded has no backward pass to replay
            played = practice.replays(exercise, source) if _PLAY in arguments and verdict.loaded else Played(())
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
        here = Path.cwd()
        folder = find_course(None, here)
        if self._practice is not None and self._practice.course.folder != folder:
            self.close()
        if self._practice is None:
            self._practice = Practice(load_course(folder), here).__enter__()
        return self._practice
