"""The project's prose follows the rules of its glossary and style."""

from pathlib import Path

import pytest
from prose import ROOT, Passage, banned_terms, docstrings, look, markdown, remarks, texts

BANNED = banned_terms((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))


def wrong(path: Path, text: str) -> list[str]:
    return [str(remark) for remark in look(Passage(path, 1, text), BANNED)]


@pytest.mark.slow
def test_all_prose_keeps_to_the_rules() -> None:
    """No page, docstring or text of the course breaks a rule."""
    assert [] == [str(remark) for remark in remarks()]


def test_the_glossary_bans_terms() -> None:
    """Each term in the column "not" has the term to write."""
    assert "local derivative" == BANNED["slope"]


def test_a_banned_term_is_found() -> None:
    """A banned term is found across the end of a line, with its line number, but not in code."""
    page = ROOT / "page.md"
    expected = ['page.md:2: "gradient that\narrives": write "upstream gradient"']
    assert expected == wrong(page, "Multiply by\nthe gradient that\narrives, not by `slope`.")


@pytest.mark.parametrize(("words", "found"), [(35, 0), (36, 1)])
def test_a_long_sentence_is_found(words: int, found: int) -> None:
    """A sentence may have 35 words. It also ends at an item of a list and a cell of a table."""
    sentence = " ".join(["word"] * words)
    assert found == len(wrong(ROOT / "page.py", f"Short. {sentence}\n\n- item {'x ' * 20}\n- item {'x ' * 20}"))


def test_a_docstring_that_begins_with_what_or_whether_is_found(tmp_path: Path) -> None:
    """Every docstring must begin with a verb or a noun."""
    path = ROOT / "page.py"
    for first in ("What", "Whether"):
        expected = [f'page.py:1: begins with "{first}"; begin with a verb, or name the thing']
        assert expected == wrong(path, f"{first} it is.")
    module = tmp_path / "module.py"
    module.write_text('"""One."""\n\nclass C:\n    def f(self):\n        """Two."""\n', encoding="utf-8")
    assert [("One.", 1), ("Two.", 5)] == [(passage.text, passage.line) for passage in docstrings(module)]


def test_a_long_line_of_markdown_is_found(tmp_path: Path) -> None:
    """A line has at most 100 columns, except in tables and code."""
    page = tmp_path / "page.md"
    page.write_text(f"```\n{'x' * 120}\n```\n| {'y' * 120} |\n{'z' * 101}\n", encoding="utf-8")
    passage = Passage(ROOT / "page.md", 1, markdown(page).text)
    assert ["page.md:5: 101 columns; at most 100"] == [str(remark) for remark in look(passage, BANNED)]


def test_texts_of_a_course_are_found(tmp_path: Path) -> None:
    """Titles, explanations and hints are prose; other keys are not."""
    page = tmp_path / "course.yaml"
    page.write_text("checks:\n  one: {points: 1, title: a, hint: 3}\nhints:\n- b\n", encoding="utf-8")
    assert [("3", 2), ("a", 2), ("b", 4)] == sorted((passage.text, passage.line) for passage in texts(page))
