"""Each command runs once in a process of its own, as it is installed. Most other tests run it in theirs."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.cli.main import COMMANDS
from grader.course.load import COMMANDS as RESERVED

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]

# commands with words, in an order in which each finds what it needs, and what their output contains
LEARNER = {
    "start": " exercises written to exercises",
    "list": "> TODO     01 distribute",
    "next": "Next: open exercises/01_distribute.py",
    "1": "Score 0/5",
    "hint 1 2": "Hint 2 of 5",
    "play 1 --no-open --out play.html": "Replay: play.html",
    "reset 1": "there is nothing to reset",
    "solution 1": "",
    "completion fish": "_GRADE_COMPLETE",
}
INSTRUCTOR = {
    "cohort class --out results --jobs 1 --seed 'backward 2026.1'": "2 of 2 submissions graded",
    "page results": "results/page.html",
    "export results --to csv --out -": "ann",
    "decide results bob --keep no_files --why so": "bob: no_files: the result is kept",
    "compare results results": "0 of 2 learners changed",
}
AUTHOR = {
    "new course mine": "Next: cd mine",
    "build --course mine": "answers.json",
    "stubs --course mine": "every exercise file agrees with its solution",
    "release out --course mine": "wrote out/README.md",
}
VERIFY = {"new course mine": "", "build --course mine": "", "verify --course mine": "no problems found"}
IN_OTHER_TESTS = {"watch", "ci", "site"}  # test_practice.py, tests/author/ci and test_authoring.py start them


@pytest.mark.parametrize(
    "journey",
    [LEARNER, INSTRUCTOR, AUTHOR, pytest.param(VERIFY, marks=pytest.mark.exhaustive)],
    ids=["learner", "instructor", "author", "verify"],
)
def test_commands_run_as_they_are_installed(
    installed_grade: Grade, work: Path, solved: Callable[[str], str], journey: dict[str, str]
) -> None:
    """Each command of a journey prints what it should, and no error."""
    (work / "class" / "bob").mkdir(parents=True)
    (work / "class" / "ann").mkdir()
    (work / "class" / "ann" / "02_swap.py").write_text(solved("02_swap.py"))
    for words, expected in journey.items():
        done = installed_grade(*shlex.split(words))
        if words == "solution 1":
            assert (2, True) == (done.returncode, "once you have passed the exercise" in done.stderr)
            continue
        assert (True, True) == (done.returncode in (0, 1), expected in done.stdout), (words, done)


def test_every_command_is_part_of_a_journey() -> None:
    """No command is started in the process of the tests alone. No exercise can be called like a command."""
    started = {words.split()[0] for journey in (LEARNER, INSTRUCTOR, AUTHOR, VERIFY) for words in journey}
    assert {*COMMANDS} == (started & COMMANDS.keys()) | IN_OTHER_TESTS
    assert {*RESERVED, "reset"} == {*COMMANDS, "all", "help"}
