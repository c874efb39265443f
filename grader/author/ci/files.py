"""Make the files of a platform from templates, the grader's wheel and a course."""

import base64
import hashlib
import io
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ...base.files import UserError, read_plain, write_files
from ...course.load import PACKAGED, Course, load_course
from ...words import author as words
from ...words.sentence import cannot_be_read

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_PINS = ("constraints.txt", "hashes.txt")
_DISTRIBUTION = "backward_grader"


class SetupError(UserError):
    """The files of a platform cannot be made or written. The message says what to do."""


@dataclass(frozen=True)
class Platform:
    """A platform and the templates of its files.

    Attributes:
        line: a short description of the files.
        templates: the names of templates by the paths of the files made from them.
        folder: the folder for the wheel, the pinned versions and the course.
        next: the next step with the files. FOLDER in it stands for the folder that they are in.
        archive: the archive that contains all files; None for separate files.
        may_fail: whether a run is a learner's own, and so may fail below a number of points.
    """

    line: str
    templates: Mapping[str, str]
    folder: str
    next: str
    archive: str | None = None
    may_fail: bool = False


PLATFORMS = {
    "github": Platform(
        "a workflow that grades each push in the learner's repository",
        {".github/workflows/grade.yml": "github.yml", ".github/backward/install.sh": "install.sh"},
        ".github/backward",
        "commit these files to the repository that learners start from",
        may_fail=True,
    ),
    "github-class": Platform(
        "a workflow that grades a whole class each night in a repository of your own",
        {
            ".github/workflows/class.yml": "github_class.yml",
            ".github/backward/install.sh": "install.sh",
            ".github/backward/clone.sh": "clone.sh",
            "repositories.txt": "repositories.txt",
        },
        ".github/backward",
        "list the class in repositories.txt, and commit these files to a private repository of your own",
    ),
    "gitlab": Platform(
        "a pipeline that grades each push in the learner's project",
        {".gitlab-ci.yml": "gitlab.yml", ".gitlab/backward/install.sh": "install.sh"},
        ".gitlab/backward",
        "commit these files to the project that learners start from",
        may_fail=True,
    ),
    "gradescope": Platform(
        "the zip of an autograder",
        {"setup.sh": "gradescope_setup.sh", "run_autograder": "gradescope_run.sh", "install.sh": "install.sh"},
        "",
        "upload autograder.zip as the assignment's autograder",
        archive="autograder.zip",
    ),
    "classroom50": Platform(
        "autograder.py and the files that it needs",
        {"autograder.py": "classroom50.py.in", "install.sh": "install.sh"},
        "",
        "commit these files to CLASSROOM/autograders/ASSIGNMENT/ of your classroom50 repository",
    ),
    "pages": Platform(
        "a workflow that publishes the course as a page on GitHub Pages",
        {".github/workflows/pages.yml": "github_pages.yml", ".github/backward/install.sh": "install.sh"},
        ".github/backward",
        "commit these files to a repository whose settings have GitHub Actions as the source of Pages",
    ),
    "container": Platform(
        "a container file for an image that grades as a user without rights",
        {"Containerfile": "Containerfile", "install.sh": "install.sh"},
        "",
        "build the image with `podman build -t backward FOLDER`",
    ),
}


def platform_files(
    name: str, wheel: Path | tuple[str, bytes], course: Course | None, min_score: int | None = None
) -> dict[str, bytes]:
    """Return the files of a platform by their paths.

    Args:
        name: a key of `PLATFORMS`.
        wheel: the grader as a wheel: its path, or its name and its content.
        course: the course to include without its solutions; None for the course in the wheel.
        min_score: the points below which a learner's run fails; None if it fails only if it cannot grade.

    Raises:
        SetupError: the file is not a wheel of this grader, a file cannot be read, or a run of the platform cannot
            fail for its points.
    """
    platform = PLATFORMS[name]
    if min_score is not None and not platform.may_fail:
        raise SetupError(words.no_min_score(name, [other for other, one in PLATFORMS.items() if one.may_fail]))
    wheel_path, data = (wheel, _read_wheel(wheel)) if isinstance(wheel, Path) else (Path(wheel[0]), wheel[1])
    _check_wheel(wheel_path, data)
    # the templates, with the values of `--course` and of the option that decides whether a learner's run fails
    folder = PurePosixPath(platform.folder)
    course_value = str(folder / "course") if course else PACKAGED
    exit_option = "--exit-zero" if min_score is None else f"--min-score {min_score}"
    files = {path: _filled(template, course_value, exit_option) for path, template in platform.templates.items()}
    # the wheel, the pinned versions, and the course
    files[str(folder / wheel_path.name)] = data
    files |= {str(folder / name): _pins(name) for name in _PINS}
    for inner, content in _course_files(course) if course else ():
        files[str(folder / "course" / inner)] = content
    if platform.archive is None:
        return files
    return {platform.archive: _zipped(dict(sorted(files.items())), scripts=True)}


def write_platform(files: Mapping[str, bytes], folder: Path) -> list[Path]:
    """Write the files of a platform to a folder, and return their paths.

    Raises:
        SetupError: one of the files exists, so none was written; or the folder cannot be written.
    """
    paths = [folder / path for path in files]
    present = [path for path in paths if os.path.lexists(path)]
    if present:
        raise SetupError(words.already_there([str(path) for path in present]))
    try:
        write_files(files, folder)
    except OSError as error:
        raise SetupError(words.not_written(str(error.filename or folder), error.strerror)) from None
    return paths


def _filled(template: str, course_value: str, exit_option: str) -> bytes:
    """Return a template with the values of its two marks."""
    text = (_TEMPLATES / template).read_bytes()
    return text.replace(b"@COURSE@", course_value.encode()).replace(b"@EXIT_OPTION@", exit_option.encode())


def _read_wheel(path: Path) -> bytes:
    try:
        return read_plain(path, follow=True)
    except OSError as error:
        raise SetupError(cannot_be_read(f"--wheel {path}", error.strerror)) from None


def _check_wheel(path: Path, data: bytes) -> None:
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        names = []
    named = path.name.startswith(f"{_DISTRIBUTION}-") and path.suffix == ".whl"
    if not named or not any(name.startswith(f"{_DISTRIBUTION}-") and name.endswith("/METADATA") for name in names):
        raise SetupError(words.no_wheel(str(path)))
    # on some platforms, learners can read the wheel
    if any("solutions" in PurePosixPath(name).parts for name in names):
        raise SetupError(words.wheel_with_solutions(str(path)))


def _pins(name: str) -> bytes:
    """Return a file of pinned versions. It is beside the templates in a wheel, and at the root in a checkout."""
    for folder in (_TEMPLATES, _TEMPLATES.parents[3]):
        if (folder / name).is_file():
            return (folder / name).read_bytes()
    raise SetupError(words.NO_PINS)


def _course_files(course: Course) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each course file that grading needs.

    Solutions and misconceptions are not among them, because on some platforms learners can read these files. For an
    exercise file, the content is its stub in the answer book, because the file in the course's folder may have been
    worked on.
    """
    from ...course.oracle import read_book

    known = read_book(course.book).stubs
    stub_by_path = {course.exercise_file(exercise): known.get(exercise.id) for exercise in course.exercises}
    for path in (course.file, course.book, *map(course.hidden_test, course.exercises), *stub_by_path):
        stub = stub_by_path.get(path)
        try:
            content = read_plain(path, follow=True) if stub is None else stub.encode()
            yield path.relative_to(course.folder).as_posix(), content
        except OSError as error:
            raise SetupError(cannot_be_read(str(path), error.strerror)) from None


def _zipped(files: Mapping[str, bytes], *, scripts: bool = False) -> bytes:
    """Return a zip file of files in their order. The same files give the same bytes.

    Args:
        scripts: whether a file that begins with `#!` becomes executable.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # its time is 1980, whenever the archive is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            executable = scripts and data.startswith(b"#!")
            entry.external_attr = (0o100755 if executable else 0o100644) << 16  # the mode is in the upper 16 bits
            archive.writestr(entry, data)
    return buffer.getvalue()


# -- Make a wheel of this grader for users who have none: pack the installation again, or build it from a clone

_NAME = "backward-grader"
# files that an installer adds: records of the installation
_ADDED = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_build.json", "uv_cache.json")


def own_wheel() -> tuple[str, bytes]:
    """Return the name and the content of a wheel of this grader. A clone is built with pip.

    Raises:
        UserError: pip cannot build the wheel, or the clone's exercise files have been worked on.
        OSError: a file cannot be read.
    """
    return installed_wheel() or built_wheel(Path(__file__).resolve().parents[3])


def built_wheel(clone: Path) -> tuple[str, bytes]:
    if not (clone / "pyproject.toml").is_file():
        raise UserError(words.not_built(f"{clone} is not a clone of its repository"))
    # imported here to keep `grade ci --help` fast
    from ...base.processes import start
    from ...course.oracle import read_book
    from ..build import is_work

    course = load_course(clone)
    known = read_book(course.book).stubs
    # a wheel has the exercise files as they are, so work in them would be handed out to learners
    worked_on = [exercise for exercise in course.exercises if is_work(course, exercise, known)]
    if worked_on:
        raise UserError(words.worked_on([str(course.exercise_file(exercise)) for exercise in worked_on]))

    with TemporaryDirectory() as folder:
        # isolated, and without Python's variables, so that pip imports nothing of a user's folder
        command = [sys.executable, "-I", "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = start([*command, "--wheel-dir", folder, str(clone)], environment)
        wheels = sorted(Path(folder).glob("*.whl")) if done.wait() == 0 else []
        if not wheels:
            raise UserError(words.not_built("`pip wheel` failed"))
        return wheels[0].name, wheels[0].read_bytes()


def installed_wheel() -> tuple[str, bytes] | None:
    """Return the name and the content of a wheel of this installation, or None if it is a checkout or no installation.

    The same installation gives the same bytes. Raises `OSError` for a file that cannot be read.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # imported here to keep `grade ci --help` fast

    try:
        installation = distribution(_NAME)
    except PackageNotFoundError:
        return None
    # scripts such as `bin/grade` are left out: their paths have `..`, and each installer writes its own
    files = {
        path.as_posix(): path.locate()
        for path in installation.files or ()
        if ".." not in path.parts and "__pycache__" not in path.parts and not _is_added(path)
    }
    # an installation that only refers to a checkout has no files of the package
    if "grader/__init__.py" not in files:
        return None
    contents = {name: place.read_bytes() for name, place in sorted(files.items())}  # type: ignore[attr-defined]
    info = next(str(PurePosixPath(name).parent) for name in contents if name.endswith(".dist-info/METADATA"))
    # the list of files with their digests, which is part of each wheel; its own row has no digest
    rows = [f"{name},sha256={_hash(data)},{len(data)}" for name, data in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return f"{info.removesuffix('.dist-info')}-py3-none-any.whl", _zipped(contents)


def _is_added(path: PurePosixPath) -> bool:
    return path.parent.name.endswith(".dist-info") and path.name in _ADDED


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
