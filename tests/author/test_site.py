"""A site has everything that a browser needs, and no solution."""

import hashlib
import json
import re
import shutil
import zipfile
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from site_of import ROOT, distribution, site_of, wheel_of

from grader.author.release import solutions_in
from grader.author.site import SiteError, build_site, lesson, page_data
from grader.course.load import CourseError, load_course
from grader.course.oracle.answer_book import read_book


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_of(tmp_path_factory.mktemp("site"))


def texts(folder: Path) -> dict[str, str]:
    """Return the contents of all files of a site, those in its archive included."""
    contents = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with zipfile.ZipFile(folder / "python" / "grader.zip") as archive:
        contents |= {name: archive.read(name) for name in archive.namelist()}
    return {name: content.decode("utf-8", "replace") for name, content in contents.items()}


@pytest.mark.slow
def test_a_site_shows_no_solution(site: Path) -> None:
    """No file shows more of the solutions than the stubs of other exercises, which contain them on purpose."""
    course = load_course(ROOT)
    stubs = read_book(course.book).stubs
    given = set(solutions_in(course, "\n".join(stubs.values())))
    every = texts(site)
    assert {"course/course.json", "course/tests/hidden/test_03_accumulate.py"} < every.keys()
    assert not [name for name in every if "solution" in name or name.endswith(".mistakes.yaml")]
    for name, text in every.items():
        # JSON has the line ends of a text as escapes
        assert given >= set(solutions_in(course, text.replace("\\n", "\n").replace('\\"', '"'))), name
    for exercise in course.exercises:
        own = set(solutions_in(course, stubs[exercise.id]))
        assert not [what for what in own if exercise.stem in what]


def test_a_course_that_shows_a_solution_gets_no_site(tmp_path: Path) -> None:
    """A hint that contains a solution is an error of the course, found before anything is downloaded."""
    folder = Path(shutil.copytree(ROOT / "examples" / "tape", tmp_path / "tape"))
    course = load_course(folder)
    solution = course.solution(course.exercises[0]).read_text(encoding="utf-8")
    course.hidden_test(course.exercises[0]).write_text(solution, encoding="utf-8")
    with pytest.raises(CourseError, match="gives away the solution"):
        build_site(course, tmp_path / "out", tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
def test_a_site_names_no_other_origin(site: Path) -> None:
    """Scripts, styles and frames come from the site. Their policies allow nothing else."""
    for name in ("index.html", "frame.html"):
        text = (site / name).read_text(encoding="utf-8")
        assert [] == [url for url in re.findall(r'(?:src|href)="([^"]*)"', text) if ":" in url.removeprefix("data:,")]
        assert "default-src 'none'" in text
        assert not re.search(r"'unsafe-(eval|inline)'", text)


@pytest.mark.slow
def test_the_same_course_gives_the_same_site(site: Path, tmp_path: Path) -> None:
    """A site can be compared with another, and built again in its place."""

    def digests(folder: Path) -> dict[str, str]:
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    assert digests(site) == digests(site_of(tmp_path / "again")) == digests(site_of(site))


def test_a_folder_without_pyodide_is_named(tmp_path: Path) -> None:
    """The message says which files are missing."""
    with pytest.raises(SiteError, match=r"pyodide\.asm\.wasm"):
        build_site(load_course(ROOT), tmp_path / "out", tmp_path / "cache", pyodide=tmp_path)


WHEEL = wheel_of("tiny", "import smaller\ntwo = smaller.one + 1\n")
NEEDED = wheel_of("smaller", "one = 1\n")


def test_a_wheel_that_is_missing_or_another_one_is_named(tmp_path: Path) -> None:
    """The wheels of a distribution are those of its list, also the ones that an allowed package needs."""
    course = replace(load_course(ROOT), allow_imports=("tiny",))
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        (tmp_path / name).write_bytes(b"")
    distribution(tmp_path, {"tiny": WHEEL, "smaller": NEEDED}, {"tiny": ["smaller"]})
    (tmp_path / "tiny-1.0-py3-none-any.whl").write_bytes(NEEDED)
    with pytest.raises(SiteError, match=r"tiny-1.0\S+ is not the file whose SHA-256 is in pyodide-lock\.json"):
        build_site(course, tmp_path / "out", tmp_path / "cache", pyodide=tmp_path)
    (tmp_path / "tiny-1.0-py3-none-any.whl").write_bytes(WHEEL)
    (tmp_path / "smaller-1.0-py3-none-any.whl").unlink()
    with pytest.raises(SiteError, match=r"smaller-1.0\S+ is missing"):
        build_site(course, tmp_path / "out", tmp_path / "cache", pyodide=tmp_path)


@pytest.mark.slow
def test_the_page_has_every_exercise(site: Path) -> None:
    """The page shows lessons and files before Python is there."""
    course = load_course(ROOT)
    data = json.loads((site / "course.json").read_text(encoding="utf-8"))
    stubs = read_book(course.book).stubs
    assert [(one.id, one.max_score, stubs[one.id]) for one in course.exercises] == [
        (one["id"], one["points"], one["stub"]) for one in data["exercises"]
    ]
    assert all(one["lesson"] for one in data["exercises"])


COMMAND = re.compile(
    r"`(?:grade|python3?|make|pip)\b|\bpython\d? \w+\.py|\b(?:docs|tests|solutions|examples)/|\w\.md\b"
)


def test_the_page_names_no_command_that_it_lacks() -> None:
    """Lessons, files, hints and what follows the course are true in a terminal and on the page."""
    course = load_course(ROOT)
    data = page_data(course, read_book(course.book), {})
    texts = re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(msgspec.to_builtins(data)))
    assert [] == [text for text in texts for found in [COMMAND.search(re.sub(r"https://\S+", "", text))] if found]


LESSON = '''"""01 first: a title

One - two
* 3 = 4
1. - 5 is
- 6, and a list:
- one
  item
- two

    >>> 1 + 1
    2

    >>> 2

    Take a worked
    example.

    value | gradient
    a  2 | 4

    calls

    2 + 2
"""
'''


def test_a_lesson_is_paragraphs_code_and_lists() -> None:
    """The title is left out, lines of a paragraph are joined, code keeps its lines, and a figure has its id."""
    assert [
        ("p", ["One - two * 3 = 4 1. - 5 is - 6, and a list:"]),
        ("ul", ["one item", "two"]),
        ("pre", [">>> 1 + 1", "2", "", ">>> 2"]),
        ("aside", ["Take a worked example."]),
        ("figure", ["sum"]),
        ("pre", ["2 + 2"]),
    ] == lesson(LESSON, {"sum": ["value | gradient", "a  2 | 4", "", "calls"]})
