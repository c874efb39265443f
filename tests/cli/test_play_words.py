"""The words after `grade play`: their meaning, and the messages about words without one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from offline_page import unpack

from grader.cli.main import main
from grader.course.program.operations import FUNCTIONS

ROOT = Path(__file__).resolve().parents[2]
Play = Callable[..., tuple[int, str, str]]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], handed_out: Path) -> Play:
    """Run `grade play` in a folder with exercise files. Return the exit code and the output."""
    for name in ("01_distribute.py", "03_accumulate.py", "05_predict.py"):
        (tmp_path / name).write_text((ROOT / "solutions" / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKWARD_CACHE", str(tmp_path / "cache"))

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["play", *words, "--no-open"])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("foo",), "there is no exercise `foo`; the exercises are 1 to "),
        (
            ("foo",),
            "the presets are product, neuron, square, diamond, gate, dead, shared; an expression looks like `a * b`",
        ),
        (("squre",), "did you mean `square`?"),
        (("accumulate", "9"), "`accumulate` has checks 1 to 6: reuse_in_add, "),
        (("accumulate", "2", "3"), "`3` is one word too many"),
        (("predict", "1"), "check `product_of_sum` of `predict` runs no backward pass that can be shown"),
        (("square", "a=2"), "the preset `square` has its own numbers"),
        (("(a + b) * c", "a=2"), "b, c have no value; for example: grade play '(a + b) * c' a=2 b=2 c=2"),
        (("a * b", "a=2", "b=x"), "b=x: `x` is not a number"),
        (("a * b", "a=2", "b=inf"), "is not finite"),
        (("a * b", "2", "3"), "`2` is not a value for a leaf, such as a=2; put the expression in quotes"),
        (("a * a", "a=2", "b=3"), "b has a value but is not used"),
        (("sine(a) * a", "a=2"), f"or {', '.join(FUNCTIONS)} with one"),
        (("a / b", "a=2"), "b has no value; for example: grade play 'a / b' a=2 b=2"),
        (("a @ b",), "`a @ b` needs a leaf that is an array"),
        (("a @ b", "a=2", "b=3"), "`a @ b` needs a leaf that is an array"),
        (("__import__('os')", "a=2"), "is not supported in programs"),
        (("a * (b", "a=2", "b=3"), "not an expression"),
        ((" + ".join(["a"] * 50), "a=2"), "nodes; a replay shows at most 40"),
        (("square", "--exercise", "nowhere"), "there is no exercise `nowhere`"),
        (("square", "--file", "nowhere.py"), "there is no file nowhere.py"),
        pytest.param(("square", "--out", "."), "--out .: cannot be written", marks=pytest.mark.slow),
        (("--landscape", "nowhere"), "--landscape takes parabola or points or valley"),
        (("--landscape", "distribute", "1"), "--landscape takes parabola or points or valley"),
    ],
)
def test_what_cannot_be_understood_says_what_to_write(play: Play, words: tuple[str, ...], said: str) -> None:
    """The exit code is 2, with one sentence."""
    code, out, error = play(*words)
    assert (2, "") == (code, out)
    assert said in error


@pytest.mark.slow
def test_a_check_that_passes_shows_its_first_program(play: Play) -> None:
    """A line says that the check passes. A check is named by its number or its id."""
    for word in ("1", "reuse_in_add"):
        code, out, _ = play("accumulate", word)
        assert 0 == code
        assert out.startswith("Your code passes this check (a + a counts both uses of a)")
        assert "Replayed 03_accumulate.py: L = a + a\n" in out


def test_a_file_that_python_cannot_read_is_shown_with_its_problem(play: Play, tmp_path: Path) -> None:
    """The page has the correct pass and a sentence about the problem."""
    (tmp_path / "03_accumulate.py").write_text("class Value(:\n", encoding="utf-8")
    assert 0 == play("accumulate", "2", "--out", "page.html")[0]
    replay = unpack((tmp_path / "page.html").read_text(encoding="utf-8"))["replays"][0]
    assert ("load", 1) == (replay["problem"]["where"], replay["problem"]["line"])
    assert len(replay["reference"]) > 0
