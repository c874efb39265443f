"""`grade --line`: the line whose change makes every check pass."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.verdict.grading import Searching, submissions
from grader.verdict.grading.repair import search
from grader.words.repairs import SEARCH_ENDED

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]
Solved = Callable[[str], str]


@pytest.fixture
def wrong(work: Path, solved: Solved) -> Path:
    """Return a solution of `backward` that does not reverse the order."""
    path = work / "07_backward.py"
    path.write_text(solved(path.name).replace("reversed(build_topo(self))", "build_topo(self)"))
    return path


def test_the_line_is_named_and_the_score_stays(grade: Grade, wrong: Path) -> None:
    """The line is printed after the verdict. The report has the repairs, and nothing else differs."""
    plain, done = json.loads(grade("backward", "--json").stdout), grade("backward", "--line", "--json")
    found = json.loads(done.stdout)
    result = found["exercises"][0].pop("repairs")
    line = 1 + next(i for i, text in enumerate(wrong.read_text().splitlines()) if "in build_topo(self)" in text)
    assert {line} == {line for repair in result["found"] for line in repair["lines"] if not repair["function"]}
    times = ("duration_s", "graded_at")
    assert _without(plain, times) == _without(found, times)

    shown = " ".join(grade("backward", "--line").stdout.split())
    assert f"A change of the statement in line {line} alone makes every required check pass." in shown


def _without(data: Any, names: tuple[str, ...]) -> Any:
    if isinstance(data, dict):
        return {name: _without(value, names) for name, value in data.items() if name not in names}
    return [_without(value, names) for value in data] if isinstance(data, list) else data


def test_a_line_that_a_fact_names_is_not_told_twice(grade: Grade, work: Path, solved: Solved) -> None:
    """The sentence about the line is left out, and nothing is said about changes that made no check pass."""
    path = work / "09_activations.py"
    rule = "        def _backward():\n            self.grad += out.data * out.grad\n"
    right = solved(path.name)
    assert rule in right
    path.write_text(right.replace(rule, "        def _backward(): self.grad += self.data * out.grad\n"))
    line = 1 + path.read_text().splitlines().index("        def _backward(): self.grad += self.data * out.grad")
    done = grade("activations", "--line")
    assert f"(line {line})" in " ".join(done.stdout.split())
    (result,) = json.loads((work / ".backward" / "report.json").read_text())["exercises"]
    assert [[line]] == [one["lines"] for one in result["repairs"]["found"] if not one["function"]]
    assert "required check" not in done.stdout


def test_a_right_file_is_not_searched(grade: Grade, wrong: Path, solved: Solved) -> None:
    """Without a failure there is nothing to search for."""
    wrong.write_text(solved(wrong.name))
    assert "repairs" not in json.loads(grade("backward", "--line", "--json").stdout)["exercises"][0]


def test_without_a_terminal_nothing_is_searched_unless_it_is_asked_for(grade: Grade, wrong: Path, work: Path) -> None:
    """If standard output is not a terminal, `grade` searches only with `--line`."""
    grade("backward")
    assert "repairs" not in json.loads((work / ".backward" / "report.json").read_text())["exercises"][0]


def test_ctrl_c_ends_the_search_and_keeps_the_report(
    grade: Grade, wrong: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict was printed before, and the report is written."""

    def interrupted(*arguments: Any, **more: Any) -> Iterator[Searching]:
        yield next(event for event in search(*arguments, **more) if isinstance(event, Searching))
        raise KeyboardInterrupt

    monkeypatch.setattr(submissions, "search", interrupted)
    done = grade("backward", "--line")
    assert SEARCH_ENDED in " ".join(done.stdout.split())
    assert 1 == done.returncode
    assert (work / ".backward" / "report.json").is_file()


def test_a_run_for_the_record_has_no_search(grade: Grade, wrong: Path) -> None:
    """The search would run learner code again, after the verdict."""
    assert 2 == grade("backward", "--line", "--official").returncode
