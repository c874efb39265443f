"""The page for assistants."""

import re
from pathlib import Path

import click
import msgspec
import pytest

from grader.author.release import shown
from grader.cli.main import COMMANDS, GRADE
from grader.course.load import Course, load_course
from grader.verdict.report import CheckResult, ExerciseResult
from grader.words.assistant import page

ROOT = Path(__file__).resolve().parents[2]
COURSES = [load_course(ROOT), load_course(ROOT / "examples" / "tape")]
LINES = 60  # of a page
FIELDS = {"status", "program", "actual", "expected", "message", "diagnosis", "facts"}


def commands(text: str) -> list[str]:
    return [" ".join(words.split()) for words in re.findall(r"`grade\s([^`]+)`", text)]


@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.id)
def test_its_commands_exist(course: Course) -> None:
    """`grade` accepts the words and options of each command that the page names, and knows the exercise."""
    named, named_alone = commands(page(course)), []
    assert len(named) > 8
    for words in map(str.split, named):
        name, rest = (words[0], words[1:]) if words[0] in COMMANDS else ("", words)
        command = GRADE.get_command(click.Context(GRADE), name)
        assert command is not None
        try:
            context = command.make_context(name, rest)
        except click.exceptions.Exit:  # after --help
            continue
        except click.MissingParameter:  # `grade solution` of any exercise
            named_alone.append(name)
            continue
        for word in filter(None, (context.params.get("exercise"), *(context.params.get("words") or ()))):
            assert any(word in exercise.names for exercise in course.exercises), words
    assert ["solution"] == named_alone


def test_the_fields_that_it_names_are_those_of_a_report() -> None:
    """Each field is in the page, and in a report's check or exercise."""
    known = {field.name for kind in (CheckResult, ExerciseResult) for field in msgspec.structs.fields(kind)}
    assert FIELDS <= known & set(re.findall(r"`(\w+)`", page(COURSES[0])))


@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.id)
def test_it_shows_nothing_that_a_learner_may_not_read(course: Course) -> None:
    """It has no solution and no hidden check, and fits a page."""
    text = page(course)
    assert ([], True) == (list(shown(course, text)), text.count("\n") <= LINES)
