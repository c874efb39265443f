"""The page of a replay in a real browser, as a learner uses it."""

import itertools
import random
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from in_process import run_grade
from msgspec.structs import replace
from pages import AXE
from playwright.sync_api import Browser, Locator, Page, expect
from replays import CODE, LANDSCAPE, RULE, line_of, replay
from torch_answers import answer

from grader.base.text import spelled
from grader.course.program import ELEMENTWISE, Op
from grader.practice.replay import Landscape, Played, Replay, SourceText, Thermometer
from grader.practice.replay.model import Attention, Grid, Model, Probabilities, ReplayProblem, Step, Trained
from grader.practice.replay.page import build_replay_page, short_names
from grader.practice.replay.presets import presets
from grader.practice.replay.right_pass import contributions, forward
from grader.program import Program
from grader.words.learner import digits

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("kept_processes")]

OpenHtml = Callable[..., Page]
ROOT = Path(__file__).resolve().parents[3]
HOSTILE = (
    "<img src=x onerror=\"window.ran='img'\">",
    "</script><script>window.ran='script'</script>",
    "<svg onload=window.ran='svg'>&lt;b&gt;",
    "\u202egnp.exe\u2066\x1b[31m\x00\u2028\u200b",
    "__proto__",
)
PROGRAMS: tuple[tuple[str, dict[str, float]], ...] = (
    ("c = a + b; L = c * d", {"a": 2, "b": -3, "d": 10}),
    ("L = a * a", {"a": 3}),
    ("b = a + 1; c = a * 3; d = b * c", {"a": 2}),
    ("e = a * b; f = e + c; g = a + b; L = f * g", {"a": 2, "b": -3, "c": 10}),
    ("p = x * w; q = p + b; o = tanh(q)", {"x": 2, "w": -3, "b": 6.5}),
    ("L = relu(a * b + d)", {"a": 2, "b": -3, "d": 1}),
    ("p = a / b; q = p ** 3; r = sigmoid(q) - exp(-b); L = log(r + 4)", {"a": 1.5, "b": -0.75}),
)


def opened(open_html: OpenHtml, *replays: Replay, **more: Any) -> Page:
    return open_html(build_replay_page(Played(tuple(replays))), **more)


def column(page: Page, field: str) -> list[str]:
    """Return a column of the table that describes the picture."""
    return page.locator(f'#numbers td[data-field="{field}"]').all_inner_texts()


def numbers(page: Page, field: str) -> list[float]:
    return [float(text.replace("−", "-")) for text in column(page, field)]


def to_the_end(page: Page) -> int:
    """Take every step by the keyboard, and return the number of steps."""
    steps = 0
    while page.locator("#step").is_enabled():
        page.keyboard.press("ArrowRight")
        steps += 1
    return steps


def played(folder: Path, name: str, edits: Sequence[tuple[str, str]], *words: str) -> str:
    """Return a function that runs `grade play` on a solution with edits, in its own folder."""
    text = (ROOT / "solutions" / name).read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (folder / "exercises").mkdir()
    (folder / "exercises" / name).write_text(text, encoding="utf-8")
    done = run_grade("play", *words, "--no-open", "--out", "replay.html", cwd=folder)
    assert (0, "") == (done.returncode, done.stderr)
    return (folder / "replay.html").read_text(encoding="utf-8")


def test_a_real_right_engine(open_html: OpenHtml, tmp_path: Path) -> None:
    """`grade play` on the solution of exercise 12 ends at torch's numbers on every preset, without a difference."""
    page = open_html(played(tmp_path, "12_engine.py", (), "product", "--exercise", "engine"))

    buttons = page.locator("#presets button")
    assert [preset.title for preset in presets()] == buttons.all_inner_texts()
    for i, preset in enumerate(presets()):
        values, grads = answer(preset.parsed.wire, preset.parsed.root)
        buttons.nth(i).click()
        page.keyboard.press("End")
        steps = 2 * (len(preset.parsed.nodes) - len(preset.parsed.leaves)) + 2
        expect(page.locator("#place")).to_have_text(f"{steps} / {steps}")
        assert pytest.approx(values, rel=1e-5, abs=1e-6) == numbers(page, "data") == numbers(page, "right-data")
        assert pytest.approx(grads, rel=1e-5, abs=1e-6) == numbers(page, "grad") == numbers(page, "right-grad")
        assert len(preset.parsed.nodes) == page.locator("#numbers .sign", has_text="agrees").count()
        expect(page.locator("#lead")).to_contain_text("Every gradient agrees with torch’s.")
        expect(page.locator("#graph .wrong")).to_have_count(0)


@pytest.mark.parametrize(
    ("old", "new", "check", "words"),
    [
        ("return Value(node.data)", "return node", "detach", "the graph itself is not the right one."),
        ("        if node._prev:\n", "        if False:\n", "again", "A correct pass finds 0 there."),
        (
            "    loss.backward()\n    p.data += amount",
            "    p.data += amount\n    loss.backward()",
            "in_place",
            "The value of a was changed after the forward pass. The rule of L reads the new value.",
        ),
    ],
)
def test_a_fault_outside_of_the_rules_is_shown(
    open_html: OpenHtml, tmp_path: Path, old: str, new: str, check: str, words: str
) -> None:
    """In exercise 16, the rules are right: the graph, a gradient from before, or a changed value is wrong."""
    page = open_html(played(tmp_path, "16_no_grad.py", [(old, new)], "no_grad", check))
    expect(page.locator("#now [role=note]")).to_contain_text(words)
    own = "In your code, d is the same node as a." if check == "detach" else "torch has"
    expect(page.locator("#lead")).to_contain_text(own)


def test_the_pages_operations_are_torchs(open_html: OpenHtml) -> None:
    """The page's reference has every operation of programs, and its numbers agree with torch's to the last digits."""
    chance = random.Random(7)
    page = opened(open_html, replay("L = a * a", a=3))
    assert set(ELEMENTWISE) == set(page.evaluate("Object.keys(OPERATIONS)"))
    for name, operation in ELEMENTWISE.items():
        operands = 1 if operation.is_function or name == "neg" else 2
        for _ in range(5):
            x = [chance.uniform(0.3, 3) for _ in range(operands)]
            leaves: list[list[Any]] = [["leaf", value] for value in x]
            values, grads = answer([*leaves, [name, *range(operands)]], operands)
            nodes = [{"op": "leaf", "inputs": []} for _ in x]
            inputs = [{"node": i, "number": None} for i in range(operands)]
            seen = page.evaluate(
                """([nodes, root, x]) => {
                    const data = forwardPass(nodes, x);
                    return [data, backwardPass(nodes, root, data).grad];
                }""",
                [[*nodes, {"op": name, "inputs": inputs}], operands, x],
            )
            assert pytest.approx(values, rel=1e-13) == seen[0], name
            assert pytest.approx(grads, rel=1e-12) == seen[1], name


def test_a_lost_contribution_is_shown_with_its_line(open_html: OpenHtml) -> None:
    """The page shows the step at which it is lost, the line that overwrites, and both numbers, and goes on."""
    page = opened(open_html, replay("c = a * a; L = c * b", "assigns", a=3, b=2))
    expect(page.locator("#lead")).to_contain_text("a.grad is 6, torch has 12")

    page.locator("#first-difference").click()
    note = page.locator("#now [role=note]")
    expect(note).to_contain_text("Here the first difference arises.")
    expect(note).to_contain_text("a.grad was 0 and is now 6. A right rule adds 12, which makes 12.")
    first = line_of(RULE[0])
    lost = f"Line {first} makes a.grad 6. Then line {first + 1} sets a.grad to 6, so the 6 that was there is lost."
    expect(note).to_contain_text(lost)
    expect(page.locator("#source .ran code")).to_have_text("            self.grad = other.data * out.grad")
    assert ["≠ 0"] == page.locator("#graph .pill.differs.on").all_text_contents()
    expect(page.locator("#graph .card.wrong")).to_have_count(1)
    row = page.locator('#numbers tr[data-node="0"]')
    expect(row).to_contain_text("≠ differs")
    assert ["6", "12"] == [row.locator(f'[data-field="{field}"]').inner_text() for field in ("grad", "right-grad")]


TENSOR = (ROOT / "solutions" / "24_tensor.py").read_text(encoding="utf-8")
NOT_SUMMED = ("gradient = gradient.sum(axis=tuple(range(gradient.ndim - self.data.ndim)))", "pass")
LINEAR = {"x": [[1.0, -2.0, 0.5], [-1.5, 4.0, 3.0]], "w": [[0.5], [0.25], [-0.5]], "b": [0.1]}


def of_arrays(text: str = "L = sum((a + b) * a)", edit: tuple[str, str] = ("", ""), **leaves: Any) -> Replay:
    """Record the engine of exercise 24, with an edit, on a program with arrays."""
    given = leaves or {"a": [[1, 2, 3], [4, 5, 6]], "b": [10, 20, 30]}
    return replay(text, leaves=given, code=TENSOR.replace(*edit))


def figures(page: Page, where: str) -> list[str]:
    """Return the texts of the arrays that are drawn in a place."""
    return [one.get_attribute("aria-label") or "" for one in page.locator(f"{where} [role=img]").all()]


def test_a_contribution_that_is_not_summed_is_shown(open_html: OpenHtml) -> None:
    """The step, the two shapes, the numbers before and after the sum, and the axis are shown and said."""
    page = opened(open_html, of_arrays(edit=NOT_SUMMED))
    expect(page.locator("#lead")).to_contain_text(
        "b.grad is an array of shape (2, 3), torch has an array of shape (3,)."
    )
    expect(page.locator("#now [role=note]")).to_have_text(
        "≠ Here the first difference arises. b.grad was [0, 0, 0] and is now [[1, 2, 3], [4, 5, 6]]. "
        "A right rule adds [5, 7, 9], which makes [5, 7, 9]. "
        "b is repeated along axis 0, so its contribution is summed over axis 0."
    )
    assert [
        "shape (3,): [0, 0, 0]",
        "shape (2, 3): [[1, 2, 3], [4, 5, 6]]",
        "A contribution of shape (2, 3), [[1, 2, 3], [4, 5, 6]], is summed over axis 0: [5, 7, 9]",
    ] == figures(page, '#now [data-node="1"]')
    assert ["↓", "↓", "↓"] == page.locator("#now .down .arrow").all_inner_texts()
    assert ["5", "7", "9"] == page.locator("#now .down .sum").all_inner_texts()
    assert ["≠ (2,3)"] == page.locator("#graph .pill.differs.on").all_text_contents()
    expect(page.locator("#graph .card.wrong .off")).to_have_count(6)
    # the page computes no arrays, so leaves cannot be edited, and there is no game of this program
    expect(page.locator("#leaves")).to_be_hidden()
    expect(page.locator("#game-choice")).to_be_hidden()


def test_the_first_wrong_number_of_an_array_is_named(open_html: OpenHtml) -> None:
    """If a gradient is overwritten, the sentence has the index of the first number, and wrong numbers are marked."""
    page = opened(open_html, of_arrays(edit=("self.grad = self.grad + gradient", "self.grad = gradient")))
    expect(page.locator("#lead")).to_contain_text("a.grad[0, 0] is 1, torch has 12.")
    expect(page.locator("#now [role=note]")).to_contain_text(
        "so the [[11, 22, 33], [14, 25, 36]] that was there is lost."
    )
    expect(page.locator('#now [data-node="0"] .rows .differs')).to_have_count(12)  # after, and the change
    expect(page.locator('#numbers tr[data-node="0"]')).to_contain_text("≠ differs")


def test_large_arrays_show_their_first_numbers(open_html: OpenHtml) -> None:
    """Three rows and columns are shown, of the first matrix, and an ellipsis stands for more."""
    block = [[[float(100 * i + 10 * j + k) for k in range(4)] for j in range(5)] for i in range(2)]
    page = opened(open_html, of_arrays("L = sum(a * b)", a=block, b=[[[2.0]] * 5] * 2))
    label = "shape (2, 5, 4), the first matrix: [[[0, 1, 2, …], [10, 11, 12, …], [20, 21, 22, …], …], …]"
    assert label == figures(page, '#numbers tr[data-node="0"] [data-field="data"]')[0]
    first = page.locator('#numbers tr[data-node="0"] [data-field="data"] .rows')
    assert ["0", "1", "2", "…", "10", "11", "12", "…", "20", "21", "22", "…", "…"] == first.inner_text().split()
    to_the_end(page)
    expect(page.locator("#lead")).to_contain_text("Every gradient agrees with torch’s.")


def test_sums_over_columns_and_over_all_axes_are_drawn(open_html: OpenHtml) -> None:
    """Along rows the arrows point to the side, and for both axes to the corner. Both are said."""
    page = opened(open_html, of_arrays("L = sum(a * c + d)", a=[[1, 2, 3], [4, 5, 6]], c=[[2.0], [3.0]], d=[[0.5]]))
    texts = []
    while page.locator("#step").is_enabled():
        page.keyboard.press("ArrowRight")
        texts += page.locator("#now .text").all_inner_texts()
        if page.locator("#now .across:not(.down)").count():
            assert ["6", "15"] == page.locator("#now .across .sum").all_inner_texts()
        elif page.locator("#now .across.down").count():
            assert ["↘"] == page.locator("#now .across .arrow").all_inner_texts()
            assert ["6"] == page.locator("#now .across .sum").all_inner_texts()
    assert ["summed over axes 0 and 1", "summed over axis 1"] == texts


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.exhaustive)])
def test_arrays_are_accessible_and_fit_a_phone(open_html: OpenHtml, scheme: str) -> None:
    """axe finds nothing at the step with a sum, wide or narrow, and nothing but tables moves sideways."""
    for width in (1280, 390):
        page = opened(open_html, of_arrays(edit=NOT_SUMMED), viewport={"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate(
            "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length]))"
        )
        assert [] == found
        assert width == page.evaluate("document.documentElement.scrollWidth")


def test_the_line_that_must_change_is_marked(open_html: OpenHtml) -> None:
    """A dashed line is around the statement, also in print. A legend says what was seen."""
    line = line_of(RULE[1])
    about = f"A change of the statement in line {line} alone makes every required check pass."
    source = SourceText("a.py", tuple(CODE.splitlines()), (line,), about)
    page = opened(open_html, replay("L = a * a", a=3, source=source), replay("L = a * b", a=3, b=2))
    marked = page.locator("#source .repair")
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("data-line", str(line))
    expect(page.locator("#repair")).to_have_text(about, use_inner_text=True)
    for looks in LOOKS:
        page.emulate_media(**looks)
        expect(marked.locator("code")).to_have_css("outline-style", "dashed")
        expect(page.locator("#repair .swatch")).to_have_css("border-top-style", "dashed")
    page.emulate_media(media="screen", color_scheme="light")
    page.get_by_role("button", name="L = a * b", exact=True).click()
    expect(page.locator("#repair")).to_be_hidden()
    expect(marked).to_have_count(0)


LOOKS: list[Any] = [{"media": medium, "color_scheme": c} for medium in ("screen", "print") for c in ("light", "dark")]
DOCSTRING = ("class Value:", '    """', *["    A long docstring."] * 100, '    """')


@pytest.mark.parametrize("size", [pytest.param((1280, 800), marks=pytest.mark.exhaustive), (390, 844)])
def test_it_opens_at_the_first_difference(open_html: OpenHtml, size: tuple[int, int]) -> None:
    """The explanation is above the fold, and the marked line is in view."""
    width, height = size
    wrong = replay("c = a * a; L = c * b", "assigns", a=3, b=2)
    page = opened(open_html, wrong, viewport={"width": width, "height": height})

    note, line = page.locator("#now [role=note]"), page.locator("#source .ran")
    expect(note).to_contain_text("Here the first difference arises.")
    top, fold, code, marked = map(box_of, (note, page.locator("#replay .transport"), page.locator("#source"), line))
    assert top["y"] + 24 < fold["y"]
    assert code["y"] <= marked["y"] < code["y"] + code["height"]


def box_of(element: Locator) -> Any:
    """Return where an element lies in the window."""
    return element.bounding_box()


def test_a_right_run_opens_at_its_first_rule(open_html: OpenHtml) -> None:
    """Before the first step, the code shows a rule and not the docstring."""
    page = opened(open_html, replay("L = a * a", a=3, source=SourceText("a.py", (*DOCSTRING, *CODE.splitlines()))))

    expect(page.locator("#place")).to_have_text("0 / 4")
    assert page.evaluate("document.querySelector('#source').scrollTop > 0")


def test_a_difference_spreads(open_html: OpenHtml) -> None:
    """Later rules propagate the wrong gradient, and the page says so."""
    page = opened(open_html, replay("c = a + b; L = c * c", "assigns", a=2, b=-3))

    page.keyboard.press("d")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#now [role=note]")).to_contain_text("The difference spreads: the upstream gradient of c is −1")
    expect(page.locator("#now [role=note]")).to_contain_text("torch has −2")
    expect(page.locator("#graph .card.wrong")).to_have_count(3)
    assert ["≠ −1"] * 2 == page.locator("#graph .pill.differs.on").all_text_contents()
    page.locator("#graph .edge.differs").first.focus()
    expect(page.locator("#edge")).to_contain_text("≠ the upstream gradient differs")


def test_each_fault_is_explained(open_html: OpenHtml) -> None:
    """The explanation is at the step where the fault first occurs."""
    explained: dict[Any, str] = {
        "sign": "A right rule adds",
        "order": "b propagates before d, which uses it.",
        "twice": "d has propagated before, so its contributions are added again.",
        "never": "The rule of b never runs, so its inputs receive nothing from it.",
    }
    program = "b = a + 1; c = a * 3; d = b * c"
    page = opened(open_html, *(replay(program, mistake, title=mistake, a=2) for mistake in explained))
    for mistake, words in explained.items():
        page.get_by_role("button", name=mistake, exact=True).click()
        expect(page.locator("h1")).to_have_text(mistake)
        page.locator("#first-difference").click()
        expect(page.locator("#now [role=note]")).to_contain_text(words)


def test_an_edge_is_read(open_html: OpenHtml) -> None:
    """A click on an edge shows its local derivative, upstream gradient and contribution.

    The edge's accessible name has them, too.
    """
    page = opened(open_html, replay("c = a + b; L = c * d", a=2, b=-3, d=10))
    edge = page.get_by_role("button", name="Edge c to L, operand 1")
    page.keyboard.press("End")

    edge.locator(".hit").dispatch_event("click")
    for words in ("local derivative 10", "upstream gradient 1", "contribution 10"):
        expect(page.locator("#edge")).to_contain_text(words)
        assert words in (edge.get_attribute("aria-label") or "")


def test_other_values_follow_at_once_and_lead_back(open_html: OpenHtml) -> None:
    """With other values, the page shows the reference instead of the learner's run, and says so.

    One button restores the run.
    """
    page = opened(open_html, replay("L = a * a", "assigns", a=3))
    page.keyboard.press("End")
    assert ["3", "1"] == column(page, "grad")

    page.get_by_role("spinbutton", name="value of a").select_text()
    page.keyboard.type("4.5")
    assert (["4.5", "20.25"], ["9", "1"]) == (column(page, "data"), column(page, "grad"))
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("5")
    expect(page.locator("#other")).to_contain_text("Your recorded run belongs to a = 3.")
    assert (["5", "25"], ["10", "1"]) == (column(page, "data"), column(page, "grad"))
    assert 0 == page.locator('#numbers [data-field="right-grad"]').count()
    page.get_by_role("button", name="Back to your run").click()
    expect(page.locator("#other")).to_be_hidden()
    page.keyboard.press("End")
    assert ["3", "1"] == column(page, "grad")


def test_numbers_are_short_and_never_rounded_before_the_point(open_html: OpenHtml) -> None:
    """Numbers have four or six digits and a true minus sign. Very large and very small ones have powers of ten."""
    page = opened(open_html)
    shown = {
        ("12345.6", 4): "12346",
        ("-2.18754", 4): "−2.188",
        ("0.1 + 0.2", 6): "0.3",
        ("1e-7", 6): "1e−7",
        ("-1234567.5", 6): "−1.235e+6",
        ("-0", 6): "0",
        ("1 / 0", 6): "inf",
        ("0 / 0", 6): "nan",
    }
    assert list(shown.values()) == [page.evaluate(f"digits({value}, {most})") for value, most in shown]


def test_the_thermometer_compares_a_nudge_with_the_gradient(open_html: OpenHtml) -> None:
    """For (a + b) * d at 2, -3, 10, increasing d by 0.1 changes the root as the gradient predicts."""
    page = opened(open_html, replay("c = a + b; L = c * d", a=2, b=-3, d=10))
    page.keyboard.press("End")
    rows = page.locator("#leaves tbody tr").all()

    assert [["10", "+1", "+1"], ["10", "+1", "+1"], ["−1", "−0.1", "−0.1"]] == [
        [row.locator(f'[data-field="{field}"]').inner_text() for field in ("grad", "predicted", "moved")]
        for row in rows
    ]
    assert ["positive", "positive", "negative"] == [row.locator("svg rect").get_attribute("class") for row in rows]


def test_a_gradient_from_before_is_left_out_of_the_prediction(open_html: OpenHtml) -> None:
    """With a gradient of 5 before the pass, the gradient of a predicts only what the pass added to it."""
    base = replay("L = a * b", a=2, b=3)
    leaf, *rest = base.nodes
    held = replace(leaf, yours=replace(leaf.yours, grad=8.0), expected=replace(leaf.expected, grad=8.0))
    page = opened(open_html, replace(base, nodes=(held, *rest)))
    page.keyboard.press("End")
    row = page.locator("#leaves tbody tr").first

    assert ["8", "+0.3", "+0.3"] == [
        row.locator(f'[data-field="{field}"]').inner_text() for field in ("grad", "predicted", "moved")
    ]
    expect(page.locator("#leaves-about")).to_contain_text(
        "Before the pass, a.grad = 5. The prediction leaves that out."
    )


def play(page: Page, order: Sequence[str]) -> str:
    page.locator("#game-clear").click()
    for name in order:
        page.locator(f'#game-cards [data-visit="{name}"]').click()
    page.locator("#game-run").click()
    return page.locator("#game-told .headline").inner_text()


def test_the_order_game_is_lost_and_won(open_html: OpenHtml) -> None:
    """Two of the six orders reach 15. The others lose contributions that reach a node after it has propagated."""
    page = opened(open_html)
    left = {}
    for order in itertools.permutations("bcd"):
        grads = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0}
        for name in order:
            adds = {"b": {"a": 1.0}, "c": {"a": 3.0}, "d": {"b": 6.0, "c": 3.0}}[name]
            for input_, local in adds.items():
                grads[input_] += local * grads[name]
        left[order] = grads["a"]
        words = play(page, order)
        assert f"a.grad = {grads['a']:g}" in words
        assert ("✓" in words) == (grads["a"] == 15)
    assert {0, 6, 9, 15} == set(left.values())

    play(page, "bdc")
    expect(page.locator("#game-told .lost")).to_have_text(
        "b propagated while b.grad was 0. Later b.grad became 6, and no call propagates the 6 that came late. "
        "Lost: the contribution 1 × 6 = 6 to a."
    )
    assert ["lost 6"] == page.locator("#game-graph .pill.on").all_text_contents()
    assert ["9 ≠ 15"] == page.locator("#game-graph .card.wrong text.number:last-child").all_text_contents()


def left_by(graph: Program, order: Sequence[int]) -> list[float]:
    """Return the gradients that correct rules leave if they run in a given order."""
    values, grads = forward(graph), [float(i == graph.root) for i in range(len(graph.nodes))]
    for at in order:
        for given in contributions(graph.nodes[at], values, values[at], grads[at]):  # type: ignore[arg-type]
            grads[given.node] += given.amount or 0.0  # type: ignore[assignment]
    return grads


@pytest.mark.exhaustive  # each run has the game of the diamond
@pytest.mark.parametrize("name", ["neuron", "shared", "dead", "gate", "product"])
def test_the_order_game_of_any_program(open_html: OpenHtml, name: str) -> None:
    """On each preset, an order leaves the gradients of correct rules, and wins if they are all correct."""
    preset = next(preset for preset in presets() if preset.id == name)
    graph = preset.parsed
    page = opened(open_html, replay(preset.program, title=preset.title, leaves=preset.values))
    names = short_names([node.name for node in graph.nodes], graph.root)
    visits = [i for i in graph.reachable if isinstance(graph.nodes[i], Op)]
    orders = [visits, visits[::-1], *random.Random(name).sample([*itertools.permutations(visits)], k=2)]
    right = left_by(graph, visits[::-1])

    for order in orders:
        left = left_by(graph, order)
        words = play(page, [names[i] for i in order]).replace("−", "-")
        won = pytest.approx(right) == left
        assert won == words.startswith("✓"), words
        wrong = [
            leaf
            for leaf in graph.leaves
            if pytest.approx(right[graph.index[leaf.name]]) != left[graph.index[leaf.name]]
        ]
        for leaf in graph.leaves if won else wrong:
            assert f"{leaf.name}.grad = {digits(left[graph.index[leaf.name]])}" in words
        told = page.locator("#game-told .lost li").count()
        assert won == (told == 0)
    expect(page.locator("#game-about")).to_contain_text(f"Place the {len(visits)} calls in an order")


def test_the_order_game_follows_the_program(open_html: OpenHtml) -> None:
    """The game uses the program above it or another chosen one. A single operation has no game."""
    page = opened(open_html, *(replay(text, leaves=leaves) for text, leaves in PROGRAMS))
    titles = page.locator("#game-program option").all_inner_texts()
    assert [text for text, _ in PROGRAMS if text != "L = a * a"] == titles  # of these, one is the diamond

    page.get_by_role("button", name=PROGRAMS[3][0], exact=True).click()
    expect(page.locator("#game-cards button")).to_have_count(4)
    page.get_by_role("button", name="L = a * a", exact=True).click()
    expect(page.locator("#game-cards button")).to_have_count(4)
    page.locator("#game-program").select_option(label=PROGRAMS[2][0])
    expect(page.locator("#game-about")).to_contain_text("the gradient of a is 15")


def test_the_keyboard_alone_is_enough(open_html: OpenHtml) -> None:
    """Keys lead from the top of the page to the player, through the steps, to an edge, and through the game."""
    page = opened(open_html, replay("c = a + b; L = c * d", a=2, b=-3, d=10))
    press = page.keyboard.press

    press("Tab")
    assert "Skip to the replay" == page.evaluate("document.activeElement.textContent")
    for key, place in (("ArrowRight", "1 / 6"), ("End", "6 / 6"), ("ArrowLeft", "5 / 6"), ("Home", "0 / 6")):
        press(key)
        expect(page.locator("#place")).to_have_text(place)
    press("+")
    press("+")
    press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    expect(page.locator("#place")).to_have_text("6 / 6")
    expect(page.locator("#play")).to_have_text("Play")
    for _ in range(8):
        press("Tab")
        if page.evaluate("document.activeElement.classList.contains('edge')"):
            break
    expect(page.locator("#edge strong")).to_contain_text("Edge ")
    page.locator("#game-cards button").first.focus()
    for _ in range(3):
        press("Enter")
    assert "game-run" == page.evaluate("document.activeElement.id")
    press("Enter")
    expect(page.locator("#game-told .headline")).to_be_visible()

    page.get_by_label("Keys").uncheck()
    page.locator("#play").focus()
    press("Home")
    press("ArrowLeft")
    expect(page.locator("#place")).to_have_text("6 / 6")


def hostile(text: str) -> Replay:
    """Return a replay with a hostile text in each field that a learner can fill."""
    base = replay("c = a + b; L = c * c", "assigns", a=2, b=-3, title=text, source=SourceText(text, (text,) * 30))
    nodes = tuple(
        replace(node, name=f"{text}{i}", yours=replace(node.yours, grad=None, grad_text=text))
        for i, node in enumerate(base.nodes)
    )
    visits = tuple(
        replace(visit, changes=tuple(replace(c, after=None, after_text=text) for c in visit.changes))
        for visit in base.backward
    )
    problem = ReplayProblem(text, 3, "backward")
    return replace(base, nodes=nodes, backward=visits, program=text, problem=problem)


def test_hostile_text_stays_text(open_html: OpenHtml) -> None:
    """Names, code, titles and texts in place of numbers are shown as text."""
    evil = HOSTILE[0] + HOSTILE[3]
    landscape = replace(LANDSCAPE, title=evil, parameters=(evil,), program=evil)
    page = open_html(build_replay_page(Played(tuple(map(hostile, HOSTILE)), landscape)))

    for i, text in enumerate(HOSTILE):
        page.locator("#presets button").nth(i).click()
        to_the_end(page)
        page.locator("#graph .edge").first.focus()
        assert spelled(text) == page.locator("h1").inner_text()
        assert spelled(text) == page.locator("#source code").first.inner_text()
        content = page.evaluate("document.body.innerText")
        assert [] == [c for c in "\u202e\u2066\u2028\u200b\x1b\x00" if c in content]
    assert page.evaluate("window.ran === undefined")
    assert 0 == page.locator("img, iframe, object, embed, form, a:not([href^='#'])").count()


def test_the_walls_hold_without_the_care(browser: Browser, open_html: OpenHtml) -> None:
    """Even if text became markup, the browser would refuse to run it. Nothing is sent anywhere."""
    url = opened(open_html, replay("L = a * a", a=3)).url
    page = browser.contexts[-1].new_page()  # one whose console nobody listens to
    page.goto(url)
    page.wait_for_selector("body[data-ready]")

    refused = page.evaluate(
        """async () => {
            const seen = [];
            try { document.body.innerHTML = "<b>x</b>"; } catch (error) { seen.push(error.name); }
            const script = document.createElement("script");
            try { script.textContent = "window.ran = 1"; } catch (error) { seen.push(error.name); }
            document.body.append(script);
            seen.push(await fetch("http://192.0.2.1/").then(() => "sent", () => "refused"));
            return seen;
        }"""
    )
    assert ["TypeError", "TypeError", "refused"] == refused
    assert page.evaluate("window.ran === undefined")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.exhaustive)])
def test_axe_finds_nothing(open_html: OpenHtml, scheme: str) -> None:
    """axe finds no violation at the first difference, at an edge, on a landscape, on layers, and in a lost game."""
    wrong = replay("c = a + b; L = c * c", "assigns", a=2, b=-3)
    right = replay("L = a * a", a=3)
    layers = Thermometer("layers", "deep", {"x": 0.0}, ("x", "h1"), (0.25, 1.0), (0.5, 1.0), "torch")
    html = build_replay_page(Played((wrong, right), LANDSCAPE, (layers,)))
    page = open_html(html, color_scheme=scheme, reduced_motion="reduce")
    page.locator("#first-difference").click()
    page.locator("#graph .edge").first.focus()
    page.locator("#game-program").select_option(label="The diamond")
    play(page, "bcd")

    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then((result) => result.violations)")
    assert [] == [(v["id"], v["impact"], [node["html"][:150] for node in v["nodes"][:3]]) for v in found]


LONG = "L = ((((((((((a*b+c)*d+a)*b+c)*d+a)*b+c)*d+a)*b+c)*d+a)*b+c)*d+a)*b + ((a+b)*(c+d) - a*c)*(b+d) + a*a"
LONG_LEAVES = {"a": -0.123456, "b": 0.512345, "c": -1.712345, "d": 0.712345}
SCROLLED = (
    "[...document.querySelectorAll('.scroll, .graph, #source')].filter((box) => box.scrollWidth > box.clientWidth)"
)


def test_it_fits_a_phone(open_html: OpenHtml) -> None:
    """Nothing scrolls sideways at any step: neither the page nor a picture, a table or the code."""
    programs = (*PROGRAMS, (LONG, LONG_LEAVES))
    steps = tuple(Step((0.123456, -1.234567), 2.345678) for _ in range(3))
    landscape = replace(LANDSCAPE, parameters=("u", "v"), steps=steps, reference=steps, curve=())
    html = build_replay_page(
        Played(tuple(replay(text, "assigns", leaves=leaves) for text, leaves in programs), landscape)
    )
    page = open_html(html, viewport={"width": 390, "height": 844})

    page.locator("summary").first.click()
    for text, _ in programs:
        page.get_by_role("button", name=text, exact=True).click()
        for key in ("End", "ArrowLeft"):
            page.keyboard.press(key)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), text
            assert [] == page.evaluate(f"{SCROLLED}.map((box) => box.id || box.ariaLabel)"), text
    expect(page.locator("#play")).to_be_in_viewport()


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.exhaustive)])
def test_a_large_graph_is_drawn_as_rows(open_html: OpenHtml, width: int) -> None:
    """Its numbers are as large as the page's other text, and every node has a short name."""
    long = replay(LONG, leaves=LONG_LEAVES)
    page = opened(open_html, long, viewport={"width": width, "height": 800})

    page.keyboard.press("End")
    rows = page.locator("#graph .card .row").all_text_contents()
    assert len(long.nodes) == len(rows) > 30
    assert ["a", "b", "c", "d", "e = a * b", "f = e + c"] == rows[:6]
    assert max(map(len, rows)) < 14
    assert box_of(page.locator("#graph .card").first)["height"] >= 24


def test_motion_is_reduced_on_request(open_html: OpenHtml) -> None:
    """Nothing is animated if the reader asks for reduced motion."""
    page = opened(open_html, replay("L = a * a", a=3), reduced_motion="reduce")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert 2 == page.locator("#graph .edge.backward").count()
    assert 0 == page.evaluate("document.getAnimations().length")


def test_a_step_is_said(open_html: OpenHtml) -> None:
    """A live region describes the step, with the gradients before and after it."""
    page = opened(open_html, replay("L = a * b", a=2, b=3))
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status").first).to_have_text(
        "Step 3 of 4. L propagates its upstream gradient, 1. a.grad was 0, is 3; b.grad was 0, is 2"
    )


def test_numbers_that_are_not_finite_are_shown(open_html: OpenHtml) -> None:
    """A number that JSON cannot represent is None in the data. The page shows the text that stands for it."""
    base = replay("c = a * b; L = c * c", a=2, b=3)
    visits = tuple(
        replace(
            visit,
            upstream=None,
            upstream_text="inf",
            changes=tuple(replace(c, after=None, after_text="nan", amount=None) for c in visit.changes),
            expected=tuple(replace(row, local=None, amount=None) for row in visit.expected),
        )
        for visit in base.backward
    )
    page = opened(open_html, replace(base, backward=visits, first_difference=0, fault="contribution", fault_node=2))
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#now")).to_contain_text("L propagates its upstream gradient, inf")
    expect(page.locator('#numbers tr[data-node="2"] [data-field="grad"]')).to_have_text("nan")
    to_the_end(page)


def test_an_operation_made_of_others_is_shown_rule_by_rule(open_html: OpenHtml) -> None:
    """For a node without a name, the page says to which operation its rule belongs."""
    base = replay("L = a * b", a=2, b=3)
    (visit,) = base.backward
    inner = replace(visit, inner=True, changes=visit.changes[1:], expected=())
    page = opened(open_html, replace(base, backward=(replace(visit, changes=visit.changes[:1], expected=()), inner)))
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#now .headline")).to_have_text("A rule inside L propagates 1")
    expect(page.locator("#lead")).to_contain_text("Every gradient agrees")


def test_code_that_stops_early_says_so(open_html: OpenHtml) -> None:
    """The recorded steps can be viewed. The message with its line comes last."""
    base = replay("c = a + b; L = c * c", a=2, b=-3)
    stopped = replace(
        base, backward=base.backward[:1], problem=ReplayProblem("Your code raised KeyError.", 14, "backward")
    )
    page = opened(open_html, stopped)

    to_the_end(page)
    expect(page.locator("#lead")).to_contain_text("Your code raised KeyError.")
    expect(page.locator("#now .headline")).to_have_text("Your code raised KeyError.")
    expect(page.locator("#source .ran")).to_have_attribute("data-line", "14")
    assert CODE.splitlines()[13] == page.locator("#source .ran code").inner_text()


def test_a_landscape_is_walked(open_html: OpenHtml) -> None:
    """One parameter has a curve, two have a map, and more have only the loss. A table has every step."""
    steps = (Step((0.0, 1.0), 2.0), Step((0.5, 0.5), 0.5), Step((0.75, 0.25), 0.125))
    grid = Grid((0.0, 0.5, 1.0), (0.0, 0.5, 1.0), ((1.0, 0.5, 1.0), (0.5, 0.1, 0.5), (2.0, 1.0, None)))
    two = replace(LANDSCAPE, parameters=("u", "v"), steps=steps, reference=steps, curve=(), grid=grid)
    for landscape, charts in ((LANDSCAPE, 2), (two, 2), (replace(two, grid=None), 1)):
        page = open_html(build_replay_page(Played((), landscape)))
        assert charts == page.locator("#descent svg").count()
        page.locator("#descent-step").click()
        loss = landscape.steps[1].loss
        expect(page.locator("#descent-told")).to_contain_text(f"Step 1 of {len(landscape.steps) - 1}: loss {loss:g}")
        assert len(landscape.steps) == page.locator("#descent-table tbody tr").count()
        expect(page.locator("#replay")).to_be_hidden()


def test_a_language_model_is_shown(open_html: OpenHtml) -> None:
    """The page has the losses, the names, the probabilities, and what the learner's own engine gave."""
    trained = Trained((1.75, 1.0, 0.5), 0.8, "")
    rows = (Probabilities("..", (0.0, 0.25, 0.75)), Probabilities(".a", (1.0, 0.0, 0.0)))
    model = Model("17_names.py", ("an", "a"), ".an", 0.5, 1.0986, trained, rows, ("an", ""), Trained((), 0.0, "No."))
    page = open_html(build_replay_page(Played((), model=model)))
    expect(page.locator("#model-told")).to_have_text(
        "✓ 3 steps take the loss from 1.75 to 0.5. The loss of guessing is 1.0986."
    )
    expect(page.locator("#model-losses svg path")).to_have_count(2)
    expect(page.locator("#model-drawn li")).to_have_text(["an", "(an empty name)"])
    expect(page.locator("#model-drawn .new")).to_have_text("(an empty name)")
    expect(page.locator("#model-table tbody tr").first).to_have_text("..0.000.250.75")
    expect(page.locator("#model-own")).to_have_text("Your own engine from exercise 12 did not train the model: No.")
    answer = page.locator(".guess .answer")
    page.get_by_role("button", name="a", exact=True).click()
    expect(answer).to_have_text(
        "After .., the model gives a the probability 0.25. The most probable letter is n, with 0.75."
    )
    page.select_option("#model-context", ".a")
    expect(answer).to_be_empty()
    page.get_by_role("button", name=".", exact=True).click()
    expect(answer).to_have_text("After .a, the model gives . the probability 1.00. It finds no letter more probable.")
    for part in ("#game", "#descent", "#replay"):
        expect(page.locator(part)).to_be_hidden()
    for own, words in (
        (trained, "0.8 s, to the loss 0.5. The losses are those"),
        (Trained((1.75, 0.9, 0.4), 2, ""), "step 2."),
    ):
        page = open_html(build_replay_page(Played((), model=replace(model, own=own))))
        expect(page.locator("#model-own")).to_contain_text(words)
    stopped = replace(model, trained=Trained((), 0.1, "Your code raised KeyError."), rows=(), drawn=(), own=None)
    page = open_html(build_replay_page(Played((), model=stopped)))
    expect(page.locator("#model-told")).to_have_text("! Your code raised KeyError.")
    for part in ("#model-results", "#model-losses", "#model-own"):
        expect(page.locator(part)).to_be_hidden()


def test_a_transformer_is_shown(open_html: OpenHtml) -> None:
    """The page says how many words there are, and draws what each head looks at. It fits a phone."""
    words = ("an", "ana", "na", "nana")
    rows = tuple(Probabilities(context, (0.02,) * 27) for context in (".", ".a", ".an"))
    seen = ((1.0, 0.0, 0.0), (0.25, 0.75, 0.0), (0.1, 0.2, 0.7))
    trained = Trained((3.5, 2.5), 0.8, "")
    letters = "." + string.ascii_lowercase
    model = Model("27_transformer.py", words, letters, 0.05, 3.2958, trained, rows, ("ann", "na"), None)
    model = replace(model, pairs=0.75, together=2, attention=Attention(".an", (seen, seen)))
    page = open_html(build_replay_page(Played((), model=model)), viewport={"width": 390, "height": 844})
    expect(page.locator("#model-about")).to_have_text(
        "It learns from 4 words, such as an, ana and na, at the learning rate 0.05. Each step has the loss on the next "
        "2 of them. Dashed: the loss of guessing, and 0.75, the loss of the best bigram model of these words."
    )
    expect(page.locator("#model-losses svg path")).to_have_count(3)
    expect(page.locator("#model-drawn .new")).to_have_text("ann")
    expect(page.locator(".heads caption")).to_have_text(["Head 1", "Head 2"])
    expect(page.locator(".heads tbody").first.locator("tr")).to_have_text([".1.00", "a0.250.75", "n0.100.200.70"])
    expect(page.locator("#replay")).to_be_hidden()
    assert 390 == page.evaluate("document.documentElement.scrollWidth")
    # a number stays in one line
    assert page.locator("#model-table td").first.bounding_box()["height"] < 40
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert [] == page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")


@pytest.mark.parametrize(
    ("landscape", "words"),
    [
        (
            replace(LANDSCAPE, steps=(Step((0.0,), 4.0), Step((-1.0,), 9.0))),
            "≠ At step 1 of your training, w is −1; correct gradient descent has 1. "
            "Your training takes the loss from 4 to 9, and correct gradient descent to 1.",
        ),
        (
            replace(LANDSCAPE, **dict.fromkeys(("steps", "reference"), (Step((0.0,), 4.0), Step((5.0,), 9.0)))),
            "! Every step of your training agrees with correct gradient descent. "
            "At this learning rate, it takes the loss from 4 to 9.",
        ),
        (LANDSCAPE, "✓ Every step of your training agrees with correct gradient descent."),
    ],
)
def test_a_training_is_judged_by_its_steps(open_html: OpenHtml, landscape: Landscape, words: str) -> None:
    """Right gradients do not make a training right. The page begins with the training, at the first wrong step."""
    page = open_html(build_replay_page(Played((replay("L = (w - 2) ** 2", w=0),), landscape)))

    expect(page.locator("#lead")).to_contain_text(words)
    expect(page.locator("#lead")).to_contain_text("Before the first step: Every gradient agrees with torch’s.")
    expect(page.locator("#descent-verdict")).to_contain_text(words)
    expect(page.locator("#descent-told")).to_contain_text(f"Step {int(words.startswith('≠'))} of 1")


@pytest.mark.parametrize(
    ("yours", "words", "off"),
    [
        ((0.25, 0.5, 1.0), "✓ The gradient of x is 0.25 times as large as that of h2.", 0),
        ((0.125, 0.5, 1.0), "≠ The gradient of x has the size 0.125; torch’s is 0.25.", 1),
        ((None, 0.5, 1.0), "≠ The gradient of x is not a number; torch’s is 0.25.", 1),
        ((0.0, 0.0, 1.0), "≠ The gradient of x has the size 0; torch’s is 0.25.", 2),
    ],
)
def test_a_thermometer_shows_the_gradients_of_layers(
    open_html: OpenHtml, yours: tuple[float | None, ...], words: str, off: int
) -> None:
    """Each layer has a bar and a row, and a bar of the wrong size is marked. A page without replays begins with it."""
    right = (0.25, 0.5, 1.0)
    one = Thermometer("layers", "deep", {"x": 0.0, "w": 0.5}, ("x", "h1", "h2"), yours, right, "torch")
    page = open_html(build_replay_page(Played((), None, (one,))))
    expect(page.locator("#lead")).to_have_text(words)
    expect(page.locator("#thermometers .headline")).to_have_text(words)
    expect(page.locator("#thermometers .bar")).to_have_count(3)
    expect(page.locator("#thermometers .bar.off")).to_have_count(off)
    expect(page.locator("#thermometers tbody tr")).to_have_count(3)
