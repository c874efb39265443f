"""Pages of one file: their content, their content policy, and their scripts."""

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st
from offline_page import inline

import grader
from grader.base.page.offline import Parts, pack
from grader.classes.cohort import summarise
from grader.classes.page import PARTS as CLASS_PAGE
from grader.classes.page import build_page
from grader.course.load import Course
from grader.practice.replay import Played
from grader.practice.replay.page import PARTS as REPLAY_PAGE
from grader.practice.replay.page import build_replay_page

GRADER = Path(grader.__file__).parent
PAGES = {"class": CLASS_PAGE, "replay": REPLAY_PAGE}
FILES = sorted({path for parts in PAGES.values() for path in (*parts.scripts, *parts.styles)})
OWN = sorted({path for parts in PAGES.values() for path in parts.scripts if path.parent.name != "assets"})
AXE = Path(__file__).resolve().parent / "assets"  # for the tests alone
FOLDERS = [*sorted(path.parent for path in GRADER.rglob("SHA256SUMS")), AXE]


@pytest.fixture(params=PAGES)
def parts(request: pytest.FixtureRequest) -> Parts:
    return PAGES[request.param]


@pytest.fixture
def page(parts: Parts, course: Course) -> str:
    """Return a page about an empty class."""
    return build_page(summarise(course, (), {}), ()) if parts is CLASS_PAGE else build_replay_page(Played(()))


@given(st.recursive(st.text() | st.integers(-(2**53), 2**53), lambda inner: st.lists(inner), max_leaves=9))
def test_packed_data_has_no_markup_in_it(value: Any) -> None:
    """The data is compressed JSON in Base64, so it has only letters, digits and three signs."""
    packed = pack({"value": value})

    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
    assert {"value": value} == json.loads(zlib.decompress(base64.b64decode(packed)))


def test_the_policy_names_exactly_what_runs(page: str, parts: Parts) -> None:
    """The policy allows only the page's own scripts and style, by their hashes."""
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = {name: values for name, *values in (rule.split() for rule in policy.split("; "))}

    def hashes(tag: str) -> list[str]:
        made = [hashlib.sha256(text.encode()).digest() for text in inline(page, tag)]
        return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in made]

    assert ["'none'"] == rules["default-src"]
    assert hashes("script") == rules["script-src"]
    assert hashes("style") == rules["style-src"]
    assert "unsafe" not in policy
    assert len(parts.scripts) + bool(parts.generated) == len(inline(page, "script"))
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script")


def test_nothing_is_loaded_or_handled_inline(page: str) -> None:
    """Outside of its scripts and styles, the page has no address, inline handler or inline style."""
    markup = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)

    assert [] == re.findall(r"\s(?:src|style|on\w+|srcset|action)=", markup)
    assert [] == [address for address in re.findall(r'href="([^"]*)"', markup) if not address.startswith("#")]
    assert "sourceMappingURL" not in page
    assert "@import" not in inline(page, "style")[0]
    assert [] == re.findall(r"url\((?!#)", inline(page, "style")[0])


@every("path", FILES, ids=lambda path: path.name)
def test_scripts_and_styles_end_where_they_should(path: Path) -> None:
    """No text in a script or style closes its element or opens a comment."""
    text = path.read_text(encoding="utf-8").lower()

    assert [] == re.findall(r"</script|</style|<!--|<script", text)


@every("assets", FOLDERS, ids=lambda path: path.parent.name)
def test_vendored_files_are_what_they_were(assets: Path) -> None:
    """The libraries are the released files, byte by byte. fetch.sh downloads them."""
    lines = (assets / "SHA256SUMS").read_text().splitlines()
    listed = {name: digest for digest, name in map(str.split, lines)}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in assets.iterdir()}

    assert {name.removeprefix("./"): digest for name, digest in listed.items()} == {
        name: digest for name, digest in found.items() if name not in ("SHA256SUMS", "fetch.sh")
    }


def test_every_page_has_the_same_head() -> None:
    """There is one file for the head, and one template of the body for each page that is one file."""
    pages = {path for path in GRADER.rglob("*.html") if path.parent != GRADER / "author" / "site"}
    heads = {path for path in pages if "<head>" in path.read_text(encoding="utf-8")}
    assert {GRADER / "base" / "page" / "page.html"} == heads
    assert {GRADER / name / "page" / "template.html" for name in ("classes", "practice/replay")} == pages - heads


def test_licences_travel_with_the_page(page: str, parts: Parts) -> None:
    """The page contains the licences of its parts."""
    for path in parts.every_licence:
        assert html.escape(path.read_text(encoding="utf-8")) in page


@every("path", OWN, ids=lambda path: path.name)
def test_no_script_is_long(path: Path) -> None:
    """A script has at most 400 lines, and none turns text into markup."""
    text = path.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= 400
    assert [] == re.findall(r"\.(?:innerHTML|outerHTML)|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
