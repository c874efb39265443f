"""Show the verdict on a notebook's cell: as HTML in a notebook, and as text elsewhere."""

import os
import shlex
import shutil
import sys
from html import escape
from pathlib import Path

from ..base import plain
from ..base.text import Style
from ..replay import Played
from ..report import ExerciseResult, Report
from ..report.shown import first_failure
from ..words import practice as words
from .practice import exercise_screen
from .replay import build_replay_page
from .terminal import explained, status_word

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
