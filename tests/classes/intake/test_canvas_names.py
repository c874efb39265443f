"""The possible meanings of file names in Canvas' download."""

import re
from pathlib import Path

from every import every
from hypothesis import given
from hypothesis import strategies as st
from read_yaml import read_yaml

from grader.classes.intake.platforms import likely_readings, readings

WORD = st.text(st.characters(categories=["Ll", "Lo", "Mn", "Nd"], include_characters="_"), max_size=20)
FILE = st.text(min_size=1).filter(lambda text: not re.search(r"-[0-9a-f-]+\.[^.]+$", f"{text}.py"))


def people(name: str) -> list[str]:
    return [reading.who for reading in readings(name)]


@given(WORD, st.booleans(), st.integers(1, 10**17), st.integers(1, 10**17), FILE, st.sampled_from(["", "-1", "-7"]))
def test_the_true_reading_is_among_all(name: str, late: bool, user: int, number: int, file: str, again: str) -> None:
    """The true reading is found for any names, unless another reading ends in the name of an exercise file."""
    full = f"{name}_{'LATE_' if late else ''}{user}_{number}_{file}{again}.py"
    found = [(one.name, one.user, one.late, one.number, one.file) for one in readings(full)]
    others = any(one.file and re.match("[0-9]{2}_", one.file) for one in readings(full))
    assert (name, str(user), late, number, f"{file}.py") in found or others or name.startswith(("anon_", "LATE_anon_"))


@given(WORD.filter(lambda name: "_" not in name), st.integers(1, 10**17), st.integers(10, 10**17), FILE)
def test_a_name_without_numbers_has_one_reading(name: str, user: int, number: int, file: str) -> None:
    """Nearly every file has a single reading, because nothing in its name can be taken for another id."""
    if not re.search(r"(^|_)[0-9]+_", f"{file}.py"):
        assert [f"{name}_{user}"] == people(f"{name}_{user}_{number}_{file}.py")


@given(st.text())
def test_other_names_have_no_reading(name: str) -> None:
    """A name needs two numbers, or one number and Canvas' own ending, to be Canvas' name."""
    assert not readings(name) or re.search(r"[0-9]_([0-9]+_.|text\.html|link\.html)|anon_", name, re.DOTALL)


@every(("expected", "name"), read_yaml(Path(__file__).with_name("names.yaml"))["readings"])
def test_whose_a_file_may_be(expected: list[str], name: str) -> None:
    """Ids are numbers as Canvas writes them. If a reading ends in the name of an exercise file, it is the right one."""
    assert expected == people(name)


def test_ids_that_nobody_has_here_are_left_out() -> None:
    """A number far below the ids of the other files is part of a name."""
    sure = ["a_1_50001_x.zip", "b_2_50002_x.zip", "c_3_50003_x.zip"]
    found = likely_readings([*sure, "d_4_50004_2_x.zip", "e_5_50005_600_x.zip", "notes.txt"])
    assert [1, 1, 1, 1, 2] == [len(read) for read in found.values()]
    assert "d_4" == found["d_4_50004_2_x.zip"][0].who


def test_the_only_readings_are_kept_however_unlikely() -> None:
    """If every reading has a small id, all are kept."""
    sure = ["a_1_50001_x.zip", "b_2_50002_x.zip", "c_3_50003_x.zip"]
    assert ["d_4"] == [one.who for one in likely_readings([*sure, "d_4_7_x.zip"])["d_4_7_x.zip"]]
