"""Replay a learner's own backward pass, for `grade play`.

`grade play` shows one of these on a page:

- the program on which a check of an exercise failed, or the gradients of its layers,
- a program that the learner names: a preset (a program with a name) or an expression,
- a training run, or the language model of an exercise that trains one. A transformer may learn from a text of theirs.

Beside a program, the page offers the presets.
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from pathlib import Path

from msgspec.structs import replace

from ..base.files import UserError, write_named
from ..base.processes import open_in_browser
from ..base.text import shown_path
from ..course.load import Check, Course, Exercise
from ..course.oracle import AnswerBook, Oracle, read_book
from ..course.program import ProgramError
from ..practice.progress import progress_of
from ..practice.replay import (
    FILES,
    LONGEST,
    FilesToReplay,
    FileToReplay,
    Played,
    Subject,
    Thermometer,
    is_program,
    is_transformer,
    named_check,
    named_exercise,
    named_subject,
    named_training,
    names_of,
    presets,
    trained_transformers,
)
from ..practice.workspace import files_to_grade, find_exercise, keep_replay, learner_folders
from ..runner import sandbox
from ..runner.client import Source, read_source
from ..runner.sandbox import Started
from ..verdict.report import Repairs
from ..words import practice
from ..words.practice import unread_text
from ..words.sentence import cannot_be_read, cannot_be_written
from .options import PlayOptions, default_memo
from .streams import StatusLine, say

ENGINE = "engine"  # the exercise in which learners write a whole engine
_PATIENCE_S = 10.0  # how long a learner waits for the search for the line that must change, which the page then shows


@dataclass(frozen=True)
class _Target:
    """A file, and what to run on it: the check `check`, or the program `subject`.

    If both are None, every check of the exercise is run.

    Attributes:
        exercise: the exercise that the file belongs to. None if a named file belongs to none.
        engine: the file with the learner's whole engine. A language model may be trained with it.
        names: the words that a transformer learns from; empty for the course's own names.
    """

    exercise: Exercise | None
    source: Source
    check: Check | None = None
    subject: Subject | None = None
    engine: Source | None = None
    names: tuple[str, ...] = ()


def run_play(course: Course, options: PlayOptions) -> int:
    """Record the requested replays, write the page, and open it. Return 0. Raises `UserError`."""
    # what to run
    book = read_book(course.book)
    folder = options.folder or learner_folders(course)[1]
    options = _with_file(course, options, folder)
    try:
        target = _target(course, FilesToReplay(course, book.stubs, folder), options, folder)
    except ProgramError as error:
        raise UserError(str(error)) from None
    if options.text:
        target = _on_text(target, options.text)
    # run it
    line = StatusLine()
    line.show(practice.RUNNING)
    played = _recorded(course, book, target)
    line.clear()

    from ..practice.replay import build_replay_page

    # write the page, and open it
    path = _write(build_replay_page(played), options.out, folder)
    opened = options.browser and open_in_browser(path.resolve().as_uri())
    if played.note:
        say(played.note)
    say(practice.replayed(shown_path(target.source.path), played.about), practice.replay_in(shown_path(path)))
    if options.browser and not opened:
        say(practice.OPEN_IT)
    return 0


# -- find the file and the program that the words name ---------------------------------------------


def _with_file(course: Course, options: PlayOptions, folder: Path) -> PlayOptions:
    """Return options in which a file among the words is the option `file`, so that `grade play FILE` is accepted.

    The word stays if it names a file in the learner's folder. It is then a name of the exercise, such as
    `03_accumulate.py`.

    Args:
        folder: the folder of the learner's exercise files.

    Raises:
        UserError: the file does not exist, or its exercise is unclear.
    """
    word = next((word for word in options.words if word.endswith(FILES)), None)
    if word is None or options.file is not None:
        return options
    # a file in the learner's folder, named from there or from the current folder
    in_folder = folder / Path(word).name
    if not Path(word).is_file():
        if in_folder.is_file():
            return options
        raise UserError(practice.no_file(word))
    if in_folder.is_file() and in_folder.samefile(word):
        return options
    # a file elsewhere, if an option names its exercise or if the other words are the program to run
    others = tuple(other for other in options.words if other != word)
    if options.exercise or (others and is_program(others)):
        return replace(options, words=others, file=Path(word))
    # otherwise, the exercise is the one in the file's name, or the one that a notebook's cells name
    ids = list(files_to_grade(course, [*others[:1], word], folder))
    if len(ids) > 1:
        raise UserError(practice.several_in(word, ids))
    return replace(options, words=(ids[0], *others[1:]), file=Path(word))


def _target(course: Course, files: FilesToReplay, options: PlayOptions, folder: Path) -> _Target:
    """Return the file to run, and the check or the program that the words name.

    Raises `UserError` or `ProgramError`.
    """
    words = options.words
    named = find_exercise(course, options.exercise) if options.exercise else None
    # a training run
    if options.landscape:
        training = named_training(words)
        exercise = named or files.with_training()
        source = _source(files, options.file, exercise, practice.nothing_trains(str(folder)))
        return _Target(exercise, source, subject=training.subject)
    nothing = practice.no_files(str(folder), above=options.folder is None)
    # an exercise, by default the one that the learner works on
    exercise = named if not words else named_exercise(course, words)
    if not words and exercise is None:
        exercise = course.by_id.get(progress_of(folder).at) or files.at_hand()
    if exercise is not None or not words:
        check = named_check(exercise, words[1:]) if exercise else None
        source = _source(files, options.file, exercise, nothing)
        return _Target(exercise, source, check, engine=files.sources.get(ENGINE))
    # a preset or an expression, on any engine that the learner has begun
    subject = named_subject(words)
    exercise = named or files.with_pass()
    return _Target(exercise, _source(files, options.file, exercise, nothing), subject=subject)


def _on_text(target: _Target, path: Path) -> _Target:
    """Return a target whose transformer learns from the words of a text file.

    Raises `UserError`: the file to run has no transformer, or the text file cannot be read or has no such word.
    """
    if not target.exercise or target.subject or target.check or not is_transformer(target.source.text):
        raise UserError(practice.NO_TRANSFORMER)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else practice.NOT_UTF_8
        raise UserError(cannot_be_read(f"--text {path}", why or "")) from None
    names = names_of(text)
    if not names:
        raise UserError(practice.no_words(str(path), LONGEST))
    return replace_fields(target, names=names)


def _source(files: FilesToReplay, path: Path | None, exercise: Exercise | None, missing: str) -> Source:
    """Return the source to run: that of a named path, or else that of the exercise.

    Raises `UserError` with the text `missing` if there is neither, or with the reason why the file cannot be read.
    """
    if path is not None:
        source = read_source(path, names=exercise.names if exercise else ())
    elif exercise is not None:
        source = files.sources[exercise.id]
    else:
        raise UserError(missing)
    if source.unread is not None:
        raise UserError(f"{source.path}: {unread_text(source.unread, source.path.name)}")
    return source


# -- run the file, and record it -------------------------------------------------------------------


def _recorded(course: Course, book: AnswerBook, target: _Target) -> Played:
    """Run the learner's file, and return what was recorded."""
    from ..practice.replay import answers_of, is_language_model, record_all

    exercise = target.exercise.id if target.exercise else ""
    source, repairs = target.source, None
    # the page also offers the presets, except the one that was asked for
    others = [preset.subject for preset in presets() if target.subject is None or preset.id != target.subject.preset]
    with ExitStack() as stack:
        oracle = stack.enter_context(Oracle(book, default_memo()))
        warm = stack.enter_context(sandbox.start(allow_imports=course.allow_imports))
        first, answers = target.subject, answers_of(oracle)
        thermometers: tuple[Thermometer, ...] = ()
        # a language model has no single program to replay: its training is shown
        if exercise and first is None and target.check is None and is_transformer(source.text):
            file = FileToReplay(exercise, shown_path(source.path), source)
            (model,) = trained_transformers(warm, course.limits, file, target.names)
            return Played((), model=model)
        if exercise and first is None and target.check is None and is_language_model(source.text):
            return _model(course, book, oracle, warm, FileToReplay(exercise, shown_path(source.path), source), target)
        try:
            if first is None and target.exercise is not None:
                first, thermometers, repairs = _of_exercise(course, book, oracle, warm, target.exercise, target)
            file = FileToReplay(exercise, shown_path(source.path), source, repairs)
            played = record_all(warm, course.limits, file, first, others, answers, thermometers)
            # a note says so if the exercise had no program to show, and the first preset is shown instead
            if exercise and first is None and played.replays and not played.replays[0].problem:
                return replace(played, note=practice.others_played(exercise))
            return played
        except ProgramError as error:
            raise UserError(str(error)) from None


def _model(
    course: Course, book: AnswerBook, oracle: Oracle, warm: Started, file: FileToReplay, target: _Target
) -> Played:
    """Return the training of the learner's language model, also with the learner's own engine if it passes its checks.

    Args:
        file: the file of the exercise that trains a language model.
        target: has the file with the learner's own engine, if there is one.
    """
    from ..practice.replay import CheckedFile, record_model
    from ..verdict.checks import CheckSession
    from ..verdict.grading import Grader

    engine = course.by_id.get(ENGINE)
    own = target.engine
    # the course has no exercise of a whole engine, or the learner has not begun it
    if engine is None or own is None or own.unread is not None or own.text == book.stubs.get(ENGINE):
        return Played((), model=record_model(warm, course.limits, file, None))
    # the engine is run only if it passes the required checks of its own exercise
    with CheckSession(course, [engine]) as checks:
        checked = CheckedFile(Grader(course, book, checks, oracle, warm, course.seed), engine, own)
    passes = checked.loaded and all(checked.passed(check) for check in engine.checks if not check.bonus)
    return Played((), model=record_model(warm, course.limits, file, own, passes=passes))


def _of_exercise(
    course: Course, book: AnswerBook, oracle: Oracle, warm: Started, exercise: Exercise, target: _Target
) -> tuple[Subject | None, tuple[Thermometer, ...], Repairs | None]:
    """Return what there is to show of an exercise.

    Returns:
        - The program on which the requested check failed. Without a requested check, it is the first program on which
          any check failed. It is None if no such program can be shown.
        - The gradients of layers, from the checks that run programs with layers.
        - The result of the search for the line that must change; None if it takes longer than `_PATIENCE_S`.

    Raises:
        UserError: the requested check runs no backward pass.
    """
    from ..practice.replay import CheckedFile, answers_of
    from ..verdict.checks import CheckSession
    from ..verdict.grading import Grader

    with CheckSession(course, [exercise]) as checks:
        checked = CheckedFile(Grader(course, book, checks, oracle, warm, course.seed), exercise, target.source)
        check = target.check if checked.loaded else None  # no check was run on a file that could not be loaded
        subject = checked.of(check) if check else checked.first()
        thermometers = checked.thermometers(answers_of(oracle), check)
        end = time.monotonic() + _PATIENCE_S
        repairs = checked.repairs(lambda: time.monotonic() > end) if subject else None
    if check is None:
        return subject, thermometers, repairs
    if subject is None and not thermometers:
        raise UserError(practice.check_without_pass(check.id, exercise.id))
    if checked.passed(check):
        say(practice.passed_check(check.title))
    return subject, thermometers, repairs


# -- write the page --------------------------------------------------------------------------------


def _write(page: str, out: Path | None, folder: Path) -> Path:
    """Write the page, and return its path: the named path, or a path chosen by `keep_replay`. Raises `UserError`."""
    if out is None:
        return keep_replay(page, folder)
    try:
        write_named(out, page.encode())
    except OSError as error:
        raise UserError(cannot_be_written(f"--out {out}", error.strerror or "")) from None
    return out
