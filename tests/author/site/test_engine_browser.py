"""The interpreters of a site in Chromium: verdicts are those of a process, also after hostile files.

Python takes seconds to start in a browser, so the tests share one page.
"""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect
from read_yaml import read_yaml
from site_of import START_S, Served, served, site_of, until

from grader.author.site import HANG_S
from grader.course.load import load_course

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "verdicts"))

import table  # noqa: E402

# `test_site_browser.py` has samples for each run of the tests
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
ANSWER_S = 120  # in which an interpreter answers: the page ends one that gives no sign of life for three seconds
RIGHT = (ROOT / "solutions" / "03_accumulate.py").read_text(encoding="utf-8")
WRONG = RIGHT.replace("+=", "=")
LOADED = "document.querySelector('body[data-ready], #state.failed')"
KNOWN = {e.filename: e for e in load_course(ROOT).exercises}
EVERY = [*table.engines(), *table.variants(), *table.wrong_variants(), *table.misconceptions()]
# These repeat calls without a loop, so nothing but the end of their interpreter stops them in a browser.
HANGING = {"12_engine/X45"}
# The site has no numpy, so files that use it get other verdicts.
GRADED = [entry for entry in EVERY if "numpy" not in entry.text and str(entry) not in HANGING]
# Wrong files that need most of their CPU time in a process. In a browser, Python takes longer, and the limit is one of
# time on the clock. So their checks may run out of time there, and have no points then.
SLOW = {"06_build_topo/eight_expansions", "07_backward/backward_of_each", "12_engine/X29"}
SLOW |= {"14_gradcheck/modules_read", "14_gradcheck/objects_read"}
# The numbers of the first consist of rounding errors, which differ between mathematical libraries. In the second, steps
# that are too large make rounding errors large. So these two get no diagnosis there.
ROUNDED = {"14_gradcheck/tiny_step", "17_names/network_per_name"}
SAMPLE = GRADED[50::101]
LISTED = read_yaml(Path(__file__).with_name("site_attacks.yaml"))


class Engine(NamedTuple):
    """A page that has interpreters of its own, the addresses that it asked for, and the site."""

    page: Page
    requests: list[str]
    site: Served

    def grade(self, exercise: str, text: str) -> dict[str, Any]:
        """Return the verdict of an interpreter that no earlier file can have changed."""
        until(self.page, "own.current.started && (!own.current.touched || own.spare?.started)", "an interpreter starts")
        return self.at_once(exercise, text)

    def at_once(self, exercise: str, text: str) -> dict[str, Any]:
        """Return the verdict of the interpreter that is at work. It has one key if there is no answer."""
        ask = """([id, text]) => {
            own.verdict = undefined;
            own.ask("grade", id, text, 80).catch((error) => JSON.stringify({ failed: String(error) }))
                .then((verdict) => (own.verdict = verdict));
        }"""
        self.page.evaluate(ask, [exercise, text])
        until(self.page, "own.verdict", f"a verdict on {len(text)} characters", ANSWER_S)
        verdict: dict[str, Any] = json.loads(self.page.evaluate("own.verdict"))
        return verdict


@pytest.fixture(scope="module")
def engine(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with served(site_of(tmp_path_factory.mktemp("site"))) as site:
        page = browser.new_context().new_page()
        page.set_default_timeout(START_S * 1000)
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(site.address)
        until(page, LOADED, "Python is loaded")
        page.evaluate(f"void (window.own = new Interpreters(byId('frame').contentWindow, {HANG_S}))")
        until(page, "own.current.started", "another interpreter starts")
        yield Engine(page, requests, site)
        page.context.close()


def decided(result: dict[str, Any]) -> Any:
    """Return what a verdict decides: status, points, facts and misconceptions."""
    checks = [(c["id"], c["status"], c["score"], c.get("diagnosis"), c.get("hint_number")) for c in result["checks"]]
    return result["status"], result["score"], checks, result.get("facts")


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(SAMPLE, id="sample"),
        *(pytest.param(GRADED[at::36], id=f"all-{at}", marks=pytest.mark.timeout(1800)) for at in range(36)),
    ],
)
def test_verdicts_are_those_of_a_process(engine: Engine, of_this_run: Path, entries: list[table.Entry]) -> None:
    """Status, points, facts and misconceptions are the same in a browser."""
    graded = table.grade_all(entries, memo=of_this_run / "memo.sqlite", kept=of_this_run / "results")
    expected = {str(one.entry): decided(dict(one.result)) for one in graded}
    actual = {str(entry): in_browser(engine, entry) for entry in entries}
    # there, the clock limits what is slow: on a busy machine, another try decides
    for entry in entries:
        if timed_out(actual[str(entry)]) and actual[str(entry)] != expected[str(entry)]:
            actual[str(entry)] = in_browser(engine, entry)
    different = {name: (one, actual[name]) for name, one in expected.items() if one != actual[name]}
    for name in ROUNDED & different.keys():
        process, browser = different.pop(name)
        assert [check[:3] for check in process[2]] == [check[:3] for check in browser[2]]
    assert {} == {name: both for name, both in different.items() if name not in SLOW or not only_later(*both)}


def in_browser(engine: Engine, entry: table.Entry) -> Any:
    """Return what a verdict in the browser decides, or what it says in place of a verdict."""
    verdict = engine.grade(KNOWN[f"{entry.stem}.py"].id, entry.text)
    return decided(json.loads(verdict["report"])["exercises"][0]) if "report" in verdict else verdict


def timed_out(decision: Any) -> bool:
    """Return whether a check ran out of time."""
    return isinstance(decision, tuple) and any(check[1] == "timeout" for check in decision[2])


def only_later(process: Any, browser: Any) -> bool:
    """Return whether a browser decided the same as a process, except for checks that ran out of time there.

    If one did, the file behaves like no misconception, so the other checks may have another diagnosis or none.
    """
    pairs = [(one, other) for one, other in zip(process[2], browser[2], strict=True) if ("timeout", 0) != other[1:3]]
    compared = slice(None) if len(pairs) == len(process[2]) else slice(3)
    return all(one[compared] == other[compared] for one, other in pairs) and browser[1] <= process[1]


@pytest.mark.parametrize("endless", LISTED["endless"].values(), ids=LISTED["endless"])
def test_what_has_no_end_gets_the_sentence_of_a_terminal(engine: Engine, endless: dict[str, str]) -> None:
    """Memory, output, nested calls and time are limited, and the next verdict is right."""
    lines = engine.at_once("accumulate", f"{RIGHT}\n{endless['code']}\n")["lines"]
    assert endless["sentence"] in " ".join(" ".join(lines).split())
    assert "passed" == engine.at_once("accumulate", RIGHT)["status"]


@pytest.mark.parametrize("attack", LISTED["attacks"].values(), ids=LISTED["attacks"])
def test_a_hostile_file_harms_no_other_verdict(engine: Engine, attack: str) -> None:
    """Whatever a file does to the interpreter, the page answers, requests nothing, and finds the next verdicts."""
    before = len(engine.requests)
    engine.grade("accumulate", f"{attack}\n{RIGHT}")
    assert "passed" == engine.grade("accumulate", RIGHT)["status"]
    assert "passed" != engine.grade("accumulate", WRONG)["status"]
    assert [] == [url for url in engine.requests[before:] if not url.startswith("blob:")]


def test_a_new_version_is_taken_and_kept_without_a_server(engine: Engine) -> None:
    """A reload shows the new version, whose files alone are kept. Without a server, the page and Python start again."""
    page, folder = engine.page, engine.site.folder
    page.evaluate("void navigator.serviceWorker.ready.then(() => (window.kept = true))")
    until(page, "window.kept", "the browser keeps the site")

    # publish a new version
    index, script = folder / "index.html", folder / "offline.js"
    old = index.read_bytes()
    index.write_bytes(old.replace(b"Your work stays", b"Your new work stays"))
    before, after = (base64.b64encode(hashlib.sha256(data).digest()).decode() for data in (old, index.read_bytes()))
    text = script.read_text(encoding="utf-8")
    (version,) = re.findall(r'PREFIX \+ "(\w+)"', text)
    script.write_text(text.replace(before, after).replace(version, "new"), encoding="utf-8")

    # visit it; the new version does not wait if the old one serves no page
    page.evaluate(
        """() => {
            navigator.serviceWorker.getRegistration().then(async (registration) => {
                await registration.update();
                const worker = registration.installing ?? registration.waiting ?? registration.active;
                const look = () => (window.installed = ["installed", "activating", "activated"].includes(worker.state));
                worker.addEventListener("statechange", look);
                look();
            });
        }"""
    )
    until(page, "window.installed", "the browser keeps the new version")
    page.reload()
    expect(page.locator("footer")).to_contain_text("Your new work stays")
    keys = "(caches.keys().then((keys) => (window.keys = keys.map((key) => key.split(':').at(-1)))), window.keys)"
    until(page, f"{keys}?.join() === 'new'", "the browser forgets the old version")

    # lose the server
    engine.site.end()
    page.goto(f"{page.url.partition('#')[0]}#accumulate")
    page.reload()
    until(page, LOADED, "Python is loaded without a server")
    expect(page.locator("#state")).to_have_text("")
