"""The files that a learner begins with."""

import json
from collections.abc import Callable

from grader.author.release import start_files
from grader.course.load import Course
from grader.course.oracle.answer_book import AnswerBook

WithSolution = Callable[..., Course]
STUBS = {"first": "# TODO: ½?\n", "second": "# TODO\n"}
BOOK = AnswerBook(format=2, torch="none", stubs=STUBS, known={}, answers={})


def test_stubs_are_handed_out(with_solution: WithSolution) -> None:
    """A learner gets every stub from the answer book, a README with the course's title if the course has none,
    and a page for assistants."""
    files = start_files(with_solution("", ""), BOOK)
    assert "# TODO: ½?\n".encode() == files["exercises/01_first.py"]
    assert {"README.md", "AGENTS.md", ".gitignore", ".vscode/settings.json"} <= files.keys()
    assert b"01 first" in files["README.md"]


def test_a_course_gives_its_own_page_and_glossary(with_solution: WithSolution) -> None:
    """`LEARNERS.md` becomes the README."""
    course = with_solution("", "")
    (course.folder / "docs").mkdir()
    (course.folder / "docs" / "glossary.md").write_text("words\n")
    (course.folder / "LEARNERS.md").write_text("read me\n")
    files = start_files(course, BOOK)
    assert (b"read me\n", b"words\n") == (files["README.md"], files["docs/glossary.md"])


def test_the_glossary_is_that_of_learners(with_solution: WithSolution) -> None:
    """It has no section for authors, and no column of phrases that must not be used."""
    course = with_solution("", "")
    (course.folder / "docs").mkdir()
    table = "| term | meaning | not |\n|---|---|---|\n| leaf | `a` | end |\n"
    (course.folder / "docs" / "glossary.md").write_text(f"words\n\n{table}\n## For authors\n\nmutant\n")
    expected = "words\n\n| term | meaning |\n|---|---|\n| leaf | `a` |\n"
    assert expected.encode() == start_files(course, BOOK)["docs/glossary.md"]


def test_git_and_editors_leave_out_what_is_no_work(with_solution: WithSolution) -> None:
    """Reports, copies and progress are in `.backward`."""
    files = start_files(with_solution("", ""), BOOK)
    assert b".backward/" in files[".gitignore"]
    assert json.loads(files[".vscode/settings.json"])["files.exclude"]["**/.backward"]
