"""Fixtures and hooks for the tests of all folders."""

import fcntl
import gc
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import hypothesis
import msgspec
import pytest
from hypothesis import is_hypothesis_test
from kept_processes import OF_A_CLASS, TORCH, end_kept, kept, kept_workers
from slices import measured, slice_of_commit, slices

from grader.author import build
from grader.author.build import is_work, make_stub
from grader.author.ci.files import built_wheel
from grader.author.verify import shaken
from grader.base.text import counted
from grader.classes.intake import Entry, Intake
from grader.classes.intake.files import read_files
from grader.course.load import Course, Exercise, load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import Answer, AnswerBook, read_book
from grader.course.program import Question
from grader.verdict.grading import grade
from grader.verdict.report import Report

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
_LONG = ("hostile", "slow", "cluster", "browser")
# the files that take longest, the longest first
_LONGEST = (
    "classes/page/test_page_browser.py",
    "hostile/test_attacks.py",
    "practice/replay/test_page_browser.py",
    "author/site/test_page_browser.py",
    "verdicts/test_exercises.py",
    "cli/test_words.py",
    "classes/cohort/test_run.py",
    "author/ci/test_platforms.py",
    "verdicts/test_engines.py",
    "verdict/grading/test_repair.py",
    "cli/test_practice.py",
    "cli/test_play.py",
    "cli/test_commands.py",
    "runner/client/test_engine_process.py",
    "verdict/diagnosis/test_faults.py",
    "verdicts/test_names.py",
    "cli/test_cohort.py",
    "hostile/test_odd_input.py",
    "packaging/test_wheel.py",
    "cli/test_authoring.py",
    "packaging/test_light.py",
    "hostile/test_current_folder.py",
    "verdicts/test_gradcheck.py",
    "verdicts/test_missing.py",
    "practice/test_tab.py",
    "classes/cohort/test_cluster.py",
    "classes/cohort/test_chaos.py",
    "cli/test_notebooks.py",
    "cli/test_bad_input.py",
    "author/test_drift.py",
    "leftovers/test_messes.py",
    "cli/test_mixed_class.py",
    "practice/replay/test_record.py",
    "cli/test_course_choice.py",
    "author/test_part_of_book.py",
    "runner/sandbox/test_tiers.py",
    "author/test_site.py",
    "classes/people/test_class_of_sixty.py",
    "author/test_build.py",
    "cli/test_output.py",
    "course/oracle/test_redraw.py",
    "hostile/test_budget.py",
    "hostile/test_bounds.py",
    "docs/test_feedback.py",
)
# tests start Python a thousand times: without compiled files, each time takes twice as long
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as in an active environment
# a busy machine fails no test of Hypothesis
hypothesis.settings.register_profile("backward", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("backward")
T = TypeVar("T")
Once = Callable[[str, Callable[[], Any]], Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for one slice of the exhaustive tests."""
    text = "of the tests marked `exhaustive`, run one slice: the number N, or that of the present `commit`"
    parser.addoption("--slice", metavar="N", help=text)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set time limits, restore Ctrl-C for started processes, and look for garbage as seldom as `grade` does.

    No test takes a tenth of the limit: one that hangs fails by name, and whatever happens there is a summary. The
    limits are not in pyproject.toml, because a learner's pytest reads it, and has no pytest-timeout. Processes that a
    script runs in the background ignore Ctrl-C, and so do their children.
    """
    config.option.timeout = config.option.timeout or 300
    config.option.session_timeout = config.option.session_timeout or 2700
    gc.set_threshold(50_000)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Use a process for each core, and half as many more for marked tests, which wait for a process or a limit.

    Each further process collects all tests again.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return cores if "not (slow" in config.option.markexpr else cores + (cores + 1) // 2


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first and fast ones last, so that all processes end at about the same time.

    Hypothesis tries as many examples as tests ask for in a long run, and a third of them in each other run.
    """
    if "not exhaustive" in config.option.markexpr or "or exhaustive)" in config.option.markexpr:
        for test in {item.obj for item in items if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)}:
            asked: Any = test._hypothesis_internal_use_settings  # a test has no public way to change its settings
            test._hypothesis_internal_use_settings = hypothesis.settings(asked, max_examples=asked.max_examples // 3)
    marked = {item.path for item in items if any(item.get_closest_marker(name) for name in _LONG)}
    first = {TESTS / name: place for place, name in enumerate(_LONGEST)}
    assert all(path.exists() for path in first)
    asked_for = config.getoption("--slice")
    if asked_for:
        number = slice_of_commit(ROOT) if asked_for == "commit" else int(asked_for)
        late = [item for item in items if item.get_closest_marker("exhaustive")]
        place = slices((item.nodeid.removeprefix("tests/") for item in late), measured())
        chosen = {item for item in late if place[item.nodeid.removeprefix("tests/")] == number}
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    items.sort(key=lambda item: (first.get(item.path, len(first)), item.path not in marked))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was absent, so that nobody takes a test for passed that was not run."""
    reasons = Counter(str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ()))
    absent = {reason.removeprefix("Skipped: "): count for reason, count in reasons.items() if "NOT TESTED" in reason}
    if absent:
        terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
        for reason, count in sorted(absent.items()):
            terminalreporter.line(f"{counted(count, 'test')}: {reason}", red=True)


def pytest_collection_finish() -> None:
    """Exclude the collected tests from each later search for garbage."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After each file, exclude what it imported and keeps: a search for garbage in torch takes a tenth of a second."""
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of a test run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def once(of_this_run: Path) -> Once:
    """Do expensive work once in a test run, and return its result for each use of the same name.

    If tests run in several processes, one of them does the work, and the others wait for the result. The result must be
    data for `pickle`, and must not depend on the process.
    """

    def result(name: str, compute: Callable[[], T]) -> T:
        kept = of_this_run / f"{name}.pickle"
        with (of_this_run / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(compute()))
        found: T = pickle.loads(kept.read_bytes())
        return found

    return result


@pytest.fixture(scope="session")
def course() -> Course:
    """Return the repository's own course."""
    return load_course(ROOT)


@pytest.fixture(scope="session")
def solved(once: Once) -> Report:
    """Return the report on the solutions of the repository's own course."""

    def graded() -> Report:
        course = load_course(ROOT)
        files = {exercise.id: course.solution(exercise) for exercise in course.exercises}
        return grade(course, read_book(course.book), files, seed=course.seed, memo=None)

    report: Report = once("solved", graded)
    return report


@pytest.fixture(scope="session")
def take_in() -> Callable[[Entry], Intake]:
    """Return a function that reads a submission for the repository's own course, in this process."""
    filenames = {exercise.id: exercise.filename for exercise in load_course(ROOT).exercises}
    return lambda entry: read_files(entry.named, filenames, entry.choices).of(entry)


@pytest.fixture(scope="session")
def handed_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the exercise files made from the solutions now, independently of `exercises/`."""
    folder = tmp_path_factory.mktemp("handed_out")
    course = load_course(ROOT)
    for exercise in course.exercises:
        (folder / exercise.filename).write_text(make_stub(course, exercise), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, once: Once, handed_out: Path) -> Path:
    """Build the wheel, as `grade ci init` does, from a copy of the repository in which every exercise is a stub."""

    def built() -> Path:
        tree = tmp_path_factory.mktemp("tree") / "backward"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "exercises", "fixtures", "dist", "__pycache__"))
        shutil.copytree(handed_out, tree / "exercises")
        name, data = built_wheel(tree)
        wheel = tmp_path_factory.mktemp("dist") / name
        wheel.write_bytes(data)
        return wheel

    path: Path = once("wheel", built)
    return path


@pytest.fixture(scope="session")
def packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory, once: Once) -> Path:
    """Return a folder with the wheel, the pinned packages that it depends on, and what builds it."""

    def downloaded() -> Path:
        folder = tmp_path_factory.mktemp("packages")
        words = ("download", "--quiet", "--dest", folder, "-c", ROOT / "constraints.txt", wheel, "hatchling")
        subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True)
        return folder

    path: Path = once("packages", downloaded)
    return path


@pytest.fixture(scope="session")
def light(
    packages: Path, wheel: Path, shared_python: str | None, tmp_path_factory: pytest.TempPathFactory, once: Once
) -> Path:
    """Return an environment that holds the wheel and its dependencies, and no more. It works at any path."""

    def installed() -> Path:
        home = tmp_path_factory.mktemp("light") / "venv"
        uv = (Path(sys.executable).with_name("uv"), "--quiet", "--offline", "--no-config")
        words = ("pip", "install", "--no-index", "--find-links", packages, "--compile-bytecode", wheel)
        commands = ("venv", "--relocatable", "--python", shared_python or sys.executable, home), words
        for command in commands:
            environment = {**os.environ, "VIRTUAL_ENV": str(home)}
            subprocess.run([*map(str, (*uv, *command))], check=True, capture_output=True, env=environment)
        return home

    path: Path = once("light", installed)
    return path


@pytest.fixture(scope="session")
def _torch_ends() -> Iterator[None]:
    yield
    end_kept(TORCH)


@pytest.fixture(scope="module")
def one_torch(_torch_ends: None) -> Iterator[None]:
    """Let all oracles of this process share torch's process, during the tests of a file."""
    with kept([TORCH]):
        yield


@pytest.fixture(scope="module")
def kept_processes(_torch_ends: None) -> Iterator[None]:
    """Let all commands of this process share torch's process, the sandbox, and what reads and grades a class."""
    with kept([TORCH, *OF_A_CLASS]), kept_workers():
        yield
    end_kept(*OF_A_CLASS)


@pytest.fixture(scope="session")
def shared_python() -> str | None:
    """Return a Python of the version that runs the tests and that every user can run; None if there is none."""
    nobody: dict[str, Any] = {"user": 65_534, "group": 65_534, "extra_groups": []} if os.geteuid() == 0 else {}
    ask = [f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"]
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            if subprocess.run([candidate, "-Ic", *ask], cwd="/", env={}, check=False, **nobody).returncode == 0:
                return candidate
        except OSError:
            continue
    return None


@pytest.fixture(scope="session")
def made_elsewhere(once: Once) -> Callable[[Course], AnswerBook]:
    """Make a course's answer book on a simulated machine whose torch is off by 1e-13 in every number, at every step.

    The misconceptions are those of the shipped book, because no answer influences them.
    """
    return lambda course: once(f"made elsewhere {course.hash}", lambda: _made_elsewhere(course))


def _made_elsewhere(course: Course) -> AnswerBook:
    import torch  # it takes seconds

    from grader.course.oracle import compute

    def after_pass(nodes: list[Any], root: int, leaves: Sequence[Any] = ()) -> list[Any]:
        tensors = here(nodes, root, leaves)
        sides = [tensors, [node.grad for node in tensors if node.grad is not None]]
        exact = [tuple(number for one in side for number in one.flatten().tolist()) for side in sides]
        values, grads = map(iter, msgspec.structs.astuple(shaken(Answer(*exact))))
        for node in tensors:
            node.data = torch.tensor([next(values) for _ in range(node.numel())], dtype=node.dtype).reshape(node.shape)
            if node.grad is not None:
                moved = [next(grads) for _ in range(node.numel())]
                node.grad = torch.tensor(moved, dtype=node.dtype).reshape(node.shape)
        return tensors

    class Elsewhere(Oracle):
        def _ask(self, program: Question) -> Answer:
            nodes, root, *steps = json.loads(json.dumps(program.question))
            found = compute.descended(nodes, root, *steps) if steps else compute.answer(nodes, root)
            return Answer(*map(tuple, found))

    here = compute._after_pass

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compute, "_after_pass", after_pass)
        patched.setattr(build, "Oracle", Elsewhere)
        patched.setattr(build, "catalogue", lambda course, exercise: [])
        made = build.build_book(course)
    return msgspec.structs.replace(made, known=read_book(course.book).known)


@pytest.fixture
def in_step() -> Callable[[Course, Exercise, Mapping[str, str]], None]:
    """Fail unless an exercise's file is the stub of its solution. `known` has earlier stubs, by exercise id.

    If somebody has worked on the file, the test is skipped, and the summary names the file.
    """

    def check(course: Course, exercise: Exercise, known: Mapping[str, str]) -> None:
        path, stub = course.exercise_file(exercise), make_stub(course, exercise)
        if is_work(course, exercise, known) and not is_forgotten(path, exercise, stub):
            pytest.skip(f"{path.relative_to(ROOT)} has been worked on: left alone, its stub is tested instead")
        assert stub == path.read_text(encoding="utf-8"), "run `grade stubs` and `grade build`"

    return check


def is_forgotten(path: Path, exercise: Exercise, stub: str) -> bool:
    """Return whether a file that looks like work is an outdated stub that was committed."""
    opened = f'raise NotImplementedError("{exercise.id}: '
    if path.read_text(encoding="utf-8", errors="replace").count(opened) < stub.count(opened) or not shutil.which("git"):
        return False
    words = ["git", "status", "--porcelain", "--ignored", "--", path.name]
    done = subprocess.run(words, cwd=path.parent, capture_output=True, text=True, check=False)
    return (0, "") == (done.returncode, done.stdout)
