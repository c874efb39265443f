"""The site in Chromium: a visitor works, makes mistakes, hangs the interpreter, comes back, and attacks the page.

Python takes seconds to start in a browser, so the tests share one page, in this order.
"""

import ast
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from in_process import run_grade
from pages import AXE
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from read_yaml import read_yaml
from site_of import CACHE, Served, course_of_a_site, distribution, served, site_of, until, wheel_of

from grader.author.drawing import drawn
from grader.course.load import Course, load_course

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive
ROOT = Path(__file__).resolve().parents[3]
ATTACKS = read_yaml(Path(__file__).with_name("site_attacks.yaml"))
# compiling Pyodide a second time, to faster code, takes longer than all that these tests run
BROWSER_FLAGS = ("--js-flags=--no-wasm-tier-up",)
WAIT_MS = 90_000  # for what takes at most three seconds on an idle machine


class Visit(NamedTuple):
    """A page of the site, everything that it asked for, and the site."""

    page: Page
    requests: list[str]
    site: Served

    @property
    def address(self) -> str:
        return self.site.address


@pytest.fixture(scope="module")
def visit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """Open the site, and wait until Python is there."""
    with served(site_of(tmp_path_factory.mktemp("site"))) as site:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(WAIT_MS)
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(site.address)
        started(page)
        yield Visit(page, requests, site)
        page.context.close()


@pytest.fixture
def still(browser: Browser, visit: Visit) -> Iterator[BrowserContext]:
    """Return another visitor, whose pages do without Python, and so are there at once."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=visit.address)
    context.set_default_timeout(WAIT_MS)
    context.route("**/python/*", lambda route: route.abort())
    yield context
    context.close()


def started(page: Page) -> None:
    """Wait until Python is there."""
    until(page, "document.querySelector('body[data-ready], #state.failed')", "Python is loaded")
    assert 0 == page.locator("#state.failed").count(), page.inner_text("#state")


def solution(course: Course, name: str) -> str:
    return next(course.solution(one).read_text(encoding="utf-8") for one in course.exercises if one.id == name)


def verdict_on(page: Page, text: str) -> str:
    """Type a text in place of the file, and return the verdict as the terminal says it, with single spaces."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")
    shown = f"#verdict[data-text='{len(text)}']:not(.old):not([data-searching])"
    until(page, f'document.querySelector("{shown}")', f"a verdict on {len(text)} characters, and the end of its search")
    return " ".join((page.text_content("#terminal") or "").split())


def entry(page: Page, number: str) -> Locator:
    """Return the entry of an exercise in the list behind the bar."""
    return page.locator("#exercises button", has_text=re.compile(f"^{number} "))


def opened(page: Page, number: str) -> None:
    """Open an exercise from the list behind the bar."""
    page.click("#where")
    entry(page, number).click()


def todo(page: Page, *lines: str) -> None:
    """Search the next place to be filled in, and type lines in its place, with the keyboard alone."""
    page.keyboard.press("Control+f")
    page.keyboard.type("# TODO")
    for key in ("Enter", "Escape", "ArrowLeft", "Shift+ArrowDown", "Shift+End"):
        page.keyboard.press(key)
    instead(page, *lines)


def instead(page: Page, *lines: str) -> None:
    """Type lines in place of what is selected. The editor indents them."""
    for at, line in enumerate(lines):
        if at:
            page.keyboard.press("Enter")
        page.keyboard.type(line)


def focused(page: Page, selector: str) -> None:
    """Press Tab until an element of this selector has the focus."""
    for _ in range(60):
        if page.evaluate("(selector) => Boolean(document.activeElement?.matches(selector))", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {selector}")


def at_the_start(page: Page) -> None:
    """Go to the start of the file."""
    page.locator(".cm-content").press("Control+Home")


def at_the_end(page: Page) -> None:
    """Go to the end of the file, because the editor draws only what can be seen."""
    page.locator(".cm-content").press("Control+End")


@pytest.fixture(scope="module")
def begun(visit: Visit) -> Visit:
    """Solve the first exercise with the keyboard, as a new visitor who makes a mistake and asks for a hint."""
    page = visit.page
    verdict, where = page.locator("#verdict"), page.locator("#where")
    expect(where).to_have_text(re.compile("^01 Plus passes "))
    expect(page.locator("#outcome")).to_have_text("Not started")
    expect(page.locator("#welcome")).to_contain_text("replace each TODO")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link to the editor
    for key in ("Shift+ArrowDown", "Shift+End"):  # the cursor is at the place to be filled in
        page.keyboard.press(key)
    # on a fast machine, the result of the search soon takes the place of the verdict
    page.evaluate(
        """() => {
            window.heard = [];
            const listen = () => heard.push(byId("spoken").textContent);
            new MutationObserver(listen).observe(byId("spoken"), { childList: true });
        }"""
    )
    instead(page, "self.grad += 1.0", "other.grad += 1.0")
    expect(page.locator("#outcome")).to_have_text("Not passed yet")
    until(page, "heard.some((text) => text.includes('of 5 points'))", "the verdict is spoken")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    focused(page, "#hint")
    page.keyboard.press("Enter")
    expect(page.locator("#hints p")).to_have_count(1)
    page.keyboard.press("Escape")
    page.evaluate("byId('grade').focus()")
    focused(page, "#failure .line")
    page.keyboard.press("Enter")  # to the lines in the editor that the fact names
    page.keyboard.press("Control+f")
    page.keyboard.type("self.grad += 1.0")
    for key in ("Enter", "Escape", "Shift+ArrowDown", "Shift+End"):
        page.keyboard.press(key)
    instead(page, "self.grad += out.grad", "other.grad += out.grad")
    page.keyboard.press("Control+s")
    expect(verdict).to_contain_text("PASS 01 distribute")
    expect(page.locator("#welcome")).to_be_hidden()

    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    focused(page, "#next")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{visit.address}#swap")
    expect(page.locator("#lesson")).to_be_focused()
    return visit


def test_a_visitor_solves_an_exercise_with_the_keyboard(begun: Visit) -> None:
    """The page counts the points, and goes on to the next exercise."""
    expect(begun.page.locator("#score")).to_have_text(re.compile(r"^5/\d+ points, 1 of \d+ "))


@exhaustive
@pytest.mark.timeout(600)  # on a busy machine; on an idle one it takes forty seconds
def test_a_visitor_solves_two_more_exercises_with_the_keyboard(begun: Visit) -> None:
    """The visitor makes mistakes, comes back without a network, and reads which statements must change."""
    visit, page = begun, begun.page
    verdict, where = page.locator("#verdict"), page.locator("#where")
    focused(page, "#editor")
    todo(page, "self.grad += other.data * out.grad", "other.grad += ")
    expect(verdict).to_contain_text("Python cannot parse the file")
    page.evaluate("void navigator.serviceWorker.ready.then(() => (window.kept = true))")
    until(page, "window.kept", "the browser keeps the site")
    visit.site.end()
    page.reload()
    started(page)
    visit.site.begin()
    expect(where).to_have_text(re.compile("^02 "))
    expect(verdict).to_contain_text("Python cannot parse the file")
    focused(page, "#editor")
    page.keyboard.press("Control+f")
    page.keyboard.type("other.grad += ")
    for key in ("Enter", "Escape", "End"):
        page.keyboard.press(key)
    page.keyboard.type(" self.data * out.grad")
    page.keyboard.press("Control+Enter")
    expect(verdict).to_contain_text("PASS 02 swap")

    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    focused(page, "#next")
    page.keyboard.press("Enter")
    focused(page, "#editor")
    todo(page, "self.grad = out.grad", "other.grad = out.grad")
    todo(page, "self.grad += other.data * out.grad", "other.grad += self.data * out.grad")
    todo(page, "for node in nodes:", "node.grad = 0.0")
    expect(verdict).to_contain_text("the rule sets a.grad and b.grad instead of adding to them")
    expect(verdict).to_contain_text("A change of both statements in")  # the result of the search, which comes later
    for text in ("self.grad = out.grad", "other.grad = out.grad"):
        page.keyboard.press("Control+f")
        page.keyboard.type(text)
        for key in ("Enter", "Escape"):
            page.keyboard.press(key)
        page.keyboard.type(text.replace("=", "+="))
    expect(verdict).to_contain_text("PASS 03 accumulate")
    expect(page.locator("#score")).to_have_text(re.compile(r"^20/\d+ points, 3 of \d+ "))


def test_solutions_get_full_marks(visit: Visit, course: Course) -> None:
    """Solutions of exercises from all parts of the course pass, and are counted."""
    for exercise in course.exercises[::-5]:
        opened(visit.page, exercise.number)
        said = verdict_on(visit.page, solution(course, exercise.id))
        assert said.startswith(f"PASS {exercise.number} {exercise.id}")
        points = f"{exercise.max_score}/{exercise.max_score}, passed"
        expect(entry(visit.page, exercise.number)).to_contain_text(f"{exercise.title} {points}")
        assert exercise.learnt.replace("`", "") in visit.page.inner_text("#failure .learnt")


def test_a_verdict_is_read_like_a_page(visit: Visit, course: Course) -> None:
    """The first failure is open, with numbers, a fact and its lines. Everything else is in a line each."""
    page, right = visit.page, solution(course, "accumulate")
    opened(page, "03")
    wrong = right.replace("+= out.grad", "+= out.grad * 2")
    page.evaluate(
        """() => {
            window.ended = [];
            const seen = () => ended.push([byId("checked").childElementCount, byId("state").textContent]);
            new MutationObserver(seen).observe(byId("checked"), { childList: true });
        }"""
    )
    page.evaluate(
        """() => {
            const show = VerdictView.prototype.show;
            VerdictView.prototype.show = function (...given) {
                window.again = () => show.apply(this, given);
                again();
            };
        }"""
    )
    verdict_on(page, wrong)
    # each check was there before the verdict was
    counts = page.evaluate("ended.filter(([count, state]) => state === 'Grading …').map(([count]) => count)")
    assert {1, 2, 3, 4, 5, 6} <= {*counts}
    assert ["a + a counts both uses of a"] == page.locator("#failure h3").all_inner_texts()
    cells = page.locator("#failure :is(th, td)").all_text_contents()
    assert ["", "yours", "PyTorch", "dL/da", "4, which differs from≠", "2"] == cells
    first = right[: right.index("def _backward")].count("\n") + 1
    link = page.locator("#failure .line").first
    expect(link).to_have_text(f"lines {first} to {first + 3}")
    assert [1, 4] == [page.locator("#others > .pass").count(), page.locator("#others > .fail").count()]
    assert "1 check passes" in page.inner_text("#others > .pass")
    assert "PARTIAL 03 accumulate" not in page.inner_text("#verdict")  # the terminal's text is one click away
    # the result of a search is shown as a new verdict: what the visitor reads stays open, and keeps the focus
    page.click("#others > .pass summary")
    link.focus()
    page.evaluate("again()")
    expect(page.locator("#others > .pass")).to_have_attribute("open", "")
    expect(link).to_be_focused()
    page.click("#hint")
    expect(page.locator("#hints p")).to_have_count(1)
    link.click()
    expect(page.locator(".cm-content")).to_be_focused()
    expect(page.locator("#run")).to_have_text("Run the selected lines")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type(" ")
    expect(page.locator("#stale")).to_be_visible()  # until the verdict on this text is there
    verdict_on(page, right)
    assert "You have learnt: " in page.inner_text("#failure")
    assert ["6 checks pass"] == page.locator("#others summary").all_text_contents()
    expect(page.locator("#next")).to_be_visible()


def test_a_file_is_run_and_stopped(visit: Visit, course: Course) -> None:
    """What the file's own part prints is shown while it runs, in an interpreter of its own, and Stop ends it."""
    page = visit.page
    opened(page, "03")
    verdict_on(page, solution(course, "accumulate").replace("L.grad = 1.0", "L.grad = 1.0\n    print('here')"))
    at_the_end(page)
    page.keyboard.type("\nwhile True: pass")
    page.click("#run")
    expect(page.locator("#ran-output")).to_have_text("here\n6.0\n")
    expect(page.locator("#ran-state")).to_have_text("Running …")
    page.click("#stop")
    expect(page.locator("#ran-state")).to_have_text("Stopped.")
    page.click("#close-ran")
    expect(page.locator("#ran")).to_be_hidden()


@exhaustive
def test_a_figure_shows_the_learners_code(visit: Visit, course: Course) -> None:
    """After a verdict, a switch shows their numbers beside the right ones. They follow the leaves and the text."""
    page = visit.page
    opened(page, "03")
    right = solution(course, "accumulate")
    verdict_on(page, right.replace("+= other.data", "= other.data").replace("+= self.data", "= self.data"))
    figure = page.locator("#figure-accumulate-square")
    now, whose = figure.locator(".now"), figure.locator(".engines")
    figure.get_by_role("button", name="Your code").click()
    expect(now).to_have_text("a.grad is 3, the reference has 6.")
    figure.get_by_role("slider", name="a =").press("Home")
    expect(now).to_have_text("a.grad is \u22125, the reference has \u221210.")
    page.locator(".cm-content").press("Control+End")
    page.keyboard.type("#")
    expect(whose).to_contain_text("of your earlier text")
    verdict_on(page, right)
    expect(now).to_contain_text("Every gradient agrees with the reference\u2019s.")
    expect(whose).not_to_contain_text("earlier")
    figure.get_by_role("button", name="A right engine").click()
    expect(now).to_have_text("The backward pass is complete: a.grad = \u221210.")

    opened(page, "05")
    verdict_on(page, solution(course, "predict"))
    figure = page.locator("#figure-predict-example")
    figure.get_by_role("button", name="Your code").click()
    expect(figure.locator(".engines")).to_contain_text("Your code cannot run this expression yet.")


@exhaustive
def test_learners_models_are_trained(visit: Visit, course: Course) -> None:
    """Three exercises train, while the learner may go on. Stop ends it, and what was shown so far stays."""
    page = visit.page
    state, trained = page.locator("#training-state"), page.locator("#trained")
    opened(page, "03")
    expect(page.locator("#train")).to_be_hidden()

    # a loss over two parameters is walked
    opened(page, "13")
    verdict_on(page, solution(course, "descend"))
    page.click("#train")
    expect(trained.locator("#descent-verdict")).to_contain_text("✓ Every step of your training agrees")
    page.select_option("#training-choice", "valley")
    page.click("#again")
    expect(trained.locator("#descent-heading")).to_have_text("Two parameters")
    expect(trained.locator("#descent-told")).to_contain_text("Step 25 of 25")
    expect(state).to_have_text("Trained.")

    # of two chains of layers, one learns
    opened(page, "18")
    expect(page.locator("#training")).to_be_hidden()
    verdict_on(page, solution(course, "vanish"))
    page.click("#train")
    expect(state).to_have_text("Trained.")
    losses = ["60 steps: the loss is 0.25.", re.compile(r"^60 steps: the loss is \d.*e\u2212")]
    expect(trained.locator(".loss")).to_have_text(losses)

    # a language model speaks, on the learner's own engine
    opened(page, "12")
    assert verdict_on(page, solution(course, "engine")).startswith("PASS")
    opened(page, "17")
    verdict_on(page, solution(course, "names"))
    page.click("#train")
    expect(state).to_have_text("Training, on your engine from exercise 12 …")
    expect(trained.locator("#model-told")).to_contain_text("steps take the loss from 1.62435 to")
    page.get_by_role("button", name="e", exact=True).click()
    expect(trained.locator(".answer")).to_contain_text("the model gives e the probability")
    page.click("#stop-training")
    expect(state).to_have_text("Stopped.")
    expect(trained.locator("#model-table tbody tr")).to_have_count(21)
    page.select_option("#training-engine", "given")
    page.click("#again")
    expect(state).to_have_text("Trained.")
    expect(trained.locator("#model-told")).to_have_text(
        "✓ 60 steps take the loss from 1.62435 to 0.661328. The loss of guessing is 1.60944."
    )
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert [] == page.evaluate("axe.run('#training').then(({ violations }) => violations.map(({ id }) => id))")
    page.click("#close-training")
    expect(page.locator("#train")).to_be_focused()


# stores results
PASSED = "(stored) => { for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value); }"


def passed(course: Course) -> dict[str, str]:
    """Return the results that the page stores, with every exercise passed."""
    result = {"status": "passed", "text": "", "course": "", "report": ""}
    return {
        f"backward:{course.id}:result:{one.id}": json.dumps({**result, "score": one.max_score})
        for one in course.exercises
    }


@pytest.mark.exhaustive
def test_a_transformer_is_trained(visit: Visit, course: Course) -> None:
    """It is shown after some of its steps. Where numpy is missing, the small one trains it.

    The last page has the names that it made.
    """
    page = visit.page
    opened(page, "27")
    verdict_on(page, solution(course, "transformer"))
    page.click("#train")
    trained = page.locator("#trained")
    expect(trained.locator("#model-told")).to_contain_text("4 steps take the loss from 3.32802 to 2.83381.")
    expect(trained.locator("#model-drawn li")).to_have_count(14)
    expect(trained.locator(".heads table")).to_have_count(2)
    expect(trained.locator("#model-told")).to_contain_text("8 steps take")
    page.click("#stop-training")
    expect(page.locator("#training-state")).to_have_text("Stopped.")
    listed = trained.locator("#model-drawn li").all_text_contents()
    names = [name for name in listed if name != "(an empty name)"]
    page.click("#close-training")
    page.evaluate(PASSED, passed(course))
    page.click("#next")
    expect(page.locator("#made")).to_have_text(f"Your code of exercise 27 made these names: {', '.join(names)}.")


def test_a_loop_ends_at_its_line(visit: Visit, course: Course) -> None:
    """An endless loop without calls gets the sentence of a terminal."""
    opened(visit.page, "03")
    said = verdict_on(visit.page, f"{solution(course, 'accumulate')}\nwhile True:\n    pass\n")
    assert "stopped: your code ran out of CPU time" in said
    assert re.search(r"line \d+: while True:", said)


# a frame whose first interpreter never answers, and whose others answer after twice the limit of one second
SILENT = """() => {
    const frame = { postMessage({ start }, origin, ports) {
        if (!start) return;
        const first = (frame.first ??= start);
        ports[0].onmessage = ({ data: { id } }) =>
            first < start && setTimeout(() => ports[0].postMessage({ id, result: "answered" }), 2000);
        ports[0].postMessage({ ready: true, patience: 1 });
    } };
    return new Interpreters(frame, 1).ask("grade", "swap", "");
}"""


@exhaustive
def test_an_interpreter_without_a_sign_of_life_gets_more_time(still: BrowserContext) -> None:
    """A request without an answer in time is made again in another interpreter, which may take longer."""
    page = still.new_page()
    page.goto("/")
    assert page.evaluate(SILENT) == "answered"


@exhaustive
def test_an_interpreter_that_does_not_answer_is_replaced(visit: Visit, course: Course) -> None:
    """What cannot be interrupted ends with its Web Worker, the page answers meanwhile, and the next verdict comes."""
    page, right = visit.page, solution(course, "accumulate")
    opened(page, "03")
    said = verdict_on(page, f"{right}\nimport time\ntime.sleep(10_000)\n")
    assert "no answer within" in said
    assert "PASS 03 accumulate" in verdict_on(page, right)


@exhaustive
def test_learner_code_reaches_neither_network_nor_storage(visit: Visit, course: Course) -> None:
    """Whatever it finds in its interpreter, nothing is requested, and nothing of the page's storage is changed."""
    page, address = visit.page, visit.address
    before = len(visit.requests)
    attack = read_yaml(Path(__file__).with_name("site_attacks.yaml"))["escape"]
    text = f"{solution(course, 'accumulate')}\n{attack}".replace("ATTACKED", f"{address}attacked")
    verdict_on(page, text)
    assert [] == [url for url in visit.requests[before:] if "attacked" in url]
    assert not [key for key in page.evaluate("Object.keys(localStorage)") if "attacked" in key]
    own = (address, f"blob:{address}", "blob:null/", "data:")
    assert [] == [url for url in visit.requests if not url.startswith(own)]


@exhaustive
def test_markup_is_inert(visit: Visit, course: Course) -> None:
    """Markup in a message is shown as text."""
    said = verdict_on(visit.page, solution(course, "accumulate") + "\nraise ValueError('<img src=x><b>bold')\n")
    assert "<img src=x><b>bold" in said
    assert 0 == visit.page.locator("#verdict img, #verdict b").count()


@exhaustive
def test_a_package_of_pyodides_folder_is_there(browser: Browser, course: Course, tmp_path: Path) -> None:
    """With `--pyodide`, a file imports an allowed module of the folder. Its printed text is shown."""
    # a course that allows the module, and a folder with Pyodide and its package
    own = course_of_a_site(tmp_path / "course")
    text = own.file.read_text(encoding="utf-8")
    own.file.unlink()
    own.file.write_text(text.replace("allow_imports: [numpy]", "allow_imports: [tiny, other]"), encoding="utf-8")
    with tarfile.open(next(CACHE.glob("pyodide-*.tgz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    wheels = {
        "tiny": wheel_of("tiny", "import smaller\ntwo = smaller.one + 1\n"),
        "smaller": wheel_of("smaller", "one = 1\n"),
    }
    pyodide = distribution(tmp_path / "package", wheels, {"tiny": ["smaller"]})
    site = site_of(tmp_path / "site", load_course(own.folder), pyodide)
    # a file that uses it, and one that uses another allowed module, which the folder does not have
    right = solution(course, "accumulate")
    with served(site) as serving:
        page = browser.new_context().new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(f"{serving.address}#accumulate")
        started(page)
        assert "PASS 03" in verdict_on(page, f"{right}\nimport tiny\nprint(tiny.two)\n")
        expect(page.locator("#output")).to_have_text("when the file was loaded2")
        said = verdict_on(page, f"{right}\nimport other\nother.one()\nx = other.two()\n")
        assert "other.two is not available while grading (there are only the standard library and tiny)" in said
        page.context.close()


@exhaustive
def test_a_small_numpy_stands_in(visit: Visit, course: Course) -> None:
    """A site without Pyodide's packages has a small numpy. A sentence says what it does not have."""
    page, right = visit.page, solution(course, "accumulate")
    opened(page, "03")
    uses = "import numpy as np\na = np.array([[1, 2.5], [3, 4]])\na += 1\nprint(repr((a.T @ a).sum(axis=0)))\n"
    assert "PASS 03" in verdict_on(page, f"{right}\n{uses}")
    expect(page.locator("#output")).to_have_text("when the file was loadedarray([47.  , 64.25])")
    said = verdict_on(page, f"{right}\nimport numpy as np\nnp.einsum('ij->j', [[1]])\n")
    assert "this page has a small numpy without einsum; `grade` in a terminal has all of it" in said


@exhaustive
def test_a_reset_can_be_undone(visit: Visit, course: Course) -> None:
    """Reset shows the file as it was given out. The text that it replaced can be brought back."""
    page = visit.page
    opened(page, "03")
    verdict_on(page, solution(course, "accumulate") + "# mine\n")
    editor = page.locator(".cm-content")
    page.click("#reset")
    expect(editor).to_contain_text("# TODO")
    page.click("#restore")
    expect(editor).not_to_contain_text("# TODO")
    at_the_end(page)
    expect(editor).to_contain_text("# mine")


@exhaustive
def test_what_the_code_prints_is_shown(visit: Visit, course: Course) -> None:
    """The page shows what the code has printed in each check, also where the check passes."""
    page, right = visit.page, solution(course, "accumulate")
    opened(page, "03")
    verdict_on(page, right.replace("self.grad += out.grad", "self.grad += out.grad\n            print(3)"))
    expect(page.locator("#output pre").first).to_contain_text("3")
    verdict_on(page, right)
    expect(page.locator("#printed")).to_be_hidden()


@exhaustive
def test_the_replay_follows_the_text(visit: Visit, course: Course) -> None:
    """The replay of the learner's own code is beside the editor, and is another one when the code is another."""
    page, right = visit.page, solution(course, "accumulate")
    opened(page, "03")
    frame = page.frame_locator("#replay-frame iframe:not(.waiting)")
    lead = frame.locator("#lead")
    verdict_on(page, right.replace("+=", "="))
    expect(page.locator(".cm-failed").nth(1)).to_be_visible()  # the lines that the fact names
    page.click("#show-replay")
    expect(lead).to_contain_text("a.grad is 1, torch has 2")
    expect(frame.locator("#presets button", has_text="A value times itself")).to_be_visible()
    # on a phone, the sentence about the difference is seen whole, above the player
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#replay").evaluate("(one) => one.scrollIntoView()")
    said, player = frame.locator("#now > .differs").bounding_box(), frame.locator(".transport").first.bounding_box()
    assert said
    assert player
    assert said["y"] + said["height"] <= player["y"]
    page.set_viewport_size({"width": 1280, "height": 900})
    verdict_on(page, right)
    expect(lead).not_to_contain_text("torch has 2")
    expect(page.locator("#replay-note")).to_have_text("")
    verdict_on(page, "(")
    expect(page.locator("#replay-note")).to_contain_text("Python cannot parse the file")
    page.click("#close-replay")
    expect(page.locator("#show-replay")).to_be_focused()


@exhaustive
def test_the_zip_is_a_submission(visit: Visit, course: Course, tmp_path: Path) -> None:
    """`grade cohort` gives the zip the points that the page shows, and `grade` grades the folder in it."""
    page = visit.page
    opened(page, "03")
    verdict_on(page, solution(course, "accumulate"))
    page.click("#more")
    with page.expect_download() as download:
        page.click("#export")
    page.keyboard.press("Escape")
    class_ = tmp_path / "class"
    class_.mkdir()
    download.value.save_as(class_ / "ada.zip")
    score = int((page.text_content("#score") or "").partition("/")[0])
    run_grade("cohort", class_, "--out", tmp_path / "results", "--seed", course.seed)
    (graded,) = (tmp_path / "results" / "reports").iterdir()
    assert score == json.loads(graded.read_text(encoding="utf-8"))["score"]
    with zipfile.ZipFile(class_ / "ada.zip") as archive:
        archive.extractall(tmp_path / "work")
    report = json.loads((tmp_path / "work" / "exercises" / ".backward" / "report.json").read_text(encoding="utf-8"))
    assert (score, "browser") == (report["score"], report["isolation"]["tier"])
    done = run_grade("3", "--from", tmp_path / "work" / "exercises")
    assert "Score 10/10" in done.stdout


@exhaustive
def test_files_are_taken_in(visit: Visit, course: Course, tmp_path: Path) -> None:
    """A zip and a file are taken in by name, and what they replace is kept. Another file is named."""
    page = visit.page
    for name in ("accumulate", "distribute"):
        (exercise,) = [one for one in course.exercises if one.id == name]
        (tmp_path / exercise.filename).write_text(solution(course, name) + "# taken\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as archive:
        archive.write(tmp_path / "01_distribute.py", "exercises/01_distribute.py")
    opened(page, "03")
    verdict_on(page, solution(course, "accumulate") + "# mine\n")
    page.set_input_files("#import", [tmp_path / "03_accumulate.py", tmp_path / "work.zip", Path(__file__)])
    expect(page.locator("#note")).to_contain_text("Taken in: 03_accumulate.py, 01_distribute.py.")
    expect(page.locator("#note")).to_contain_text(f"{Path(__file__).name} is not the file of an exercise")
    expect(entry(page, "01")).to_have_class("passed")
    at_the_end(page)
    expect(page.locator(".cm-content")).to_contain_text("# taken")
    page.click("#restore")
    at_the_end(page)
    expect(page.locator(".cm-content")).to_contain_text("# mine")


@exhaustive
def test_a_dropped_file_is_taken_in(visit: Visit, course: Course) -> None:
    """A file that is dropped on the editor replaces the text of its exercise, and is not inserted."""
    page = visit.page
    opened(page, "02")
    verdict_on(page, solution(course, "swap"))
    page.evaluate(
        """() => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(["x = 'dropped'"], "02_swap (1).py"));
          const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true, composed: true });
          document.querySelector("#editor").shadowRoot.querySelector(".cm-content").dispatchEvent(event);
        }"""
    )
    expect(page.locator("#file")).to_have_text("02_swap.py")
    expect(page.locator(".cm-content")).to_have_text("x = 'dropped'")
    page.click("#restore")
    expect(page.locator("#verdict")).to_contain_text("PASS 02 swap")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
@exhaustive
def test_axe_finds_nothing(visit: Visit, scheme: str, width: int) -> None:
    """axe finds no violation, in both colours and on a phone, and nothing is wider than the page."""
    page = visit.page
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then((result) => result.violations)")
    assert [] == [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# -- Pages without Python


@pytest.mark.parametrize("name", ["03", "3", "accumulate", "acc"])
@exhaustive
def test_an_address_opens_an_exercise(still: BrowserContext, name: str) -> None:
    """The part of the address after # is a number, an id, or the beginning of an id."""
    page = still.new_page()
    page.goto(f"#{name}")
    expect(page.locator("#file")).to_have_text("03_accumulate.py")
    expect(page).to_have_title("03 Every use adds up: The Backward Pass")


def typed(page: Page, text: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type(text)


@exhaustive
def test_two_tabs_show_the_same_text(still: BrowserContext) -> None:
    """Each tab says that there is another one, and shows what is typed in it."""
    one, other = still.new_page(), still.new_page()
    for page in (one, other):
        page.goto("#swap")
    for page in (one, other):
        expect(page.locator("#tabs")).to_be_visible()
    for page, reader, text in ((one, other, "# one"), (other, one, "# two")):
        typed(page, f"{text}\n")
        expect(reader.locator(".cm-line").first).to_have_text(text)
    expect(one.locator(".cm-line").nth(1)).to_have_text("# one")
    other.close()
    one.evaluate("dispatchEvent(new Event('focus'))")
    expect(one.locator("#tabs")).to_be_hidden()


@exhaustive
def test_a_tab_that_was_asleep_overwrites_nothing(still: BrowserContext) -> None:
    """If a tab did not see what another one stored, the other one's text can be brought back."""
    one, other = still.new_page(), still.new_page()
    one.add_init_script("addEventListener('storage', (event) => event.stopImmediatePropagation(), true)")
    for page in (one, other):
        page.goto("#swap")
    typed(other, "# other\n")
    expect(other.locator(".cm-line").first).to_have_text("# other")
    typed(one, "# one\n")
    expect(other.locator(".cm-line").first).to_have_text("# one")
    one.reload()
    expect(one.locator("#earlier")).to_contain_text("from another tab")
    one.click("#restore")
    at_the_start(one)
    expect(one.locator(".cm-line").first).to_have_text("# other")


@exhaustive
def test_a_new_version_of_a_file_leaves_the_work(still: BrowserContext) -> None:
    """The old text stays, and the page offers the new file. Compare shows what differs from it."""
    page = still.new_page()
    page.goto("#swap")
    typed(page, "# mine\n")
    page.evaluate(
        """() => {
          const key = Object.keys(localStorage).find((key) => key.endsWith(":text:swap"));
          const kept = JSON.parse(localStorage.getItem(key));
          localStorage.setItem(key, JSON.stringify({ ...kept, stub: "x = 1" }));
        }"""
    )
    page.reload()
    expect(page.locator("#note")).to_contain_text("has changed since you began")
    at_the_start(page)
    expect(page.locator(".cm-line").first).to_have_text("# mine")
    page.click("#compare")
    expect(page.locator(".cm-changedLine").first).to_have_text("# mine")
    page.click("#compare")
    expect(page.locator(".cm-changedLine")).to_have_count(0)
    page.click("#reset")
    expect(page.locator("#note")).not_to_contain_text("has changed since you began")
    page.click("#restore")
    at_the_start(page)
    expect(page.locator(".cm-line").first).to_have_text("# mine")


@exhaustive
def test_full_storage_is_said(still: BrowserContext) -> None:
    """If the browser does not store a text, the page says so, and the text is not lost while the page is open."""
    page = still.new_page()
    page.goto("#swap")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    typed(page, "# mine\n")
    expect(page.locator("#note")).to_contain_text("cannot be kept")
    opened(page, "03")
    opened(page, "02")
    at_the_start(page)
    expect(page.locator(".cm-line").first).to_have_text("# mine")


@exhaustive
def test_the_last_page(still: BrowserContext, course: Course) -> None:
    """When every exercise is passed, the page shows what the learner has learnt and where to go next."""
    page = still.new_page()
    page.goto("#swap")
    page.evaluate(PASSED, passed(course))
    page.reload()
    points, count = course.max_score, len(course.exercises)
    expect(page.locator("#score")).to_have_text(f"{points}/{points} points, {count} of {count} exercises passed")
    parts = [f"{part.title} {part.max_score} of {part.max_score} points" for part in course.parts]
    expect(page.locator("#exercises h2")).to_have_text(parts)
    page.click("#next")
    expect(page.locator("#finished")).to_be_focused()
    expect(page.locator("#finished")).to_contain_text(f"You have passed all {count} exercises.")
    expect(page.locator("#learnt .part")).to_have_text([part.title for part in course.parts])
    expect(page.locator("#learnt li:not(.part)")).to_have_count(len([one for one in course.exercises if one.learnt]))
    expect(page.locator("#further a").first).to_have_attribute("href", re.compile("^https://"))
    expect(page.locator("#made")).to_have_text("You can train your code of exercise 27 in this page.")
    page.click("#open-trainable")
    expect(page.locator("#lesson")).to_be_focused()
    expect(page.locator("#file")).to_have_text("27_transformer.py")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# the words of a lesson on the page, figures and questions aside, with the sign of each item of a list
LESSON = """[...document.querySelectorAll("#text > :not(.figure, .questions)")].map((block) => block.localName === "ul"
    ? [...block.children].map((item) => `- ${item.textContent}`).join("\\n") : block.textContent).join("\\n")"""


def test_a_lesson_has_every_word_of_its_docstring(still: BrowserContext, course: Course) -> None:
    """Apart from its figures, no word, number or sign is lost, whatever a line of a docstring begins with."""
    page = still.new_page()
    page.goto("/")
    for exercise in course.exercises:
        opened(page, exercise.number)
        expect(page.locator("#title")).to_have_text(exercise.title)
        docstring = ast.get_docstring(ast.parse((ROOT / "exercises" / exercise.filename).read_text("utf-8"))) or ""
        for figure in exercise.figures:
            docstring = docstring.replace("\n".join(f"    {line}".rstrip() for line in drawn(figure)), "")
        text = docstring.partition("\n")[2].replace("`", "")
        assert text.split() == page.evaluate(LESSON).split(), exercise.id


# what of a page is cut, scrolled sideways or out of its place, for the exercise with this number in the list
MISPLACED = """(at) => {
    document.querySelectorAll("#exercises button")[at].click();
    const wide = [...document.querySelectorAll("#lesson *, #work .head, #work .tools, #bar > *")].filter((one) => {
        const { right, width } = one.getBoundingClientRect();
        return width && (right > innerWidth + 1 || (one.localName === "pre" && one.scrollWidth > one.clientWidth + 1));
    });
    const place = (one) => one.getBoundingClientRect();
    const first = place(document.querySelector("#text > *"));
    const [lesson, work] = [byId("lesson"), byId("work")].map(place);
    const seen = 0 < place(byId("title")).top && first.top < innerHeight;
    const beside = innerWidth >= 960;
    return [
        document.documentElement.scrollWidth > innerWidth && "scrolled sideways",
        place(byId("bar")).height > 56 && "high bar",
        !seen && "the lesson is not seen",
        (beside ? work.left < lesson.right || work.top > 120 : work.top < lesson.bottom) && "order",
        ...wide.map((one) => one.outerHTML.slice(0, 80)),
    ].filter(Boolean).join("; ");
}"""


@exhaustive
def test_a_phone_has_keys_for_symbols(browser: Browser, visit: Visit) -> None:
    """A row of keys inserts what a phone's keyboard has on other pages, and the editor keeps the focus."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.route("**/python/*", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{visit.address}#03")
    text = page.locator(".cm-content")
    text.tap()
    page.keyboard.press("Control+End")
    page.keyboard.type("x")
    for name in ("_", "[", "Indent"):
        page.locator("#symbols").get_by_role("button", name=name, exact=True).tap()
    expect(text).to_be_focused()
    expect(page.locator(".cm-line").last).to_have_text(re.compile(r"^x_\[\s{4}$"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


SPACED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important }
                     * { word-spacing: 0.16em !important } p { margin-bottom: 2em !important }`);
  document.adoptedStyleSheets = [sheet];
}"""
CUT = """() => [...document.querySelectorAll("button, p, h1, h2, h3, li, summary, label, figcaption, span, th, td")]
  .filter((one) => one.checkVisibility() && !one.closest("#bar, .unseen"))
  .filter((one) => ["hidden", "clip"].includes(getComputedStyle(one).overflowX))
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
TARGETS = """() => [...document.querySelectorAll("button, input, select, summary, label.button")]
  .filter((one) => one.checkVisibility() && !one.matches(".unseen"))
  .filter((one) => one.getBoundingClientRect().width < 24 || one.getBoundingClientRect().height < 24)
  .map((one) => one.outerHTML)"""


@exhaustive
def test_text_may_be_narrow_and_spaced(still: BrowserContext, course: Course) -> None:
    """At 320 px, and with the distances of WCAG 1.4.12, nothing is cut or moves sideways. A target has 24 px."""
    page = still.new_page()
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/")
    for spaced in (False, True):
        for exercise in course.exercises:
            page.evaluate("id => (location.hash = id)", exercise.id)
            page.locator(f"[id^='figure-{exercise.id}-'] svg").first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
            assert [] == page.evaluate(CUT)
            assert spaced or [] == page.evaluate(TARGETS)
        page.evaluate(SPACED)


@exhaustive
def test_a_focus_is_never_behind_the_bar(still: BrowserContext) -> None:
    """Backwards from the end of the page, each element with the focus is in sight."""
    page = still.new_page()
    page.set_viewport_size({"width": 390, "height": 640})
    page.goto("/#05")
    page.locator("#figure-predict-example svg").wait_for()
    page.locator("footer a").focus()
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        hidden = page.evaluate("""() => {
          const one = document.activeElement, { top, bottom } = one.getBoundingClientRect();
          const bar = byId("bar").getBoundingClientRect().bottom;
          return !one.closest("#bar, #editor") && !one.matches(".skip") && bottom <= bar ? one.outerHTML : "";
        }""")
        assert "" == hidden


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1024, 600), (1400, 900)])
def test_the_lesson_comes_first_and_nothing_is_cut(
    still: BrowserContext, course: Course, width: int, height: int
) -> None:
    """Each exercise opens at its lesson: in one column, or with the work beside it. No line of a lesson is cut."""
    page = still.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/")
    expect(page.locator("#editor .cm-content")).to_have_count(1)
    faults = {one.id: page.evaluate(MISPLACED, at) for at, one in enumerate(course.exercises)}
    assert {} == {name: fault for name, fault in faults.items() if fault}
    # the editor shows the place to be filled in
    todo = page.locator(".cm-activeLine")
    expect(todo).to_contain_text("# TODO")
    # the editor measures itself after the page is there
    editor = page.locator("#editor")
    for _ in range(50):
        inner, outer = todo.bounding_box(), editor.bounding_box()
        assert inner
        assert outer
        shown = outer["y"] <= inner["y"] <= outer["y"] + outer["height"] - inner["height"]
        if shown:
            break
        page.wait_for_timeout(100)
    assert shown


# -- What others could have written


def test_forged_answers_are_refused(still: BrowserContext) -> None:
    """An answer of an interpreter has the form and the bounds of the grader's own, or it is none."""
    page = still.new_page()
    page.goto("/")
    ask = """([action, text]) => {
        try { return answered(action, text) && "taken"; } catch (error) { return error.name; }
    }"""
    right = {"exercise": "swap", "status": "failed", "score": 0, "max_score": 5, "lines": ["FAIL"], "marked": [1]}
    right |= {"outcome": "a", "checks": [], "message": [], "observed": [], "learnt": ""}
    right |= {"hints": [1], "report": "{}", "searched": True, "line": "", "printed": [{"titles": ["a"], "text": "b"}]}
    assert "taken" == page.evaluate(ask, ["grade", json.dumps(right)])
    taken = []
    for action, forged in [(action, forged) for action, every in ATTACKS["answers"].items() for forged in every]:
        text = json.dumps({**(right if action == "grade" else {}), **forged}).replace("LARGE", 5_000_000 * "x")
        if page.evaluate(ask, [action, text]) not in ("Error", "SyntaxError"):
            taken.append((action, forged))
    assert [] == taken


def test_an_answer_is_judged_by_its_check(visit: Visit) -> None:
    """The question says which number is wrong, and then that the answer is right; the file has the answer."""
    page = visit.page
    opened(page, "05")
    for given, said in (("1, 10, -1", "not right yet: dL/da (yours: 1)"), ("10, 10, -1", "This is right")):
        page.get_by_label("Your answer").fill(given)
        page.keyboard.press("Enter")
        expect(page.locator(".questions .told")).to_contain_text(said)
    assert "    return 10, 10, -1\n" in page.evaluate(
        "Object.entries(localStorage).find(([key]) => /text:predict/.test(key))[1]"
    ).replace("\\n", "\n")
    page.locator("#reset").click()


def test_an_order_is_judged_by_its_check(visit: Visit) -> None:
    """The page says that the order is wrong, and then that it is right."""
    page = visit.page
    opened(page, "04")
    page.get_by_role("button", name="Question 2,").click()
    for given, said in (("e, L", "the `_backward` of e ran before that of L"), ("L, e", "This is right")):
        page.get_by_label("Your answer").fill(given)
        page.keyboard.press("Enter")
        expect(page.locator(".questions .told")).to_contain_text(said)
    page.locator("#reset").click()


def test_a_forged_verdict_is_a_failure(visit: Visit) -> None:
    """The page says that the interpreter failed, keeps nothing of the forged verdict, and goes on after a reload."""
    page = visit.page
    opened(page, "03")
    forged = {"exercise": "accumulate", "status": "x" * 5_000_000, "score": "1e9", "lines": 3}
    page.evaluate(
        "(text) => { window.ask = Interpreters.prototype.ask; Interpreters.prototype.ask = async () => text; }",
        json.dumps(forged),
    )
    typed(page, "# forged\n")
    expect(page.locator("#verdict")).to_contain_text("FAIL 03 accumulate")
    expect(page.locator("#state")).to_have_text("")
    page.evaluate("() => { Interpreters.prototype.ask = window.ask; }")
    assert page.evaluate("Object.values(localStorage).join().length") < 1_000_000
    page.reload()
    started(page)
    expect(page.locator("#state")).to_have_text("")
    expect(page.locator("#score")).to_have_text(re.compile(r"^\d+/\d+ points, \d+ of \d+ exercises passed$"))
    page.locator("#reset").click()


@exhaustive
def test_damaged_storage_and_addresses_are_left_alone(still: BrowserContext, course: Course) -> None:
    """What the page would not have stored is not there for it, and an address may end in anything."""
    page = still.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/")
    page.evaluate(
        """([prefix, ids, values]) => {
            ids.forEach((id, at) => {
                for (const kind of ["text", "kept", "result"])
                    localStorage.setItem(`${prefix}${kind}:${id}`, values[at % values.length]);
            });
            localStorage.setItem(`${prefix}at:exercise`, values[0]);
        }""",
        [f"backward:{course.id}:", [one.id for one in course.exercises], ATTACKS["storage"]],
    )
    for address in ("#%", "#%E0%A4%A", "#__proto__", "#constructor"):
        page.goto("about:blank")
        page.goto(f"/{address}")
        expect(page.locator("#where")).to_have_text(re.compile(r"^\d\d "))
        expect(page.locator("#score")).to_have_text(re.compile(r"^0/\d+ points, 0 of \d+ exercises passed$"))
        for exercise in course.exercises:
            opened(page, exercise.number)
            expect(page.locator("#file")).to_have_text(exercise.filename)
    assert [] == errors


def test_a_name_in_a_zip_is_no_link(visit: Visit, tmp_path: Path) -> None:
    """A note says which file cannot be read, and shows its name as text."""
    path = tmp_path / "work.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("https://example.org/`x`/02_swap.py", b"\xff")
    visit.page.set_input_files("#import", path)
    expect(visit.page.locator("#note")).to_contain_text("https://example.org/")
    expect(visit.page.locator("#note a")).to_have_count(0)
