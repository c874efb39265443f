"""Takes forged answers through the whole trusted side: decoder, checks, diagnosis, scoring, report, views, exports.

Used by test_bounds.py, which also runs it as a script: then the process may take `MEMORY` bytes more of address space
(RLIMIT_AS) than it has after an honest submission, while it is told whatever a forger may say.
"""

import contextlib
import json
import os
import resource
import runpy
import string
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.base.text import Style
from grader.checks import CheckFailed, EngineUnderCheck
from grader.classes.cohort import ROSTER, summarise
from grader.classes.feedback import feedback_page
from grader.classes.page import build_page, render_cohort
from grader.course.facts import FaultFact
from grader.course.load import Check, Course, Exercise, Limits, load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import AnswerBook, read_book
from grader.program import Program
from grader.runner.client import (
    Batch,
    Died,
    Loaded,
    LoadFailed,
    NotStarted,
    Problem,
    Ran,
    Refused,
    bounds,
    cut_output,
    decode_source,
)
from grader.runner.client.protocol import decode_batch, decode_load
from grader.runner.worker.confine.framing import HEADER
from grader.verdict import grading
from grader.verdict.checks.judging import Runner
from grader.verdict.checks.outcome import CheckOutcome, EngineShape, Finding, attribute_name, gradient_name, stopped
from grader.verdict.checks.session import CheckSession
from grader.verdict.diagnosis import behaviour, pass_probes
from grader.verdict.formats.registry import ExportRequest, export_formats, run_formats
from grader.verdict.grading import FileState, Grader, Submission, grade_submission, score
from grader.verdict.grading.scoring import Checked, check_result
from grader.verdict.report import Report, for_learner, read_report, to_json
from grader.verdict.terminal import render

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 300 << 20
REPORT = (33 << 10) * sum(len(exercise.checks) for exercise in load_course(ROOT).exercises)  # bytes
PAGE = 3 * REPORT  # bytes of a feedback page, which shows code too
LONG_RULE = 60_000  # lines of a rule, which the sources with the most lines have
LINES = 300  # of a terminal, for one exercise: with --all, the reasons do not count among the ten lines of a check
CASES = int(os.environ.get("BACKWARD_FUZZ_CASES", "12"))  # of checks that are lied to; of whole submissions a twelfth
READING = ["Value", "data", "grad", "_prev", "closure", "_backward", False]
TOKEN = (-1.2345678901234567e-300).hex()
# what is long in memory, in a report, on a terminal, or on a page
ALPHABET = ("x", "é", "中", "😀", "\x1b", "\u2028", "\x0c", ":", "<", "\U000e0041", "\U0010ffff", '"', "x\n", "中\n")
Body = Callable[[Batch], bytes]


# -- what a forger says ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Lies:
    """A source for every exercise, and what its process answers and prints."""

    source: str = ""
    load: bytes = b'["loaded"]'
    body: Body = lambda batch: b'["unread",["reading","shape","no_class","",[]]]'
    printed: str = ""


class Forged:
    """In the place of an `EngineProcess`: reads what `lies` say as the real one reads what a process says."""

    fresh = True
    shared = False
    attempts = ()
    limited = False

    def __init__(
        self,
        lies: Lies,
        warm: Any,
        source: Any,
        stub: str | None,
        limits: Limits,
        budget: Any = None,
        *,
        apart: bool = False,
    ) -> None:
        self.lies, self.limits = lies, limits

    def restart(self) -> None:
        pass

    @classmethod
    def telling(cls, lies: Lies, limits: Limits) -> "Forged":
        return cls(lies, None, None, None, limits)

    def load(self) -> Loaded | NotStarted | LoadFailed:
        try:
            loaded = decode_load(_framed(self.lies.load))
        except Refused as refusal:
            return LoadFailed(Died("protocol_error", detail=str(refusal)))
        if isinstance(loaded, Problem):
            return LoadFailed(loaded, self._output())
        return Loaded(self._output()) if loaded else NotStarted()

    def run(self, batch: Batch, alone: bool = False) -> Ran:
        frame = _framed(self.lies.body(batch))
        if len(frame) > batch.answer_cap:
            return Ran(Died("answer_too_large", limit_kb=batch.answer_cap >> 10), self._output(), 0.0)
        try:
            return Ran(decode_batch(frame, batch), self._output(), 0.0)
        except Refused as refusal:
            return Ran(Died("protocol_error", detail=str(refusal)), self._output(), 0.0)

    def _output(self) -> str:
        return cut_output(self.lies.printed, self.limits.output_kb)

    def __enter__(self) -> "Forged":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Asked:
    """In the place of a process: keeps the programs, and runs nothing."""

    shared = False

    def __init__(self, programs: list[Program]) -> None:
        self.programs = programs

    def run(self, batch: Batch, alone: bool = False) -> None:
        self.programs += [run.program for run in batch.runs]


def _framed(body: bytes) -> bytes:
    return HEADER.pack(len(body)) + body


def repeated(item: bytes, size: int) -> bytes:
    """A list of one item again and again, of about so many bytes."""
    return b"[" + (item + b",") * max(0, size // (len(item) + 1) - 1) + item + b"]"


def names(count: int) -> bytes:
    """Numbers that are none, each of another type."""
    text = bytearray(b'["!a"')
    for letters in islice(product(string.ascii_letters.encode(), repeat=4), count - 1):
        text += b',"!%c%c%c%c"' % letters
    return bytes(text + b"]")


HERE = "@here@"
FILLERS: dict[str, Callable[[int, int], bytes]] = {
    "small indices": lambda size, values: repeated(b"1", min(size, 2 * values)),
    "large indices": lambda size, values: repeated(b"9999999", min(size, 8 * values)),
    "odd numbers": lambda size, values: repeated(b'"!a"', min(size, 5 * values)),
    "odd numbers of many types": lambda size, values: names(min(size // 8, values, 1_000_000)),
    "numbers": lambda size, values: repeated(b'"nan"', min(size, 6 * values)),
    "runs of closures": lambda size, values: repeated(b"[0,[]]", min(size, 7 * values // 4)),
    "what closures added": lambda size, values: b"[[0," + repeated(b'[0,"!a"]', min(size, 9 * values // 3)) + b"]]",
    "outcomes": lambda size, values: repeated(b"null", min(size, 5 * values)),
    "results": lambda size, values: repeated(b'["nothing"]', min(size, 12 * values // 2)),
    "one text": lambda size, values: b'"' + b"\\u4e2d" * (size // 6 - 1) + b'"',
    "one text of many bytes": lambda size, values: '"😀'.encode() + b"x" * (size - 10) + b'"',
    "digits": lambda size, values: b"9" * size,
    "brackets": lambda size, values: b"[" * size,
    "blanks": lambda size, values: b" " * (size - 1) + b"1",
}
# where in an answer something is put: a step's result, a run's outcome, a seed, or a part of a problem or a reading
PLACES = (
    *("nodes", "numbers", "trace", "values", "kind of result", "result", "outcome", "seed", "answer"),
    *("message", "lines", "name"),
)
# what fits where, and is decoded then, or takes most before it is refused
NATURAL = {
    "nodes": ("small indices", "large indices", "digits", "brackets", "blanks"),
    "numbers": ("numbers", "odd numbers", "odd numbers of many types"),
    "values": ("odd numbers of many types",),
    "trace": ("runs of closures", "what closures added"),
    "kind of result": ("one text of many bytes",),
    "seed": ("outcomes",),
    "message": ("one text", "one text of many bytes"),
    "lines": ("small indices",),
    "answer": ("brackets", "digits"),
}
# the checks with the largest batches of each kind
LARGE, HUGE = ("backward.each_rule_once", "engine.random_graphs"), "build_topo.long_chain"


def answer(batch: Batch, place: str, message: str = "no", lines: Sequence[int] = (1, 2, 3, 4)) -> bytes:
    """An answer of the right shape to a batch, in which `HERE` stands in one place."""
    problem = [
        "backward",
        "raised",
        HERE if place == "name" else "ValueError",
        HERE if place == "message" else message,
        HERE if place == "lines" else list(lines),
    ]
    seeds: list[Any] = []
    for _ in batch.order_seeds:
        outcomes: list[Any] = []
        for run in batch.runs:
            results = [_result(step.name, len(run.program.nodes), place) for step in run.steps]
            if place in ("message", "lines", "name"):
                outcomes.append(["broke", [], problem])
            else:
                outcomes.append(HERE if place == "outcome" else ["done", results])
        seeds.append(HERE if place == "seed" else outcomes)
    return json.dumps(["read", READING, HERE if place == "answer" else seeds]).encode()


def _result(step: str, nodes: int, place: str) -> Any:
    if place == "result":
        return HERE
    if step in ("values", "grads"):
        return [HERE if place == "kind of result" else step, HERE if place == "values" else [TOKEN] * nodes]
    if step == "traced":
        return ["trace", HERE if place == "trace" else []]
    if step == "inputs":
        return ["inputs", [[]] * nodes]
    if step == "given_list":
        return ["called", None, list(range(nodes))]
    if step == "given_numbers":
        return ["called", []]
    if step == "rule":
        return ["rule", "own", True, 1, LONG_RULE]
    if step == "train":
        return ["called"]
    if step == "call":
        if place == "numbers":
            return ["called", HERE]
        return ["called", None, HERE if place == "nodes" else list(range(nodes))]
    return ["nothing"]


def filled(batch: Batch, place: str, filler: str, share: float = 1.0) -> bytes:
    """An answer that is as large as the batch allows, for there is very much of `filler` in one place, or a little in
    each of many."""
    body = answer(batch, place)
    marked = json.dumps(HERE).encode()
    times = body.count(marked)
    if not times:
        return body
    room = (batch.answer_cap - len(body) - HEADER.size) // times + len(marked)
    left = batch.most_values - body.count(b",") - body.count(b"[")
    return body.replace(marked, FILLERS[filler](max(20, room), max(1, int(share * left / times) - 2)))


def spliced(batch: Batch, place: str, part: "Tree") -> bytes:
    """An answer with `part` in every place of a kind, or in the first alone if it is long."""
    text = part.text()
    return answer(batch, place).replace(json.dumps(HERE).encode(), text, 1 if len(text) > 1 << 16 else -1)


def failing(batch: Batch, message: str, lines: Sequence[int] = (1, 2, 3, 4)) -> bytes:
    """An answer by which every program raised an exception."""
    return answer(batch, "name", message, lines).replace(json.dumps(HERE).encode(), b'"ValueError"')


def wrong(batch: Batch) -> bytes:
    """An answer in which all is there, orders are right, and numbers wrong."""
    return answer(batch, "")


def late(body: Body) -> Body:
    """The same, said to huge batches alone: where they come last, those before them are answered rightly."""
    return lambda batch: body(batch) if len(batch.order_seeds) == 1 else wrong(batch)


def source_of(text: str, lines: bool) -> str:
    """As much source as may be handed in: one line of 200,000 characters, or of lines as many as there is room for."""
    if not lines:
        most = min(200_000, (256 << 10) // len(text.encode()))
        return (text * most)[:most]
    return (text.rstrip("\n") + "\n") * ((256 << 10) // (len(text.rstrip("\n").encode()) + 1))


characters = st.sampled_from(ALPHABET)
sources = st.builds(lambda text, lines: partial(source_of, text, lines), characters, st.booleans()) | st.text(
    max_size=300
).map(lambda text: partial(str, text))
line_numbers = st.lists(st.sampled_from([1, 2, 100, 200_000, 10_000_000]), min_size=0, max_size=4)
messages = characters.map(lambda c: c * 300) | st.text(max_size=300)
depths = st.integers(0, 3)
leaves = st.sampled_from(
    [b"1", b"-1", b'"nan"', b'"!a"', b"null", b'"done"', b'"nodes"', b'"same"', b"1e999", b'"\\ud800"', b'"' * 2]
)


@dataclass(frozen=True)
class Tree:
    """What JSON of any size is made from: Hypothesis keeps what it draws, so nothing large is drawn."""

    parts: "tuple[bytes | Tree, ...]"
    size: int = 0  # of a list in which the one part is repeated, in bytes
    depth: int = 0  # lists around it

    def text(self) -> bytes:
        texts = [part if isinstance(part, bytes) else part.text() for part in self.parts]
        inner = repeated(texts[0][: 1 << 16], self.size) if self.size else b"[" + b",".join(texts) + b"]"
        return b"[" * self.depth + inner + b"]" * self.depth


trees: st.SearchStrategy[Tree] = st.recursive(
    leaves.map(lambda leaf: Tree((leaf,))),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda parts: Tree(tuple(parts)))
        | st.builds(lambda item, size: Tree((item,), size), inner, st.sampled_from([10**3, 10**5]))
    ),
    max_leaves=6,
)
trees |= st.builds(lambda item, depth: Tree((item,), 10**7, depth), trees, depths)


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    """What may be said to every batch."""
    place = draw(st.sampled_from(PLACES))
    how = draw(st.sampled_from(["filled", "spliced", "failing", "wrong"]))
    if how == "filled":
        filler, share = draw(st.sampled_from(list(FILLERS))), draw(st.sampled_from([1.0, 1.1, 100.0]))
        said: Body = partial(filled, place=place, filler=filler, share=share)
    elif how == "spliced":
        said = partial(spliced, place=place, part=draw(trees))
    elif how == "failing":
        said = partial(failing, message=draw(messages), lines=draw(line_numbers))
    else:
        said = wrong
    return late(said) if draw(st.booleans()) else said


def refusal(kind: str, message: str, line: int, times: int) -> bytes:
    return json.dumps(["failed", ["load", kind, "X", message, [line] * times]]).encode()


@st.composite
def loads(draw: st.DrawFn) -> Callable[[], bytes]:
    """What may be said to a request to load a file."""
    kind = draw(st.sampled_from(["raised", "syntax", "module"]))
    times = draw(st.sampled_from([0, 1, 4, 32_000]))
    return partial(refusal, kind, draw(messages), draw(st.sampled_from([1, 2])), times)


loaded = st.just(partial(bytes, b'["loaded"]'))


@dataclass(frozen=True)
class Recipe:
    """What `Lies` are made from, without what is large in them."""

    source: Callable[[], str]
    load: Callable[[], bytes]
    body: Body
    letter: str  # of what is printed

    def lies(self) -> Lies:
        return Lies(self.source(), self.load(), self.body, self.letter * (256 << 10))


recipes = st.builds(Recipe, sources, loaded | loads(), bodies(), characters)


# -- the trusted side -----------------------------------------------------------------------------


class TrustedSide:
    """The course, its answers, and everything that is made of a submission."""

    def __init__(self) -> None:
        self.course: Course = load_course(ROOT)
        self.book: AnswerBook = read_book(self.course.book)
        self.results = Path(tempfile.mkdtemp(prefix="backward-results-"))
        (self.results / ROSTER).write_text("Identifier,Full name,Grade,Last modified (grade),Feedback comments\n")
        self.told = self.course.details

        self.oracle = Oracle(self.book, None)  # knows all answers: nothing is computed
        self.session = CheckSession(self.course, self.course.exercises).__enter__()  # until this process ends
        self.checks = dict(self._checks())

    def _checks(self) -> Iterator[tuple[str, Callable[[EngineUnderCheck], None]]]:
        for exercise in self.course.exercises:
            for function in runpy.run_path(str(self.course.hidden_test(exercise))).values():
                if hasattr(function, "check_id"):
                    yield f"{exercise.id}.{function.check_id}", function

    def _engine(self, name: str, runner: Runner, source: str = "") -> EngineUnderCheck:
        seed = f"{self.course.seed}:{name.replace('.', ':')}"
        return EngineUnderCheck(runner, self.oracle.answers, source, self.course.limits, seed)

    def check(self, name: str, lies: Lies) -> bytes:
        """What one check finds in a file that tells these lies, as JSON, and its behaviour."""
        engine = self._engine(name, Forged.telling(lies, self.course.limits), lies.source)
        found = Finding("failed")
        try:
            self.checks[name](engine)
        except CheckFailed as failed:
            found = failed.finding
        looks = behaviour({name: engine.shown}).programs
        return msgspec.json.encode([found, engine.output, looks])

    def report(self, lies: Lies) -> Report:
        """The report on a submission whose every file tells these lies."""
        exercises = self.course.exercises
        sources = {e.id: decode_source(Path(e.filename), lies.source.encode()) for e in exercises}
        submission = Submission(sources, grading.stamp_of("mallory", sources))
        warm: Any = SimpleNamespace(tier="process", allow={})
        grader = Grader(self.course, self.book, self.session, self.oracle, warm, self.course.seed)
        return grade_submission(msgspec.structs.replace(grader, process=partial(Forged, lies)), submission)

    def longest(self) -> Report:
        """A report in which every check says as much as any check of the course can say."""
        programs: list[Program] = []
        for name, function in self.checks.items():
            function(self._engine(name, Asked(programs)))
        nodes = [(asked, node.name) for asked in programs for node in asked.nodes]
        labels = [label for asked, name in nodes for label in (gradient_name(asked, name), attribute_name(name))]
        rows: dict[str, float | str] = dict.fromkeys(sorted(set(labels), key=len)[-3:], -1.2345678901234567e-300)
        problem = Problem("backward", "raised", "x" * bounds.NAME, "\U000e0041" * bounds.MESSAGE, [1, 2, 3, 4])
        raised = stopped(problem, ("\U000e0041" * (16 << 10) + "\n") * 4)
        program = max((asked.shown for asked in programs), key=len)
        finding = Finding("failed", program, rows, dict.fromkeys(rows, "a " + "x" * bounds.NAME), stopped=raised)
        output = cut_output("\x1b" * (256 << 10), self.course.limits.output_kb)
        shape = EngineShape(*["x" * bounds.NAME] * 4)
        known = chain.from_iterable(known.misconceptions for known in self.book.known.values())
        # the programs of facts are the grader's own
        asked_for = max((run.program.shown for run in pass_probes(self.course.limits).runs), key=len)
        rules = [(at, at + LONG_RULE) for at in range(1, 40_001, 1_000)]
        facts = [FaultFact("ran_early", lines=rule, program=asked_for, node="a * b", other="L") for rule in rules]
        longest = max(known, key=lambda one: len(one.title + one.explanation))

        def failed(exercise: Exercise, check: Check) -> Checked:
            outcome = CheckOutcome(exercise.id, check.id, "failed", 1.0, output, finding, shape)
            return Checked(outcome, check_result(exercise, check, outcome))

        results = tuple(
            score(
                exercise,
                FileState("loaded", "x" * 4_096),
                {check.id: failed(exercise, check) for check in exercise.checks},
                {check.id: longest for check in exercise.checks},
                facts,
            )
            for exercise in self.course.exercises
        )
        return msgspec.structs.replace(self.report(Lies()), exercises=results)

    def show(self, report: Report) -> dict[str, int]:
        """Make everything that is made from a report.

        Returns the bytes of its JSON and of its feedback page, and the lines of its longest exercise.
        """
        data = to_json(report)
        assert to_json(read_report(data)) == data
        told = for_learner(report, self.told)
        lines = 0
        for exercise in report.exercises:
            alone = msgspec.structs.replace(report, exercises=(exercise,))
            lines = max(lines, len(render(alone, self.course.title, everything=True).splitlines()))
        for shown in (report, told):
            render(shown, self.course.title)
            render(shown, self.course.title, everything=True, style=Style(color=True))
        summary = summarise(self.course, [report], {})
        render_cohort(summary)
        build_page(summary, [report])
        forms = {**export_formats(), **run_formats()}.values()
        request = ExportRequest(
            results=self.results,
            assignment="Backward",
            title=self.course.title,
            details=self.told,
            hints=self.course.hints,
            variables=dict.fromkeys([name for form in forms for name in form.variables], "1"),
        )
        for form in forms:
            for _ in (
                *(form.text([report], request) if form.text else ()),
                *(form.files([told], request) if form.files else ()),
                *(form.printed(told, request) if form.printed else ()),
            ):
                pass
        page = len(self._page(told).encode())
        return {"bytes": len(data), "lines": lines, "page": page}

    def _page(self, told: Report) -> str:
        """The feedback page, with files of as many lines as there may be."""
        code = {exercise.id: "<\n" * (128 << 10) for exercise in told.exercises}
        return feedback_page(told, self.course.title, code, self.course.hints)


def main() -> None:
    """Try lies on the whole of it within `MEMORY`; say by how much the process has grown, and how large all was."""
    side = TrustedSide()
    side.show(side.report(Lies(body=wrong)))  # whatever is imported when it is first used
    largest = {"bytes": 0, "lines": 0, "page": 0}
    tried = settings(
        database=None,
        deadline=None,
        derandomize="BACKWARD_FUZZ_CASES" not in os.environ,
        suppress_health_check=list(HealthCheck),
    )

    def show(said: Lies) -> None:
        found = side.show(side.report(said))
        largest.update({name: max(size, largest[name]) for name, size in found.items()})

    @settings(tried, max_examples=CASES // 12)
    @given(recipes)
    def submissions(drawn: Recipe) -> None:
        show(drawn.lies())

    @settings(tried, max_examples=CASES)
    @given(st.sampled_from(sorted(side.checks)), recipes)
    def checks(name: str, drawn: Recipe) -> None:
        side.check(name, drawn.lies())

    with memory(MEMORY) as grown:
        for text in ("中\n", "\x1b"):  # most in memory, and in a report
            show(
                Lies(source_of(text, "\n" in text), body=partial(failing, message=text[0] * 300), printed=text * 99_999)
            )
        for place, fillers in NATURAL.items():
            for filler in fillers:
                most: Body = partial(filled, place=place, filler=filler)
                more: Body = partial(filled, place=place, filler=filler, share=100.0)
                for body in (most, more):
                    side.check(HUGE, Lies(body=late(body)))
                for name in LARGE:
                    side.check(name, Lies(body=most))
        checks()
        submissions()
    print(json.dumps({**largest, "grown": grown()}))


@contextlib.contextmanager
def memory(most: int) -> Iterator[Callable[[], int]]:
    """Let this process take `most` bytes more; gives what says how much more it has held at once."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + most, hard))
    yield lambda: (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    sys.exit(main())
