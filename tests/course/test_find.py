from pathlib import Path

import pytest

from grader.course import load
from grader.course.load import CourseError, find_course, other_course_around, packaged_course


def a_course(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.yaml").touch()
    return folder


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate that the grader is installed in this folder."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.setattr(load, "_PACKAGE", folder)
    return folder


def test_the_course_given_comes_first(tmp_path: Path) -> None:
    """`--course` takes precedence over the course around."""
    around, given = a_course(tmp_path / "around"), a_course(tmp_path / "given")
    assert given == find_course(given, around)


@pytest.mark.parametrize("place", ["nowhere", ".", "file.txt"])
def test_a_course_given_must_be_one(tmp_path: Path, place: str) -> None:
    """`--course` with a folder that has no course is an error, even if there is a course around."""
    around = a_course(tmp_path / "around")
    (tmp_path / "file.txt").touch()
    with pytest.raises(CourseError, match="--course needs the folder of a course") as caught:
        find_course(tmp_path / place, around)
    assert tmp_path / place / "course.yaml" == caught.value.path


def test_the_nearest_course_upwards_comes_second(tmp_path: Path) -> None:
    """In a course, its folder is found, and not that of a course further up."""
    a_course(tmp_path)
    near = a_course(tmp_path / "near")
    inside = near / "exercises" / "mine"
    inside.mkdir(parents=True)
    assert near == find_course(None, inside)
    assert near == find_course(None, near)


def test_a_folder_called_course_yaml_is_none(tmp_path: Path) -> None:
    """A folder named course.yaml is not a course."""
    outer = a_course(tmp_path / "outer")
    (outer / "inner" / "course.yaml").mkdir(parents=True)
    assert outer == find_course(None, outer / "inner")


def test_the_packaged_course_comes_last(tmp_path: Path, installation: Path) -> None:
    """Outside of any course, the packaged course is found."""
    packaged = a_course(installation / "backward_course")
    assert packaged == find_course(None, tmp_path)


def test_in_a_checkout_the_course_stands_around_the_grader(installation: Path) -> None:
    """Without a course package, the folder around the grader may be the packaged course."""
    assert a_course(installation) == packaged_course()


def test_the_course_package_wins_over_the_folder_around(installation: Path) -> None:
    """A stray course.yaml in site-packages is not the packaged course."""
    a_course(installation)
    assert a_course(installation / "backward_course") == packaged_course()


def test_no_course_at_all_is_an_error(tmp_path: Path, installation: Path) -> None:
    """The message says what to type."""
    with pytest.raises(CourseError, match="use --course DIR"):
        find_course(None, tmp_path)


def test_the_packaged_course_can_be_named(tmp_path: Path, installation: Path) -> None:
    """`--course packaged` means the packaged course, even in another course, or if a folder has that name."""
    packaged = a_course(installation / "backward_course")
    around = a_course(tmp_path / "around")
    a_course(around / "packaged")
    assert packaged == find_course(Path("packaged"), around)


def test_another_course_around_is_not_the_packaged_one(tmp_path: Path, installation: Path) -> None:
    """In the packaged course's own folder there is no other course, by any path to it."""
    packaged, around = a_course(installation / "backward_course"), a_course(tmp_path / "around")
    (tmp_path / "link").symlink_to(packaged)
    found = [other_course_around(start) for start in (packaged, tmp_path / "link", around, tmp_path)]
    assert [None, None, around, None] == found
