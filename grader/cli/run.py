"""Grade, show, write: what `grade [EXERCISE ...]` does."""

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import sandbox
from ..answer_book import read_book
from ..course import Course, packaged_course
from ..oracle import require_torch
from ..outside import write_named
from ..report import Report, for_learner, to_json, write_report
from ..views import render
from .formats import Wanted, write_formats
from .streams import StatusLine
from .words import UsageError, files_to_grade, is_file


@dataclass(frozen=True)
class Options:
    words: tuple[str, ...]
    folder: Path | None
    report: Path | None
    as_json: bool
    everything: bool
    seed: str | None
    instructor: bool
    isolation: str
    official: bool
    formats: tuple[Wanted, ...] = ()
    min_score: int | None = None
    exit_zero: bool = False


def run_grade(course: Course, options: Options) -> int:
    """Grade and report. Returns the exit code."""
    if options.official:
        _refuse_links(options)
    root, folder = learner_folders(course)
    files = files_to_grade(course, options.words, _with_files(course, options.folder) if options.folder else folder)
    there = any(path.exists() or path.is_symlink() for path in files.values())
    # a platform waits for a result, also where nothing was handed in
    if not (there or options.formats) and (not options.words or any(str(p) in options.words for p in files.values())):
        named = [path for path in files.values() if str(path) in options.words]
        if named:
            raise UsageError(f"there is no file {named[0]}")
        folder = next(iter(files.values())).parent
        raise UsageError(f"no exercise files in {folder}; `grade start` puts them into ./exercises")
    _refuse_unreachable(course, files, options)
    seed = _seed(course, options)
    if seed != course.seed:
        require_torch("`grade --official`" if options.official else "`grade --seed`")
    line = StatusLine(not options.as_json)
    started = sandbox.start(options.isolation, allow_imports=course.allow_imports, official=options.official)
    with started as warm:
        from ..grading import grade  # imports pytest, while the worker starts

        full = grade(
            course,
            read_book(course.book),
            files,
            seed=seed,
            memo=default_memo(),
            warm=warm,
            root=(options.folder or root) if options.official else None,
            here=Path.cwd(),
            on_check=lambda exercise, check: line.show(f"{exercise.stem}: {check.title}"),
        )
    line.clear()
    report = full if options.instructor else for_learner(full, course.details)
    if options.as_json:
        sys.stdout.buffer.write(to_json(report))  # JSON is UTF-8, whatever the terminal is
    else:
        sys.stdout.write(render(report, course.title, everything=options.everything, color=wants_color()))
    sys.stdout.flush()
    _write(report, options)
    write_formats(options.formats, full, course, os.environ)
    return 0 if options.exit_zero or _enough(report, options) else 1


def _refuse_unreachable(course: Course, files: Mapping[str, Path], options: Options) -> None:
    """Raise `UsageError` for a `--min-score` that the exercises to be graded cannot have."""
    most = sum(exercise.max_score for exercise in course.exercises if exercise.id in files)
    if options.min_score is not None and not 0 <= options.min_score <= most:
        raise UsageError(f"--min-score must be from 0 to {most}, the points of what is graded")


def _enough(report: Report, options: Options) -> bool:
    if options.min_score is None:
        return report.status == "passed"
    return report.score >= options.min_score


def _refuse_links(options: Options) -> None:
    """Raise `UsageError` where a path that was given leads through a symbolic link: it may be the submission's own."""
    folders = [Path(word).parent for word in options.words if is_file(word)]
    if options.folder is not None:
        folders.append(options.folder)
    for folder in folders:
        for part in (*reversed(folder.parents), folder):
            if part.is_symlink():
                raise UsageError(f"an official run follows no symbolic link, and {part} is one; name what it leads to")


def _seed(course: Course, options: Options) -> str:
    """Return the seed given; the course's own for practice; a secret one for an official run."""
    return options.seed or (secrets.token_hex(16) if options.official else course.seed)


def _write(report: Report, options: Options) -> None:
    path = options.report or (None if options.as_json else Path("report.json"))
    if path is None:
        return
    try:
        if options.report:
            write_named(path, to_json(report))
        else:
            write_report(report, path)
    except OSError as error:
        raise UsageError(f"the report could not be written to {path}: {error.strerror}; try --report FILE") from None
    if not options.as_json:
        print(f"Report: {path}")


def default_memo() -> Path:
    """Return the memo's file; `BACKWARD_CACHE` names another folder for it."""
    folder = os.environ.get("BACKWARD_CACHE")
    if folder:
        return Path(folder) / "oracle.sqlite"
    import platformdirs

    return Path(platformdirs.user_cache_dir("backward")) / "oracle.sqlite"


def learner_folders(course: Course) -> tuple[Path, Path]:
    """Return the folder that a learner works in, and the one with the exercise files: that, or one in it."""
    here = Path.cwd()
    if course.folder != packaged_course() or here.is_relative_to(course.folder):
        return course.folder, course.folder / "exercises"
    return here, here / "exercises" if (here / "exercises").is_dir() else here


def _with_files(course: Course, folder: Path) -> Path:
    """Return the folder with the exercise files in one that was given: that, or `exercises` in it."""
    inner = folder / "exercises"
    direct = any(os.path.lexists(folder / exercise.filename) for exercise in course.exercises)
    return inner if inner.is_dir() and not direct else folder


def wants_color() -> bool:
    """Colour where a terminal is looking and nobody asked for none."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
