"""Many submissions graded: the same reports as one by one, nothing lost, nothing graded twice."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.cohort import Entry, LocalLanes, Results, ResultsError, entries, grade_entries, settings
from grader.cohort.job import Faulted, Graded, Job, Outcome, Settings
from grader.cohort.lanes import Lane
from grader.cohort.run import hand_in
from grader.course import Course
from grader.grading import grade
from grader.oracle import read_book
from grader.report import Report, write_report

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SEED = "a secret"


@pytest.fixture
def solution(course: Course) -> Callable[[str], str]:
    """The text of an exercise's solution."""
    by_id = {exercise.id: exercise for exercise in course.exercises}
    return lambda name: course.solution(by_id[name]).read_text(encoding="utf-8")


@pytest.fixture
def submissions(tmp_path: Path, solution: Callable[[str], str]) -> Path:
    """Four people: one right, one wrong, one hostile, one with nothing."""
    folder = tmp_path / "submissions"
    files = {
        "ann/01_distribute.py": solution("distribute"),
        "ann/02_swap.py": solution("swap"),
        "bob/01_distribute.py": solution("distribute").replace("self.grad +=", "self.grad ="),
        "cid/02_swap.py": "import os\nos._exit(0)\n" + solution("swap"),
        "dot/notes.txt": "sorry",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def made(course: Course, *, fork: bool = True, seed: str = SEED) -> Settings:
    return msgspec.structs.replace(settings(course, seed, {}, isolation="auto", official=True), fork=fork)


class Here:
    """Lanes that grade nothing: each job comes back with the outcome that `answer` gives it."""

    def __init__(self, answer: Callable[[Job], Outcome]) -> None:
        self.answer = answer
        self.graded: list[str] = []

    def start(self) -> str:
        return "namespaces"

    def grade(self, jobs: Iterator[Job]) -> Iterator[Outcome]:
        for job in jobs:
            self.graded.append(job.stamp.id)
            yield self.answer(job)

    def close(self) -> None:
        pass


@pytest.fixture
def answer(course: Course, submissions: Path) -> Callable[[Job], Outcome]:
    """A report that is right for whatever was handed in, with no results in it."""
    book = read_book(course.book)
    base = grade(course, book, {"swap": submissions / "ann" / "02_swap.py"}, seed=SEED, memo=None)
    return lambda job: Graded(
        job.stamp.id, msgspec.structs.replace(base, submission=job.stamp, notes=job.notes, seed=SEED)
    )


def run(course: Course, found: list[Entry], out: Path, lanes: Any, seed: str = SEED) -> Any:
    with Results(out) as results:
        *_, standing = grade_entries(course, found, results, seed, lanes)
    return standing


@pytest.mark.parametrize("fork", [True, False], ids=["forks", "one by one"])
def test_a_cohort_gets_the_reports_that_each_would_get_alone(
    course: Course, submissions: Path, tmp_path: Path, timeless: Callable[[Report], bytes], fork: bool
) -> None:
    """Byte for byte but for times, with forks of a collected session and on the slower path without."""
    out = tmp_path / "results"
    found = entries(submissions)
    standing = run(course, found, out, LocalLanes(made(course, fork=fork), 2))
    assert (4, 4, {}) == (standing.done, standing.graded, standing.faults)
    book = read_book(course.book)
    for entry in found:
        handed = hand_in(entry, course)
        files = {name: submissions / entry.origin / source.path for name, source in handed.sources.items()}
        alone = grade(course, book, files, seed=SEED, memo=tmp_path / "memo.sqlite")
        with_paths = msgspec.structs.replace(
            alone, submission=handed.stamp, notes=handed.notes, exercises=tuple(map(_found_at, alone.exercises))
        )
        report = Results(out).report(entry.id)
        assert report is not None
        bare = msgspec.structs.replace(report, exercises=tuple(map(_found_at, report.exercises)))
        assert timeless(with_paths) == timeless(bare)


def _found_at(exercise: Any) -> Any:
    """Where a file lies is told as it is below the submission: the one thing in which the two differ."""
    return msgspec.structs.replace(exercise, file="")


def test_what_is_there_is_not_graded_again(
    course: Course, submissions: Path, tmp_path: Path, answer: Callable[[Job], Outcome]
) -> None:
    """The same submission, course, seed and grader: the report is kept, to the byte."""
    out, found = tmp_path / "results", entries(submissions)
    run(course, found, out, Here(answer))
    before = {path.name: path.stat().st_mtime_ns for path in (out / "reports").iterdir()}
    lanes = Here(answer)
    standing = run(course, found, out, lanes)
    assert ([], 4, 0) == (lanes.graded, standing.kept, standing.graded)
    assert before == {path.name: path.stat().st_mtime_ns for path in (out / "reports").iterdir()}


def _edit(submissions: Path, out: Path) -> None:
    with (submissions / "bob" / "01_distribute.py").open("a") as file:
        file.write("# anew\n")


def _add(submissions: Path, out: Path) -> None:
    (submissions / "bob" / "03_accumulate.py").write_text("class Value: pass\n")


def _remove(submissions: Path, out: Path) -> None:
    (submissions / "bob" / "01_distribute.py").unlink()


def _damage(submissions: Path, out: Path) -> None:
    path = out / "reports" / "bob.json"
    path.write_bytes(path.read_bytes()[:-20])


def _lose(submissions: Path, out: Path) -> None:
    (out / "reports" / "bob.json").unlink()


@pytest.mark.parametrize("change", [_edit, _add, _remove, _damage, _lose])
def test_what_has_changed_is_graded_again(
    course: Course,
    submissions: Path,
    tmp_path: Path,
    answer: Callable[[Job], Outcome],
    change: Callable[[Path, Path], None],
) -> None:
    """A file edited, added or taken away, a report damaged or lost: this submission alone is graded."""
    out = tmp_path / "results"
    run(course, entries(submissions), out, Here(answer))
    change(submissions, out)
    lanes = Here(answer)
    run(course, entries(submissions), out, lanes)
    assert ["bob"] == lanes.graded


def _write(results: Results, report: Report) -> None:
    results.write(report)


def _forget(results: Results, report: Report) -> None:
    results.forget("nobody")


def _set_aside(results: Results, report: Report) -> None:
    write_report(report, results.path("gone"))
    assert ["gone"] == results.set_aside([])


@pytest.mark.parametrize("change", [_write, _forget, _set_aside])
def test_a_summary_is_there_only_while_it_is_true(
    course: Course,
    tmp_path: Path,
    submissions: Path,
    answer: Callable[[Job], Outcome],
    change: Callable[[Results, Report], None],
) -> None:
    """A run that ends after its first change leaves no summary of the reports that were there before."""
    (entry, *_) = entries(submissions)
    graded = answer(Job.of(hand_in(entry, course)))
    assert isinstance(graded, Graded)
    with Results(tmp_path / "out") as results:
        results.summary.write_text("{}")
        assert [] == results.set_aside([])
        assert results.summary.exists()
        change(results, graded.report)
        assert not results.summary.exists()


def test_another_seed_grades_everything_again(
    course: Course, submissions: Path, tmp_path: Path, answer: Callable[[Job], Outcome]
) -> None:
    """Reports of fresh programs from another seed do not count."""
    found = entries(submissions)
    run(course, found, tmp_path, Here(answer))
    lanes = Here(answer)
    run(course, found, tmp_path, lanes, seed="another")
    assert [entry.id for entry in found] == lanes.graded


def test_a_fault_costs_one_submission_and_is_named(
    course: Course, submissions: Path, tmp_path: Path, answer: Callable[[Job], Outcome]
) -> None:
    """There is no report of what could not be graded, not even an old one; the others have theirs."""

    def faulty(job: Job) -> Outcome:
        return Faulted("bob", "it broke") if job.stamp.id == "bob" else answer(job)

    found = entries(submissions)
    run(course, found, tmp_path, Here(answer))
    _edit(submissions, tmp_path)
    standing = run(course, found, tmp_path, Here(faulty))
    assert ({"bob": "it broke"}, 3) == (standing.faults, standing.kept)
    assert ["ann.json", "cid.json", "dot.json"] == sorted(path.name for path in (tmp_path / "reports").iterdir())


def test_two_runs_cannot_write_to_one_folder(tmp_path: Path) -> None:
    """The second is refused, and says what to do."""
    with Results(tmp_path), pytest.raises(ResultsError, match="another run is writing"), Results(tmp_path):
        pass


def test_what_a_killed_run_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    """Temporary files of reports go; reports stay."""
    (tmp_path / "reports").mkdir()
    for name in (".ann.json.abc", "ann.json"):
        (tmp_path / "reports" / name).write_text("{")
    with Results(tmp_path):
        assert ["ann.json"] == [path.name for path in (tmp_path / "reports").iterdir()]


def test_the_seed_is_secret_and_kept(course: Course, tmp_path: Path) -> None:
    """A new folder gets a seed that nobody can guess; later runs find it again; a given one wins."""
    from grader import __version__
    from grader.cohort.run import RunFile
    from grader.report.model import CourseStamp

    with Results(tmp_path) as results:
        seed = results.seed(course, None)
        assert len(seed) == 32
        results.note(RunFile(CourseStamp(course.id, course.version, course.hash), __version__, seed, "landlock"))
        assert seed == results.seed(course, None)
        assert "given" == results.seed(course, "given")
    with Results(tmp_path / "other") as results:
        assert seed != results.seed(course, None)


# -- lanes ----------------------------------------------------------------------------------------------


@pytest.fixture
def lane(course: Course) -> Iterator[Lane]:
    with Lane(made(course)) as one:
        yield one


@pytest.fixture
def jobs(course: Course, submissions: Path) -> Mapping[str, Job]:
    return {entry.id: Job.of(hand_in(entry, course)) for entry in entries(submissions)}


def test_a_lane_that_is_killed_is_started_again(lane: Lane, jobs: Mapping[str, Job]) -> None:
    """Between two jobs, or in the middle of one, the job is graded by a new process."""
    assert isinstance(lane.grade(jobs["ann"]), Graded)
    assert lane._process is not None
    os.kill(lane._process.pid, signal.SIGKILL)
    first = lane._process.pid
    outcome = lane.grade(jobs["ann"])
    assert isinstance(outcome, Graded)
    assert lane._process is not None
    assert first != lane._process.pid
    victim = lane._process.pid
    timer = threading.Timer(0.05, os.kill, (victim, signal.SIGKILL))
    timer.start()
    assert isinstance(lane.grade(jobs["bob"]), Graded)
    timer.join()


def test_a_submission_whose_grading_process_dies_each_time_is_named(lane: Lane, jobs: Mapping[str, Job]) -> None:
    """After a second try the outcome says how it ended, and the next submission is graded."""
    broken = msgspec.structs.replace(jobs["bob"], sources={})  # no source for an exercise: the child cannot go on
    outcome = lane.grade(broken)
    assert isinstance(outcome, Faulted)
    assert "bob" == outcome.id
    assert "the process that graded it ended with status 1" == outcome.message
    assert isinstance(lane.grade(jobs["ann"]), Graded)


def test_a_lane_for_another_course_does_not_start(course: Course) -> None:
    """A course that has changed since the run was started is no reason to give other scores."""
    from grader.cohort import LaneError

    changed = msgspec.structs.replace(made(course), course_hash="another")
    with Lane(changed) as one, pytest.raises(LaneError, match="not the one that the run was started with"):
        one.start()


def test_nothing_is_left_running(course: Course, jobs: Mapping[str, Job]) -> None:
    """When lanes are closed, so are the processes below them."""
    lanes = LocalLanes(made(course), 2)
    outcomes = list(lanes.grade(iter([jobs["ann"], jobs["cid"]])))
    assert {"ann", "cid"} == {outcome.id for outcome in outcomes}
    assert [None, None] == [lane._process for lane in lanes._lanes]
