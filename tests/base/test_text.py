"""Text from others is shown completely, and cannot control the program that shows it."""

import csv
import io
import json
import re
import unicodedata
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from every import every
from hypothesis import example, given
from hypothesis import strategies as st

from grader.base.text import (
    CAP,
    cell,
    counted,
    escaped_json,
    few,
    json_text,
    lines,
    one_line,
    paragraph,
    plain,
    printable,
    readable,
    take_any_text,
)
from grader.verdict.formats.rows import table

ANY_TEXT = st.text(st.characters(), max_size=40)
FORMULAS = st.text(st.sampled_from("=+-@\t\r\n;,'\" \xa0\\＝＋－＠ax1:#[\x00"), max_size=12)  # noqa: RUF001
TEXTS = ANY_TEXT | FORMULAS
BEGINS_A_FORMULA = re.compile(r"[\s'\"]*[=+\-@\t\r＝＋－＠]")  # noqa: RUF001


@every(
    ("expected", "number"), [("0 points", 0), ("1 point", 1), ("2 points", 2), ("1 point", 1.0), ("1.5 points", 1.5)]
)
def test_a_number_has_its_noun(expected: str, number: float) -> None:
    """The noun is in the singular for 1, and in the plural for everything else."""
    assert expected == counted(number, "point")


def without_prefix(text: str) -> str:
    """Return the text without the documented `'`."""
    return re.sub(r"(^|;)'(?=[\s'\"]*[=+\-@＝＋－＠])", r"\1", text)  # noqa: RUF001


@given(TEXTS)
def test_no_cell_begins_a_formula(text: str) -> None:
    """Neither a cell nor a part of it after a semicolon begins like a formula of a spreadsheet."""
    for part in cell(text).split(";"):
        assert not BEGINS_A_FORMULA.match(part) or part.startswith("'")
        assert part[:1] not in tuple("=+-@\t\r")


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=4), max_size=4))
def test_a_table_reads_back(rows: list[list[str]]) -> None:
    """A CSV reader finds every cell unchanged, except for the prefix."""
    found = list(csv.reader(io.StringIO("".join(table(["a", "b"], rows)), newline=""), strict=True))
    assert [["a", "b"], *[[one_line(text) for text in row] for row in rows]] == [
        found[0],
        *[[without_prefix(text) for text in row] for row in found[1:]],
    ]


@every(
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
    """Formulas get a `'`, control characters are escaped, and the rest stays."""
    assert expected == cell(text)


def test_numbers_of_ours_stay_numbers() -> None:
    """A negative number is a number; the same as a text is a formula."""
    assert ["n\r\n", "-3,-0.5,'-3\r\n"] == list(table(["n"], [[-3, -0.5, "-3"]]))


@given(TEXTS)
def test_one_line_is_seen_whole(text: str) -> None:
    """No character breaks the line, moves a cursor or cannot be written."""
    shown = one_line(text)
    shown.encode()
    assert all(c.isprintable() or c in "\u200c\u200d" or c.isspace() for c in shown)
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"[\t\x00-\x1f\x7f-\x9f]|::|##\[", shown)


@given(TEXTS)
def test_lines_are_xml(text: str) -> None:
    """An XML parser reads the text unchanged."""
    shown = lines(text)
    assert (shown or None) == ElementTree.fromstring(f"<a>{escape(shown)}</a>").text
    assert not re.search(r"::|##\[", shown)


@every(
    ("text", "expected"),
    [
        ("a\n\tb\r\nc", "a\n\tb\nc"),
        ("\x1b[31m\x00\r", "\\x1b[31m\\x00\\x0d"),
        ("\ud800\ufffe\u202e\u2028", "\\ud800\\ufffe\\u202e\\u2028"),
        ("::error::x", ": :error: :x"),
        ("##[error]x", "## [error]x"),
        ("क्\u200dष 日本 \U0001f642", "क्\u200dष 日本 \U0001f642"),
    ],
)
def test_what_becomes_of_lines(text: str, expected: str) -> None:
    """Lines and tabs stay, invisible characters are escaped, and commands to a log are broken up."""
    assert expected == lines(text)


def test_long_texts_are_cut() -> None:
    """The output of one learner does not make an export of a class large."""
    assert "x" * CAP == lines("x" * CAP)
    assert "x" * CAP + "\n[7 more characters left out]" == lines("x" * (CAP + 7))
    assert "x" * CAP + "…" == one_line("x" * (CAP + 7))


# -- what is seen, and what is not ---------------------------------------------------------------------------

UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@given(text=st.one_of(st.text(), st.text(":#[a \n")))
@example(text=":::")
def test_plain_text_is_harmless_and_otherwise_unchanged(text: str) -> None:
    """No control character and no workflow command is left. Text that is already plain stays unchanged."""
    shown = plain(text)
    assert [] == [c for c in shown if unicodedata.category(c) in UNSEEN and c not in "\t\u200c\u200d"]
    assert [] == [mark for mark in ("\n", "::", "##[", "##vso[") if mark in shown]
    assert shown == plain(shown)


@every(
    ("text", "expected"),
    [
        ("größer → 3 · ½ 日本 🙂", "größer → 3 · ½ 日本 🙂"),
        ("a\tb", "a\tb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb", "a\\x0ab"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202e\u200b\ufeff", "\\u202e\\u200b\\ufeff"),
        ("\U000e0041\U000e007f", "\\U000e0041\\U000e007f"),
        ("\u2066\u2069\u061c\u180e\u2060\u00ad", "\\u2066\\u2069\\u061c\\u180e\\u2060\\xad"),
        ("\u115f\u3164\uffa0\u034f", "\\u115f\\u3164\\uffa0\\u034f"),
        ("\ud800", "\\ud800"),
        ("b\udcffb", "b\\xffb"),
        ("::error file=a::b", ": :error file=a: :b"),
        ("##[group]a # b: c", "## [group]a # b: c"),
        ("##vso[task.complete]", "##vso [task.complete]"),
    ],
)
def test_characters_are_spelled_out(text: str, expected: str) -> None:
    """Letters of any script stay. Invisible characters are written as their number."""
    assert expected == plain(text)


@every(
    "text",
    [
        "می\u200cخواهم",  # Persian  # noqa: RUF001
        "क्\u200dष",  # Devanagari
        "\U0001f469\u200d\U0001f4bb",  # a woman at a computer
        "\U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525",  # a heart on fire
        "1\ufe0f\u20e3",  # a keycap
        "葛\U000e0100城",  # a variant of a character, as in a name
        "山田\u3000太郎",
    ],
)
def test_what_scripts_and_emoji_are_written_with_stays(text: str) -> None:
    """Joiners and variants stay if they change the visible text."""
    assert (text, text, text, text) == (plain(text), printable(text), one_line(text), lines(text))


@every("c", ["\u200c", "\u200d", "\ufe0f", "\ufe00", "\U000e0100", "\u180b", "\ufeff", "\U000e0061"])
@every("place", ["{}bob", "b{}ob", "bob{}", "b{} ob", "7{}7", "é{}a"])
def test_two_names_that_look_the_same_are_told_apart(c: str, place: str) -> None:
    """In a name of Latin letters, an invisible character is escaped."""
    assert place.format(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}") == printable(place.format(c))


def test_every_character_without_a_shape_is_spelled_out() -> None:
    """All characters that Unicode calls ignorable by default are escaped, if this Python knows them."""
    ignorable = [0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)]
    ignorable += [*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0]
    ignorable += [*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)]
    assert [] == [hex(number) for number in ignorable if chr(number) in plain(f"a{chr(number)}b")]


@every(
    ("text", "expected"),
    [
        ("two\nlines", "two\nlines"),
        ("grade: test_a.py::test_b failed", "grade: test_a.py::test_b failed"),
        ("a\n::error::b", "a\n: :error::b"),
        ("a\n  ::error::b", "a\n  : :error::b"),
        ("a ##[error]b\x1b[2J", "a ## [error]b\\x1b[2J"),
    ],
)
def test_what_becomes_of_a_paragraph(text: str, expected: str) -> None:
    """A message keeps its lines, and none of them is a command to a log."""
    assert expected == paragraph(text)


# -- names ---------------------------------------------------------------------------------------------------


@every(
    ("expected", "text"),
    [
        ("größe 🙂.py", "größe 🙂.py"),
        ("a\\x0ab\\x1b[2J", "a\nb\x1b[2J"),
        ("\\xff.py", "\udcff.py"),
        ("\\ud800", "\ud800"),
        ("\\u202eyp.a", "\u202eyp.a"),
        ("Jörg", "J\udcc3\udcb6rg"),  # as Python has it where the locale is C
        ("x" * 150 + "…" + "x" * 150, "x" * 9999),
    ],
)
def test_names_are_shown_so_that_they_do_no_harm(expected: str, text: str) -> None:
    """Characters that would control a terminal, or cannot be in a report, are escaped."""
    assert expected == printable(text)
    assert Path(expected) == readable(Path(text))


@given(st.text(st.characters()))
def test_every_name_can_be_shown(text: str) -> None:
    """Any text becomes a completely visible text that can be encoded."""
    shown = printable(text)
    assert [] == [c for c in shown if unicodedata.category(c) in UNSEEN and c not in "\u200c\u200d"]
    assert shown == shown.encode().decode()


# -- JSON ----------------------------------------------------------------------------------------------------


@given(st.lists(TEXTS, max_size=4) | st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_json_says_the_same_and_shows_all_of_it(value: object) -> None:
    """The data is read back unchanged. The file has no invisible characters and no commands."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    shown = escaped_json(written)
    assert value == json.loads(shown)
    assert [] == [c for c in shown if unicodedata.category(c) in UNSEEN and c != "\n"]
    assert not re.search(r"::|##(vso)?\[", shown)


@every(
    ("text", "expected"),
    [("a\ufeffb", '"a\\ufeffb"'), ("\U000e0041", '"\\udb40\\udc41"'), ("a::b", '"a\\u003a:b"'), ("é→🙂", '"é→🙂"')],
)
def test_how_json_is_escaped(text: str, expected: str) -> None:
    """JSON's own escapes are used. A character beyond the first 65,536 takes two."""
    assert expected == escaped_json(json.dumps(text, ensure_ascii=False))


def test_json_for_files_is_indented_and_escaped() -> None:
    """It ends with a line end, as text files do."""
    assert '{\n  "a": [\n    "\\ufeff"\n  ]\n}\n' == json_text({"a": ["\ufeff"]})


@every(("expected", "names"), [("", ""), ("a, b", "ab"), ("a, b and more", "abc")])
def test_few_names_stand_for_all(expected: str, names: str) -> None:
    """The number of shown names is limited, and a text says whether there are others."""
    assert expected == few(names, 2)


# -- streams -------------------------------------------------------------------------------------------------


@every(
    ("encoding", "expected"),
    [
        ("ascii", "\\u2207L \\xe9... \\xff \\U0001f642"),
        ("latin-1", "\\u2207L é... \\xff \\U0001f642"),
        ("utf-8", "∇L é… \\xff 🙂"),
    ],
)
def test_a_stream_takes_what_its_encoding_lacks(encoding: str, expected: str) -> None:
    """A character that cannot be written is escaped, and so is a byte of a name."""
    under = io.BytesIO()
    stream = io.TextIOWrapper(under, encoding, errors="strict")
    take_any_text(stream)
    stream.write("∇L é… \udcff 🙂")
    stream.flush()
    assert expected == under.getvalue().decode(encoding)


def test_a_stream_that_takes_all_stays_as_it_is() -> None:
    """A stream that is not a file stays unchanged."""
    stream = io.StringIO()
    take_any_text(stream)
    stream.write("∇")
    assert "∇" == stream.getvalue()
