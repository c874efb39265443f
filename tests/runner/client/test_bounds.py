"""Text from a submission is cut if it is too long, with a mark, so that it takes limited space in a report."""

import msgspec
import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.base.text import escaped_json
from grader.runner.client.bounds import OUTPUT, cut, cut_output

LARGE = 256  # KB: more than a report keeps, whatever the course says


def spelled(text: str) -> int:
    """Return how many bytes a text takes in a report."""
    return len(escaped_json(msgspec.json.encode(text).decode()).encode()) - len('""')


@every(("expected", "text", "most"), [("", "", 3), ("abc", "abc", 3), ("ab…", "abcd", 3), ("∇∇…", "∇" * 9, 3)])
def test_a_text_that_is_cut_ends_in_a_mark(expected: str, text: str, most: int) -> None:
    """A short text stays unchanged. A long text is cut and ends in a mark, within the limit."""
    assert expected == cut(text, most)


@every("text", ["", "1\n2\n", "x" * OUTPUT, "naïve ∇ 😀\n" * 20, "a: 1\n" * 2_000])
def test_output_that_fits_stays_as_it_is(text: str) -> None:
    """The output of an ordinary learner is kept completely."""
    assert text == cut_output(text, LARGE)


@every(
    ("expected", "text", "output_kb", "lost"),
    [
        ("x" * 1_024 + "\n[1 more bytes left out]\n", "x" * 1_025, 1, 0),
        ("x" * 1_024 + "\n[8 more bytes left out]\n", "x" * 1_025, 1, 7),
        ("x\n[7 more bytes left out]\n", "x", 1, 7),
        ("x" * OUTPUT + "\n[3 more bytes left out]\n", "x" * OUTPUT + "€", LARGE, 0),
        ("\x1b" * 170 + "\n[30 more bytes left out]\n", "\x1b" * 200, 1, 0),
    ],
)
def test_output_that_is_cut_says_how_much_is_missing(expected: str, text: str, output_kb: int, lost: int) -> None:
    """Bytes that were lost earlier are counted too. A character counts as many bytes as in JSON."""
    assert expected == cut_output(text, output_kb, lost)


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(max_size=5), st.integers(1, 20_000)), max_size=4), st.integers(1, LARGE))
@settings(max_examples=100, database=None, derandomize=True)
def test_no_output_takes_more_of_a_report_than_it_may(parts: list[tuple[str, int]], output_kb: int) -> None:
    """Any output takes at most the course's limit in a report, and never more than `OUTPUT`."""
    text = "".join((part * times)[:20_000] for part, times in parts).encode("utf-8", "replace").decode()
    mark = len("\n[1234567 more bytes left out]\n") + 2
    assert spelled(cut_output(text, output_kb)) <= min(output_kb << 10, OUTPUT) + mark
