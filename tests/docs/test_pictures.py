"""The pictures of the README show real runs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from site_of import CACHE, site_of

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"


def test_every_picture_stands_in_a_page() -> None:
    """Every picture is shown or linked on a page."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [] == [path.name for path in PICTURES.iterdir() if path.suffix in (".svg", ".png") and path.name not in text]


@pytest.mark.slow
def test_the_terminal_shows_what_the_command_prints(tmp_path: Path) -> None:
    """The pictures of the terminal are the same to the byte when they are made again."""
    subprocess.run([sys.executable, PICTURES / "make.py", "--terminal", tmp_path], check=True)
    same(tmp_path, "terminal-light.svg", "terminal-dark.svg")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tmux") is None, reason="NOT TESTED: there is no tmux here")
def test_the_session_shows_what_a_terminal_showed(tmp_path: Path) -> None:
    """A scripted learner does three exercises in a real terminal, with the same output to the byte."""
    subprocess.run([sys.executable, PICTURES / "session.py", tmp_path], check=True)
    same(tmp_path, "session-light.svg", "session-dark.svg")


def same(tmp_path: Path, *names: str) -> None:
    for name in names:
        assert (PICTURES / name).read_text(encoding="utf-8") == (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.slow
def test_photographs_show_the_course_of_today() -> None:
    """What they were made from is what it would be now: the exercises, the learner's file, and what `grade` says."""
    code = "import json, make; print(json.dumps(make.made_from()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PICTURES, check=True, capture_output=True, text=True)
    known = json.loads((PICTURES / "made_from.json").read_text(encoding="utf-8"))
    assert json.loads(done.stdout) == known, "run `python docs/pictures/make.py`"


@pytest.mark.browser
@pytest.mark.exhaustive  # starts Python three times in a browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="NOT TESTED: there is no Chromium here")
def test_the_site_can_be_photographed(tmp_path: Path) -> None:
    """The script makes every picture of the page from a visit to it."""
    environment = {**os.environ, "BACKWARD_CACHE": str(site_of(tmp_path / "site") and CACHE.parent)}
    subprocess.run([sys.executable, PICTURES / "make.py", "--site", tmp_path], env=environment, check=True)
    assert {path.name for path in PICTURES.glob("site-*.png")} == {path.name for path in tmp_path.glob("*.png")}


@pytest.mark.browser
@pytest.mark.exhaustive  # opens the replay eleven times
@pytest.mark.skipif(shutil.which("chromium") is None, reason="NOT TESTED: there is no Chromium here")
def test_the_replay_can_be_photographed(tmp_path: Path) -> None:
    """The script makes every picture of the replay from a real run of `grade play`."""
    subprocess.run([sys.executable, PICTURES / "make.py", "--replay", tmp_path], check=True)
    made = {path.name for path in tmp_path.glob("*.png")}
    assert {path.name for path in PICTURES.glob("replay-*.png")} == made
