"""Make a course of one exercise with eight checks, and submissions to it."""

import shutil
import subprocess
import sys
from pathlib import Path

FORMS = Path(__file__).resolve().parent / "forms"
GRADE = Path(sys.executable).parent / "grade"
CHECKS = 8
FILE = "01_value.py"


def make_course(folder: Path) -> Path:
    """Make the course with its stub and answer book, and return its folder."""
    course = Path(shutil.copytree(FORMS / "ours", folder / "course"))
    (course / "exercises").mkdir()
    (course / "exercises" / FILE).touch()
    for word in ("stubs", "build"):
        subprocess.run([GRADE, word, "--course", course], check=True, stdout=subprocess.DEVNULL)
    return course


def make_submissions(folder: Path, count: int) -> list[Path]:
    """Make a folder for each person, and return the folders.

    The files are in turn right, wrong (`=` for `+=`) and almost empty. A comment makes each file unique.
    """
    right = (FORMS / "ours" / "solutions" / FILE).read_text(encoding="utf-8")
    kinds = {
        "right": right,
        "overwrite": _edited(right, (".grad += ", ".grad = ")),
        "unfilled": _edited(
            right, ("            node._backward()", "            pass"), ("order.append(node)", "pass")
        ),
    }
    made = []
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        person = folder / f"{kind}{number:05}"
        person.mkdir(parents=True)
        (person / FILE).write_text(f"# submitted by {person.name}\n{kinds[kind]}", encoding="utf-8")
        made.append(person)
    return made


def _edited(text: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text
