"""Text that others wrote, made safe to show: on a terminal, in a CI job's log, in JSON, in a table, as a name.

Text from learners, platforms and file systems may contain escape sequences, marks that change the direction of
writing, letters of no width that make two names look the same, and bytes that are no UTF-8. It may contain formulas
that a spreadsheet would run, and words that turn a line of a log into a command. Invisible characters are written as
Python escapes: `\\x1b`, `\\u202e`, `\\U000e0041`. Letters of every script stay, and so do joiners and variants where a
script or an emoji needs them.
"""

import codecs
import difflib
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TextIO

import msgspec

CAP = 8_000  # characters of one text in an export
_NAME_CAP = 300
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # categories of Unicode
# Letters and marks that have no shape either: fillers, a joiner of graphemes, vowels that are inherent
_SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_JOINERS = ("\u200c", "\u200d")
_VARIANTS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # choose the shape of what is before
_KEYCAP = "\u20e3"
_OTHER = re.compile(r"[^ -~]")
# A job's log: the workflow commands of GitHub (`::error::`) and of Azure (`##vso[`, `##[error]`)
_COMMAND = re.compile(r":(?=:)|(?<=##)\[|(?<=##vso)\[")
_COMMAND_LINE = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
# Whatever ASCII mark has a meaning in Markdown somewhere: each may be escaped (CommonMark, section 2.4)
_MARK = re.compile(r"[!-/:-@\[-`{-~]")
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection; full-width forms count in some
# locales): at the beginning of a cell, or after a semicolon, which is where some locales cut a line into cells.
_FORMULA = re.compile(r"(^|;)(?=[\s'\"]*[=+\-@\t\r＝＋－＠])")  # noqa: RUF001


def spelled(text: str, kept: str = "") -> str:
    """Return `text` with everything that is not seen spelled out, but for the characters in `kept`."""

    def one(found: re.Match[str]) -> str:
        c = found[0]
        return c if c in kept or not _unseen(c) or _belongs(found) else _spelling(c)

    return _OTHER.sub(one, text)


def plain(text: str, kept: str = "\t") -> str:
    """Return `text` for a line of a terminal or of a log: spelled out, and marks of commands pulled apart."""
    return _COMMAND.sub(lambda found: ": " if found[0] == ":" else " [", spelled(text, kept))


def paragraph(text: str) -> str:
    """Return `text` in its lines, none of which a log takes for a command; elsewhere `::` stays, as in a test's id."""
    return _COMMAND_LINE.sub(r"\1: ", spelled(text, "\n")).replace("##[", "## [").replace("##vso[", "##vso [")


def printable(text: str) -> str:
    """Return a name that can be written down and shown, whatever it is made of and however long.

    A byte that is not UTF-8 is spelled as `\\xff`. Where the locale made Python take UTF-8 for something else, the name
    is read as UTF-8 all the same, so that it is the same everywhere.
    """
    text = decoded(text)
    half = _NAME_CAP // 2
    return spelled(text if len(text) <= _NAME_CAP else f"{text[:half]}…{text[-half:]}")


def readable(path: PurePath) -> Path:
    """Return a path to be shown, and not to be opened: one that can be written down."""
    return Path(printable(str(path)))


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `; did you mean `…`?` with the name most like `word`, or nothing if none is like it.

    Args:
        cutoff: How alike two names have to be, from 0 to 1 (`difflib`'s measure).
    """
    near = difflib.get_close_matches(word, known, n=1, cutoff=cutoff)
    return f"; did you mean `{near[0]}`?" if near else ""


def decoded(text: str) -> str:
    """Return a name from the operating system with its undecodable bytes read as UTF-8 where they are that."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair: from JSON or YAML, not from a file system
        return text


def one_line(text: str) -> str:
    """Return `text` for an export, in one line and cut after `CAP` characters."""
    return plain(text if len(text) <= CAP else f"{text[:CAP]}…", "")


def few(names: Sequence[str], most: int = 5, rest: str = "more") -> str:
    """Return the first of some names in a sentence, and a word on whether there are others."""
    return ", ".join(names[:most]) + (f" and {rest}" if len(names) > most else "")


def lines(text: str) -> str:
    """Return `text` for an export, of at most `CAP` characters and a word on how many more there were.

    What is left holds no character that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets).
    """
    more = f"\n[{len(text) - CAP} more characters left out]" if len(text) > CAP else ""
    return plain(text[:CAP].replace("\r\n", "\n"), "\n\t") + more


def cell(text: str) -> str:
    """Return `text` for a cell of a table: no spreadsheet takes it for a formula, because a `'` stands before one."""
    return _FORMULA.sub(r"\1'", one_line(text))


def markdown(text: str) -> str:
    """Return `text` in one line of Markdown, in which nothing is markup: every mark is escaped."""
    return _MARK.sub(r"\\\g<0>", one_line(text))


def json_text(value: object) -> str:
    """Return `value` as indented JSON that ends in a line end, escaped as `escaped_json` does."""
    return escaped_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def escaped_json(json: str) -> str:
    """Return the same JSON, in which whatever is not seen or steers a log is spelled by JSON's own escapes.

    The data stay the same, to the character.
    """
    seen = _OTHER.sub(lambda found: _json_escape(found) if _unseen(found[0]) and found[0] != "\n" else found[0], json)
    return _COMMAND.sub(_json_escape, seen)


def take_any_text(stream: TextIO) -> None:
    """Let a stream take any text: a character that its encoding lacks is spelled out, and raises nothing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_HANDLER)


def _belongs(found: re.Match[str]) -> bool:
    """Return whether a character without a shape changes the shape of its neighbours, as scripts and emoji use it."""
    c, text, at = found[0], found.string, found.start()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if c in _JOINERS:
        return _kind(before) in ("Lo", "Mn", "Mc", "So", "Sk") and _kind(after) in ("Lo", "So")
    return bool(_VARIANTS.match(c)) and (_kind(before) in ("Lo", "So", "Sm", "Po", "Pd") or after == _KEYCAP)


def _kind(c: str) -> str:
    """Return the category of a character that is not ASCII, and nothing for others."""
    return "" if c.isascii() or c in _SHAPELESS else unicodedata.category(c)


@lru_cache(4096)
def _unseen(c: str) -> bool:
    return unicodedata.category(c) in _UNSEEN or c in _SHAPELESS or bool(_VARIANTS.match(c))


def _spelling(c: str) -> str:
    number = ord(c)
    if 0xDC80 <= number <= 0xDCFF:  # how Python holds a byte that is not UTF-8
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _in_what_there_is(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join("..." if c == "…" else _spelling(c) for c in missing), error.end


_HANDLER = "backward.spelled"
codecs.register_error(_HANDLER, _in_what_there_is)
