"""The site in Firefox: a visitor edits, gets a verdict, and passes."""

from pathlib import Path

import pytest
from firefox import Firefox
from site_of import START_S, served, site_of

from grader.course.load import Course

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def test_a_visitor_solves_the_first_exercise(firefox: str, course: Course, tmp_path: Path) -> None:
    """A wrong edit gets its verdict and the line that must change, and a right edit gets full marks."""
    with served(site_of(tmp_path / "site")) as site, Firefox(firefox) as visitor:
        visitor.open(site.address)
        visitor.until("document.querySelector('body[data-ready], #state.failed')", START_S)
        assert not visitor.value("byId('state').matches('.failed') ? byId('state').textContent : ''")
        visitor.value("document.querySelector('.skip').click()")
        visitor.press("Shift+ArrowDown", "Shift+End")  # the cursor is at the place to be filled in
        visitor.type("self.grad += 1.0")
        visitor.press("Enter")
        visitor.type("other.grad += out.grad")
        says("PARTIAL 01 distribute", visitor)
        says("alone makes every required check pass", visitor)
        visitor.press("Control+f")
        visitor.type("self.grad += 1.0")
        visitor.press("Enter", "Escape")
        visitor.type("self.grad += out.grad")
        says("PASS 01 distribute", visitor)
        score = f"{course.exercises[0].max_score}/{course.max_score} points, 1 of {len(course.exercises)} "
        visitor.until(f"byId('score').textContent.startsWith({score!r})", 60)


def says(text: str, visitor: Firefox) -> None:
    """Wait until the verdict has a text, with single spaces."""
    visitor.until(f"byId('verdict').textContent.replace(/\\s+/g, ' ').includes({text!r})", 60)
