"""Begin as a learner: what `grade start DIR` does."""

import tempfile
from pathlib import Path

from ..answer_book import read_book
from ..author import start_files
from ..ci import installed_wheel, platform_files
from ..course import Course, packaged_course
from ..outside import counted, plain, write_files
from .streams import style
from .words import UsageError


def run_start(course: Course, folder: Path) -> int:
    """Write what a learner begins with into a folder, overwrite nothing, and say what to do next. Returns 0."""
    try:
        files = start_files(course, read_book(course.book)) | _workflow(course)
        written, kept = write_files(files, folder)
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None
    exercises = [name for name in written if name.startswith("exercises/")]
    others = [name for name in written if name not in exercises and not name.startswith(".github/backward/")]
    print(f"{counted(len(exercises), 'exercise')} written to {plain(str(folder / 'exercises'))}")
    if others:
        print(*style().wrap(f"also written: {', '.join(others)}", style().prose), sep="\n")
    if kept:
        print(f"there already, and left alone: {_few(kept)}")
    first = Path("exercises") / course.exercises[0].filename
    inside = folder.resolve() == Path.cwd().resolve()
    go = "" if inside else f"cd {plain(str(folder))}, "
    print(f"Next: {go}open {first}, then `grade {course.exercises[0].number.lstrip('0')}`")
    print("`grade watch` grades on every save.")
    return 0


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} more"


def _workflow(course: Course) -> dict[str, bytes]:
    """Return the workflow that grades each push, and what it installs; nothing where this installation is a checkout,
    or where the course is not the one that was installed with it."""
    wheel = installed_wheel()
    if wheel is None or course.folder != packaged_course():
        return {}
    name, data = wheel
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / name
        path.write_bytes(data)
        return platform_files("github", path, None)
