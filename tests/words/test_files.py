"""The sentences about files that were not read: one for each code."""

import re
from pathlib import Path

import grader
from grader.client import Reason
from grader.words.practice import unread_text

# the modules that find out why a file cannot be read
FINDERS = ("client/source.py", "cohort/intake/archives.py", "cohort/intake/files.py")
FULL = {"detail": "the system says no", "count": 7, "limit_kb": 256, "seconds": 30.0, "names": ("a.py", "b.py")}


def test_each_code_has_a_sentence() -> None:
    """Every code that a module gives has a sentence with its fields, and with the name if one file is meant."""
    folder = Path(grader.__file__).parent
    kinds = set(re.findall(r'Reason\(\s*"(\w+)"', "".join((folder / name).read_text("utf-8") for name in FINDERS)))
    assert {"missing", "too_large", "not_json", "encrypted", "several_files"} <= kinds
    for kind in sorted(kinds):
        said = unread_text(Reason(kind, **FULL), "01_add.py")  # type: ignore[arg-type]
        assert ("None" not in said, "{" not in said) == (True, True), said
        assert kind == "both" or "01_add.py" in said, said


def test_sizes_are_in_the_usual_unit() -> None:
    """Less than a megabyte is given in KB, the rest in MB."""
    said = [unread_text(Reason("too_large", limit_kb=limit), "a.py") for limit in (256, 16 << 10)]
    assert ["a.py is larger than 256 KB", "a.py is larger than 16 MB"] == said


def test_a_submission_that_took_too_long_has_its_clock() -> None:
    """Wall time is just seconds."""
    begin = "the submission cannot be read: reading it took more than"
    assert f"{begin} 30 s of CPU time" == unread_text(Reason("too_slow", seconds=30.0, clock="cpu"))
    assert f"{begin} 300 s" == unread_text(Reason("too_slow", seconds=300.0, clock="wall"))
    assert f"{begin} 512 MB of memory" == unread_text(Reason("too_much_memory", limit_kb=512 << 10))
