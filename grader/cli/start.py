"""Begin as a learner, for `grade start DIR`."""

import tempfile
from pathlib import Path

from msgspec.structs import replace

from ..author import start_files
from ..base import plain, write_files
from ..base.style import Style
from ..ci import installed_wheel, platform_files
from ..course import Course, packaged_course
from ..oracle.answer_book import read_book
from ..views.practice import with_command
from ..words import practice as said
from ..workspace import progress_of
from .streams import grade_here, how_to_shorten, style
from .words import UsageError


def run_start(course: Course, folder: Path) -> int:
    """Write a learner's first files to a folder, without overwriting any, and print the next step. Return 0."""
    try:
        files = start_files(course, read_book(course.book)) | _workflow(course)
        written, kept = write_files(files, folder)
    except OSError as error:
        raise UsageError(said.not_written(str(error.filename or folder), error.strerror or "")) from None
    exercises = [name for name in written if name.startswith("exercises/")]
    others = [name for name in written if name not in exercises and not name.startswith(".github/backward/")]
    told = [said.started(len(exercises), plain(str(folder / "exercises")))] if exercises or not kept else []
    told += [said.also_written(others)] if others else []
    told += [said.left_alone(kept)] if kept else []
    drawn = replace(style(), grade=grade_here(folder))
    shorten = how_to_shorten(folder)
    lines = [line for text in told for line in drawn.wrap(text, drawn.prose)]
    tips = drawn.wrap(said.START_TIP, drawn.prose) + (with_command(said.SHORTEN, shorten, drawn) if shorten else [])
    print("\n".join([*lines, *_next(course, folder, drawn), *tips]))
    return 0


def _next(course: Course, folder: Path, drawn: Style) -> list[str]:
    """Return the next step: to open the file of the first exercise that is not known to be passed."""
    passed = progress_of(folder / "exercises").passed
    following = next((one for one in course.exercises if one.id not in passed), None)
    if following is None:
        return [said.all_passed(len(course.exercises))]
    inside = folder.resolve() == Path.cwd().resolve()
    first = said.next_step("open", f"exercises/{following.filename}", "" if inside else plain(str(folder)))
    return with_command(first, f"grade {following.number.lstrip('0')}", drawn)


def _workflow(course: Course) -> dict[str, bytes]:
    """Return the workflow that grades each push, with the files that it installs.

    Returns nothing if this installation is a checkout, or if the course is not the packaged one.
    """
    wheel = installed_wheel()
    if wheel is None or course.folder != packaged_course():
        return {}
    name, data = wheel
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / name
        path.write_bytes(data)
        return platform_files("github", path, None)
