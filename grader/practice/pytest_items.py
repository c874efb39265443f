"""Checks as tests: `pytest`, and so an editor's list of tests, shows the checks of each exercise.

pytest imports this module in every run of an environment that contains the grader. Therefore it imports little until
it finds a learner's exercise file. Checks run in the sandbox that `grade` uses, and the output is that of `grade`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..course.load import Course, Exercise
    from ..verdict.report import CheckResult, ExerciseResult
    from .session import Practice

_NAME = re.compile(r"\d\w*_\w+\.(?:py|ipynb)")
_FEWEST = 2  # a folder with at least this many exercise files of the packaged course is a learner's
_practices = pytest.StashKey["dict[Path, Practice]"]()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, object, object]:
    """Collect only the checks of an exercise file, not the tests that other plugins find in it."""
    others = yield
    # most files are not exercise files; for them, nothing of the grader is imported
    if _NAME.fullmatch(file_path.name) is None:
        return others
    course = course_of(file_path.parent, named=parent.session.isinitpath(file_path))
    exercise = next((one for one in course.exercises if one.stem == file_path.stem), None) if course else None
    if course is None or exercise is None:
        return others
    # its checks are listed with the Python file, which then says that there are both
    if file_path.name == exercise.notebook and file_path.with_name(exercise.filename).exists():
        return others
    file: ExerciseFile = ExerciseFile.from_parent(parent, path=file_path)
    file.course, file.exercise = course, exercise
    return [file]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the sandboxes."""
    for practice in config.stash.get(_practices, {}).values():
        practice.__exit__()


# pytest asks for each file of a folder, and the course is read once
@cache
def course_of(folder: Path, *, named: bool) -> Course | None:
    """Return the course whose learner works in a folder; None for any other folder.

    A learner's folder is the `exercises` folder of a course without solutions, or a folder with at least two exercise
    files of the packaged course. If the course has solutions, only files that are `named` on the command line count.
    """
    from ..course.load import CourseError, course_around, load_course, packaged_course

    around = course_around(folder)
    if around is not None:
        if folder != around / "exercises":
            return None
        if (around / "solutions").exists() and not named:
            return None
    try:
        course = load_course(around or packaged_course())
    except CourseError:  # `grade` reports the error
        return None
    if around is not None:
        return course
    count = sum((folder / name).exists() for one in course.exercises for name in (one.filename, one.notebook))
    return course if count >= _FEWEST else None


class ExerciseFile(pytest.File):
    """A learner's file of an exercise."""

    course: Course
    exercise: Exercise

    def collect(self) -> Iterator[CheckItem]:
        """Yield an item for each check, in the order of the course."""
        for check in self.exercise.checks:
            item: CheckItem = CheckItem.from_parent(self, name=check.title)
            item.check = check.id
            yield item

    def result(self) -> ExerciseResult:
        """Return the result of the exercise. The exercise is graded at the first call."""
        # the checks of a file are graded together: its first test takes the time of all of them
        result: ExerciseResult | None = getattr(self, "_result", None)
        if result is None:
            (result,) = self._practice().grade([self.exercise]).exercises
            self._result = result
        return result

    def _practice(self) -> Practice:
        """Return the practice session for the files of this folder. It is started once in each run of pytest."""
        from .session import Practice

        practices = self.config.stash.setdefault(_practices, {})
        folder = self.path.parent
        if folder not in practices:
            practices[folder] = Practice(self.course, folder).__enter__()
        return practices[folder]


class ItemFailed(Exception):
    """A check did not pass. The message is all that is shown."""


def _skipped(why: str) -> BaseException:
    """Return the exception that skips a check, with the learner's file as its location."""
    return pytest.skip.Exception(why, _use_item_location=True)


class CheckItem(pytest.Item):
    """A check of an exercise."""

    parent: ExerciseFile
    check: str

    def runtest(self) -> None:
        """Pass, fail, or skip a check whose code is still to be filled in."""
        from ..words import practice as words

        result = self.parent.result()
        check = next(one for one in result.checks if one.id == self.check)
        if check.status == "passed":
            return
        # a stub is no failure: a learner who has begun nothing sees skipped tests
        if "not_started" in (check.status, result.status):
            raise _skipped(words.NOT_FILLED_IN)
        # nor is a bonus that was not earned, in an exercise with full marks
        if check.bonus and result.status == "passed":
            raise _skipped(words.BONUS_OPEN)
        raise ItemFailed("\n".join(self._lines(result, check)))

    def _lines(self, result: ExerciseResult, check: CheckResult) -> Iterator[str]:
        """Yield a line with the place of the failure, then the explanation that the terminal shows."""
        from msgspec.structs import replace

        from ..base.text import plain
        from ..verdict.report import where
        from ..verdict.terminal import explained

        file = plain(self.nodeid.partition("::")[0])
        # `grade` shows a fact with the first check that it explains. Tests are read one by one, so
        # here each test has all facts that explain it.
        facts = [fact for fact in result.facts or () if check.id in (fact.checks or ())]
        # the check's own line, or else that of the check with which `grade` shows a fact
        first = {fact.checks[0] for fact in facts if fact.checks}
        line = check.line or next((one.line for one in result.checks if one.id in first and one.line), None)
        place = where(result, line or None)
        yield f"{file}{plain(place.removeprefix(str(result.file)))}: {plain(check.title)}"
        if check.status == "skipped":
            yield from map(plain, str(result.message or result.status).splitlines())
        else:
            facts = [replace(fact, checks=(check.id,)) for fact in facts]  # as if each explained this check alone
            yield from explained(replace(result, facts=tuple(facts)), check)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return the explanation of a failure. For a fault of the grader, return one line. No traceback is shown."""
        from ..base.files import UserError
        from ..base.text import paragraph
        from ..words import practice as words

        error = excinfo.value
        if isinstance(error, ItemFailed | UserError):
            return str(error)
        return paragraph(words.no_verdict(f"{type(error).__name__}: {error}"))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the learner's file, and the check's title unless it has a dot, which pytest takes for a separator."""
        return self.path, 0, "" if "." in self.name else self.name
