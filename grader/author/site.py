"""Build a folder of static files that is the course and its grader in a browser tab, for any web server."""

import ast
import base64
import hashlib
import html
import io
import json
import os
import re
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ..base.files import UserError, read_plain, write_files
from ..base.page import BASE_STYLE, ELEMENTS
from ..base.processes import find_program, start
from ..base.text import plain
from ..course.figures import Figure
from ..course.load import Course, CourseError, Exercise
from ..course.oracle import AnswerBook, read_book
from ..course.remarks import Died
from ..practice.replay import (
    DRAWING_SCRIPTS,
    DRAWING_STYLE,
    ReplayPage,
    build_replay_frame,
    nodes_of,
    offered,
    operations_script,
)
from ..practice.site_data import (
    Block,
    CheckProgress,
    GivenFiles,
    RunOutput,
    SearchProgress,
    SiteCourse,
    SiteExercise,
    SiteFigure,
    SitePart,
    SiteQuestion,
    Stored,
    Verdict,
)
from ..words import author as words
from ..words import practice
from ..words.stopped import ended_text
from .build import figures_of
from .release import solutions_in

# -- The Python of the site: Pyodide and the packages of the grader, downloaded once, and compiled to bytecode

PYODIDE = "314.0.7"
_PYODIDE_HASH = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
_LIBRARY, _LOCK = "python_stdlib.zip", "pyodide-lock.json"
_PLATFORMS = ("pyemscripten_2026_0_wasm32", "manylinux2014_x86_64")
_INTERPRETER = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", _LIBRARY, _LOCK)
_PAGE = Path(__file__).resolve().with_suffix("")
_WHEELS = _PAGE / "wheels.txt"
# Pygments knows hundreds of languages, colours and formats, of which pytest uses Python's; packaging reads metadata
_NOT_PACKED = re.compile(
    r"pygments/(?!(lexers/(__init__|_mapping|diff|python)|styles/(__init__|_mapping))\.py)(lexers|styles)/"
    r"|pygments/(formatters/(html|img|latex|rtf|svg|bbcode|groff|irc|pangomarkup)|cmdline|sphinxext)\.py"
    r"|packaging/(licenses/.*|metadata|pylock|direct_url|dependency_groups)"
)
_WHEN = (1980, 1, 1, 0, 0, 0)  # the time of every file in an archive, so that the same course gives the same bytes
_COMPILER = _PAGE / "compile.mjs"
# parts of the standard library that nothing in a tab uses, or that are there in C, too; clients and servers of a
# network; tables of characters of old systems
_UNUSED = re.compile(
    r"(pydoc_data|_pyrepl|ctypes/macholib|xmlrpc|wsgiref)/|(_pyio|_pydatetime|_pydecimal|pickletools)\.py|.*\.bat$"
    r"|(imaplib|mailbox|poplib|smtplib|ftplib)\.py"
    r"|encodings/(cp(?!1252|437)|mac_|koi8|kz|hp_|iso8859_(?!1\.|15\.)|tis|ptcp)"
)


class SiteError(UserError):
    """A site cannot be built. The message says what to do."""


class Python(NamedTuple):
    """The Python of a site.

    Attributes:
        files: Pyodide's files and `grader.zip`, by name.
        packages: The wheels of the packages that learners' files may import, by name.
        imports: The names of the wheels that each module needs.
    """

    files: Mapping[str, bytes]
    packages: Mapping[str, bytes]
    imports: Mapping[str, Sequence[str]]


def python_of(
    graded: Mapping[str, bytes],
    first: Mapping[str, str],
    cache: Path,
    pyodide: Path | None = None,
    allow_imports: Iterable[str] = (),
) -> Python:
    """Return Pyodide, and `grader.zip` with the bytecode of what a tab imports in place of its source.

    Args:
        graded: The grader and the course, by path.
        first: The first `exercise` and its `stub`, with which the imports are found.
        cache: The folder that keeps what is downloaded and compiled.
        pyodide: A folder with Pyodide's files. By default, they are downloaded from npm.
        allow_imports: The modules that learners' files may import, as far as the folder has their packages.

    Raises:
        SiteError: Pyodide, a package or Node is missing.
        OSError: A file cannot be read or written.
    """
    files = _given(pyodide) if pyodide else _pyodide(cache)
    imports = _allowed(files[_LOCK], pyodide, allow_imports) if pyodide else {}
    packages = {name: wheel for wheels in imports.values() for name, wheel in wheels.items()}
    sources = _packages(cache) | dict(graded)
    bytecode = _bytecode(files, sources, first, cache)
    with zipfile.ZipFile(io.BytesIO(files[_LIBRARY])) as archive:
        library = {name: archive.read(name) for name in archive.namelist() if not _UNUSED.match(name)}
    files |= {
        _LIBRARY: _packed(_compiled(library, bytecode)),
        # Pyodide itself loads no package
        _LOCK: json.dumps(json.loads(files[_LOCK]) | {"packages": {}}).encode(),
        "grader.zip": _packed(_compiled(sources, bytecode)),
    }
    return Python(files, packages, {module: list(wheels) for module, wheels in imports.items()})


# -- Download Pyodide and the packages once, and compare them with their hashes


def _pyodide(cache: Path) -> dict[str, bytes]:
    """Return the files of Pyodide's package on npm."""
    path = cache / f"pyodide-{PYODIDE}.tgz"
    # a file that is damaged or of another version is downloaded again
    data, npm = _expected(path), find_program("npm")
    if data is None and npm is not None:
        cache.mkdir(parents=True, exist_ok=True)
        _run([npm, "pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", str(cache)])
        data = _expected(path)
    if data is None:
        raise SiteError(words.NO_NPM)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = {name: archive.extractfile(f"package/{name}") for name in _INTERPRETER}
        return {name: member.read() for name, member in members.items() if member}


def _expected(path: Path) -> bytes | None:
    """Return the content of the downloaded file, or None if it is missing or is another one."""
    data = path.read_bytes() if path.is_file() else b""
    return data if base64.b64encode(hashlib.sha512(data).digest()).decode() == _PYODIDE_HASH else None


def _given(folder: Path) -> dict[str, bytes]:
    missing = [name for name in _INTERPRETER if not (folder / name).is_file()]
    if missing:
        raise SiteError(words.no_pyodide(str(folder), missing))
    return {name: (folder / name).read_bytes() for name in _INTERPRETER}


def _allowed(lock: bytes, folder: Path, modules: Iterable[str]) -> dict[str, dict[str, bytes]]:
    """Return the wheels that each module needs, by name. Modules of no package in Pyodide's folder are left out."""
    known: dict[str, dict[str, Any]] = json.loads(lock)["packages"]
    found: dict[str, dict[str, bytes]] = {}
    for module in modules:
        wanted = [name for name, package in known.items() if module in package["imports"]]
        for name in wanted:  # the list grows during the loop
            wanted += [one for one in known[name]["depends"] if one not in wanted]
        if wanted:
            packages = [known[name] for name in wanted]
            found[module] = {one["file_name"]: _wheel(folder / one["file_name"], one["sha256"]) for one in packages}
    return found


def _wheel(path: Path, digest: str) -> bytes:
    """Return a wheel of Pyodide's folder. Raises `SiteError` if it is missing, or not the one of Pyodide's list."""
    data = path.read_bytes() if path.is_file() else None
    if data is None:
        raise SiteError(words.no_pyodide(str(path.parent), [path.name]))
    if hashlib.sha256(data).hexdigest() != digest:
        raise SiteError(words.other_wheel(str(path), _LOCK))
    return data


def _packages(cache: Path) -> dict[str, bytes]:
    """Return the files of the packages that the grader needs, by their paths in `packages`."""
    wheels = cache / "wheels"
    wanted = set(re.findall(r"sha256:(\w+)", _WHEELS.read_text(encoding="utf-8")))

    def known() -> dict[str, bytes]:
        contents = [path.read_bytes() for path in sorted(wheels.glob("*.whl"))]
        return {key: data for data in contents if (key := hashlib.sha256(data).hexdigest()) in wanted}

    # first without the network; what pip has downloaded is then compared as well
    found = known()
    if found.keys() != wanted:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        pip += ["--require-hashes", "--only-binary=:all:", "--dest", str(wheels), "--requirement", str(_WHEELS)]
        pip += ["--implementation", "cp", "--python-version", "314", "--abi", "cp314"]
        _run([*pip, *(word for one in _PLATFORMS for word in ("--platform", one))])
        found = known()
    if found.keys() != wanted:
        raise SiteError(words.NO_PACKAGES)
    files: dict[str, bytes] = {}
    for data in found.values():
        with zipfile.ZipFile(io.BytesIO(data)) as wheel:
            names = [name for name in wheel.namelist() if name.endswith((".py", ".so", "entry_points.txt", "METADATA"))]
            files |= {f"packages/{name}": wheel.read(name) for name in names if not _NOT_PACKED.match(name)}
    # without yaml's part in C: the grader then reads YAML in Python
    return {name: data for name, data in files.items() if not ("yaml/" in name and name.endswith(".so"))}


def _run(command: list[str]) -> None:
    """Run a client of a registry, with the user's settings of it. It prints its own errors."""
    start(command, {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}).wait()


# -- Compile with the same Python


def _bytecode(
    files: Mapping[str, bytes], sources: Mapping[str, bytes], first: Mapping[str, str], cache: Path
) -> dict[str, bytes]:
    """Return the bytecode of the modules that a tab imports, by the path of the source.

    The compiler is Pyodide itself, under Node. What it has compiled is kept.
    """
    # a digest of digests, so that contents cannot run into each other
    every = [_COMPILER.read_bytes(), *files.values(), *sources.values(), "\n".join(sources).encode()]
    inputs = hashlib.sha256(b"".join(hashlib.sha256(data).digest() for data in every)).hexdigest()
    path = cache / "bytecode.zip"
    kept = path.read_bytes() if path.is_file() else b""
    bytecode = _bytecode_of(inputs, kept)
    if bytecode is None:
        node = find_program("node")
        if node is None:
            raise SiteError(words.NO_NODE)
        with tempfile.TemporaryDirectory() as folder:
            about = json.dumps({"inputs": inputs, **first}).encode()
            # what was compiled before goes in too, so that only changed modules are compiled
            given = {"grader.zip": _packed(sources), "about.json": about, path.name: kept}
            write_files({**files, **given}, Path(folder))
            _run([node, str(_COMPILER), folder])
            written = Path(folder, path.name).read_bytes()
        bytecode = _bytecode_of(inputs, written)
        if bytecode is None:
            raise SiteError(words.NOT_COMPILED)
        write_files({path.name: written}, cache, [path.name])
    return bytecode


def _bytecode_of(inputs: str, written: bytes) -> dict[str, bytes] | None:
    """Return the bytecode of the modules in an archive, or None if it was made of other inputs."""
    try:
        with zipfile.ZipFile(io.BytesIO(written)) as archive:
            index = json.loads(archive.read("index.json"))
            if index["inputs"] != inputs:
                return None
            return {name: archive.read(key) for name, key in index["modules"].items()}
    except zipfile.BadZipFile:
        return None


def _compiled(sources: Mapping[str, bytes], bytecode: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with the bytecode of modules in place of their sources."""
    return {f"{name}c" if name in bytecode else name: bytecode.get(name, data) for name, data in sources.items()}


def _packed(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _WHEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name])
    return packed.getvalue()


_GRADER = Path(__file__).resolve().parents[1]
_STYLES = (BASE_STYLE, DRAWING_STYLE, _PAGE / "page.css", _PAGE / "figures.css")
SCRIPTS = (
    ELEMENTS,
    _PAGE / "schema.js",
    _PAGE / "interpreters.js",
    _PAGE / "assets" / "editor.min.js",
    *DRAWING_SCRIPTS,
    *(_PAGE / f"{name}.js" for name in ("figures", "questions", "work", "lesson", "replay")),
    *(_PAGE / f"{name}.js" for name in ("verdict", "running", "training", "contents", "page")),
)
_TABLE = "table.js"  # the table of operations
_LICENCES = _PAGE / "assets" / "LICENSES.txt"
# what no tab needs: commands, classes, and what authors do
_NOT_IN_A_TAB = ("author", "classes", "cli", "pytest_plugin.py")
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
    files = page_files(course, book, imports)
    files |= {f"python/{name}": data for name, data in [*python.files.items(), *python.packages.items()]}
    # of all other files: the page shows how much of them is loaded
    files["files.json"] = json.dumps({name: len(data) for name, data in files.items()}).encode()
    # last, because it has the digest of every other file
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


def page_files(course: Course, book: AnswerBook, imports: Mapping[str, Sequence[str]]) -> dict[str, bytes]:
    """Return the page, its scripts and its data. `imports` has the files of each module beyond the standard library."""
    # the frames first: the page's policy has the hashes of their scripts and styles
    frame = _read(_PAGE / "frame.js")
    framed = Template(_read(_PAGE / "frame.html"))
    frames = {
        "frame.html": framed.substitute(hash=_digest(frame.encode()), script=frame),
        "replay.html": build_replay_frame(),
    }
    title = html.escape(plain(course.title))
    scripts = "\n".join(f'<script src="{name}"></script>' for name in (_TABLE, *(path.name for path in SCRIPTS)))
    texts = {
        "index.html": Template(_read(_PAGE / "index.html")).substitute(
            title=title,
            scripts=scripts,
            passed=practice.all_passed(len(course.exercises)),
            learnt=practice.LEARNT,
            made=practice.MADE,
            further=practice.FURTHER,
            frame_scripts=_hashes("script-src", frames.values()),
            frame_styles=_hashes("style-src", frames.values()),
        ),
        **frames,
        "page.css": "".join(map(_read, _STYLES)),
        "worker.js": _read(_PAGE / "worker.js"),
        "course.json": msgspec.json.encode(page_data(course, book, imports)).decode(),
        "licences.txt": _read(_LICENCES),
        _TABLE: operations_script(),
        **{path.name: _read(path) for path in SCRIPTS},
        "schema.js": _read(_PAGE / "schema.js").replace("$schema", json.dumps(schema())),
    }
    return {name: text.encode() for name, text in texts.items()}


def _hashes(directive: str, frames: Iterable[str]) -> str:
    """Return the hashes that the policies of frames allow. A frame has the policy of the page, too."""
    return " ".join(
        found for text in re.findall(f"{directive} ([^;]*)", " ".join(frames)) for found in _HASH.findall(text)
    )


class InterpreterAnswers(Struct, frozen=True):
    """The answers of an interpreter in JSON, by the request."""

    grade: Verdict
    checked: CheckProgress
    search: SearchProgress
    run: RunOutput
    taken: GivenFiles
    replay: ReplayPage
    figure: ReplayPage
    train: ReplayPage


def schema() -> dict[str, Any]:
    """Return the JSON Schemas of what the page takes from an interpreter and from the browser's storage, by name."""
    _, known = msgspec.json.schema_components([InterpreterAnswers, Stored], ref_template="{name}")
    return known


def page_data(course: Course, book: AnswerBook, imports: Mapping[str, Sequence[str]]) -> SiteCourse:
    """Return what the page shows of the course. `imports` has the files of each module that files may import."""
    return SiteCourse(
        id=course.id,
        hash=course.hash,
        title=course.title,
        hang_seconds=HANG_S,
        hung=ended_text(Died("wall_limit", seconds=HANG_S)),
        died=ended_text(Died("exited")),
        welcome=practice.WELCOME_PAGE,
        further=course.further,
        parts=[SitePart(part.title, part.max_score, part.exercises) for part in course.parts],
        exercises=[
            SiteExercise(
                id=exercise.id,
                number=exercise.number,
                title=exercise.title,
                file=exercise.filename,
                points=exercise.max_score,
                stub=book.stubs[exercise.id],
                lesson=lesson(book.stubs[exercise.id], figures_of(exercise)),
                figures=[_figure(figure) for figure in exercise.figures],
                questions=questions(exercise, book.stubs[exercise.id]),
                trainings=offered(book.stubs[exercise.id]),
                hints=exercise.hints,
                learnt=exercise.learnt,
            )
            for exercise in course.exercises
        ],
        imports=dict(imports),
    )


def questions(exercise: Exercise, stub: str) -> list[SiteQuestion]:
    """Return the questions of a stub: functions without parameters, or whose check asks for an order of its nodes.

    The name of such a function is that of its check.
    """
    checks = {check.id: check for check in exercise.checks}
    asked = []
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef) and (check := checks.get(node.name)):
            nodes = [parameter.arg for parameter in node.args.args]
            if bool(ast.unparse(node.args)) == (check.asks == "order"):
                asked.append(SiteQuestion(node.name, check.title, ast.get_docstring(node) or "", nodes))
    return asked


def _figure(figure: Figure) -> SiteFigure:
    parsed = figure.parsed
    return SiteFigure(
        id=figure.id,
        title=figure.title,
        program=parsed.text,
        nodes=nodes_of(parsed),
        root=parsed.root,
        show=figure.show,
        upstream=figure.upstream,
        edges=figure.edges,
        rate=figure.rate,
        steps=figure.steps,
    )


_ITEM = "- "
_PLACE = "\0figure "  # no file has such a character
_PROSE = re.compile(r"[A-Z][a-z]+ .*\.", re.DOTALL)  # an indented block of sentences, such as a worked example


def lesson(stub: str, figures: Mapping[str, Sequence[str]]) -> list[tuple[Block, list[str]]]:
    """Return the docstring of an exercise file as blocks, without its first line, which is the title.

    Blank lines separate blocks. A list begins with `- `, after a blank line or a line that ends in a colon. So a
    formula that is broken before a sign stays text.

    Args:
        figures: The figures of the lesson in characters, by id.

    Returns:
        `("p", [text])`, `("ul", items)`, `("pre", lines)` for indented code, `("aside", [text])` for indented
        sentences, or `("figure", [id])` for what is a figure in characters.
    """
    text = ast.get_docstring(ast.parse(stub)) or ""
    for id, lines in figures.items():
        text = text.replace("\n".join(f"    {line}".rstrip() for line in lines), _PLACE + id)
    blocks: list[tuple[Block, list[str]]] = []
    for block in re.split(r"\n\s*\n", text.partition("\n")[2].strip("\n")):
        lines = block.split("\n")
        if block.startswith(_PLACE):
            blocks.append(("figure", [block.removeprefix(_PLACE)]))
            continue
        # indented: code, or sentences such as a worked example
        if block.startswith("    "):
            code = [line.removeprefix("    ") for line in lines]
            if _PROSE.fullmatch("\n".join(code)):
                blocks.append(("aside", [" ".join(map(str.strip, code))]))
            elif blocks and blocks[-1][0] == "pre":
                blocks[-1][1].extend(["", *code])
            else:
                blocks.append(("pre", code))
            continue
        # text, and a list that may follow it without a blank line
        begins = (at for at, line in enumerate(lines) if line.startswith(_ITEM))
        first = next((at for at in begins if at == 0 or lines[at - 1].rstrip().endswith(":")), len(lines))
        if first:
            blocks.append(("p", [" ".join(map(str.strip, lines[:first]))]))
        items: list[str] = []
        for line in lines[first:]:
            if line.startswith(_ITEM):
                items.append(line.removeprefix(_ITEM).strip())
            else:
                items[-1] += f" {line.strip()}"
        if items:
            blocks.append(("ul", items))
    return blocks


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
