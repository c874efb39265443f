"""The commands for authors of a course."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from ..base.files import UserError
from ..course.load import Course, CourseError, Exercise
from ..practice.workspace import find_exercise
from ..words import author as words
from ..words.sentence import cannot_be_written
from .options import About, CourseAround, OwnCourse, Utf8Text, course_of_folder, default_memo, exercise_ids, own_course
from .streams import INTERRUPTED, Countdown, StatusLine

if TYPE_CHECKING:
    from ..author.verify import Verified

T = TypeVar("T")


def new(
    kind: Annotated[str, About("what to begin", choices=lambda: ("course", "exercise"))],
    name: Annotated[
        str,
        About("the folder of the course, or the id of the exercise: lower-case letters, digits and _", "NAME"),
    ],
    *,
    title: Annotated[Utf8Text | None, About("the title (default: made from the name)", metavar="TEXT")] = None,
    course: OwnCourse = None,
) -> int:
    """Begin a course, or add an exercise to your course."""
    from ..author.release import guide, new_course, new_exercise

    if kind == "course":
        if course is not None:
            raise UserError(words.COURSE_OF_NEW)
        begun = _written(lambda: new_course(Path(name), title), Path(name))
        files = ["course.yaml", "README.md", *_files(begun, begun.exercises[0])]
        print(words.new_course(name, files, str(guide())))
        return 0
    own = own_course(course)
    exercise = _written(lambda: new_exercise(own, name, title), own.folder)
    files, points = _files(own, exercise), exercise.max_score
    print(words.new_exercise(name, exercise.stem, str(own.file), points, files, str(guide())))
    return 0


def _files(course: Course, exercise: Exercise) -> list[str]:
    """Return the paths of an exercise's files, as seen from the course's folder."""
    solution = course.solution(exercise)
    files = (solution, solution.with_suffix(".mistakes.yaml"), course.hidden_test(exercise))
    return [str(path.relative_to(course.folder)) for path in (*files, course.exercise_file(exercise))]


def build(
    exercises: Annotated[
        tuple[str, ...],
        About("the exercises whose answers to compute again (default: all)", "EXERCISE", complete=exercise_ids),
    ] = (),
    *,
    course: OwnCourse = None,
) -> int:
    """Compute the answer book, and write the exercise files that nobody has worked on.

    Only the misconceptions of `exercises` are run. Those of other exercises are taken from the existing book. After an
    interruption, the next run goes on where this one ended.
    """
    from ..author.build import Steps, build_book, steps_of, to_run
    from ..course.oracle import read_book, require_torch, write_book

    own = own_course(course)
    require_torch("`grade build`")
    chosen = [find_exercise(own, word) for word in exercises]
    # without an earlier book, the misconceptions of all exercises are run
    before = read_book(own.book) if chosen else None
    # before the book is replaced: a file that is still an older stub has not been worked on
    stubs = _stubs_before(own)
    line = StatusLine(in_logs=True)
    steps = Steps(Countdown(line).show, sum(steps_of(own, exercise) for exercise in to_run(own, before, chosen)))
    book = build_book(own, before, chosen, steps, default_memo().with_name("build.sqlite"))
    line.clear()
    _written(lambda: write_book(own.book, book), own.book)
    print(words.book_written(str(own.book), len(book.answers), book.torch))
    _print_stubs(own, stubs)
    return 0


def stubs(
    *,
    force: Annotated[bool, About("also overwrite files that somebody has worked on")] = False,
    course: OwnCourse = None,
) -> int:
    """Write the exercise files again from the solutions. `grade build` does this, too."""
    own = own_course(course)
    if not _print_stubs(own, _stubs_before(own), force=force):
        print(words.ALL_AGREE)
    return 0


def _stubs_before(course: Course) -> dict[str, str]:
    """Return the stubs in the existing answer book, or no stubs if the book cannot be read.

    An exercise file that is still one of these stubs has not been worked on.
    """
    from ..course.oracle import read_book

    try:
        return read_book(course.book).stubs
    except CourseError:
        return {}


def _print_stubs(course: Course, known: dict[str, str], *, force: bool = False) -> int:
    """Write the exercise files. Print the names of written and skipped files, and return the number of both."""
    from ..author.build import is_work, write_stubs
    from ..practice.workspace import keep

    worked_on = [exercise for exercise in course.exercises if is_work(course, exercise, known)]
    kept = [] if force else [exercise.filename for exercise in worked_on]
    # a copy first: if it cannot be kept, nothing is overwritten
    for exercise in worked_on if force else ():
        path = course.exercise_file(exercise)
        try:
            copy = keep(path) or path
        except OSError as error:
            raise UserError(words.no_copy(str(path), error.strerror)) from None
        print(words.copy_kept(exercise.filename, str(copy)))
    written = write_stubs(course, known, force=force)
    for name in written:
        print(words.wrote(name))
    for name in kept:
        print(words.left_alone(name))
    return len(written) + len(kept)


def verify(
    exercises: Annotated[
        tuple[str, ...], About("the exercises to verify (default: all)", "EXERCISE", complete=exercise_ids)
    ] = (),
    *,
    table: Annotated[Path | None, About("also write the table to FILE, as Markdown", metavar="FILE")] = None,
    seed: Annotated[str | None, About("verify with this seed instead of the course's", metavar="TEXT")] = None,
    seeds: Annotated[int, About("also find scores that change between N seeds (slow)", metavar="N")] = 0,
    course: OwnCourse = None,
) -> int:
    """Check the course itself: solutions, exercise files, misconceptions and mutants.

    Return 0 if there are no findings, or else 2.
    """
    from ..author import verify
    from ..base.files import write_named
    from ..course.oracle import require_torch

    own = own_course(course)
    require_torch("`grade verify`")
    chosen = tuple(find_exercise(own, word) for word in exercises) or own.exercises
    line = StatusLine()
    results = []
    # each exercise is printed as soon as it is verified, because a whole course takes long
    for result in verify.verify(own, chosen, Countdown(line).show, seed, seeds):
        line.clear()
        results.append(result)
        cells = zip(words.HEAD[1:], _cells(result), strict=True)
        print(f"{result.exercise.stem:<16}" + "  ".join(f"{name}: {value}" for name, value in cells))
        for program in result.kept:
            print(f"  {words.numbers_kept(program)}")
        for finding in result.findings:
            print(f"  {finding}")
        if result.worked_on:
            print(f"  {words.stub_verified(str(own.exercise_file(result.exercise)))}")
    # the table of all exercises, and the exit code
    if table is not None:
        write_named(table, _markdown(own, results).encode())
    count = sum(len(result.findings) for result in results)
    print(words.findings(count))
    return 2 if count else 0


def _cells(result: "Verified") -> list[str]:
    return [
        f"{result.score}/{sum(check.points for check in result.exercise.checks)}",
        f"{result.diagnosed}/{result.misconceptions}",
        f"{result.killed}/{result.mutants - result.equivalent}",
        str(result.equivalent),
        str(len(result.findings)),
    ]


def _markdown(course: Course, results: "Sequence[Verified]") -> str:
    """Return the table as a Markdown page."""
    rows = [[result.exercise.stem, *_cells(result)] for result in results]
    lines = ["| " + " | ".join(cells) + " |" for cells in (words.HEAD, ["---"] * len(words.HEAD), *rows)]
    return f"# `grade verify`: {course.title} {course.version}\n\n" + "\n".join(lines) + f"\n\n{words.NOT_NAMED}\n"


def release(
    folder: Annotated[Path, About("write to the folder OUT", metavar="OUT")],
    *,
    replace: Annotated[bool, About("replace files in OUT that have other contents")] = False,
    course: OwnCourse = None,
) -> int:
    """Write what learners get: exercises, a README, and the workflow if there is one."""
    from ..author import release

    files = release.release_files(own_course(course))
    new, replaced = _written(lambda: release.release(files, folder, replace=replace), folder)
    for name in new:
        print(words.wrote(str(folder / name)))
    for name in replaced:
        print(words.replaced(str(folder / name)))
    if not new and not replaced:
        print(words.up_to_date(str(folder)))
    return 0


def _written(write: Callable[[], T], place: Path) -> T:
    """Return what `write` returns. Raises `UserError` in place of `OSError`; it names `place` if the error does not."""
    try:
        return write()
    except OSError as error:
        raise UserError(cannot_be_written(str(error.filename or place), error.strerror)) from None


def site(
    folder: Annotated[Path, About("where to write the site", metavar="OUT")],
    *,
    pyodide: Annotated[Path | None, About("take Pyodide from this folder, not from npm", metavar="DIR")] = None,
    serve: Annotated[bool, About("serve the site on this machine, and open it")] = False,
    course: CourseAround = None,
) -> int:
    """Write the course and its grader as a folder of static files, for a browser tab and any web server."""
    from ..author.site import build_site, server
    from ..base.processes import open_in_browser

    cache = default_memo().parent / "site"
    own = course_of_folder(course)
    if pyodide is None and not cache.is_dir():
        print(words.SITE_DOWNLOADS, flush=True)
    # build it
    files = _written(lambda: build_site(own, folder, cache, pyodide), folder)
    size = sum((folder / name).stat().st_size for name in files)
    print(words.site_written(len(files), str(folder), size / 1e6))
    if not serve:
        print(words.site_try(str(folder)))
        return 0
    # serve it until an interrupt
    with server(folder) as serving:
        address = f"http://127.0.0.1:{serving.server_port}/"
        print(words.site_served(str(folder), address), flush=True)
        open_in_browser(address)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            return INTERRUPTED
    return 0
