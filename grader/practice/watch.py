"""Grade on every save and show one exercise at a time."""

import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from ..course import Check, Course, Exercise
from ..grading import Listener
from ..report import CheckResult, Report
from ..report.shown import first_failure, hint_number
from ..style import Style, hint_text
from ..views.practice import (
    exercise_list,
    exercise_screen,
    farewell,
    first_verdict,
    fitted,
    next_step,
    progress,
    reset_text,
)
from ..workspace import reset
from .events import Event, Events, Pressed, Resized, Saved
from .session import Practice, first_unfinished

_SETTLE_S = 0.005  # an editor writes a file in several steps
_KEYS = "h hint   a all failures   l list   n next   r reset   q quit"


@dataclass(frozen=True)
class Screen:
    """How to draw.

    Attributes:
        whole: The terminal can be cleared; otherwise lines are printed one after another.
        keys: Keys can be read.
        style: Returns how text is drawn in the window as it is now.
        stream: Standard output: while hidden tests run, `sys.stdout` is something else.
    """

    whole: bool
    keys: bool
    style: Callable[[], Style]
    stream: TextIO = field(default_factory=lambda: sys.stdout)

    def show(self, lines: Sequence[str], *, cut: bool = True, style: Style | None = None) -> None:
        """Draw these lines: from the top of the terminal, the last ones if they do not fit, or below what is there.

        Without `cut`, all of them, so that the terminal scrolls.
        """
        if self.whole:
            shown = fitted(lines, shutil.get_terminal_size().lines - 1, style or self.style()) if cut else lines
            self.stream.write("\x1b[H\x1b[2J" + "\n".join(shown))
        else:
            self.stream.write("\n".join(lines) + "\n")
        self.stream.flush()

    def status(self, line: str) -> None:
        """Draw a line where the cursor is, over what is there, if the terminal can do that."""
        if self.whole:
            self.stream.write(f"\r\x1b[K{line}")
            self.stream.flush()


class Watch:
    """The loop: one exercise is at hand; a save grades it, a pass moves on to the next unfinished one.

    Args:
        practice: The learner's files and what grades them.
        screen: How to draw.
        start: The exercise to begin with; by default the first unfinished one.
        on_report: Called after each grading, with the result of the exercise at hand.
    """

    def __init__(
        self,
        practice: Practice,
        screen: Screen,
        start: Exercise | None = None,
        on_report: Callable[[Report], None] = lambda report: None,
    ) -> None:
        self._on_report = on_report
        exercises = practice.course.exercises
        self._by_file = {name: one for one in exercises for name in (one.filename, one.notebook)}
        self._practice = practice
        self._course: Course = practice.course
        self._screen = screen
        self._at = start
        self._hint = 0  # the last one shown of the exercise at hand
        self._view: Callable[[], list[str]] = self._welcome
        self._asked_to_reset = False
        self._later: deque[Event] = deque()  # that came while a file was being saved

    def run(self) -> None:
        """Grade everything once, then follow the events until the learner quits."""
        self._grade(self._course.exercises)
        self._at = self._at or first_unfinished(self._course, self._practice.results)
        with Events(self._practice.folder, keys=self._screen.keys) as events:
            self._draw()
            while True:
                event = self._later.popleft() if self._later else events.wait()
                if isinstance(event, Pressed):
                    if event.key in ("q", "\x04"):
                        break
                    self._press(event.key)
                elif isinstance(event, Resized):
                    self._draw()
                elif event is not None:
                    self._save(event, events)
        if self._screen.whole:
            self._screen.show([progress(self._course, self._practice.results, self._style), ""])

    # -- events ---------------------------------------------------------------------------------------

    def _save(self, event: Event | None, events: Events) -> None:
        """Grade the exercises whose files have changed, once the editor is done with them."""
        saved = set()
        while event is not None:
            if isinstance(event, Saved):
                saved.add(event.name)
            else:
                self._later.append(event)
            event = events.wait(_SETTLE_S)
        meant = {self._by_file[name].id for name in saved if name in self._by_file}
        changed = self._practice.changed(one for one in self._course.exercises if one.id in meant)
        if changed:
            self._asked_to_reset = False
            self._grade(changed)
            self._turn_to(changed)
            self._draw()

    def _turn_to(self, changed: Sequence[Exercise]) -> None:
        """Show what was changed: the exercise at hand, or else the first of the changed ones."""
        at = self._at if self._at in changed else changed[0]
        assert at is not None
        if at != self._at:
            self._at, self._hint = at, 0
        if self._practice.results[at.id].status != "passed":
            self._view = self._exercise
            return
        following = first_unfinished(self._course, self._practice.results, after=at.id)
        self._view = self._passed(at, following)
        if following is not None:
            self._at, self._hint = following, 0

    def _press(self, key: str) -> None:
        confirmed, self._asked_to_reset = self._asked_to_reset, False
        if key == "h" and self._at is not None:
            self._hint = self._next_hint(self._at)
            self._view = self._hinted
        elif key == "a":
            self._view = self._everything
        elif key == "l":
            self._view = self._list
        elif key == "n":
            after = self._at.id if self._at else ""
            self._at = first_unfinished(self._course, self._practice.results, after)
            self._hint, self._view = 0, self._exercise
        elif key == "r" and self._at is not None:
            self._asked_to_reset = not confirmed
            self._view = self._reset(self._at) if confirmed else self._ask_to_reset
        elif key in ("\r", "\n", " "):
            self._view = self._exercise
        else:
            return
        self._draw()

    def _next_hint(self, exercise: Exercise) -> int:
        """Return the number of the hint to show: of the failing check first, then the ones after it."""
        if self._hint:
            return self._hint % len(exercise.hints) + 1
        result = self._practice.results.get(exercise.id)
        failure = first_failure(result) if result else None
        return hint_number(failure) if failure else 1

    def _grade(self, exercises: Iterable[Exercise]) -> None:
        """Grade these exercises. Show each check as it begins, and the first failure before its reason is known."""
        shown: set[str] = set()
        style = self._style

        def began(exercise: Exercise, check: Check) -> None:
            done = f"{exercise.stem}, check {1 + exercise.checks.index(check)} of {len(exercise.checks)}"
            self._screen.status(style.cut(style.clean(f"{done}: {check.title}"), style.width))

        def ended(exercise: Exercise, result: CheckResult) -> None:
            failed = result.status not in ("passed", "not_started") and not result.bonus
            if self._screen.whole and failed and not shown and self._at in (None, exercise):
                shown.add(exercise.id)
                self._screen.show([*first_verdict(exercise, result, style), "", ""], style=style)

        self._on_report(self._practice.grade(exercises, Listener(began, ended)))

    @property
    def _style(self) -> Style:
        return self._screen.style()

    # -- views ----------------------------------------------------------------------------------------

    def _draw(self) -> None:
        lines = self._view()
        if self._screen.keys:
            lines = [*lines, "", _KEYS]
        self._screen.show(lines, cut=self._view != self._everything)

    def _welcome(self) -> list[str]:
        results = self._practice.results
        head = [self._course.title, progress(self._course, results, self._style), ""]
        if self._at is None or results[self._at.id].status in ("not_started", "missing"):
            return [*head, self._next(self._at), "Save the file: it is graded at once."]
        return [*head, *self._exercise()]

    def _exercise(self) -> list[str]:
        if self._at is None:
            return [self._next(None)]
        result = self._practice.results[self._at.id]
        if result.status in ("not_started", "missing"):
            return [self._next(self._at)]
        return exercise_screen(result, style=self._style)

    def _everything(self) -> list[str]:
        if self._at is None:
            return [self._next(None)]
        return exercise_screen(self._practice.results[self._at.id], everything=True, style=self._style)

    def _list(self) -> list[str]:
        return exercise_list(self._course, self._practice.results, self._at, self._style)

    def _hinted(self) -> list[str]:
        assert self._at is not None
        more = ["", "h shows the next hint"] if len(self._at.hints) > 1 else []
        return [
            *self._exercise(),
            "",
            *hint_text(self._at.stem, self._at.hints, self._hint, self._style).splitlines(),
            *more,
        ]

    def _passed(self, exercise: Exercise, following: Exercise | None) -> Callable[[], list[str]]:
        def view() -> list[str]:
            shown = exercise_screen(self._practice.results[exercise.id], style=self._style)
            bar = progress(self._course, self._practice.results, self._style)
            last = farewell(self._course, self._style) if following is None else [self._next(following)]
            return [*shown, "", bar, *last]

        return view

    def _ask_to_reset(self) -> list[str]:
        assert self._at is not None
        return [f"Press r again to begin {self._at.filename} again. A copy of your file is kept."]

    def _reset(self, exercise: Exercise) -> Callable[[], list[str]]:
        path = self._practice.path(exercise)
        try:
            copy = reset(path, self._practice.stub(exercise))
        except OSError as error:
            message = f"{path} cannot be written: {error.strerror}"
        else:
            message = reset_text(path, copy)
            self._grade([exercise])
        return lambda: [message]

    def _next(self, exercise: Exercise | None) -> str:
        return next_step(self._course, exercise, self._practice.folder)
