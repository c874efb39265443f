"""Builds the site of the repository's own course. What is downloaded for it is kept in `build/site`."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from grader.author.interpreter import SiteError
from grader.author.site import build_site
from grader.course import load_course

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
