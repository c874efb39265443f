"""Build a folder of static files that is the course and its grader in a browser tab, for any web server."""

import ast
import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import Template

from ..base import plain, read_plain, write_files
from ..course import Course, CourseError
from ..oracle.answer_book import AnswerBook, read_book
from ..remarks import Died
from ..views.replay import build_replay_frame
from ..words import practice
from ..words.learner import ended_text
from .interpreter import python_of
from .release import solutions_in

_GRADER = Path(__file__).resolve().parents[1]
_PAGE = _GRADER / "views" / "site"
_STYLES = (_GRADER / "views" / "offline" / "base.css", _PAGE / "page.css")
_SCRIPTS = (
    _GRADER / "views" / "offline" / "elements.js",
    _PAGE / "interpreters.js",
    _PAGE / "assets" / "editor.min.js",
    *(_PAGE / f"{name}.js" for name in ("work", "side", "verdict", "page")),
)
_LICENCES = _PAGE / "assets" / "LICENSES.txt"
# what no tab needs: commands, classes, and what authors do
_NOT_IN_A_TAB = ("author", "ci", "cli", "cohort", "people", "pytest_plugin.py")
_HASH = re.compile("'sha256-[^']*'")
HANG_S = 3  # seconds after which the page ends an interpreter that does not answer


def build_site(course: Course, folder: Path, cache: Path, pyodide: Path | None = None) -> list[str]:
    """Write the site of a course to a folder, and return the paths of its files. Files of an older site are replaced.

    Args:
        cache: The folder that keeps what is downloaded.
        pyodide: A folder with Pyodide's files. By default, they are downloaded from npm.

    Raises:
        CourseError: A file of the site would show a solution.
        SiteError: Pyodide or a package is missing.
        OSError: A file cannot be read or written.
    """
    graded = _course(course)  # first, because nothing need be downloaded for a course that has an error
    book = read_book(course.book)
    first = course.exercises[0].id
    stub = {"exercise": first, "stub": book.stubs[first]}
    python = python_of(_grader() | graded, stub, cache, pyodide, course.allow_imports)
    imports = {module: [f"python/{name}" for name in names] for module, names in python.imports.items()}
    files = _page(course, book, imports)
    files |= {f"python/{name}": data for name, data in [*python.files.items(), *python.packages.items()]}
    files["files.json"] = json.dumps({name: len(data) for name, data in files.items()}).encode()
    files["offline.js"] = _offline(files)
    write_files(files, folder, [name for name in files if os.path.lexists(folder / name)])
    return list(files)


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a site for this machine alone. Port 0 stands for any free port. Raises `OSError`."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


# -- Put together the archive that the interpreter unpacks


def _grader() -> dict[str, bytes]:
    """Return the grader's own modules and the settings beside them."""
    files = (path for path in sorted(_GRADER.rglob("*")) if path.suffix in (".py", ".ini", ".yaml"))
    return {
        f"packages/{path.relative_to(_GRADER.parent).as_posix()}": path.read_bytes()
        for path in files
        if path.relative_to(_GRADER).parts[0] not in _NOT_IN_A_TAB
    }


def _course(course: Course) -> dict[str, bytes]:
    """Return the files of the course that grading needs. Raises `CourseError` if one of them shows a solution."""
    written = [course.file, *(course.hidden_test(exercise) for exercise in course.exercises)]
    contents = {path: read_plain(path, follow=True) for path in (*written, course.book)}
    # the answer book is generated, and an exercise's stub gives away the earlier exercises on purpose
    for path in written:
        for what in solutions_in(course, contents[path].decode("utf-8", "replace")):
            raise CourseError(path, None, what)
    paths = {path: f"course/{path.relative_to(course.folder).as_posix()}" for path in contents if path != course.file}
    return {name: contents[path] for path, name in paths.items()} | {"course/course.json": course.encoded()}


# -- Write the page


def _offline(files: Mapping[str, bytes]) -> bytes:
    """Return the service worker, which keeps these files in the browser."""
    digests = {name: f"sha256-{_digest(data)}" for name, data in sorted(files.items())}
    text = json.dumps(digests)
    script = _read(_PAGE / "offline.js")
    return script.replace("$files", text).replace("$version", hashlib.sha256(text.encode()).hexdigest()[:16]).encode()


def _digest(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def _page(course: Course, book: AnswerBook, imports: Mapping[str, Sequence[str]]) -> dict[str, bytes]:
    """Return the page, its scripts and its data. `imports` has the files of each module beyond the standard library."""
    frame = _read(_PAGE / "frame.js")
    framed = Template(_read(_PAGE / "frame.html"))
    frames = {
        "frame.html": framed.substitute(hash=_digest(frame.encode()), script=frame),
        "replay.html": build_replay_frame(),
    }
    title = html.escape(plain(course.title))
    scripts = "\n".join(f'<script src="{path.name}"></script>' for path in _SCRIPTS)
    texts = {
        "index.html": Template(_read(_PAGE / "index.html")).substitute(
            title=title,
            scripts=scripts,
            passed=practice.all_passed(len(course.exercises)),
            learnt=practice.LEARNT,
            further=practice.FURTHER,
            frame_scripts=_hashes("script-src", frames.values()),
            frame_styles=_hashes("style-src", frames.values()),
        ),
        **frames,
        "page.css": "".join(map(_read, _STYLES)),
        "worker.js": _read(_PAGE / "worker.js"),
        "course.json": json.dumps(page_data(course, book) | {"imports": imports}, ensure_ascii=False),
        "licences.txt": _read(_LICENCES),
        **{path.name: _read(path) for path in _SCRIPTS},
    }
    return {name: text.encode() for name, text in texts.items()}


def _hashes(directive: str, frames: Iterable[str]) -> str:
    """Return the hashes that the policies of frames allow. A frame has the policy of the page, too."""
    return " ".join(
        found for text in re.findall(f"{directive} ([^;]*)", " ".join(frames)) for found in _HASH.findall(text)
    )


def page_data(course: Course, book: AnswerBook) -> dict[str, object]:
    """Return what the page shows of the course before the interpreter is there."""
    return {
        "id": course.id,
        "hash": course.hash,
        "title": course.title,
        "hangSeconds": HANG_S,
        "hung": ended_text(Died("wall_limit", seconds=HANG_S)),
        "died": ended_text(Died("exited")),
        "welcome": practice.WELCOME_PAGE,
        "further": course.further,
        "parts": [
            {"title": part.title, "points": part.max_score, "exercises": part.exercises} for part in course.parts
        ],
        "exercises": [
            {
                "id": exercise.id,
                "number": exercise.number,
                "title": exercise.title,
                "file": exercise.filename,
                "points": exercise.max_score,
                "stub": book.stubs[exercise.id],
                "lesson": lesson(book.stubs[exercise.id]),
                "hints": exercise.hints,
                "learnt": exercise.learnt,
            }
            for exercise in course.exercises
        ],
    }


_ITEM = re.compile(r"[-*] +|\d+\. +")
_PROSE = re.compile(r"[A-Z][a-z]+ .*\.", re.DOTALL)  # an indented block of sentences, such as a worked example


def lesson(stub: str) -> list[tuple[str, list[str]]]:
    """Return the docstring of an exercise file as blocks, without its first line, which is the title.

    Returns:
        `("p", [text])`, `("ul", items)`, `("pre", lines)` for indented code, or `("aside", [text])` for indented
        sentences. Blank lines separate blocks, but a list may also follow a line of text.
    """
    text = ast.get_docstring(ast.parse(stub)) or ""
    blocks: list[tuple[str, list[str]]] = []
    for block in re.split(r"\n\s*\n", text.partition("\n")[2].strip("\n")):
        lines = block.split("\n")
        if block.startswith("    "):
            code = [line.removeprefix("    ") for line in lines]
            if _PROSE.fullmatch("\n".join(code)):
                blocks.append(("aside", [" ".join(map(str.strip, code))]))
            elif blocks and blocks[-1][0] == "pre":
                blocks[-1][1].extend(["", *code])
            else:
                blocks.append(("pre", code))
            continue
        first = next((at for at, line in enumerate(lines) if _ITEM.match(line)), len(lines))
        if first:
            blocks.append(("p", [" ".join(map(str.strip, lines[:first]))]))
        items: list[str] = []
        for line in lines[first:]:
            if _ITEM.match(line):
                items.append(_ITEM.sub("", line, count=1))
            else:
                items[-1] += f" {line.strip()}"
        if items:
            blocks.append(("ul", items))
    return blocks


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
