"""Whole tensor engines in a course of their own: right ones of many styles pass, and wrong ones are explained."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from edited_texts import Text, edited_texts, whole_texts
from every import every
from read_yaml import read_yaml

from grader.course.load import Course, load_course
from grader.course.oracle.answer_book import FORMAT, AnswerBook
from grader.runner.same_interpreter import SMALL
from grader.runner.sandbox import TIERS, Warm
from grader.verdict.grading import grade
from grader.verdict.report import ExerciseResult

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BASES = whole_texts(FIXTURES / "right" / "24_tensor" / "bases")
STYLES, WRONG = (
    sorted(edited_texts(FIXTURES / "tensors" / name, {one.name: one.text for one in BASES}), key=lambda one: one.name)
    for name in ("right.yaml", "wrong.yaml")
)
RIGHT = [*BASES, *STYLES]
SAYS: dict[str, list[str]] = read_yaml(HERE / "says.yaml")
CHECKS = (
    *("forward", "elementwise", "functions", "broadcast", "sums", "matmul", "shared_nodes", "mixed", "numbers"),
    *("reductions", "places", "batches"),
)
WITHOUT_BATCHES = {
    *("function_classes", "functions_per_input", "nested_lists", "tape"),
    *("classes_in_place", "gradients_in_a_dict", "tape_in_place"),
}
COURSE = """\
format_version: 1
course: {id: tensors, version: 1, title: Tensors, total: 12}
allow_imports: [numpy]
limits: {calls: 20_000_000, cpu_s: 20}  # a tape that is never emptied takes long for random programs, in a busy process
exercises:
  - id: tensor
    title: Tensors
    checks:
"""
SEEDS = ("", "a secret seed")
Graded = Callable[[str, str], ExerciseResult]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course of one exercise with twelve checks."""
    folder = tmp_path_factory.mktemp("course")
    hidden = folder / "tests" / "hidden"
    hidden.mkdir(parents=True)
    (folder / "exercises").mkdir()
    (folder / "exercises" / "01_tensor.py").write_text("class Tensor: ...\n")
    (hidden / "test_01_tensor.py").write_text((HERE / "hidden.py").read_text(encoding="utf-8"))
    rows = [f"      {check}: {{points: 1, title: {check}}}\n" for check in CHECKS]
    (folder / "course.yaml").write_text(COURSE + "".join(rows) + "    hints: [Think.]\n")
    return load_course(folder)


@pytest.fixture(scope="module")
def graded(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """Grade a text under a seed; an empty seed is the course's own."""
    folder = tmp_path_factory.mktemp("submissions")
    book = AnswerBook(FORMAT, "", {}, {}, {})

    def grade_text(text: str, seed: str) -> ExerciseResult:
        path = folder / "01_tensor.py"
        path.write_text(text, encoding="utf-8")
        report = grade(course, book, {"tensor": path}, seed=seed or course.seed, memo=folder / "oracle.sqlite")
        return report.exercises[0]

    return grade_text


@every("text, seed", [(one, SEEDS[at % 2]) for at, one in enumerate(BASES)], ids=[text.name for text in BASES])
def test_a_right_engine_of_any_style_passes(text: Text, seed: str, graded: Graded) -> None:
    """Closures, functions for each input, classes of functions, a tape, and nested lists without numpy."""
    passes(text, seed, graded)


@pytest.mark.exhaustive
@every(
    "text, seed",
    [(one, SEEDS[1 - at % 2]) for at, one in enumerate([*BASES, *STYLES])],
    ids=[text.name for text in [*BASES, *STYLES]],
)
def test_every_right_engine_passes(text: Text, seed: str, graded: Graded) -> None:
    """Those above under the other seed, and edits of them, half of them under a secret seed."""
    passes(text, seed, graded)


def passes(text: Text, seed: str, graded: Graded) -> None:
    """Compare the checks that fail with those that the engine does not offer. Nothing is said of its rules."""
    lacks = ["batches"] if text.name in WITHOUT_BATCHES else []
    result = graded(text.text, seed)
    failed = [(check.id, check.message) for check in result.checks if check.status != "passed"]
    assert lacks == [check for check, _ in failed], failed
    assert [] == [fact.text for fact in result.facts or ()]


@every("text", WRONG[::12], ids=[text.name for text in WRONG[::12]])
def test_a_wrong_engine_is_told_what_is_wrong(text: Text, graded: Graded) -> None:
    """The first failed check, and what is said of it: a remark on the failure, or a fact about the engine."""
    told(text, graded)


OTHERS = [text for at, text in enumerate(WRONG) if at % 12]


@pytest.mark.exhaustive
@every("text", OTHERS, ids=[text.name for text in OTHERS])
def test_every_wrong_engine_is_told_what_is_wrong(text: Text, graded: Graded) -> None:
    """Also those that the test above leaves out."""
    told(text, graded)


def told(text: Text, graded: Graded) -> None:
    result = graded(text.text, "")
    failed = next(check for check in result.checks if check.status != "passed")
    facts = [fact.text for fact in result.facts or ()]
    check, said = SAYS[text.name]
    assert check == failed.id
    assert said in "\n".join([failed.message or "", *facts])


def test_each_wrong_engine_is_in_the_list() -> None:
    """And none that is not there."""
    assert {text.name for text in WRONG} == set(SAYS)


@pytest.mark.exhaustive
@every("text", WRONG[::4], ids=[text.name for text in WRONG[::4]])
def test_a_wrong_engine_is_refused_under_a_secret_seed(text: Text, graded: Graded) -> None:
    """Other numbers change no verdict."""
    assert "passed" != graded(text.text, SEEDS[1]).status


# -- with the small numpy of a browser tab


@pytest.fixture(scope="module")
def small(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """Grade a text in processes whose numpy is the small one, or with the real one if it is asked for."""
    folder = tmp_path_factory.mktemp("small")
    book = AnswerBook(FORMAT, "", {}, {}, {})
    with Warm([("process", TIERS["process"])], {"numpy": SMALL}, RuntimeError) as warm:

        def grade_text(text: str, numpy: str) -> ExerciseResult:
            path = folder / "01_tensor.py"
            path.write_text(text, encoding="utf-8")
            host = warm if numpy == "small" else None
            report = grade(course, book, {"tensor": path}, seed=course.seed, memo=folder / "oracle.sqlite", warm=host)
            return report.exercises[0]

        yield grade_text


def same_verdict(text: Text, small: Graded) -> None:
    real, other = (small(text.text, numpy) for numpy in ("real", "small"))
    assert [(check.id, check.status) for check in real.checks] == [(check.id, check.status) for check in other.checks]
    # where an engine fails in both, the small one may say that it does not have what the engine uses
    pairs = [(str(one.message), str(two.message)) for one, two in zip(real.checks, other.checks, strict=True)]
    assert [] == [pair for pair in pairs if pair[0] != pair[1] and "has a small numpy without" not in pair[1]]
    assert [fact.text for fact in real.facts or ()] == [fact.text for fact in other.facts or ()]


# a file with float32 is wrong with both, and the small one has no float32
EVERY = [text for text in (*RIGHT, *WRONG) if "float32" not in text.text]


@every("text", EVERY[4::80], ids=[text.name for text in EVERY[4::80]])
def test_the_small_numpy_changes_no_verdict(text: Text, small: Graded) -> None:
    """Statuses, messages and facts are those of numpy."""
    same_verdict(text, small)


@pytest.mark.exhaustive
@every("text", EVERY, ids=[text.name for text in EVERY])
def test_the_small_numpy_changes_no_verdict_on_any_file(text: Text, small: Graded) -> None:
    """Right files of all styles, and every wrong one."""
    same_verdict(text, small)
