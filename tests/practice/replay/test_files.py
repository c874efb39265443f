"""Which of a learner's files is replayed."""

from pathlib import Path

from every import every

from grader.course.load import Course
from grader.practice.replay.record import FilesToReplay, defines

STUB, PASS = "# TODO\n", "class Value:\n    def backward(self):\n        pass\n"


def files(course: Course, folder: Path, **texts: str) -> FilesToReplay:
    """Files of a folder in which these exercises have these texts."""
    for name, text in texts.items():
        exercise = next(one for one in course.exercises if one.id == name)
        (folder / exercise.filename).write_text(text, encoding="utf-8")
    return FilesToReplay(course, {exercise.id: STUB for exercise in course.exercises}, folder)


def test_the_exercise_at_hand_is_the_last_one_begun(course: Course, tmp_path: Path) -> None:
    """A file that is as it was handed out does not count."""
    found = files(course, tmp_path, distribute="a = 1\n", swap="a = 2\n", accumulate=STUB).at_hand()
    assert "swap" == (found and found.id)


def test_without_one_it_is_the_first(course: Course, tmp_path: Path) -> None:
    """Nothing is begun; where no file is there, there is none."""
    assert files(course, tmp_path).at_hand() is None
    found = files(course, tmp_path, swap=STUB, relu=STUB).at_hand()
    assert "swap" == (found and found.id)


def test_a_pass_is_looked_for_in_what_is_begun(course: Course, tmp_path: Path) -> None:
    """The last file that is begun and has a backward pass; or else `+` and `*`; or else the last one begun."""
    made = files(course, tmp_path, distribute="a = 1\n", backward=PASS, relu="a = 1\n", engine="def (")
    assert "backward" == (one.id if (one := made.with_pass()) else None)
    other = tmp_path / "other"
    other.mkdir()
    operations = "def __add__(a, b): ...\ndef __mul__(a, b): ...\n"
    both = files(course, other, accumulate=operations, relu="def __mul__(a, b): ...\n")
    assert "accumulate" == (one.id if (one := both.with_pass()) else None)
    third = tmp_path / "third"
    third.mkdir()
    none = files(course, third, distribute=STUB, relu="a = 1\n")
    assert "relu" == (one.id if (one := none.with_pass()) else None)


def test_a_training_needs_a_function_train(course: Course, tmp_path: Path) -> None:
    """Also where the file is as it was handed out."""
    assert files(course, tmp_path, engine=PASS).with_training() is None
    found = files(course, tmp_path, descend="def train(): pass\n").with_training()
    assert "descend" == (found and found.id)


@every("text", ["def (", "\0", "(" * 5_000, "backward = 1", "# def backward(", "def backwards():", ""])
def test_what_defines_nothing(text: str) -> None:
    """The name is no function's, or is part of another one."""
    assert not defines(text, "backward")


@every("before", ["a" + ".b" * 120_000, "(" * 5_000, "x = ("])
def test_a_file_is_not_parsed(before: str) -> None:
    """A function is found behind text that Python cannot parse."""
    assert defines(f"{before}\n{PASS}", "backward")
