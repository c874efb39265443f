"""How text is drawn in a terminal: how wide it may be, in which colours, and how wide characters count."""

import unicodedata
from functools import lru_cache

from msgspec import Struct
from termcolor import colored

from .outside import ascii_only, plain

NARROWEST, WIDEST = 38, 198
_ROW = 98  # columns of a row with points at its end, and of prose: what is wider is hard to read
_NARROW = 60


class Style(Struct, frozen=True):
    """How to draw.

    Attributes:
        width: The columns that a line may have.
        color: Colours can be shown.
        ascii: Only ASCII characters may be shown.
    """

    width: int = 78
    color: bool = False
    ascii: bool = False

    @property
    def prose(self) -> int:
        """The columns of a row with points, and of prose."""
        return min(self.width, _ROW)

    @property
    def narrow(self) -> bool:
        """Return whether there is too little room for text beside labels that stand in a column of their own."""
        return self.width < _NARROW

    @property
    def ellipsis(self) -> str:
        """The mark of something left out."""
        return "..." if self.ascii else "…"

    def clean(self, text: str) -> str:
        """Return text that cannot steer a terminal, and that it can show."""
        text = plain(text).expandtabs(4)
        return ascii_only(text) if self.ascii else text

    def paint(self, text: str, hue: str) -> str:
        """Return the text in a colour where colours can be shown."""
        return colored(text, hue, force_color=True) if self.color and text else text

    def cut(self, text: str, room: int) -> str:
        """Return the beginning of a clean text that has room in so many columns, with an ellipsis where it is cut."""
        if columns(text) <= room:
            return text
        return f"{_beginning(text, room - len(self.ellipsis))}{self.ellipsis}"

    def wrap(self, text: str, room: int, first: int | None = None) -> list[str]:
        """Return a text in lines of at most so many columns, of which the first may have fewer; a word is broken only
        where it is longer than a line."""
        return packed(self.clean(text).split(), room, room if first is None else first)


def columns(text: str) -> int:
    """Return how many columns of a terminal a clean text takes: East Asian wide characters take two, marks none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def padded(text: str, room: int) -> str:
    """Return a text with spaces after it up to so many columns."""
    return text + " " * (room - columns(text))


def packed(words: list[str], room: int, first: int) -> list[str]:
    """Return words in lines of at most `room` columns, `first` in the first one."""
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
    """Return a hint in lines that fit, below its head."""
    return [*style.wrap(head, style.prose), "", *(f"  {line}" for line in style.wrap(text, style.prose - 2))]


def _beginning(text: str, room: int) -> str:
    """Return as much of a clean text's beginning as takes at most so many columns."""
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
