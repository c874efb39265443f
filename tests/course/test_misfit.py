"""For each key of `course.yaml` and each wrong type, the author gets no message of a library."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.course.load import CourseError, load_course

WriteCourse = Callable[..., Path]
VALUES = ("two", "2.5", "-7", "~", "true", "[]", "[[a], {b: 1}]", "{}", "{a: [1]}", "''", "2026-02-03", "1e400")
RAW = re.compile(r"Expected `|got `|Object |Invalid |\$|msgspec|inspect|None\b")


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in the data."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return the data with another value at a path."""
    if not path:
        return value
    copy = data.copy()
    copy[path[0]] = changed(copy[path[0]], path[1:], value)
    return copy


@pytest.mark.parametrize(
    "value",
    [one if one in ("two", "~", "[]", "{a: [1]}") else pytest.param(one, marks=pytest.mark.slow) for one in VALUES],
)
def test_a_value_of_a_wrong_type_is_told_in_words(write_course: WriteCourse, mini: str, value: str) -> None:
    """With any value, the course is read, or an error has the line and the problem."""
    more = "grades: {A: 4, B: 2}\nfurther: [go on]\nsolutions: passed\n"
    whole = yaml.safe_load(mini.replace("exercises:", f"{more}exercises:"))
    told: list[CourseError] = []
    for path in places(whole):
        text = yaml.safe_dump(changed(whole, path, yaml.safe_load(value)), sort_keys=False)
        try:
            load_course(write_course(text))
        except CourseError as error:
            told.append(error)
    assert len(told) > 20
    assert [] == [str(error) for error in told if error.line is None or RAW.search(error.message)]


def test_a_text_with_a_colon_is_told_to_be_quoted(write_course: WriteCourse, mini: str) -> None:
    """YAML reads `- look: again` as a mapping."""
    with pytest.raises(CourseError, match="Text with a colon and a blank in it needs quotes"):
        load_course(write_course(mini.replace("- look again", "- look: again")))
