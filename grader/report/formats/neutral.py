"""What learners and platforms wrote, made harmless for those who open an export.

Names, times, messages and output may hold anything: formulas that a spreadsheet would run, control characters that an
XML file must not hold, marks that turn the direction of writing, and the words by which a line of a CI job's log
becomes a command.
"""

import re

from ..shown import spelled

CAP = 8_000
_JOINERS = "\u200c\u200d"  # names in Persian and in Indian scripts are spelled with them
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection; full-width forms count in some
# locales): at the beginning of a cell, or after a semicolon, which is where some locales cut a line into cells.
_FORMULA = re.compile(r"(^|;)(?=[\s'\"]*[=+\-@\t\r＝＋－＠])")  # noqa: RUF001


def one_line(text: str) -> str:
    """Text in one line, every character of which is seen: others are spelled out, as `\\x1b`. Cut after `CAP`."""
    return spelled(text if len(text) <= CAP else f"{text[:CAP]}…", _JOINERS)


def lines(text: str) -> str:
    """Text in several lines, of at most `CAP` characters and a word on how many more there were.

    What is left holds no character that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets).
    """
    more = f"\n[{len(text) - CAP} more characters left out]" if len(text) > CAP else ""
    return spelled(text[:CAP].replace("\r\n", "\n"), "\n\t" + _JOINERS) + more


def cell(text: str) -> str:
    """Text for a cell of a table, which no spreadsheet takes for a formula: where one would begin, a `'` is put."""
    return _FORMULA.sub(r"\1'", one_line(text))
