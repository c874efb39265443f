"""The grader's end of a browser tab: it gets the text of an exercise, and returns JSON for the page."""

import gc
import re
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from importlib import invalidate_caches
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..course.load import Course, Exercise
from ..course.program import ProgramError
from ..course.remarks import Reason
from ..runner.as_program import run_as_program
from ..runner.client import MAX_CPU_S, NOTEBOOK, Source, bounds, decode_source, notebook_source
from ..runner.same_interpreter import SMALL, Here, leaves_traces
from ..verdict.grading import CheckEnded, stamp_of
from ..verdict.report import Repairs, Report, read_report, to_json, with_results
from ..words import assistant
from ..words.practice import no_exercise_file, unread_text
from .session import Practice, PracticeEvent
from .site_data import PIECE, CheckProgress, GivenFiles, RunOutput, SearchProgress, Verdict
from .site_verdict import verdict_of

_COPY = re.compile(r" ?\(\d+\)$")  # what browsers add to the name of a file that was downloaded twice
_SHALLOW = 250  # nested calls for which the stack of a browser is large enough, also if they go through operators
_LONGEST_S = 2.0  # a verdict on a loop without end has to be back within three seconds
_SLICE_S = 0.1  # after which a search lets other requests pass


class Tab:
    """The grader of one course in a browser tab. A context manager.

    Args:
        course: The course, in whose folder the hidden tests are.
        patience: How many times more time code may take than on a usual machine.
        alive: A function to call again and again while a file is graded.
        progress: A function to call with JSON: a `CheckProgress` for each check that has ended, a `RunOutput` for each
            piece of text that a run prints, and a replay's page for each part of a training.
    """

    def __init__(
        self,
        course: Course,
        patience: float = 1.0,
        alive: Callable[[], object] = lambda: None,
        progress: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._course = course
        self._progress = progress
        self._longest_s = _LONGEST_S * patience
        # until the page provides another numpy
        allow = {"numpy": SMALL} if "numpy" in course.allow_imports else {}
        self._here = Here(allow, longest_s=self._longest_s, patience=patience, alive=alive)
        self._provided = TemporaryDirectory()  # the modules beyond the standard library that files may import
        self._graded = ("", "")  # the exercise and the text that were graded last
        self._repairs: Repairs | None = None  # what the search of this text has found
        self._frozen = False  # whether collections skip what the first verdict has imported
        self._events: Generator[PracticeEvent, None, None] | None = None  # the rest of this grading: the search
        self._practice = Practice(course, course.folder, host=self._here)

    @classmethod
    def of_site(
        cls,
        folder: Path,
        patience: float = 1.0,
        alive: Callable[[], object] = lambda: None,
        progress: Callable[[str], object] = lambda text: None,
    ) -> "Tab":
        """Return the grader of the course in a folder of a site, whose `course.json` has the course."""
        return cls(Course.decoded((folder / "course.json").read_bytes(), folder), patience, alive, progress)

    def __enter__(self) -> "Tab":
        self._practice.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end_search()
        self._practice.__exit__(*exception)
        self._here.__exit__(*exception)
        sys.path[:] = [folder for folder in sys.path if folder != self._provided.name]
        self._provided.cleanup()

    def grade(self, exercise: str, text: str, width: int) -> str:
        """Grade the text of an exercise's file. A search of another text ends.

        Args:
            exercise: The exercise's id.
            width: The number of columns of a line that is shown.

        Returns:
            A `Verdict` as JSON.
        """
        return _json(self._verdict(self._begin(exercise, text), width))

    def search(self, exercise: str, text: str, width: int) -> str:
        """Search for the line that must change, for a short time, in the text that was graded last.

        The next call continues. If another text was graded meanwhile, the search begins again.

        Args:
            exercise: As for `grade`, like the other arguments.

        Returns:
            A `SearchProgress` as JSON.
        """
        if self._graded != (exercise, text) or self._events is None:
            self._begin(exercise, text)
        assert self._events is not None
        self._here.longest_s = MAX_CPU_S  # many of the edits have loops without end
        # a slice of the search at a time: the interpreter has one thread, and other requests wait
        until = time.perf_counter() + _SLICE_S
        for event in self._events:
            if isinstance(event, Report):
                self._end_search()
                self._repairs = event.exercises[0].repairs or None
                return _json(SearchProgress(True, self._verdict(event, width)))
            if time.perf_counter() > until:
                return _json(SearchProgress(False))
        self._end_search()
        return _json(SearchProgress(True))

    def _begin(self, exercise: str, text: str) -> Report:
        """Grade a text. What remains of the events is the search."""
        self._end_search()
        one = self._course.by_id[exercise]
        self._here.longest_s = self._longest_s
        if self._graded[0] and not self._frozen:
            # collections then skip what the first verdict has imported, which takes half of the time of each verdict
            gc.enable()
            gc.collect()
            gc.freeze()
            self._frozen = True
        self._events = self._practice.searched_source(one, decode_source(_path(one), text.encode("utf-8", "replace")))
        self._graded = exercise, text
        self._repairs = None
        for event in self._events:
            if isinstance(event, Report):
                return event
            if isinstance(event, CheckEnded):
                self._progress(_json(CheckProgress(exercise, event.result.title, event.result.status == "passed")))
        raise AssertionError("a grading has a report")

    def _end_search(self) -> None:
        if self._events is not None:
            self._events.close()
        self._events = None

    def _verdict(self, report: Report, width: int) -> Verdict:
        (result,) = report.exercises
        return verdict_of(report, self._course.by_id[result.id], width)

    def run(self, exercise: str, text: str, selection: str = "") -> str:
        """Run a file as a program, or a selection of its lines. Afterwards, the tab must not be used any more.

        Report what the program prints as it prints it.

        Args:
            selection: The lines, after the file was imported. If they are empty, the file's own
                `if __name__ == "__main__":` part runs.

        Returns:
            The traceback of the error that ended the program, a `RunOutput` as JSON.
        """

        def heard(printed: str) -> None:
            for at in range(0, len(printed), PIECE):
                self._progress(_json(RunOutput(printed[at : at + PIECE])))

        error = run_as_program(text, self._course.by_id[exercise].filename, heard, selection)
        return _json(RunOutput(error[-PIECE:], error=bool(error)))

    def shallow(self) -> bool:
        """Let files make fewer nested calls from now on, because the browser's own stack was too small."""
        self._here.depth = _SHALLOW
        return True

    def provide(self, module: str, wheels: Iterable[bytes]) -> bool:
        """Let files import a module from now on.

        Args:
            wheels: The contents of its wheel, and of the wheels that this one needs. In a browser, they are arrays of
                JavaScript.
        """
        folder = self._provided.name
        for wheel in wheels:
            with ZipFile(BytesIO(bytes(wheel))) as archive:
                archive.extractall(folder)
        if folder not in sys.path:  # where the module finds those that it needs
            sys.path.append(folder)
        invalidate_caches()
        self._here.allow = {**self._here.allow, module: folder}
        return True

    def leaves_traces(self, text: str) -> bool:
        """Return whether a file can leave something behind, so that the next one needs another interpreter."""
        return leaves_traces(text, self._here.allow)

    def replay(self, exercise: str, text: str) -> str:
        """Record how the text of an exercise's file runs on the program of its first failing check.

        Returns:
            The data of the replay's page, as JSON. If no check can be shown, it has no replays.
        """
        from .replay.page import document
        from .replay.presets import presets

        one = self._course.by_id[exercise]
        source = decode_source(_path(one), text.encode("utf-8", "replace"))
        others = [preset.subject for preset in presets()]
        repairs = self._repairs if self._graded == (exercise, text) else None
        return msgspec.json.encode(document(self._practice.replays(one, source, others, repairs))).decode()

    def figure(self, exercise: str, text: str, figure: str, leaves: str) -> str:
        """Record how the text of an exercise's file runs on the program of a figure of its lesson.

        Args:
            figure: The id of the figure.
            leaves: The values of its leaves, as JSON.

        Returns:
            The data of the replay's page, as JSON. Without a replay, the file cannot run this program.
        """
        from .replay import FileToReplay, Played
        from .replay.page import document
        from .replay.record import record, subject_of_figure

        one = self._course.by_id[exercise]
        (drawn,) = (each for each in one.figures if each.id == figure)
        source = decode_source(_path(one), text.encode("utf-8", "replace"))
        file = FileToReplay(one.id, one.filename, source)
        values = msgspec.json.decode(leaves, type=dict[str, float])
        try:
            subject = subject_of_figure(drawn, values)
            replays = record(self._here, self._course.limits, file, subject, (), lambda program: None)
        except ProgramError:
            replays = ()
        built = tuple(one for one in replays if all(node.yours.data is not None for node in one.nodes))
        return msgspec.json.encode(document(Played(built))).decode()

    def train(self, exercise: str, text: str, training: str, rate: float, engine: str = "") -> str:
        """Train what the file of an exercise can train. Report what there is to show after each part of the steps.

        Args:
            training: The id of one of the exercise's trainings.
            rate: The learning rate.
            engine: A text whose class `Value` is used; if it is empty, the one of the file.

        Returns:
            The data of the replay's page at the end, as JSON.
        """
        from .replay.page import document
        from .replay.record import FileToReplay
        from .replay.training import trained

        one = self._course.by_id[exercise]
        source = decode_source(_path(one), text.encode("utf-8", "replace"))
        own = decode_source(_path(one), engine.encode("utf-8", "replace")) if engine else None
        self._here.longest_s = MAX_CPU_S
        shown = ""
        for played in trained(
            self._here, self._course.limits, FileToReplay(one.id, one.filename, source), training, rate, own
        ):
            shown = msgspec.json.encode(document(played)).decode()
            self._progress(shown)
        return shown

    def packed(self, texts: str, reports: str = "[]") -> bytes:
        """Return a zip of exercises' files and the page for assistants, which `grade` and `grade cohort` accept.

        Args:
            texts: The texts by the files' names, as JSON.
            reports: The reports on these texts, one for each exercise, as JSON. Their union is `report.json`.
        """
        files: dict[str, str] = msgspec.json.decode(texts, type=dict[str, str])
        known = [read_report(report.encode()) for report in msgspec.json.decode(reports, type=list[str])]
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(f"exercises/{name}", text)
            archive.writestr(assistant.NAME, assistant.page(self._course))
            if known:
                results = {result.id: result for report in known for result in report.exercises}
                graded = [one for one in self._course.exercises if one.id in results and one.filename in files]
                sources = {one.id: Source(_path(one), files[one.filename]) for one in graded}
                # the reports are about single exercises, so their sum is computed again
                report = with_results(known[-1], [results[one.id] for one in graded], self._course.parts)
                stamp = stamp_of("local", sources)
                archive.writestr("exercises/.backward/report.json", to_json(replace(report, submission=stamp)))
        return packed.getvalue()

    def taken(self, name: str, data: bytes) -> str:
        """Read a file that the learner gave to the page: an exercise's file, a notebook of it, or a zip of such files.

        Args:
            name: The file's name.
            data: Its content. In a browser, it is an array of JavaScript.

        Returns:
            A `GivenFiles` as JSON.
        """
        data = bytes(data)
        # a zip begins with these two letters; its name may have any ending
        if data.startswith(b"PK"):
            return _json(self._unpacked(name, data))
        exercise = self._named(name)
        if exercise is None:
            return _json(GivenFiles({}, [no_exercise_file(name)]))
        source = _source(exercise, name, data)
        if source.unread is not None:
            return _json(GivenFiles({}, [unread_text(source.unread, name)]))
        return _json(GivenFiles({exercise.id: source.text}, ()))

    def _unpacked(self, name: str, data: bytes) -> GivenFiles:
        """Return the exercises' files in a zip. Other files are left out."""
        found: defaultdict[str, dict[Source, str]] = defaultdict(dict)  # the different files, with a path of each
        try:
            with ZipFile(BytesIO(data)) as archive:
                for info in archive.infolist():
                    exercise = None if info.is_dir() else self._named(info.filename)
                    if exercise is not None:
                        # one byte too many, so that a file that is too large is refused and not cut
                        with archive.open(info) as member:
                            source = _source(exercise, info.filename, member.read(bounds.NOTEBOOK + 1))
                        found[exercise.id][replace(source, path=_path(exercise))] = info.filename
        except (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, zlib.error) as error:
            return GivenFiles({}, [unread_text(Reason("damaged", detail=str(error)), name)])
        texts: dict[str, str] = {}
        problems = []
        for exercise_id, different in found.items():
            source, *others = different
            paths = tuple(different.values())
            # files with the same name must have the same text
            reason = Reason("several_files", count=len(paths), names=paths[:3]) if others else source.unread
            if reason is None:
                texts[exercise_id] = source.text
            else:
                problems.append(unread_text(reason, paths[0] if not others else source.path.name))
        return GivenFiles(texts, problems if found else [no_exercise_file(name)])

    def _named(self, path: str) -> Exercise | None:
        """Return the exercise whose file has this name, also if a browser has put a number after the name."""
        name = PurePosixPath(path)
        name = name.with_name(_COPY.sub("", name.stem) + name.suffix)
        exercises = self._course.exercises
        return next((one for one in exercises if name.name in (one.filename, one.notebook)), None)


def _source(exercise: Exercise, name: str, data: bytes) -> Source:
    path = Path(name)
    if path.suffix == NOTEBOOK:
        return notebook_source(path, data, exercise.names)
    return decode_source(path, data)


def _json(data: Struct) -> str:
    return msgspec.json.encode(data).decode()


def _path(exercise: Exercise) -> Path:
    return Path(PurePosixPath("exercises", exercise.filename))
