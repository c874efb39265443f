"""Builds the site of the repository's own course and serves it. What is downloaded is kept in `build/site`."""

import contextlib
import fcntl
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from grader.author.interpreter import SiteError
from grader.author.site import build_site, server
from grader.course import Course, load_course

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "site"


def site_of(folder: Path) -> Path:
    """Write the site to a folder, and return the folder. Without npm, the test fails in CI and is skipped elsewhere."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:  # several processes run tests
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            build_site(load_course(ROOT), folder, CACHE)
        except SiteError as error:
            text = f"NOT TESTED: {error}"
            if os.environ.get("CI") or shutil.which("npm"):
                pytest.fail(text)
            pytest.skip(text)
    return folder


def course_of_a_site(folder: Path) -> Course:
    """Return the repository's own course in an empty folder, as a site has it: without solutions."""
    for name in ("course.yaml", "exercises", "tests/hidden"):
        (folder / name).parent.mkdir(exist_ok=True)
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
