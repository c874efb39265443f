import csv
import io
import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.formats.neutral import CAP, cell, lines, one_line
from grader.report.formats.people import table

ANY_TEXT = st.text(st.characters(), max_size=40)
FORMULAS = st.text(st.sampled_from("=+-@\t\r\n;,'\" \xa0\\＝＋－＠ax1:#[\x00"), max_size=12)  # noqa: RUF001
TEXTS = ANY_TEXT | FORMULAS
BEGINS_A_FORMULA = re.compile(r"[\s'\"]*[=+\-@\t\r＝＋－＠]")  # noqa: RUF001


def without_prefix(text: str) -> str:
    """What stood there before the documented `'` was put in."""
    return re.sub(r"(^|;)'(?=[\s'\"]*[=+\-@＝＋－＠])", r"\1", text)  # noqa: RUF001


@given(TEXTS)
def test_no_cell_begins_a_formula(text: str) -> None:
    """Neither the cell, nor a part of it that a semicolon cuts off, begins with what a spreadsheet takes for one."""
    for part in cell(text).split(";"):
        assert not BEGINS_A_FORMULA.match(part) or part.startswith("'")
        assert part[:1] not in tuple("=+-@\t\r")


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=4), max_size=4))
def test_a_table_reads_back(rows: list[list[str]]) -> None:
    """A CSV reader finds every cell, which is what was written but for the prefix."""
    found = list(csv.reader(io.StringIO("".join(table(["a", "b"], rows)), newline=""), strict=True))
    assert [["a", "b"], *[[one_line(text) for text in row] for row in rows]] == [
        found[0],
        *[[without_prefix(text) for text in row] for row in found[1:]],
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\xa0=1", "'\xa0=1"),
        ("'=1", "''=1"),
        ("\"'=1", "'\"'=1"),
        ("\t=1", "\\x09=1"),
        ("\r=1", "\\x0d=1"),
        ("\n", "\\x0a"),
        ("＝1", "'＝1"),  # noqa: RUF001
        ("Doe;=1;b", "Doe;'=1;b"),
        ("Jane O'Neil-Smith", "Jane O'Neil-Smith"),
        ("jane+a@example.org", "jane+a@example.org"),
        ("'quoted'", "'quoted'"),
        ("", ""),
    ],
)
def test_what_becomes_of_a_cell(text: str, expected: str) -> None:
    """Formulas get a `'`, control characters are spelled out, the rest stays."""
    assert expected == cell(text)


def test_numbers_of_ours_stay_numbers() -> None:
    """A negative number is a number; the same as a text is a formula."""
    assert ["n\r\n", "-3,-0.5,'-3\r\n"] == list(table(["n"], [[-3, -0.5, "-3"]]))


@given(TEXTS)
def test_one_line_is_seen_whole(text: str) -> None:
    """No character of it breaks the line, moves a cursor or cannot be written down."""
    shown = one_line(text)
    shown.encode()
    assert all(c.isprintable() or c in "\u200c\u200d" or c.isspace() for c in shown)
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"[\t\x00-\x1f\x7f-\x9f]|::|##\[", shown)


@given(TEXTS)
def test_lines_are_xml(text: str) -> None:
    """An XML parser reads the text back as it is."""
    shown = lines(text)
    assert (shown or None) == ElementTree.fromstring(f"<a>{escape(shown)}</a>").text
    assert not re.search(r"::|##\[", shown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\tb\r\nc", "a\n\tb\nc"),
        ("\x1b[31m\x00\r", "\\x1b[31m\\x00\\x0d"),
        ("\ud800\ufffe\u202e\u2028", "\\xd800\\xfffe\\x202e\\x2028"),
        ("::error::x", ": :error: :x"),
        ("##[error]x", "## [error]x"),
        ("क्\u200dष 日本 \U0001f642", "क्\u200dष 日本 \U0001f642"),
    ],
)
def test_what_becomes_of_lines(text: str, expected: str) -> None:
    """Lines and tabs stay; what is not seen is spelled out, what steers a log is pulled apart."""
    assert expected == lines(text)


def test_long_texts_are_cut() -> None:
    """An export of a class does not grow with what one learner prints."""
    assert "x" * CAP == lines("x" * CAP)
    assert "x" * CAP + "\n[7 more characters left out]" == lines("x" * (CAP + 7))
    assert "x" * CAP + "…" == one_line("x" * (CAP + 7))
