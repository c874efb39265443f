"""Grade on every save, and show one exercise at a time."""

import contextlib
import os
import queue
import shutil
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, TypeAlias

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from ..base.text import Style, columns
from ..course.load import Course, Exercise
from ..verdict.grading import CheckBegan, CheckEnded, Searching
from ..verdict.report import CheckResult, Repairs, Report, first_failure, hint_of, last_hint, unloaded
from ..verdict.terminal import headline
from ..words import practice as words
from ..words.repairs import searching
from ..words.sentence import cannot_be_written
from .keys import single_keys
from .progress import progress_of
from .screens import (
    Hints,
    exercise_list,
    exercise_screen,
    farewell,
    first_verdict,
    fitted,
    next_step,
    progress,
    reset_text,
)
from .session import Practice, Withdrawn, first_unfinished
from .workspace import reset

# -- Saved files, pressed keys and changes of the window size, in one queue

_LONGEST_WAIT_S = 0.5  # on Windows, Ctrl-C does not end a wait
_NO_CHANGE = ("opened", "closed_no_write")


@dataclass(frozen=True)
class Saved:
    """The file with this name may have been changed, created or deleted."""

    name: str


@dataclass(frozen=True)
class Pressed:
    """A key was pressed. An empty key means the end of the input."""

    key: str


@dataclass(frozen=True)
class Resized:
    """The size of the window has changed."""


WatchEvent: TypeAlias = Saved | Pressed | Resized


class Events:
    """A context manager that collects the events of a folder, a keyboard and a window.

    Args:
        folder: the folder whose files are watched, without its subfolders.
        keys: whether to read keys from standard input, which must then be a terminal.
    """

    def __init__(self, folder: Path, *, keys: bool) -> None:
        self._queue: queue.SimpleQueue[WatchEvent] = queue.SimpleQueue()
        self._stack = contextlib.ExitStack()
        self._folder = folder
        self._keys = keys

    def __enter__(self) -> "Events":
        with contextlib.ExitStack() as stack:
            observer = Observer()
            observer.schedule(_FolderHandler(self._queue), str(self._folder), recursive=False)
            observer.start()
            # callbacks run in the reverse order: stop, then join
            stack.callback(observer.join)
            stack.callback(observer.stop)
            if self._keys:
                stack.enter_context(single_keys(lambda key: self._queue.put(Pressed(key))))
            # Windows has no such signal: there, the next event draws for the new size
            if hasattr(signal, "SIGWINCH"):
                before = signal.signal(signal.SIGWINCH, lambda *_: self._queue.put(Resized()))
                stack.callback(signal.signal, signal.SIGWINCH, before)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def wait(self, seconds: float | None = None) -> WatchEvent | None:
        """Return the next event, or None if none arrives within `seconds`."""
        while True:
            try:
                return self._queue.get(timeout=_LONGEST_WAIT_S if seconds is None else seconds)
            except queue.Empty:
                if seconds is not None:
                    return None


class _FolderHandler(FileSystemEventHandler):
    def __init__(self, events: "queue.SimpleQueue[WatchEvent]") -> None:
        self._events = events

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Put the names of the changed files in the queue. Some editors write a new file and rename it."""
        if event.is_directory or event.event_type in _NO_CHANGE:
            return
        for path in {event.src_path, event.dest_path} - {""}:
            self._events.put(Saved(os.path.basename(os.fsdecode(path))))


_SETTLE_S = 0.005  # an editor may write a file in several steps
_QUIT = ("q", "\x04")
_AT_ONCE = ("h", "a", "l", "\r", "\n", " ")  # keys that only change the view
_GAP = "   "  # the space between the descriptions of two keys


# -- The screen


@dataclass(frozen=True)
class Screen:
    """The terminal and how to draw on it.

    Attributes:
        whole: whether the terminal can be cleared; otherwise lines are printed one after another.
        keys: whether keys can be read.
        style: returns the style for the present size of the window.
        stream: where it draws.
    """

    whole: bool
    keys: bool
    style: Callable[[], Style]
    stream: TextIO = field(default_factory=lambda: sys.stdout)

    def show(self, lines: Sequence[str], *, cut: bool = True, style: Style | None = None) -> None:
        """Draw lines from the top of the terminal. If it cannot be cleared, print them below the existing text.

        If the lines do not fit, the last ones are drawn. Without `cut`, all lines are drawn and the terminal scrolls.
        """
        if self.whole:
            # one line remains for the cursor
            shown = fitted(lines, shutil.get_terminal_size().lines - 1, style or self.style()) if cut else lines
            self.stream.write("\x1b[H\x1b[2J" + "\n".join(shown))
        else:
            self.stream.write("\n".join(lines) + "\n")
        self.stream.flush()

    def status(self, line: str) -> None:
        """Replace the line at the cursor, if the terminal can do that."""
        if self.whole:
            self.stream.write(f"\r\x1b[K{line}")
            self.stream.flush()


class Watch:
    """The loop of `grade watch`. A save grades the current exercise, and a pass moves on to the next unfinished one.

    Args:
        practice: the learner's files and everything that grades them.
        screen: the terminal.
        start: the exercise to begin with; None for the first unfinished one.
        on_report: called after each grading with the report.
        play: shows the replay of an exercise, and returns sentences about it.
    """

    def __init__(
        self,
        practice: Practice,
        screen: Screen,
        start: Exercise | None = None,
        on_report: Callable[[Report], None] = lambda report: None,
        play: Callable[[Exercise], Sequence[str]] = lambda exercise: (),
    ) -> None:
        self._on_report = on_report
        self._play = play
        exercises = practice.course.exercises
        self._by_file = {name: one for one in exercises for name in (one.filename, one.notebook)}
        self._practice = practice
        self._course: Course = practice.course
        self._screen = screen
        self._at = start
        self._announced = False  # whether the screen shows another exercise and names `_at` as the next one
        self._seen = start  # the exercise that the screen shows
        self._progress = progress_of(practice.folder)  # the last hint that was shown, and the last search
        self._view: Callable[[], list[str]] = self._welcome
        self._asked_to_reset = False
        self._searching = False  # whether the last grading has ended, and a search for the line goes on
        self._later: deque[WatchEvent] = deque()  # the events that arrived while a file was being saved or searched

    def run(self) -> None:
        """Grade everything once, then handle events until the learner quits."""
        with Events(self._practice.folder, keys=self._screen.keys) as events:
            # events are collected from here on, so a file that is saved meanwhile is graded again
            self._grade(self._course.exercises)
            self._at = self._seen = self._at or first_unfinished(self._course, self._practice.results)
            self._draw()
            while True:
                event = self._later.popleft() if self._later else events.wait()
                if isinstance(event, Pressed):
                    if event.key in _QUIT:
                        break
                    self._press(event.key, events)
                elif isinstance(event, Resized):
                    self._draw()
                elif event is not None:
                    self._save(event, events)
        if self._screen.whole:
            self._screen.show([progress(self._course, self._practice.results, self._style), ""])

    # -- events ---------------------------------------------------------------------------------------

    def _save(self, event: WatchEvent | None, events: Events) -> None:
        """Grade the exercises whose files have changed, after the editor has finished writing."""
        saved = set()
        while event is not None:
            if isinstance(event, Saved):
                saved.add(event.name)
            else:
                self._later.append(event)
            event = events.wait(_SETTLE_S)
        meant = {self._by_file[name].id for name in saved if name in self._by_file}
        changed = self._practice.changed(one for one in self._course.exercises if one.id in meant)
        # a file that was saved without a change is not graded again
        if changed:
            self._asked_to_reset = False
            with contextlib.suppress(Withdrawn):  # the next event says why
                self._grade(changed, lambda: self._is_withdrawn(changed, events), turn=True)

    def _is_withdrawn(self, exercises: Sequence[Exercise], events: Events) -> bool:
        """Return whether one of the files was saved again since its grading began, or the learner quits.

        A search for the line that must change also ends if a key is pressed that does more than change the view.
        """
        # everything that has arrived, without waiting
        while (event := events.wait(0)) is not None:
            self._later.append(event)
        names = {name for one in exercises for name in (one.filename, one.notebook)}
        saved = any(isinstance(event, Saved) and event.name in names for event in self._later)
        quits = any(isinstance(event, Pressed) and event.key in _QUIT for event in self._later)
        if self._searching:
            quits = any(isinstance(event, Pressed) and event.key not in _AT_ONCE for event in self._later)
        return quits or (saved and bool(self._practice.changed(exercises)))

    def _turn_to(self, changed: Sequence[Exercise]) -> None:
        """Show the current exercise if it was changed, or else the first of the changed exercises."""
        at = self._at if self._at in changed else changed[0]
        assert at is not None
        self._at = self._seen = at
        self._announced = False
        if self._practice.results[at.id].status != "passed":
            self._view = self._exercise
            return
        following = first_unfinished(self._course, self._practice.results, after=at.id)
        self._view = self._passed(at, following)
        if following is not None:
            self._at, self._announced = following, True

    def _press(self, key: str, events: Events | None = None) -> None:
        """Handle a key.

        Args:
            events: an event ends a search for the line that must change. Without `events`, there is no search.
        """
        # another key than a second `r` cancels the reset
        confirmed, self._asked_to_reset = self._asked_to_reset, False
        # each key chooses a view, which is drawn at the end
        if key == "h" and self._at is not None:
            self._turn_to_hint(self._at, events)
        elif key == "a":
            self._view = self._everything
        elif key == "l":
            self._view = self._list
        elif key == "n":
            self._turn_to_next()
        elif key == "p" and self._seen is not None:
            self._screen.status(words.RUNNING)
            sentences = self._play(self._seen)
            self._view = lambda: [line for text in sentences for line in self._style.wrap(text)]
        elif key == "r" and self._at is not None:
            self._asked_to_reset = not confirmed
            self._view = self._reset(self._at) if confirmed else self._ask_to_reset
        elif key in ("\r", "\n", " "):
            self._view = self._exercise
        else:
            return
        self._draw()

    def _turn_to_next(self) -> None:
        """Go to the exercise that the screen names as the next one, or else to the next unfinished one."""
        if not self._announced:
            self._at = first_unfinished(self._course, self._practice.results, self._at.id if self._at else "")
        self._seen, self._announced, self._view = self._at, False, self._exercise

    def _turn_to_hint(self, exercise: Exercise, events: Events | None) -> None:
        """Show the first hint for the current failure, or the one after the last hint that was shown for it.

        Before the last one, search the file for the line that must change, if that was not done.
        """
        failure = self._failure(exercise)
        self._progress.failed(exercise.id, failure.id if failure else "", hint_of(failure) if failure else 1)
        hints = self._hints(exercise)
        if events is not None and hints.end_after(self._progress.shown) and not self._found(exercise):
            self._search(exercise, events)
            hints = self._hints(exercise)
        if hints.numbers:
            self._progress.show_next(hints.numbers)
        self._seen, self._announced, self._view = exercise, False, self._hinted

    def _search(self, exercise: Exercise, events: Events) -> None:
        """Search a file for the line that must change, until an event arrives, but not for long."""

        def withdrawn() -> bool:
            while (event := events.wait(0)) is not None:
                self._later.append(event)
            return bool(self._later)

        with contextlib.suppress(Withdrawn):  # the next event says why
            for event in self._practice.searched_file(exercise, withdrawn):
                if isinstance(event, Searching):
                    self._screen.status(self._style.cut(searching(event.tried), self._style.width))
                elif isinstance(event, Report):
                    self._report(event)

    def _report(self, report: Report) -> None:
        self._progress.searched(report)
        self._on_report(report)

    def _found(self, exercise: Exercise) -> Repairs | None:
        """Return the result of a search of the file that was graded last, or None if there was none."""
        source = self._practice.graded(exercise)
        return self._progress.search_of(self._course, exercise, source.text) if source else None

    def _failure(self, exercise: Exercise) -> CheckResult | None:
        """Return the check of an exercise that is explained, if there is one."""
        result = self._practice.results.get(exercise.id)
        return first_failure(result) if result else None

    def _hints(self, exercise: Exercise) -> Hints:
        """Return the hints for the current failure, or all hints of the exercise if nothing failed.

        There is none if no hint fits, or if the file was not loaded.
        """
        failure = self._failure(exercise)
        if failure is None:
            every = range(0 if self._unloaded(exercise) else len(exercise.hints))
            return Hints(exercise, tuple(number + 1 for number in every), of_failure=False)
        source, found = self._practice.graded(exercise), self._found(exercise)
        asked = last_hint(found, failure.id, source.text, source.cells) if source and found else None
        return Hints(exercise, exercise.hints_from(hint_of(failure)), asked=asked)

    def _unloaded(self, exercise: Exercise) -> bool:
        result = self._practice.results.get(exercise.id)
        return result is not None and unloaded(result)

    def _grade(
        self, exercises: Sequence[Exercise], withdrawn: Callable[[], bool] = lambda: False, *, turn: bool = False
    ) -> None:
        """Grade these exercises. Show each check when it begins, and the first failure before its reason is known.

        Args:
            withdrawn: returns whether they are no longer to be graded, or no longer to be searched.
            turn: whether to show the result, and then to search for the line that must change and to show this too.

        Raises `Withdrawn` if they are no longer to be graded.
        """
        # where lines are printed one below the other, a verdict is printed once, complete
        shown = not self._screen.whole
        style = self._style
        self._searching = False
        searched = self._shown_failure if turn and self._screen.whole else None
        for event in self._practice.events(exercises, withdrawn, searched):
            if isinstance(event, CheckBegan):
                exercise, number = event.exercise, 1 + event.exercise.checks.index(event.check)
                doing = words.checking(exercise.stem, number, len(exercise.checks), event.check.title)
                self._screen.status(style.cut(style.clean(doing), style.width))
            elif isinstance(event, CheckEnded):
                result = event.result
                failed = result.status not in ("passed", "not_started") and not result.bonus
                # only of the exercise on the screen; `_at` is None before the first grading
                if failed and not shown and self._at in (None, event.exercise) and not withdrawn():
                    shown = True
                    self._screen.show([*first_verdict(event.exercise, result, style), "", ""], style=style)
            elif isinstance(event, Searching):
                # keys that only change the view do not wait for the end of the search
                while self._later and isinstance(now := self._later[0], Pressed) and now.key in _AT_ONCE:
                    self._later.popleft()
                    self._press(now.key)
            else:
                self._report(event)
                # the first report is the verdict; a later one has the result of the search
                if turn and not self._searching:
                    self._turn_to(exercises)
                self._searching = True
                if turn:
                    self._draw()
        self._searching = False

    def _shown_failure(self, report: Report) -> list[str]:
        """Return the exercise of a report that the screen shows, if it failed."""
        return [one.id for one in report.exercises if one.status != "passed" and self._seen and one.id == self._seen.id]

    @property
    def _style(self) -> Style:
        return self._screen.style()

    # -- views ----------------------------------------------------------------------------------------

    def _draw(self) -> None:
        # a view is a function, so that a new size of the window lays it out again
        lines = self._view()
        if self._screen.keys:
            lines = [*lines, "", *_key_lines(self._style)]
        self._screen.show(lines, cut=self._view != self._everything)

    def _welcome(self) -> list[str]:
        results, style = self._practice.results, self._style
        no_keys = [] if self._screen.keys else style.wrap(words.NO_KEYS)
        head = [self._course.title, progress(self._course, results, style), *no_keys, ""]
        if self._at is None:
            return [*head, *self._next(None)]
        if results[self._at.id].status in ("not_started", "missing"):
            self._announced = True
            return [*head, *self._begin(self._at)]
        return [*head, *self._exercise()]

    def _exercise(self) -> list[str]:
        if self._at is None:
            return self._next(None)
        result = self._practice.results[self._at.id]
        if result.status in ("not_started", "missing"):
            return [headline(result, self._style, title=True), "", *self._begin(self._at)]
        return exercise_screen(result, style=self._style)

    def _begin(self, exercise: Exercise) -> list[str]:
        """Return how to begin an exercise: its file, and a tip about saving or about a missing file."""
        missing = self._practice.results[exercise.id].status == "missing" and self._screen.keys
        tip = words.FILE_MISSING if missing else words.ON_SAVE
        return [*self._next(exercise), *self._style.wrap(tip)]

    def _everything(self) -> list[str]:
        if self._seen is None:
            return self._next(None)
        return exercise_screen(self._practice.results[self._seen.id], everything=True, style=self._style)

    def _list(self) -> list[str]:
        style = self._style
        # the last row remains for the cursor
        rows = shutil.get_terminal_size().lines - 1 - len(_key_lines(style)) if self._screen.whole else None
        return exercise_list(self._course, self._practice.results, self._at, style, rows)

    def _hinted(self) -> list[str]:
        assert self._at is not None
        exercise, style = self._at, self._style
        if self._unloaded(exercise):
            return [*self._exercise(), "", *style.wrap(words.hints_later(exercise.id))]
        return [*self._exercise(), "", *self._hints(exercise).lines(self._progress.shown, words.NEXT_HINT, style)]

    def _passed(self, exercise: Exercise, following: Exercise | None) -> Callable[[], list[str]]:
        def view() -> list[str]:
            shown = exercise_screen(self._practice.results[exercise.id], style=self._style)
            bar = progress(self._course, self._practice.results, self._style)
            last = farewell(self._course, self._style) if following is None else self._next(following)
            return [*shown, "", bar, *last]

        return view

    def _ask_to_reset(self) -> list[str]:
        assert self._at is not None
        return self._style.wrap(words.sure_to_reset(self._at.filename))

    def _reset(self, exercise: Exercise) -> Callable[[], list[str]]:
        path = self._practice.path(exercise)
        notebook = path.with_name(exercise.notebook)
        if notebook.exists() and not path.exists():
            return lambda: self._style.wrap(words.notebook_in_place(notebook.name, path.name))
        try:
            done = reset(path, self._practice.stub(exercise))
        except OSError as error:
            message = cannot_be_written(str(path), error.strerror or "")
            return lambda: self._style.wrap(message)
        self._grade([exercise])
        return lambda: reset_text(path, done, self._style)

    def _next(self, exercise: Exercise | None) -> list[str]:
        return next_step(self._course, exercise, self._practice.folder, self._style)


def _key_lines(style: Style) -> list[str]:
    """Return a description of the keys, in as many lines as the window needs."""
    lines = [""]
    for key in words.KEYS:
        longer = f"{lines[-1]}{_GAP}{key}" if lines[-1] else key
        lines = [*lines[:-1], longer] if columns(longer) <= style.width else [*lines, key]
    return lines
