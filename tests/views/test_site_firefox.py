"""The site in Firefox: a visitor edits, gets a verdict, and passes."""

import os
import shutil
from pathlib import Path

import pytest
from firefox import Firefox
from site_of import START_S, served, site_of

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture
def program() -> str:
    """Return the path of Firefox. Without it, the test fails in CI and is skipped elsewhere."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if path is None:
        text = "NOT TESTED: there is no Firefox here (Debian: apt-get install firefox-esr)"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    return path


def test_a_visitor_solves_the_first_exercise(program: str, tmp_path: Path) -> None:
    """A wrong edit gets its verdict and the line that must change, and a right edit gets full marks."""
    with served(site_of(tmp_path / "site")) as site, Firefox(program) as firefox:
        firefox.open(site.address)
        firefox.until("document.querySelector('body[data-ready], #state.failed')", START_S)
        assert not firefox.value("byId('state').matches('.failed') ? byId('state').textContent : ''")
        firefox.value("document.querySelector('.skip').click()")
        firefox.press("Shift+ArrowDown", "Shift+End")  # the cursor is at the place to be filled in
        firefox.type("self.grad += 1.0")
        firefox.press("Enter")
        firefox.type("other.grad += out.grad")
        says("PARTIAL 01 distribute", firefox)
        says("alone makes every required check pass", firefox)
        firefox.press("Control+f")
        firefox.type("self.grad += 1.0")
        firefox.press("Enter", "Escape")
        firefox.type("self.grad += out.grad")
        says("PASS 01 distribute", firefox)
        assert firefox.value("byId('score').textContent").startswith("5/100 points, 1 of 13 ")


def says(text: str, firefox: Firefox) -> None:
    """Wait until the verdict has a text, with single spaces."""
    firefox.until(f"byId('verdict').textContent.replace(/\\s+/g, ' ').includes({text!r})", 60)
