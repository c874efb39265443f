"""The example of a new check in the authors' guide works as written."""

import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from in_process import run_grade

from grader import checks, program

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")


def beginning(course: Path) -> Path:
    """Make a course of the first three exercises without misconceptions, because grading all of these takes minutes."""
    for part in ("exercises", "solutions", "tests/hidden"):
        (course / part).mkdir(parents=True)
        for number in ("01", "02", "03"):
            for path in (ROOT / part).glob(f"*{number}_*.py"):
                shutil.copy(path, course / part)
    page, following, _ = (ROOT / "course.yaml").read_text(encoding="utf-8").partition("\n  - id: by_hand\n")
    assert following
    page = re.sub(r"^grades: .*\n|^parts: .*\n(?:  - .*\n)+", "", page, flags=re.MULTILINE)
    page = re.sub(r"^(course: .*total: )\d+", r"\g<1>20", page, flags=re.MULTILINE)
    (course / "course.yaml").write_text(page, encoding="utf-8")
    return course


@pytest.mark.slow
def test_the_new_check_works_as_written(tmp_path: Path) -> None:
    """One line in course.yaml and a test of four lines make a check that the solution passes and a mistake fails."""
    entry = re.search(r"```yaml\n(      three_uses.*\n)```", GUIDE)
    test = re.search(r'```python\n(@check\("three_uses"\)\n(?:.*\n)+?)```', GUIDE)
    assert entry is not None
    assert test is not None
    assert len((entry[1] + test[1]).splitlines()) < 10
    course = beginning(tmp_path / "course")
    page = (course / "course.yaml").read_text(encoding="utf-8")
    third = page.index("  - id: accumulate")
    page, following = page[:third], page[third:]
    page += following.replace("    checks:\n", "    checks:\n" + entry[1], 1)
    (course / "course.yaml").write_text(page.replace("total: 20", "total: 21"), encoding="utf-8")
    hidden = course / "tests" / "hidden" / "test_03_accumulate.py"
    hidden.write_text(hidden.read_text(encoding="utf-8") + "\n\n" + test[1], encoding="utf-8")

    build = run_grade("build", cwd=course)
    right = run_grade("3", "--from", "solutions", cwd=course)
    solution = (course / "solutions" / "03_accumulate.py").read_text(encoding="utf-8")
    mistaken = solution.replace("self.grad += other.data", "self.grad = other.data")
    (course / "exercises" / "03_accumulate.py").write_text(mistaken, encoding="utf-8")
    wrong = run_grade("3", cwd=course)

    title = re.escape(re.search(r"title: (.*), hint", entry[1])[1])  # type: ignore[index]
    assert "" == build.stderr
    assert re.search(rf"PASS +{title} +1/1", right.stdout)
    assert re.search(rf"FAIL +{title} +0/1", wrong.stdout)


@pytest.mark.parametrize("module", [checks, program], ids=lambda module: module.__name__)
def test_the_guide_names_what_hidden_tests_import(module: ModuleType) -> None:
    """The guide lists every public name of `grader.checks` and of `grader.program`, and no other."""
    (listed,) = re.findall(rf"`{module.__name__}` has ([^;.]+)[;.]", " ".join(GUIDE.split()))
    assert set(module.__all__) == set(re.findall(r"`(\w+)`", listed))
    assert [] == [name for name in module.__all__ if not hasattr(module, name)]
