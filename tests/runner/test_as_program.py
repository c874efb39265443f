"""A learner's file runs as a program: what it prints is passed on as it is printed, and an error has its traceback."""

from grader.runner.as_program import run_as_program

FILE = """\
a = 2

def half(x):
    return x / 2

if __name__ == "__main__":
    print(half(a))
    print("more", end="")
"""


def run(source: str, selection: str = "") -> tuple[list[str], str]:
    """Return the pieces of text that a program prints, and its traceback."""
    pieces: list[str] = []
    return pieces, run_as_program(source, "work.py", pieces.append, selection)


def test_the_main_part_runs() -> None:
    """A line is passed on when it ends, and the rest at the end of the program."""
    assert (["1.0\n", "more"], "") == run(FILE)


def test_a_selection_runs_after_the_file_was_imported() -> None:
    """The main part does not run. The value of a last expression is printed, and lines may be indented."""
    assert (["8\n", "2.0\n"], "") == run(FILE, "    b = 4\n    print(b * a)\n    half(b)")


def test_an_error_has_a_traceback_of_the_file_alone() -> None:
    """The frames of the grader are left out, and the lines of the file are quoted."""
    _, error = run(FILE, "half('x')")
    assert ["<selection>", "work.py"] == [line.split('"')[1] for line in error.splitlines() if "File" in line]
    assert "return x / 2" in error
    assert error.endswith("TypeError: unsupported operand type(s) for /: 'str' and 'int'\n")


def test_other_ends() -> None:
    """A syntax error names its line, an exit with a number says nothing, and there is no input."""
    assert 'File "work.py", line 1' in run("(")[1]
    assert ([], "") == run("raise SystemExit(2)")
    assert "EOFError" in run("input()")[1]


def test_much_output_is_passed_on_together() -> None:
    """Ten thousand lines do not become ten thousand messages, and none is lost."""
    pieces, error = run("for i in range(10_000): print(i)")
    assert "" == error
    assert len(pieces) < 1_000
    assert [str(i) for i in range(10_000)] == "".join(pieces).split()
