"""Builds the site of the repository's own course and serves it. What is downloaded is kept in `build/site`."""

import contextlib
import fcntl
import hashlib
import io
import json
import os
import shutil
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page

from grader.author.site import SiteError, build_site, server
from grader.course.load import Course, load_course

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "site"


def wheel_of(module: str, text: str) -> bytes:
    """Return a wheel with a module of one file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{module}/__init__.py", text)
    return packed.getvalue()


def distribution(folder: Path, wheels: Mapping[str, bytes], needs: Mapping[str, Sequence[str]]) -> Path:
    """Add a package for each module to Pyodide's files in a folder, like a full distribution, and return the folder.

    Args:
        wheels: The wheel of each module.
        needs: The other packages that a package needs.
    """
    lock = folder / "pyodide-lock.json"
    known = json.loads(lock.read_text(encoding="utf-8")) if lock.exists() else {}
    packages = {}
    for module, wheel in wheels.items():
        name = f"{module}-1.0-py3-none-any.whl"
        (folder / name).write_bytes(wheel)
        digest = hashlib.sha256(wheel).hexdigest()
        packages[module] = {"name": module, "file_name": name, "sha256": digest, "imports": [module]}
        packages[module]["depends"] = [*needs.get(module, ())]
    lock.write_text(json.dumps({**known, "packages": packages}), encoding="utf-8")
    return folder


def site_of(folder: Path, course: Course | None = None, pyodide: Path | None = None) -> Path:
    """Write the site to a folder, and return the folder. Without npm, the test fails in CI and is skipped elsewhere.

    Args:
        course: The course, by default the repository's own.
        pyodide: As for `build_site`.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:  # several processes run tests
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            build_site(course or load_course(ROOT), folder, CACHE, pyodide)
        except SiteError as error:
            text = f"NOT TESTED: {error}"
            if os.environ.get("CI") or shutil.which("npm"):
                pytest.fail(text)
            pytest.skip(text)
    return folder


def course_of_a_site(folder: Path) -> Course:
    """Return the repository's own course in an empty folder, as a site has it: without solutions."""
    for name in ("course.yaml", "exercises", "tests/hidden"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    return load_course(folder)


class Served:
    """A site and its server, which answers from `begin` to `end`.

    Attributes:
        folder: The site's files.
        address: The site's address, which stays the same.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = 0
        self.begin()
        self.address = f"http://127.0.0.1:{self._port}/"

    def begin(self) -> None:
        self._server = server(self.folder, self._port)
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the server before its socket is closed: a server without a socket would never rest."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Serve a site until the block ends."""
    site = Served(folder)
    try:
        yield site
    finally:
        site.end()


START_S = 150  # in which an interpreter starts on a busy machine; on an idle one it takes three seconds
_LOOK_MS = 50


def until(page: Page, condition: str, what: str, seconds: float = START_S) -> None:
    """Wait until an expression of JavaScript is true in a page. If it is not in time, fail with `what` and the state.

    The page's own policy forbids the expressions of `page.wait_for_function`, and `page.evaluate` waits without a
    limit for what is awaited in it.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            state = page.evaluate("[byId('state'), byId('note'), byId('verdict')].map((one) => one.textContent)")
            pytest.fail(f"not within {seconds} s: {what}. The page says {state}")
        page.wait_for_timeout(_LOOK_MS)
