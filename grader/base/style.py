"""Style text for a terminal: its width, its colours, and the columns that wide characters take."""

import re
import unicodedata
from functools import lru_cache

from msgspec import Struct
from termcolor import colored

from . import ascii_only, plain

NARROWEST, WIDEST = 38, 198
_ROW = 98  # columns of prose, and of a row that ends with points; wider rows are hard to read
_NARROW = 60
_WORDS = re.compile(r"`[^`\s][^`]*`\S*|\S+")  # what is in backquotes stays in one piece
_GRADE = re.compile(r"(?<=`)grade(?=[ `])")


class Style(Struct, frozen=True):
    """A style of drawing text.

    Attributes:
        width: The number of columns in a line.
        color: Whether colours can be shown.
        ascii: Whether only ASCII characters may be shown.
        grade: The words that run `grade` in this terminal, such as `.venv/bin/grade`.
    """

    width: int = 78
    color: bool = False
    ascii: bool = False
    grade: str = "grade"

    @property
    def prose(self) -> int:
        """Return the number of columns of prose, and of a row that ends with points."""
        return min(self.width, _ROW)

    @property
    def narrow(self) -> bool:
        """Return whether the width is too small for labels and text side by side."""
        return self.width < _NARROW

    @property
    def ellipsis(self) -> str:
        """Return the mark for omitted text."""
        return "..." if self.ascii else "…"

    def clean(self, text: str) -> str:
        """Return a text without control sequences, with only the characters that the terminal can show."""
        text = plain(text).expandtabs(4)
        return ascii_only(text) if self.ascii else text

    def runnable(self, text: str) -> str:
        """Return a text in which each `grade` at the start of backquotes can be run in this terminal."""
        return _GRADE.sub(lambda _: self.grade, text)

    def paint(self, text: str, hue: str) -> str:
        """Return a text in a colour, or unchanged if colours cannot be shown."""
        return colored(text, hue, force_color=True) if self.color and text else text

    def command(self, text: str) -> str:
        """Return a command that begins with `grade` as it can be run in this terminal."""
        return self.grade + text.removeprefix("grade") if f"{text} ".startswith("grade ") else text

    def cut(self, text: str, room: int) -> str:
        """Return a clean text cut to `room` columns, with an ellipsis at the end if it was cut."""
        if columns(text) <= room:
            return text
        return f"{_beginning(text, room - len(self.ellipsis))}{self.ellipsis}"

    def wrap(self, text: str, room: int | None = None, first: int | None = None) -> list[str]:
        """Return a text in lines of at most `room` columns, with commands in backquotes as they can be run.

        By default, the lines have the width of prose, and the first line has as many columns as the others. A word is
        broken only if it is longer than a line.
        """
        room = self.prose if room is None else room
        words = _WORDS.findall(self.clean(self.runnable(text))) if self.grade != "grade" else self.clean(text).split()
        return packed(words, room, room if first is None else first)


def columns(text: str) -> int:
    """Return the number of terminal columns of a clean text.

    East Asian wide characters take two columns, and combining marks take none.
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def padded(text: str, room: int) -> str:
    """Return a text padded with spaces to `room` columns."""
    return text + " " * (room - columns(text))


def packed(words: list[str], room: int, first: int) -> list[str]:
    """Return words in lines of at most `room` columns. The first line has at most `first` columns."""
    lines: list[str] = []
    line = ""
    for word in words:
        left = room if lines else first
        if line and columns(line) + 1 + columns(word) <= left:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line)
        line, left = word, room if lines else first
        while len(_beginning(line, left)) < len(line):
            head = _beginning(line, max(2, left))
            lines.append(head)
            line, left = line[len(head) :], room
    return [*lines, line] if line or not lines else lines


def hint_lines(head: str, text: str, style: Style) -> list[str]:
    """Return a hint in lines that fit the style, below the line `head`."""
    return [*style.wrap(head), "", *(f"  {line}" for line in style.wrap(text, style.prose - 2))]


def _beginning(text: str, room: int) -> str:
    """Return the longest beginning of a clean text that takes at most `room` columns."""
    if text.isascii():
        return text[: max(0, room)]
    taken = 0
    for at, character in enumerate(text):
        taken += _columns(character)
        if taken > room:
            return text[:at]
    return text


@lru_cache(4096)
def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
