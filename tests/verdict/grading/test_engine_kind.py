"""Engines of arrays are told from engines of single numbers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from edited_texts import bases_of, edited_texts, texts

from grader.course.load import Limits
from grader.runner import sandbox
from grader.runner.client import decode_source
from grader.runner.sandbox import Started
from grader.verdict.grading import takes_arrays

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SHAPES = FIXTURES / "engines" / "shapes"
ARRAYS = {one.name: one.text for one in texts(FIXTURES / "right" / "24_tensor")}
NUMBERS = {one.name: one.text for one in edited_texts(SHAPES / "right.yaml", bases_of(SHAPES))}
WITH_NUMPY = [name for name, text in NUMBERS.items() if "numpy" in text]


@pytest.fixture(scope="module")
def warm() -> Iterator[Started]:
    with sandbox.start("process", allow_imports=("numpy",)) as started:
        yield started


def chosen(warm: Started, text: str) -> bool:
    return takes_arrays(warm, decode_source(Path("engine.py"), text.encode()), Limits())


def test_each_engine_of_arrays_takes_arrays(warm: Started) -> None:
    """With closures, functions or a tape, with numpy's arrays or nested lists, whatever the class is called."""
    assert [] == [name for name, text in ARRAYS.items() if not chosen(warm, text)]


def test_numbers_that_are_arrays_of_one_element_are_numbers(warm: Started) -> None:
    """numpy's scalars and arrays of one element do not make an engine one of arrays."""
    assert len(WITH_NUMPY) > 1
    assert [] == [name for name in WITH_NUMPY if chosen(warm, NUMBERS[name])]


@pytest.mark.exhaustive
def test_no_engine_of_numbers_takes_arrays(warm: Started) -> None:
    """Engines of every shape, also if numpy is imported, so that a leaf may be made of an array."""
    assert [] == [name for name, text in NUMBERS.items() if chosen(warm, f"import numpy\n{text}")]


@pytest.mark.parametrize("text", ["1 / 0", "", "import numpy\n"])
def test_a_file_without_an_engine_takes_no_arrays(warm: Started, text: str) -> None:
    """A file that raises, and one without a class."""
    assert not chosen(warm, text)
