import time
from grader.cohort import summarise
from grader.views.page import build_page
from pathlib import Path
import pytest


@pytest.mark.parametrize("n", [30, 400, 5000])
def test_write(course, make_class, n):
    reports = make_class(n)
    s = summarise(course, reports, {"zz_broken": "the worker of this submission could not be started"})
    t = time.time()
    text = build_page(s, reports)
    print("\nBUILD", n, round(time.time() - t, 2), len(text))
    Path(f"/tmp/page{n}.html").write_text(text)
