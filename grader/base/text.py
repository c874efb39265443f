"""Make untrusted text safe to show: on a terminal, in a CI log, in JSON, in a table, as a name. Fit it to a terminal.

Text from learners, platforms and file systems may contain escape sequences, marks that change the
direction of writing, letters of no width that make two names look the same, and bytes that are not
UTF-8. It may contain formulas that a spreadsheet would run, and words that turn a line of a log
into a command. Invisible characters are replaced by Python escapes: `\\x1b`, `\\u202e`,
`\\U000e0041`. Letters of every script are kept, and so are joiners and variation selectors where a
script or an emoji needs them.
"""

import codecs
import difflib
import hashlib
import io
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TextIO

import msgspec
from msgspec import Struct
from termcolor import colored

CAP = 8_000  # characters of one text in an export
_NAME_CAP = 300  # characters of a name
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # Unicode categories
# Letters and marks that are invisible too: fillers, the grapheme joiner, inherent vowels
_SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_JOINERS = ("\u200c", "\u200d")
_VARIANTS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # variation selectors
_KEYCAP = "\u20e3"
_OTHER = re.compile(r"[^ -~]")  # everything but printable ASCII
# A job's log: the workflow commands of GitHub (`::error::`) and of Azure (`##vso[`, `##[error]`)
_COMMAND = re.compile(r":(?=:)|(?<=##)\[|(?<=##vso)\[")
_COMMAND_LINE = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
# ASCII punctuation, which may have a meaning in Markdown; all of it may be escaped (CommonMark, section 2.4)
_MARK = re.compile(r"[!-/:-@\[-`{-~]")
# Characters that begin a formula in a spreadsheet (OWASP, CSV Injection; full-width forms count in some locales),
# at the beginning of a cell or after a semicolon, which separates cells in some locales.
_FORMULA = re.compile(r"(^|;)(?=[\s'\"]*[=+\-@\t\r＝＋－＠])")  # noqa: RUF001


def spelled(text: str, kept: str = "") -> str:
    """Return `text` with invisible characters escaped, except those in `kept`."""

    def one(match: re.Match[str]) -> str:
        c = match[0]
        return c if c in kept else _shown(c) or (c if _belongs(match) else _spelling(c))

    return _OTHER.sub(one, text)


def plain(text: str, kept: str = "\t") -> str:
    """Return `text` for a line of a terminal or a log.

    Invisible characters are escaped, and a space is inserted into the marks of log commands.
    """
    return _COMMAND.sub(lambda match: ": " if match[0] == ":" else " [", spelled(text, kept))


def paragraph(text: str) -> str:
    """Return a text of several lines for a log. None of its lines acts as a command.

    `::` is kept inside a line, as in the id of a test.
    """
    return _COMMAND_LINE.sub(r"\1: ", spelled(text, "\n")).replace("##[", "## [").replace("##vso[", "##vso [")


def printable(text: str) -> str:
    """Return a name from a file system in a form that can be shown, with at most about 300 characters.

    Invisible characters are escaped, and a byte that is not UTF-8 becomes `\\xff`. A name that Python decoded by
    another encoding, because of the locale, is decoded again as UTF-8.
    """
    text = decoded(text)
    half = _NAME_CAP // 2
    return spelled(text if len(text) <= _NAME_CAP else f"{text[:half]}…{text[-half:]}")


def readable(path: PurePath) -> Path:
    """Return a path in a form that can be shown. It may not open the file."""
    return Path(printable(str(path)))


def shown_path(path: Path) -> str:
    """Return a path relative to the current folder, in a form that can be shown.

    The result leads upward by at most two folders. A path that would need more is shown unchanged.
    """
    here = Path.cwd()
    if path.is_relative_to(here):
        return plain(str(path.relative_to(here)))
    from_here = str(relative_to(path, here))
    far = from_here.startswith(os.path.join("..", "..", ".."))
    return plain(str(path) if far else from_here)


def relative_to(path: Path, folder: Path) -> Path:
    """Return a path relative to a folder; unchanged if it is on another drive, as on Windows."""
    try:
        return Path(os.path.relpath(path, folder))
    except ValueError:
        return path


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `; did you mean `…`?` with the known name most similar to `word`, or an empty string.

    Args:
        cutoff: the least similarity, from 0 to 1 (`difflib`'s measure).
    """
    near = difflib.get_close_matches(word, known, n=1, cutoff=cutoff)
    return f"; did you mean `{near[0]}`?" if near else ""


def decoded(text: str) -> str:
    """Return a name from the operating system with its undecodable bytes decoded as UTF-8 where possible."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate from JSON or YAML, not from a file system
        return text


def one_line(text: str) -> str:
    """Return `text` in one line for an export, cut after `CAP` characters."""
    return plain(text if len(text) <= CAP else f"{text[:CAP]}…", "")


def instant(text: str) -> datetime | None:
    """Return a time in ISO 8601 as a `datetime`, in UTC if it has no offset, or None for any other text."""
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def of_type(name: str) -> str:
    """Return words for an object by the name of its type: `None`, or the name after its article, such as `an int`."""
    if name == "NoneType":
        return "None"
    return f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}"


def letters(text: str) -> str:
    """Return a text for a comparison: in lower case, and with nothing but its letters and digits."""
    return "".join(c for c in text.casefold() if c.isalnum())


def counted(number: float, one: str) -> str:
    """Return a number with its noun in the singular or the plural, such as `1 point` and `2 points`."""
    shown = f"{number:g}" if isinstance(number, float) else str(number)
    return f"{shown} {one}{'s' * (number != 1)}"


def few(names: Sequence[str], most: int, rest: str = "more") -> str:
    """Return the first `most` names, separated by commas. If there are more, `and` and `rest` follow."""
    return ", ".join(names[:most]) + (f" and {rest}" if len(names) > most else "")


def lines(text: str) -> str:
    """Return a text of several lines for an export, cut after `CAP` characters with a note on the rest.

    The result has no character that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets).
    """
    more = f"\n[{len(text) - CAP} more characters left out]" if len(text) > CAP else ""
    return plain(text[:CAP].replace("\r\n", "\n"), "\n\t") + more


def cell(text: str) -> str:
    """Return `text` for a cell of a table. A `'` is put before any text that a spreadsheet would run as a formula."""
    return _FORMULA.sub(r"\1'", one_line(text))


def markdown(text: str) -> str:
    """Return `text` in one line of Markdown, with all punctuation escaped so that nothing acts as markup."""
    return _MARK.sub(r"\\\g<0>", one_line(text))


def json_text(value: object) -> str:
    """Return `value` as indented JSON with a final newline, escaped by `escaped_json`."""
    return escaped_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def escaped_json(json: str) -> str:
    """Return the same JSON with invisible characters and log commands written as JSON escapes.

    The decoded data is identical.
    """
    seen = _OTHER.sub(lambda match: _json_escape(match[0]) if match[0] != "\n" else "\n", json)
    return _COMMAND.sub(lambda match: _json_escape(match[0], always=True), seen)


def ascii_only(text: str) -> str:
    """Return a text in ASCII: with `...` for an ellipsis, and an escape for every other character outside ASCII."""
    return text if text.isascii() else text.encode("ascii", _HANDLER).decode("ascii")


def text_digest(text: str) -> str:
    """Return the SHA-256 of a file's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def take_any_text(stream: TextIO) -> None:
    """Make a stream accept any text: characters that its encoding lacks are written as escapes."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_HANDLER)


def _belongs(match: re.Match[str]) -> bool:
    """Return whether an invisible character is one that a script or an emoji needs at this place."""
    c, text, at = match[0], match.string, match.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    # a joiner joins two letters or emojis; a selector changes the one before it, or makes a keycap
    if c in _JOINERS:
        return _kind(before) in ("Lo", "Mn", "Mc", "So", "Sk") and _kind(after) in ("Lo", "So")
    return bool(_VARIANTS.match(c)) and (_kind(before) in ("Lo", "So", "Sm", "Po", "Pd") or after == _KEYCAP)


def _kind(c: str) -> str:
    """Return the Unicode category of a visible character that is not ASCII, else an empty string."""
    return "" if c.isascii() or c in _SHAPELESS else unicodedata.category(c)


def _unseen(c: str) -> bool:
    return unicodedata.category(c) in _UNSEEN or c in _SHAPELESS or bool(_VARIANTS.match(c))


@lru_cache(4096)
def _shown(c: str) -> str:
    """Return a character as it is shown wherever it stands; an empty string if that depends on its neighbours."""
    if not _unseen(c):
        return c
    return "" if c in _JOINERS or _VARIANTS.match(c) else _spelling(c)


def _spelling(c: str) -> str:
    number = ord(c)
    if 0xDC80 <= number <= 0xDCFF:  # a surrogate escape: Python's form of a byte that is not UTF-8
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


@lru_cache(4096)
def _json_escape(c: str, always: bool = False) -> str:
    """Return an invisible character, or any if `always`, as a JSON escape."""
    if not (always or _unseen(c)):
        return c
    units = c.encode("utf-16-be", "surrogatepass")  # JSON writes a character beyond the first 65,536 as two
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _in_what_there_is(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join("..." if c == "…" else _spelling(c) for c in missing), error.end


_HANDLER = "backward.spelled"
codecs.register_error(_HANDLER, _in_what_there_is)


# -- Style text for a terminal: its width, its colours, and the columns that wide characters take

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

    def wrap(self, text: str, room: int | None = None) -> list[str]:
        """Return a text in lines of at most `room` columns, with commands in backquotes as they can be run.

        By default, the lines have the width of prose. A word is broken only if it is longer than a line.
        """
        room = self.prose if room is None else room
        words = _WORDS.findall(self.clean(self.runnable(text))) if self.grade != "grade" else self.clean(text).split()
        return packed(words, room)


def columns(text: str) -> int:
    """Return the number of terminal columns of a clean text.

    East Asian wide characters take two columns, and combining marks take none.
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def padded(text: str, room: int) -> str:
    """Return a text padded with spaces to `room` columns."""
    return text + " " * (room - columns(text))


def packed(words: list[str], room: int, first: int | None = None) -> list[str]:
    """Return words in lines of at most `room` columns. The first line has at most `first` columns, if that is given."""
    first = room if first is None else first
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
        # a word that is longer than a line is broken, at least two columns at a time
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
