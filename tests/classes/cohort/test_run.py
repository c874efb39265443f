"""Grading many submissions gives the same reports as grading each alone. Nothing is lost or graded twice."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest
from answered_pool import AnsweredPool
from folders import laid_out, taken
from msgspec import UNSET
from msgspec.structs import replace

from grader.base.processes import Flow, ServiceEnded
from grader.classes.cohort import LocalPool, Results, ResultsError, RunProgress, drawn, grade_entries, settings
from grader.classes.cohort.jobs import (
    Drawn,
    Faulted,
    Graded,
    Job,
    Outcome,
    SearchAdditions,
    SearchJob,
    Settings,
    Task,
    Unsearched,
)
from grader.classes.cohort.pools import GradingProcess
from grader.classes.cohort.run import submission_of
from grader.classes.intake import Entry, Intake, LimitReached, entries
from grader.classes.intake.reader import Reader, ReadOutcome
from grader.course.load import Course, load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import read_book
from grader.course.remarks import Reason
from grader.verdict.checks.session import CheckSession
from grader.verdict.grading import Addition, Submission, grade, plan
from grader.verdict.report import Repair, Repairs, Report, review_reasons, write_report
from grader.words.practice import unread_text

pytestmark = pytest.mark.usefixtures("one_torch")

ROOT = Path(__file__).resolve().parents[3]
SEED = "a secret"


@pytest.fixture
def solution(course: Course) -> Callable[[str], str]:
    """Return the text of an exercise's solution."""
    by_id = {exercise.id: exercise for exercise in course.exercises}
    return lambda name: course.solution(by_id[name]).read_text(encoding="utf-8")


@pytest.fixture
def submissions(tmp_path: Path, solution: Callable[[str], str]) -> Path:
    """Return submissions of four people: right, wrong, hostile and empty."""
    folder = tmp_path / "submissions"
    files = {
        "ann/01_distribute.py": solution("distribute"),
        "ann/02_swap.py": solution("swap"),
        "bob/01_distribute.py": solution("distribute").replace("self.grad += out.grad", "self.grad += 1.0"),
        "cid/02_swap.py": "import os\nos._exit(0)\n" + solution("swap"),
        "dot/notes.txt": "sorry",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def tape() -> Course:
    """Return the small course, because torch computes the answers to all programs of a secret seed."""
    return load_course(ROOT / "examples" / "tape")


@pytest.fixture(scope="module")
def draws(tape: Course, one_torch: None) -> Drawn:
    """Return the data that the small course draws from the seed."""
    return drawn(tape, read_book(tape.book), SEED, None)


@pytest.fixture(scope="module")
def memo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the memo for torch's answers during the tests of this file."""
    return tmp_path_factory.mktemp("memo") / "memo.sqlite"


def made(course: Course) -> Settings:
    """Return the settings for the course's own seed. Its answers are in the answer book, so torch is not started."""
    return settings(course, course.seed, Drawn(), isolation="auto", official=True)


@pytest.fixture
def submitted(take_in: Callable[[Entry], Intake]) -> Callable[[Entry], Submission]:
    """Return a submission in the form in which it is graded."""
    return lambda entry: submission_of(entry, take_in(entry))


@pytest.fixture(scope="module")
def base(course: Course, once: Callable[[str, Callable[[], Any]], Any]) -> Report:
    """Return the report on one right file."""
    files = {exercise.id: course.solution(exercise) for exercise in course.exercises if exercise.id == "swap"}
    graded: Report = once(
        "right swap", lambda: grade(course, read_book(course.book), files, seed=course.seed, memo=None)
    )
    return replace(graded, seed=SEED)


@pytest.fixture
def answer(base: Report) -> Callable[[Job], Outcome]:
    """Return a report that fits any submission, without results."""
    return lambda job: graded_as(base, job, seed=SEED)


def graded_as(base: Report, job: Job, **more: Any) -> Graded:
    """Return the outcome of a job with the results of another report."""
    return Graded(job.id, replace(base, submission=job.submission.stamp, notes=job.submission.notes, **more))


@dataclass
class Cohort:
    """The class of four, and the folder of its results. Nothing is graded."""

    course: Course
    submissions: Path
    out: Path
    answer: Callable[[Job], Outcome]
    graded: list[str] = field(default_factory=list)

    def run(self, answer: Callable[[Job], Outcome] | None = None, seed: str = SEED, **more: Any) -> RunProgress:
        """Run the class. `graded` then has the submissions that were given to the pool."""
        pool = AnsweredPool(answer or self.answer)
        progress = run(self.course, entries(self.submissions), self.out, pool, seed, **more)
        self.graded = pool.graded
        return progress

    def path(self, name: str = "bob") -> Path:
        return self.out / "reports" / f"{name}.json"

    def report(self, name: str = "bob") -> Report:
        report = Results(self.out).report(name)
        assert report is not None
        return report

    def gone(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted((self.out / "gone").glob("*"))}

    def edit(self) -> None:
        edit(self.submissions / "bob")


@pytest.fixture
def reads_here(monkeypatch: pytest.MonkeyPatch, take_in: Callable[[Entry], Intake]) -> None:
    """Read submissions in this process, because a reading process takes a third of a second to start."""
    monkeypatch.setattr(Reader, "read", lambda self, entry: take_in(entry))


@pytest.fixture
def cohort(
    reads_here: None,
    course: Course,
    submissions: Path,
    tmp_path: Path,
    answer: Callable[[Job], Outcome],
    once: Callable[[str, Callable[[], Any]], Any],
) -> Cohort:
    """Return a class that was run once."""
    cohort = Cohort(course, submissions, tmp_path / "results", answer)

    def graded() -> dict[str, bytes]:
        cohort.run()
        return taken(cohort.out)

    laid_out(cohort.out, once("the class of four", graded))
    return cohort


def edit(folder: Path) -> None:
    with (folder / "01_distribute.py").open("a") as file:
        file.write("# anew\n")


def run(course: Course, found: list[Entry], out: Path, pool: Any, seed: str = SEED, **more: Any) -> RunProgress:
    with Results(out) as results, closing(pool):
        *_, progress = grade_entries(course, found, results, seed, pool, **more)
    return progress


@pytest.mark.slow
def test_a_cohort_gets_the_reports_that_each_would_get_alone(
    course: Course,
    submissions: Path,
    submitted: Callable[[Entry], Submission],
    tmp_path: Path,
    timeless: Callable[[Report], bytes],
) -> None:
    """The reports are the same to the byte except for times."""
    out = tmp_path / "results"
    found = entries(submissions)
    progress = run(course, found, out, LocalPool(made(course), 2), course.seed)
    assert (4, 4, {}) == (progress.done, progress.graded, progress.faults)
    book = read_book(course.book)
    for entry in found:
        submission = submitted(entry)
        files = {name: submissions / entry.origin / source.path for name, source in submission.sources.items()}
        alone = grade(course, book, files, seed=course.seed, memo=None)
        with_paths = replace(
            alone, submission=submission.stamp, notes=submission.notes, exercises=tuple(map(_found_at, alone.exercises))
        )
        report = Results(out).report(entry.id)
        assert report is not None
        bare = replace(report, exercises=tuple(map(_found_at, report.exercises)))
        assert timeless(with_paths) == timeless(bare)


class Counting(LocalPool):
    """A pool that counts what it is given to do."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, 1)
        self.orders: list[str] = []

    def begin(self, task: Task, done: Callable[[Any], None]) -> None:
        self.orders.append(type(task).__name__)
        super().begin(task, done)


def bare(report: Report) -> Report:
    """Return a report without the results of searches."""
    return replace(report, exercises=tuple(replace(one, repairs=UNSET) for one in report.exercises))


@pytest.mark.slow
def test_a_class_can_be_searched_for_lines(course: Course, submissions: Path, tmp_path: Path) -> None:
    """Only failing files are searched, and only if the report has no result. Nothing else of a report changes."""
    bob = [entry for entry in entries(submissions) if entry.id == "bob"]
    reports, orders = [], []
    for lines in (False, True, True):
        with Results(tmp_path / "out") as results, closing(Counting(made(course))) as pool:
            list(grade_entries(course, bob, results, course.seed, pool, lines=lines))
        report = Results(tmp_path / "out").report("bob")
        assert report is not None
        reports.append(report)
        orders.append(pool.orders)
    assert [["Job"], ["SearchJob"], []] == orders
    found = {one.id: one.repairs for one in reports[1].exercises}
    assert found["distribute"]
    assert [1] == [len(place) for place in found["distribute"].places]
    assert UNSET is found["swap"]
    assert reports[0] == bare(reports[1])


SLOW_TO_LOAD = "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end:\n    pass\n"


@pytest.mark.slow
@pytest.mark.exhaustive  # the search uses all of its time
def test_a_search_that_runs_out_of_time_costs_no_report(
    course: Course, tmp_path: Path, solution: Callable[[str], str]
) -> None:
    """Each edit of the wrong file takes a tenth of a second to load. The report is that of a run without a search."""
    files = {name: solution(name) for name in ("distribute", "swap", "engine")}
    files["engine"] = SLOW_TO_LOAD + files["engine"].replace("+= out.grad", "= out.grad")
    (tmp_path / "class" / "ann").mkdir(parents=True)
    for exercise in course.exercises:
        if exercise.id in files:
            (tmp_path / "class" / "ann" / exercise.filename).write_text(files[exercise.id])
    reports = []
    for lines in (False, True):
        with Results(tmp_path / str(lines)) as results, closing(Counting(made(course))) as pool:
            list(grade_entries(course, entries(tmp_path / "class"), results, course.seed, pool, lines=lines))
        report = results.report("ann")
        assert report is not None
        reports.append(replace(bare(report), graded_at=""))
    assert 6 <= reports[0].score
    # durations differ
    results_of = [[(one.id, one.score, one.status, one.repairs) for one in report.exercises] for report in reports]
    assert results_of[0] == results_of[1]


@dataclass
class Found:
    """The answers of a pool whose searches end in a given way."""

    report: Report
    ending: Callable[[str], Outcome]
    orders: list[Task] = field(default_factory=list)
    written: list[bytes] = field(default_factory=list)
    path: Path = Path()

    def __call__(self, order: Task) -> Outcome:
        self.orders.append(order)
        if isinstance(order, SearchJob):
            self.written.append(self.path.read_bytes())
            return self.ending(order.id)
        return graded_as(self.report, order)


REPAIRS = Repairs((Repair("sign", (3,)),), 7, exhaustive=False)
ADDITION = Addition("swap", REPAIRS)


def failing(base: Report) -> Report:
    """Return the report with a failed check."""
    (swap,) = (one for one in base.exercises if one.id == "swap")
    first, *others = swap.checks
    checks = (replace(first, status="failed", score=0), *others)
    lost = first.score
    failed = replace(swap, checks=checks, score=swap.score - lost, status="partial")
    parts = tuple(replace(part, score=part.score - lost) for part in base.parts or ())
    return replace(base, exercises=(failed,), score=base.score - lost, status="partial", parts=parts)


@pytest.mark.parametrize("empty", [False, True])
def test_a_report_is_written_before_its_search_begins(cohort: Cohort, base: Report, empty: bool) -> None:
    """A report says that its search is pending. A search that fails changes nothing, and is all that is repeated."""
    answer = Found(failing(base), lambda name: Unsearched(name, "killed"), path=cohort.path())
    cohort.edit()
    only = [entry for entry in entries(cohort.submissions) if entry.id == "bob"]
    progress = run(cohort.course, only, cohort.out, AnsweredPool(answer), lines=True)
    assert (["Job", "SearchJob"], 1, {}) == (
        [type(one).__name__ for one in answer.orders],
        progress.graded,
        progress.faults,
    )
    assert (["bob"], ("swap",)) == (progress.unsearched, cohort.report().pending)
    assert [cohort.path().read_bytes()] == answer.written
    # the next run does only the search, and the result is all that it adds
    again = Found(failing(base), lambda name: SearchAdditions(name, () if empty else (ADDITION,)), path=cohort.path())
    before = cohort.report()
    progress = run(cohort.course, only, cohort.out, AnsweredPool(again), lines=True)
    assert (["SearchJob"], 0, 1) == ([type(one).__name__ for one in again.orders], progress.graded, progress.kept)
    after = cohort.report()
    assert replace(before, pending=UNSET) == bare(after)
    assert (UNSET if empty else REPAIRS) == after.exercises[0].repairs


def waiting(base: Report) -> Report:
    """Return a report in which a check was not run because the submission had waited too long."""
    report = failing(base)
    (swap,) = report.exercises
    first, *others = swap.checks
    late = replace(first, status="timeout", reason=Reason("budget", seconds=90.0, clock="wall"))
    return replace(report, exercises=(replace(swap, checks=(late, *others)),))


@pytest.mark.parametrize("always", [False, True])
def test_what_waited_too_long_is_graded_again_alone(cohort: Cohort, base: Report, always: bool) -> None:
    """It runs at the end, when nothing else does. Its second report counts, whatever this says."""
    for name in ("ann", "bob", "cid"):
        cohort.path(name).unlink()
    pool = Slowly({"ann", "bob"}, base, always=always)
    progress = run(cohort.course, entries(cohort.submissions), cohort.out, pool)
    assert (["ann", "bob", "cid"], ["ann", "bob"]) == (sorted(pool.orders[:3]), sorted(pool.orders[3:]))
    assert [1, 1] == pool.beside[3:]
    assert (3, 1) == (progress.graded, progress.kept)
    scores = {name: cohort.report(name).score for name in ("ann", "bob", "cid")}
    late = (waiting(base) if always else base).score
    assert {"ann": late, "bob": late, "cid": base.score} == scores


class Slowly(AnsweredPool):
    """A pool that answers late, and in which some submissions wait too long at first.

    Attributes:
        orders: the ids of the submissions in the order in which they were begun.
        beside: how many submissions were being graded when each was begun, this one included.
    """

    def __init__(self, late: set[str], base: Report, *, always: bool) -> None:
        super().__init__(self._answered)
        self.late, self.base, self.always = late, base, always
        self.orders: list[str] = []
        self.beside: list[int] = []
        self._running = 0

    def _answered(self, job: Job) -> Outcome:
        first = self.orders.count(job.id) == 1
        return graded_as(waiting(self.base) if job.id in self.late and (first or self.always) else self.base, job)

    def begin(self, task: Task, done: Callable[[Any], None]) -> None:
        self.orders.append(task.id)
        self._running += 1
        self.beside.append(self._running)

        def finish() -> None:
            outcome = self.answer(task)
            self._running -= 1
            done(outcome)

        threading.Timer(0.02, finish).start()


@pytest.mark.slow
@pytest.mark.exhaustive  # torch computes the answers of a secret seed
def test_what_a_seed_draws_is_asked_once(tape: Course, draws: Drawn, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grading process gets the data from the process that asked the oracle, so it needs no oracle."""
    book = read_book(tape.book)
    from_it = msgspec.json.decode(msgspec.json.encode(draws), type=Drawn)

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("an oracle was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with Oracle(book, None) as oracle:
        oracle.known.update(from_it.answers)
        oracle.redraw(SEED).leaves.update(from_it.redrawn)
        with CheckSession(tape, tape.exercises) as checks:
            plan(checks, oracle, SEED)
        assert oracle.pid is None


def test_nothing_is_drawn_from_the_courses_own_seed(course: Course, tmp_path: Path) -> None:
    """The answer book has all answers for a practice run."""
    assert Drawn() == drawn(course, read_book(course.book), course.seed, None)


def _found_at(exercise: Any) -> Any:
    """Return an exercise's result without the path of its file, which is the only difference between the two runs."""
    return replace(exercise, file="")


def test_what_is_there_is_not_graded_again(cohort: Cohort) -> None:
    """With the same submission, course, seed and grader, the report is kept to the byte."""
    before = {path.name: path.stat().st_mtime_ns for path in (cohort.out / "reports").iterdir()}
    progress = cohort.run()
    assert ([], 4, 0) == (cohort.graded, progress.kept, progress.graded)
    assert before == {path.name: path.stat().st_mtime_ns for path in (cohort.out / "reports").iterdir()}


def test_reports_in_an_older_schema_are_graded_again(cohort: Cohort) -> None:
    """Such reports are counted, so that the run can say so."""
    cohort.path().write_text(cohort.path().read_text().replace("backward/report/v3", "backward/report/v1"))
    progress = cohort.run()
    assert (3, 1, 1) == (progress.kept, progress.graded, progress.outdated)


@pytest.mark.parametrize(
    "change",
    [
        Cohort.edit,
        lambda cohort: (cohort.submissions / "bob" / "03_accumulate.py").write_text("class Value: pass\n"),
        lambda cohort: (cohort.submissions / "bob" / "01_distribute.py").unlink(),
        lambda cohort: cohort.path().write_bytes(cohort.path().read_bytes()[:-20]),
        lambda cohort: cohort.path().unlink(),
    ],
    ids=["edited", "added", "removed", "damaged report", "lost report"],
)
def test_what_has_changed_is_graded_again(cohort: Cohort, change: Callable[[Cohort], object]) -> None:
    """If a file is edited, added or removed, or a report is damaged or lost, only this submission is graded."""
    change(cohort)
    cohort.run()
    assert ["bob"] == cohort.graded


@pytest.mark.parametrize("spoilt", ["edited", "{", ""])
def test_what_is_no_report_is_put_aside_and_told(cohort: Cohort, spoilt: str) -> None:
    """This includes a report that does not add up. It is graded again, and every old file is kept."""
    path = cohort.path()
    good = path.read_bytes()
    spoiled = good.replace(b'"bonus": 0,', b'"bonus": 9,', 1) if spoilt == "edited" else spoilt.encode()
    for names in (["bob.json"], ["bob.2.json", "bob.json"]):
        path.write_bytes(spoiled)
        progress = cohort.run()
        told = progress.edited if spoilt == "edited" else progress.damaged
        assert (["bob"], ["bob"], good) == (told, cohort.graded, path.read_bytes())
        assert dict.fromkeys(names, spoiled) == cohort.gone()


def test_a_report_that_adds_up_and_was_edited_is_not_believed(cohort: Cohort) -> None:
    """If somebody marked a check as passed and corrected every total, the digest shows the edit."""
    write_report(replace(cohort.report(), notes=("all is well",)), cohort.path())
    assert Results(cohort.out).report("bob") is None
    assert (["bob"], ["bob"]) == (cohort.run().edited, cohort.graded)
    assert {"bob.json"} == cohort.gone().keys()


def test_an_earlier_report_is_kept(cohort: Cohort) -> None:
    """The earlier report is kept once for each change of the submission."""
    before = cohort.path().read_bytes()
    (cohort.submissions / "bob" / "02_swap.py").write_text("# new\n", encoding="utf-8")
    for _ in range(2):
        cohort.run()
        assert {"bob.1.json": before} == {kept.name: kept.read_bytes() for kept in (cohort.out / "earlier").iterdir()}


def test_one_submission_is_graded_again(cohort: Cohort) -> None:
    """The others are kept. The earlier report is not lost."""
    before = cohort.path().read_bytes()
    progress = cohort.run(again={"bob"})
    assert (["bob"], ["bob"], 3) == (cohort.graded, progress.replaced, progress.kept)
    assert before == (cohort.out / "earlier" / "bob.1.json").read_bytes()


def test_a_report_that_changed_with_its_files_is_no_damage(cohort: Cohort) -> None:
    """The report is replaced, and nothing is moved to `gone/`."""
    cohort.edit()
    assert [] == cohort.run().damaged
    assert {} == cohort.gone()


@pytest.mark.parametrize(
    "name", [".lock", "run.json", "cohort.json", "reports", "code", "gone", "reports/bob.json", "code/bob.json"]
)
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "other"])
def test_what_has_the_name_of_a_result_and_is_none_is_told(tmp_path: Path, name: str, kind: str) -> None:
    """A link is neither followed nor lost, and nor is its target."""
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "ann.json").write_text("mine")
    if kind == "link":
        path.symlink_to(elsewhere / "ann.json" if "." in name else elsewhere)
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir() if "." in name else path.touch()
    said = {"link": "symbolic link", "dangling link": "symbolic link", "pipe": "pipe"}.get(kind, "folder|file")
    with pytest.raises(ResultsError, match=rf"{path} is a ({said}); expected a (folder|file)\. Remove it"):
        Results(tmp_path / "out").__enter__()
    assert [("ann.json", "mine")] == [(file.name, file.read_text()) for file in elsewhere.iterdir()]
    assert not (tmp_path / "nowhere").exists()
    assert os.path.lexists(path)


def test_a_link_is_not_taken_for_what_a_killed_run_left(tmp_path: Path) -> None:
    """Only files are removed, and no links."""
    (tmp_path / "reports" / ".a.json.folder").mkdir(parents=True)
    (tmp_path / ".b.json.link").symlink_to("reports")
    with Results(tmp_path):
        assert (tmp_path / ".b.json.link").is_symlink()
        assert (tmp_path / "reports" / ".a.json.folder").is_dir()


def test_a_course_may_lie_in_a_folder_of_any_name(course: Course) -> None:
    """The settings of grading processes can contain any name."""
    folder = Path("/somewhere/a\udcff")
    made_of = settings(replace(course, folder=folder), SEED, Drawn(), isolation="auto", official=True)
    read = msgspec.json.decode(msgspec.json.encode(made_of), type=Settings)
    assert folder == Path(os.fsdecode(read.course))


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (lambda results, report: results.write(report), set()),
        (lambda results, report: results.forget("nobody"), set()),
        (lambda results, report: results.set_aside([]), {"ann.json", "bob.json", "cid.json", "dot.json"}),
    ],
    ids=["written", "forgotten", "set aside"],
)
def test_a_summary_is_there_only_while_it_is_true(
    cohort: Cohort, change: Callable[[Results, Report], object], gone: set[str]
) -> None:
    """If a run ends after its first change, the summary of the earlier reports is gone."""
    with Results(cohort.out) as results:
        results.summary.write_text("{}")
        assert [] == results.set_aside(entries(cohort.submissions))
        assert results.summary.exists()
        change(results, cohort.report())
        assert not results.summary.exists()
    assert gone == cohort.gone().keys()


def test_another_seed_grades_everything_again(cohort: Cohort) -> None:
    """Reports on programs from another seed are not valid."""
    cohort.run(seed="another")
    assert ["ann", "bob", "cid", "dot"] == cohort.graded


def test_a_fault_costs_one_submission_and_is_named(cohort: Cohort) -> None:
    """A submission that could not be graded has no report, not even an old one. The others have theirs."""

    def faulty(job: Job) -> Outcome:
        return Faulted("bob", "it broke") if job.id == "bob" else cohort.answer(job)

    cohort.edit()
    progress = cohort.run(faulty)
    assert ({"bob": "it broke"}, 3) == (progress.faults, progress.kept)
    assert ["ann.json", "cid.json", "dot.json"] == sorted(path.name for path in (cohort.out / "reports").iterdir())


@pytest.fixture
def bob_reads(monkeypatch: pytest.MonkeyPatch) -> Callable[[ReadOutcome], None]:
    """Return a function that sets the result of reading bob's submission."""
    real_read = Reader.read

    def becomes(result: ReadOutcome) -> None:
        monkeypatch.setattr(Reader, "read", lambda self, entry: result if entry.id == "bob" else real_read(self, entry))

    return becomes


def test_a_submission_that_hit_a_limit_while_it_was_read_is_graded_as_unreadable(
    cohort: Cohort, bob_reads: Callable[[ReadOutcome], None]
) -> None:
    """The limit is in a note and in every exercise, so that a person looks. The others are graded."""
    bob_reads(LimitReached("cpu_limit", 30))
    jobs: dict[str, Job] = {}

    def kept(job: Job) -> Outcome:
        jobs[job.id] = job
        return cohort.answer(job)

    progress = cohort.run(kept, seed="another")
    assert (4, {}) == (progress.graded, progress.faults)
    why = "the submission cannot be read: reading it took more than 30 s of CPU time"
    assert (why,) == jobs["bob"].submission.notes
    assert {why} == {unread_text(one.unread) for one in jobs["bob"].submission.sources.values() if one.unread}
    assert why in [reason.detail for reason in review_reasons(cohort.report())]
    assert () == jobs["ann"].submission.notes


def test_a_submission_whose_reading_process_died_is_a_fault(
    cohort: Cohort, bob_reads: Callable[[ReadOutcome], None]
) -> None:
    """The submission is not at fault, so there is no report, not even an old one."""
    bob_reads(ServiceEnded(-9))
    progress = cohort.run()
    assert ({"bob": "the process that read it ended with status -9"}, 3) == (progress.faults, progress.kept)
    assert Results(cohort.out).report("bob") is None


@pytest.mark.slow
def test_several_processes_read_a_class(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every submission is read once, in any order."""
    monkeypatch.undo()
    progress = cohort.run(seed="another", readers=3)
    assert (4, ["ann", "bob", "cid", "dot"]) == (progress.graded, sorted(cohort.graded))


def test_two_runs_cannot_write_to_one_folder(tmp_path: Path) -> None:
    """The second run is refused, and the message says what to do."""
    with Results(tmp_path), pytest.raises(ResultsError, match="another run is writing"), Results(tmp_path):
        pass


def test_what_a_killed_run_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    """Temporary files of reports are removed, and reports stay."""
    (tmp_path / "reports").mkdir()
    for name in (".ann.json.abc", "ann.json"):
        (tmp_path / "reports" / name).write_text("{")
    with Results(tmp_path):
        assert ["ann.json"] == [path.name for path in (tmp_path / "reports").iterdir()]


def test_the_seed_is_secret_and_kept(course: Course, tmp_path: Path) -> None:
    """A new folder gets a secret seed, which later runs reuse. A given seed takes precedence."""
    from grader import __version__
    from grader.classes.cohort.results import RunFile
    from grader.verdict.report.model import CourseStamp

    with Results(tmp_path) as results:
        seed, seen = results.seed(None)
        assert (32, ()) == (len(seed), seen)
        run = RunFile(CourseStamp(course.id, course.version, course.hash), __version__, seed, "landlock", seen=())
        results.write_run(run)
        assert (seed, ()) == results.seed(None)
        assert ("given", ()) == results.seed("given")
        results.write_run(replace(run, seen=None))  # as an older version wrote it
        assert (seed, (seed,)) == results.seed(None)
    with Results(tmp_path / "other") as results:
        assert seed != results.seed(None)[0]


# -- seeds of changed submissions ------------------------------------------------------------------------------------


@pytest.fixture
def night(reads_here: None, course: Course, tmp_path: Path, base: Report) -> Callable[..., dict[str, str]]:
    """Grade a class as in one night, and return the seeds of the submissions that were graded.

    The class is given as the text of each person's only file. A name with a slash names the file, too.
    """

    def run(files: Mapping[str, str], of: Course = course, seed: str = SEED, **more: Any) -> dict[str, str]:
        seeds: dict[str, str] = {}

        def answer(job: Job) -> Outcome:
            seeds[job.id] = job.seed
            swap = replace(base.exercises[0], file=str(job.submission.sources["swap"].path))
            stamp = replace(base.course, hash=of.hash)
            return graded_as(base, job, seed=job.seed, exercises=(swap,), course=stamp)

        folder = tmp_path / "class"
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in files.items():
            path = folder / name if "/" in name else folder / name / "02_swap.py"
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        with Results(tmp_path / "out") as results:
            list(grade_entries(of, entries(folder), results, seed, AnsweredPool(answer), **more))
        return seeds

    return run


def test_learners_who_have_seen_no_numbers_share_a_seed(night: Callable[..., dict[str, str]]) -> None:
    """An interrupted first run may go on with the same seed, also for files that changed meanwhile."""
    assert {"ann": SEED} == night({"ann": "1"})
    assert {"ann": SEED, "bob": SEED} == night({"ann": "2", "bob": "1"})


def test_files_that_are_new_after_feedback_get_a_seed_of_their_own(night: Callable[..., dict[str, str]]) -> None:
    """So a table of the numbers in earlier feedback, the learner's own or a friend's, has no right answer."""
    assert {"ann": SEED, "bob": SEED} == night({"ann": "1", "bob": "1"})
    second = night({"ann": "1", "bob": "2", "cid": "1"}, seen=True)
    assert {"bob", "cid"} == second.keys()
    third = night({"ann": "1", "bob": "3", "cid": "1"}, seen=True)
    assert {"bob"} == third.keys()
    assert 4 == len({SEED, *second.values(), *third.values()})


def test_the_seed_of_its_own_can_be_computed_again(night: Callable[..., dict[str, str]], tmp_path: Path) -> None:
    """It depends on the run's seed and on the submission alone."""
    night({"bob": "1"})
    first = night({"bob": "2"}, seen=True)
    (tmp_path / "out" / "reports" / "bob.json").unlink()
    assert first == night({"bob": "2"}, seen=True)
    assert {} == night({"bob": "2"}, seen=True)
    assert first != night({"bob": "2"}, seed="another secret", seen=True)


def test_the_same_files_keep_their_seed(night: Callable[..., dict[str, str]], course: Course, tmp_path: Path) -> None:
    """Another version of the course grades the same files again, with the same seed, whatever the report's schema."""
    night({"ann": "1", "bob": "1"})
    seeds = {"ann": SEED, **night({"ann": "1", "bob": "2"}, seen=True)}
    assert seeds == night({"ann": "1", "bob": "2"}, of=replace(course, hash="x"), seen=True)
    for path in (tmp_path / "out" / "reports").iterdir():
        path.write_text(path.read_text().replace("backward/report/v3", "backward/report/v0"))
    assert seeds == night({"ann": "1", "bob": "2"}, seen=True)


def test_a_new_name_of_a_file_gives_a_new_seed(night: Callable[..., dict[str, str]], course: Course) -> None:
    """The code of a notebook can find out its name, which may contain numbers."""
    cell = json.dumps({"cell_type": "code", "metadata": {}, "source": "%%grade swap\nx = 1", "outputs": []})
    notebook = f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
    assert {"ann": SEED} == night({"ann/one.ipynb": notebook})
    other = replace(course, hash="x")
    assert {"ann": SEED} == night({"ann/one.ipynb": notebook}, of=other, seen=True)
    renamed = night({"ann/two.ipynb": notebook}, seen=True)
    assert SEED != renamed["ann"]
    assert renamed != night({"ann/three.ipynb": notebook}, of=other, seen=True)


def test_the_courses_own_seed_is_no_secret(night: Callable[..., dict[str, str]], course: Course) -> None:
    """Its answers are public, so every submission shares it."""
    assert {"ann": course.seed} == night({"ann": "1"}, seed=course.seed, seen=True)


@pytest.mark.slow
@pytest.mark.exhaustive  # each run has the seeds, and grades under a secret seed elsewhere
def test_a_changed_submission_gets_other_numbers(
    tape: Course, tmp_path: Path, draws: Drawn, memo: Path, timeless: Callable[[Report], bytes]
) -> None:
    """Its report has its own seed, and `grade --seed` with this seed gives the same result."""
    secret = settings(tape, SEED, draws, isolation="auto", official=True)
    path = tmp_path / "submissions" / "bob" / "01_record.py"
    path.parent.mkdir(parents=True)
    right = tape.solution(tape.exercises[0]).read_text(encoding="utf-8")
    path.write_text(right.replace("(other, self.data)", "(other, -self.data)"), encoding="utf-8")
    (entry,) = entries(tmp_path / "submissions")

    def night(seen: bool) -> Report:
        with Results(tmp_path / "out") as results, closing(LocalPool(secret, 1)) as pool:
            list(grade_entries(tape, [entry], results, SEED, pool, seen=seen))
        report = Results(tmp_path / "out").report("bob")
        assert report is not None
        return report

    first = night(seen=False)
    path.write_text(path.read_text(encoding="utf-8") + "# anew\n", encoding="utf-8")
    second = night(seen=True)
    assert SEED == first.seed != second.seed
    assert isinstance(second.seed, str)
    assert first.score == second.score
    numbers = [
        {check.id: check.expected for one in report.exercises for check in one.checks if check.expected}
        for report in (first, second)
    ]
    assert numbers[0].keys() == numbers[1].keys() != set()
    assert [] == [name for name in numbers[0] if numbers[0][name] == numbers[1][name]]
    files = {exercise.id: path.with_name(exercise.filename) for exercise in tape.exercises}
    alone = grade(tape, read_book(tape.book), files, seed=second.seed, memo=memo)
    bare = [
        timeless(
            replace(report, submission=second.submission, notes=(), exercises=tuple(map(_found_at, report.exercises)))
        )
        for report in (alone, second)
    ]
    assert bare[0] == bare[1]


# -- grading processes ----------------------------------------------------------------------------------------------


@pytest.fixture
def process(course: Course) -> Iterator[GradingProcess]:
    with closing(GradingProcess(made(course))) as one:
        yield one


@pytest.fixture
def jobs(submitted: Callable[[Entry], Submission], submissions: Path) -> Mapping[str, Job]:
    return {entry.id: Job(submitted(entry)) for entry in entries(submissions)}


@pytest.mark.slow
def test_a_grading_process_that_is_killed_is_started_again(process: GradingProcess, jobs: Mapping[str, Job]) -> None:
    """If a process is killed between two jobs or during one, a new process grades the job."""
    assert isinstance(process.grade(jobs["ann"]), Graded)
    first = process.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert isinstance(process.grade(jobs["ann"]), Graded)
    victim = process.pid
    assert victim not in (None, first)
    timer = threading.Timer(0.05, os.kill, (victim, signal.SIGKILL))
    timer.start()
    assert isinstance(process.grade(jobs["bob"]), Graded)
    timer.join()


@pytest.mark.slow
def test_a_submission_whose_grading_process_dies_each_time_is_named(
    process: GradingProcess, jobs: Mapping[str, Job]
) -> None:
    """After a second attempt, the outcome has the exit status, and the next submission is graded."""
    bob = replace(jobs["bob"].submission, sources={})  # no source: the child cannot go on
    broken = Job(bob)
    outcome = process.grade(broken)
    assert isinstance(outcome, Faulted)
    assert "bob" == outcome.id
    assert "the process that graded it ended with status 1" == outcome.message
    assert isinstance(process.grade(jobs["ann"]), Graded)


@pytest.mark.slow
def test_a_grading_process_for_another_course_does_not_start(course: Course) -> None:
    """A course that changed after the run was started must not give other scores."""
    from grader.classes.cohort import PoolError

    changed = replace(made(course), course_hash="another")
    with (
        closing(GradingProcess(changed)) as one,
        pytest.raises(PoolError, match="the course has changed since the run was started"),
    ):
        one.start()


@pytest.mark.slow
def test_nothing_is_left_running(course: Course, jobs: Mapping[str, Job]) -> None:
    """Closing a pool also ends the processes below it."""
    pool, flow = LocalPool(made(course), 2), Flow()
    for name in ("ann", "cid"):
        flow.begin(partial(pool.begin, jobs[name]))
    assert {"ann", "cid"} == {flow.next().id, flow.next().id}
    running = [process.pid for process in pool.members]
    pool.close()
    assert [True, True] == [isinstance(pid, int) for pid in running]
    assert [None, None] == [process.pid for process in pool.members]
