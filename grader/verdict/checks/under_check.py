"""The `engine` fixture of hidden tests. Its methods run programs, and fail unless the results are as expected."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from time import perf_counter
from typing import Any, Protocol, TypeAlias

from msgspec import Struct, structs

from ...base.text import counted, did_you_mean
from ...course.load import Limits
from ...course.oracle import Answer, Redraw
from ...course.program import FUNCTIONS, NOTHING, OPERATIONS, Descent, Leaf, Program, Question, number_text, program
from ...course.remarks import (
    AfterCall,
    BuiltAgain,
    Cleared,
    DataChanged,
    DependsOnOrder,
    Fault,
    HoldsInput,
    InPlace,
    IntLeaves,
    NeverRan,
    NoGradientChanged,
    NoRules,
    NotCalled,
    NothingStored,
    NoTruth,
    NumbersChanged,
    OnesAtFirst,
    Released,
    Remark,
    RightRefused,
    RulesRunAgain,
    RuleTripled,
    SecondPass,
    SeedChanged,
    StartingFrom,
    Unnoticed,
)
from ...runner.client import Batch, Broke, Called, Died, Done, Odd, Problem, Ran, Read, Reading, Reason, Run
from .hidden_tests import ArgumentError, checks_arguments
from .outcome import (
    CheckFailed,
    ExpectedBy,
    close,
    compare_grads,
    compare_list,
    compare_returned,
    compare_untouched,
    compare_values,
    exact,
    fail,
    fail_for,
    gradient_name,
    judge_topological,
    judge_trace,
    largest,
    miscounted,
    not_called,
    shown,
    trace_disorder,
)
from .questions import (
    Questions,
    Shown,
    aimed,
    is_played,
    lacks,
    layers,
    left_out,
    not_offered,
    outline,
    parsed,
    start,
)

_ORDER_SEEDS = (0, 1, 2, 3)
_HUGE = 1_000
_MOST_TRAINED = 10_000  # nodes that all steps of a training build, if it is run under every order seed
_GIVEN_NUMBERS = ("given_numbers",)
_LEAST_ERROR = 2e-4  # of a wrong gradient that a function has to notice
_AT_FIRST = 0.5  # the gradient of each leaf before a function is called
_HUGE_SEED = 2  # mixes the inputs of a node with their users
Notes: TypeAlias = tuple[DependsOnOrder, ...]  # additional remarks on an outcome
JudgeOutcome: TypeAlias = Callable[[Done | Broke, Notes], None]
Measure: TypeAlias = Callable[[list[float], list[float]], float | list[float]]  # of values and gradients
Judge: TypeAlias = Callable[[int, Done | Broke, Notes], None]  # with the index of the run
Table: TypeAlias = Callable[..., tuple[float, ...]]  # of torch's gradients of the leaves


class GivenPass(Struct, frozen=True):
    """A function of nodes with a backward pass, which is handed to a learner's function as data.

    Attributes:
        on: The program that the function computes from its leaves. The function has an argument for each leaf.
        fault: The fault of the backward pass; None if it gives torch's gradients.
        by: Returns its gradients of the leaves, from torch's; None if they are torch's.
    """

    on: Program
    fault: Fault | None = None
    by: Table | None = None


class _Gradients(Struct, frozen=True):
    """The gradients of the leaves for a call of `tells_apart`: the right ones, and those that the given function gives.

    Attributes:
        worst: The leaf with the largest error.
    """

    right: list[float]
    given: list[float]
    worst: int


class _OwnLimits(Struct, frozen=True):
    """The limits that a check has in place of the course's: calls, and CPU seconds, which may be `measured`."""

    calls: int | None = None
    cpu_s: float | None = None
    measured: bool = False


_COURSE_LIMITS = _OwnLimits()


class Runner(Protocol):
    """Run the batches of one check on a learner's engine."""

    @property
    def shared(self) -> bool:
        """Return whether a batch of the check ran in a process that had run another batch before."""

    def run(self, batch: Batch, alone: bool = False) -> Ran | None:
        """Run a batch, in a fresh process if it must be `alone`. Return None if the check is only planned."""


@checks_arguments
class EngineUnderCheck:
    """A learner's engine in one check.

    Every method sends its programs as one batch. The file is run again, and the batch is executed under every order
    seed. `CheckFailed` is raised for the first program, smallest first, with a wrong result under any order seed.
    Programs are given as texts with the values of their leaves, or as `Program`s.

    Args:
        runner: Runs the batches.
        answers: Returns the oracle's answers.
        source: The text of the learner's file.
        limits: The course's limits.
        seed: The seed of fresh programs.
        redraw: Changes the numbers of programs and the numbers sent with them to others of the same kind, so that no
            answer can be known in advance.
        clock: Returns a time in seconds, from which the duration of the check is computed.
        to_the_end: Whether a wrong result raises no error. `shown` then has the results.

    Attributes:
        failing: The run on which the check failed; None if it was not a single run.
        shown: The batches with their answers.
        screen: What an edited file is tried on first; None if the check passed, or failed on no single batch.
    """

    def __init__(
        self,
        runner: Runner,
        answers: Callable[[Sequence[Question]], list[Answer]],
        source: str,
        limits: Limits,
        seed: str,
        redraw: Redraw | None = None,
        *,
        to_the_end: bool = False,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.clock = clock
        self._runner = runner
        self._to_the_end = to_the_end
        self._charged_elsewhere: tuple[str, ...] = ()
        self._oracle = answers
        self._source = source  # not its lines, which may take thirty times the memory in every check
        self._limits = limits
        self._questions = Questions(seed, redraw)
        self._shrinking = False  # whether other programs are run to explain a failure (see `_aside`)
        # the number of judged programs, and their calls of methods; the programs that could not be built
        self._judged = 0
        self._built: set[tuple[str, bool]] = set()
        self._absent: list[tuple[Program, Problem]] = []
        self.comparisons = 0
        self.output: list[str] = []
        self.shown: list[Shown] = []
        self.failing: Run | None = None
        self.screen: Screen | None = None
        self.reading: Reading | None = None
        self.left_out = False

    def finish(self) -> None:
        """End the check.

        Raises:
            CheckFailed: the engine lacks an operation that every program of the check needs, or lacks it in one
                program and has it in another. An operation that uses a missing one counts as missing.
        """
        for about, problem in self._absent:
            calls = {call for call in about.calls if call[0] == problem.user}
            # a method may use the missing one for nodes only, and not for numbers
            elsewhere = calls <= self._built if calls else problem.method in {method for method, _ in self._built}
            if not self._judged or elsewhere:
                fail_for(problem, self._source)

    # -- the methods for checks ---------------------------------------------------------------

    @property
    def replayable(self) -> bool:
        """Return whether `grade play` can show the run that failed, or layers. It cannot if programs are redrawn."""
        if self.failing is None or self._questions.redraws:
            return False
        return is_played(self.failing) or any(layers(run.program) for batch in self.shown for run in batch.runs)

    @property
    def not_run(self) -> list[str]:
        """Return the methods that were not called because they need an argument."""
        methods = {problem.method for _, problem in self._absent if problem.kind == "wants_argument"}
        return [method for method in FUNCTIONS if method in methods]

    def charged_elsewhere(self, *operations: str) -> None:
        """Skip programs of this check that contain one of these operations if the engine does not define it.

        Another check tests the operation, so that a missing operation costs points once. The same is true if the
        engine defines the operation, but its method uses another of these operations, which the engine does not
        define. A check fails if all its programs are skipped.

            engine.charged_elsewhere("sub", "relu")
        """
        for operation in operations:
            if operation not in OPERATIONS:
                near = did_you_mean(operation, OPERATIONS)
                raise ArgumentError(f"charged_elsewhere: there is no operation `{operation}`{near}")
        self._charged_elsewhere = operations

    def agrees(
        self,
        *programs: str | Program,
        where_offered: bool = False,
        inner: bool = False,
        whole: bool = False,
        in_place: bool = False,
        **leaves: float,
    ) -> None:
        """Check that after `backward()` on the root every node has torch's value and torch's gradient.

            engine.agrees("L = a * a", a=3)

        Args:
            where_offered: Whether optional operations may be missing: plain numbers (other than exponents), and
                the functions that the table of operations calls optional. The engine may lack the function or the
                reflected operator. It may refuse a number on the right with an exception while building.
            inner: Whether the gradients of operations are checked too. Otherwise the pass may set them back to 0.
            whole: Whether leaves that are whole numbers are given as ints.
            in_place: Whether programs are built with `+=` and the other operators of this form.
        """
        asked = self._questions.programs(programs, leaves)
        answers = self._answers(asked)
        # values twice, because the pass must not change them
        steps = (("values",), ("backward",), ("grads",), ("values",))
        runs = [Run(p, aimed(p, *steps), whole, in_place) for p in asked]
        built: tuple[Remark, ...] = (*[IntLeaves()] * whole, *[InPlace()] * in_place)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            remarks = (*built, *notes)
            if outcome.values:
                # wrong values come first: they explain an error or wrong gradients after them
                compare_values(asked[i], answers[i], outcome.values[0], *remarks)
            self._went_through(outcome, asked[i], *built)
            compare_grads(asked[i], answers[i].grads, outcome.grads[0], largest(answers[i]), remarks, cleared=not inner)
            compare_values(asked[i], answers[i], outcome.values[1], DataChanged("backward"))

        again = partial(self.agrees, where_offered=where_offered, inner=inner, whole=whole, in_place=in_place)
        self._examine(runs, judge, where_offered=where_offered, again=again)

    def needs(self, *programs: str | Program, **leaves: float) -> None:
        """Check as `agrees` what the operations need that the check is about.

            engine.needs("L = a * b + a", a=2, b=-3)

        If a program is wrong, nothing is known about these operations, so the check counts as not started.
        """
        try:
            self.agrees(*parsed(programs, leaves))
        except CheckFailed as failure:
            if failure.finding.status in ("failed", "error"):
                raise CheckFailed(structs.replace(failure.finding, status="not_started")) from None
            raise

    def computes(self, *programs: str | Program, **leaves: float) -> None:
        """Check that building the graph gives every node torch's value. No gradient is checked.

        engine.computes("L = a * b + a", a=2, b=-3)
        """
        asked = self._questions.programs(programs, leaves)
        answers = self._answers(asked)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, asked[i])
            compare_values(asked[i], answers[i], outcome.values[0], *notes)

        self._examine([Run(p, (("values",),)) for p in asked], judge)

    def local_rules_agree(
        self,
        *programs: str | Program,
        upstream: float = 1.0,
        already: dict[str, float] | None = None,
        stored: bool = False,
        whole: bool = False,
        **leaves: float,
    ) -> None:
        """Check that the rules of all operations add upstream times torch's gradient to each node.

            engine.local_rules_agree("L = a * b", a=2, b=-3, upstream=4, already={"a": 5})

        Args:
            upstream: The gradient of the root beforehand.
            already: The gradients of leaves beforehand, by name. All others are 0.
            stored: Whether the rules must be local derivatives stored with their inputs, not functions.
            whole: Whether leaves that are whole numbers are given as ints.

        The grader runs the rules itself, so no `backward()` is needed or used.
        """
        # numbers are drawn with the programs, so that none becomes equal to a number of its program
        names, beside = [*(already or {})], [upstream, *(already or {}).values()]
        asked = self._questions.programs(programs, leaves, beside)
        for name in names:
            if not any(name in p.index for p in asked):
                raise ArgumentError(f"local_rules_agree: `already` names `{name}`, and no program has such a node")
        upstream, *grads = self._questions.numbers(beside)
        before = dict(zip(names, grads, strict=True))
        answers = self._answers(asked)
        # values are read before and after the rules, which must not change them
        runs = []
        for p in asked:
            preloaded = [[p.index[name], grad] for name, grad in before.items() if name in p.index]
            steps = (("values",), ("preload", preloaded), ("local_rules", p.root, upstream), ("grads",), ("values",))
            runs.append(Run(p, steps, whole))
        built = [IntLeaves()] * whole

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            assert self.reading is not None
            if stored and self.reading.rule not in _STORED:
                fail(NothingStored())
            if outcome.values:
                compare_values(p, answer, outcome.values[0], *built, *notes)
            self._went_through(outcome, p, *built)
            # each rule adds to the gradients that were there before
            expected = [
                before.get(node.name, 0.0) + upstream * grad for node, grad in zip(p.nodes, answer.grads, strict=True)
            ]
            got = outcome.grads[0]
            began = start(p, upstream, {name: g for name, g in before.items() if name in p.index})
            # distinguish a rule that changed nothing from a rule that added a wrong number
            untouched = all(
                seen == (upstream if node.name == p.root_name else before.get(node.name, 0.0))
                for node, seen in zip(p.nodes, got, strict=True)
            )
            nothing = [NoGradientChanged()] * (untouched and self.reading.rule == "closure")
            remarks: tuple[Remark, ...] = (*built, *began, *notes, *nothing)
            by: ExpectedBy = "torch" if upstream == 1.0 and not before else "check"
            compare_grads(p, expected, got, largest(answer) * max(1.0, abs(upstream)), remarks, by=by)
            compare_values(p, answer, outcome.values[1], DataChanged("rules"))

        again = partial(self.local_rules_agree, upstream=upstream, already=already, stored=stored, whole=whole)
        self._examine(runs, judge, again=again)

    def agrees_again(
        self, *programs: str | Program, first: str | None = None, passes: int = 2, **leaves: float
    ) -> None:
        """Check that a second `backward()` on the same graph gives torch's gradients, after gradients were set to 0.

            engine.agrees_again("h = a * b; L = h * a", a=2, b=-3, first="h")

        Args:
            first: The name of the node at which the first backward pass begins; by default the root.
            passes: How many passes there are. The gradients of the last one are compared.
        """
        asked = self._questions.programs(programs, leaves)
        for p in asked:
            if first is not None and first not in p.index:
                raise ArgumentError(f"agrees_again: {p.text} has no node `{first}`")
        # `preload` with no pairs sets every gradient to 0
        later: tuple[tuple[Any, ...], ...] = (*(("preload", []), ("backward",)) * (passes - 1), ("grads",))
        runs = [Run(p, (("backward", p.index[first or p.root_name]), *aimed(p, *later))) for p in asked]
        remark = SecondPass(first) if passes == 2 else AfterCall(f"{passes} calls of backward()")
        self._compare_last(asked, runs, 1.0, remark, cleared=True)

    def agrees_anew(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` gives torch's gradients in a second graph of the same leaves, as in a training loop.

            engine.agrees_anew("h = a * b; L = h * h + a", a=2, b=-3)

        Before the second graph is built, only the gradients of the leaves are set to 0, and those of nodes on a tape.
        """
        asked = self._questions.programs(programs, leaves)
        runs = [Run(p, aimed(p, ("backward",), ("anew",), ("backward",), ("grads",))) for p in asked]
        self._compare_last(asked, runs, 1.0, BuiltAgain(), cleared=True)

    def agrees_released(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` gives the leaves torch's gradients if no variable holds another node than the root.

            engine.agrees_released("L = (a * b) + c", a=2, b=-3, c=10)

        If a node holds its inputs by weak references, they no longer exist then.
        """
        asked = self._questions.programs(programs, leaves)
        answers = self._answers(asked)
        runs = [Run(p, aimed(p, ("release",), ("backward",), ("grads",))) for p in asked]

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, scale = asked[i], largest(answers[i])
            self._went_through(outcome, f"{p.shown}, where variables hold only {p.root_name} and the leaves")
            compare_grads(p, answers[i].grads, outcome.grads[0], scale, (Released(), *notes), cleared=True)

        self._examine(runs, judge)

    def local_rules_agree_again(
        self, clear: str | None, *programs: str | Program, upstream: float = 1.0, **leaves: float
    ) -> None:
        """Check that the local rules give torch's gradients again when they run after gradients were cleared.

            engine.local_rules_agree_again("zero_grad", "L = a * a", a=3, upstream=-2.5)

        The learner's function called `clear` gets the list of all nodes, and must set every gradient to 0. If `clear`
        is None, the grader does so. The list must hold the same nodes afterwards.
        """
        asked = self._questions.programs(programs, leaves, [upstream])
        (upstream,) = self._questions.numbers([upstream])
        clearing = ("call", clear) if clear else ("preload", [])
        rules = ("local_rules", upstream)
        left = (("given_list",),) if clear else ()
        steps = (("preload", []), rules, clearing, *left, ("grads",), rules, ("grads",))
        runs = [Run(p, aimed(p, *steps)) for p in asked]
        self._compare_last(asked, runs, upstream, RulesRunAgain(upstream, clear), clear=clear)

    def _compare_last(
        self,
        asked: list[Program],
        runs: list[Run],
        upstream: float,
        remark: Remark,
        cleared: bool = False,
        clear: str | None = None,
    ) -> None:
        """Compare the gradients after the last step with upstream times torch's gradients.

        With `clear`, also check that the gradients are 0 after that function was called.
        """
        answers = self._answers(asked)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, asked[i])
            # gradients grow with the upstream gradient, and the values do not shrink with it
            scale = largest(answers[i]) * max(1.0, abs(upstream))
            if clear:
                nothing = [0.0] * len(asked[i].nodes)
                compare_grads(asked[i], nothing, outcome.grads[0], scale, (Cleared(clear),), by="check")
                compare_list(clear, range(len(asked[i].nodes)), outcome.called[-1], asked[i].shown)
            expected = [upstream * grad for grad in answers[i].grads]
            by: ExpectedBy = "torch" if upstream == 1.0 else "check"
            compare_grads(asked[i], expected, outcome.grads[-1], scale, (remark, *notes), cleared, by)

        self._examine(runs, judge)

    def backward_uses_local_rules(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` triples every gradient if the rule of the root contributes three times as much.

            engine.backward_uses_local_rules("L = a * b", a=2, b=-3)

        A gradient that was computed without a backward pass, such as by finite differences, does not change. If a
        program fails, the programs are run without the change. The first one with wrong gradients is then shown
        instead.
        """
        asked = self._questions.programs(programs, leaves)
        answers = self._answers(asked)
        plain = [Run(p, (("backward", p.root), ("grads",))) for p in asked]
        runs = [Run(p, (("triple", p.root), *run.steps)) for p, run in zip(asked, plain, strict=True)]

        def judge_plain(i: int, outcome: Done | Broke, notes: Notes) -> None:
            if isinstance(outcome, Done):
                compare_grads(asked[i], answers[i].grads, outcome.grads[0], largest(answers[i]), notes, cleared=True)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            assert self.reading is not None
            self._went_through(outcome, p)
            if not self.reading.rule:
                fail(NoRules(), program=p.shown)
            got = outcome.grads[0]
            # the root has its own gradient, which is not a contribution
            expected = [grad if j == p.root else 3 * grad for j, grad in enumerate(answer.grads)]
            # gradients that did not change at all deserve a remark of their own
            same = all(close(seen, grad, largest(answer)) for seen, grad in zip(got, answer.grads, strict=True))
            remarks: tuple[Remark, ...] = (RuleTripled(p.root_name, same), *notes)
            compare_grads(p, expected, got, 3 * largest(answer), remarks, cleared=True, by="check")

        try:
            self._examine(runs, judge)
        except CheckFailed as failure:
            # wrong gradients without any change explain more than gradients that were not tripled
            if failure.finding.reason is None and not self._runner.shared:
                with self._aside():
                    self._examine(plain, judge_plain)
            raise

    def backward_runs_each_rule_once(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` runs the `_backward` of every operation exactly once, users before inputs.

            engine.backward_runs_each_rule_once("b = a + a; L = b * b", a=2)

        An engine that stores local derivatives has no closures to watch, and passes.
        """
        asked = self._questions.in_other_places(programs, leaves)
        runs = [Run(p, (("watch",), ("backward", p.root), ("traced",))) for p in asked]

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            assert self.reading is not None
            self._went_through(outcome, asked[i])
            if not self.reading.rule:
                fail(NoRules(), program=asked[i].shown)
            trace = outcome.traced[0]
            if self.reading.rule not in _WITHOUT_FUNCTION:
                judge_trace(asked[i], trace)

        self._examine(runs, judge)

    def sorts(
        self,
        *programs: str | Program,
        untouched: bool = False,
        calls: int | None = None,
        searches: int | None = None,
        **leaves: float,
    ) -> None:
        """Check that `build_topo(root)` returns each reachable node exactly once, after all its inputs.

            engine.sorts("b = a + a; L = a * b", a=2, untouched=True)

        Args:
            untouched: Whether values, gradients and inputs must stay unchanged. The gradients are not 0.
            calls: Replaces the course's limit of calls.
            searches: Replaces the course's limit of CPU seconds. The run may take as long as this machine needs to
                search a list of all nodes so many times.

        A graph of more than 1,000 nodes is run once, under one order seed.
        """
        asked = self._questions.in_other_places(programs, leaves)
        limits = _OwnLimits(calls)
        if searches:
            limits = _OwnLimits(calls, searches * _search_s(max(len(p.nodes) for p in asked)), measured=True)
        runs = []
        for p in asked:
            p.edges  # noqa: B018  (computed once, before the forks that judge)
            call = ("call", "build_topo", [["node", p.root]])
            # the first call may leave state behind
            calling: tuple[tuple[Any, ...], ...] = (call,) if len(p.nodes) > _HUGE else (call, call)
            if untouched:
                # gradients that all differ, so that any change shows
                before = ("preload", [[i, (i + 1) / 2] for i in range(len(p.nodes))])
                look = (("values",), ("grads",), ("inputs",))
                calling = (before, *look, call, *look, call, *look)
            runs.append(Run(p, calling))

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, asked[i])
            for again, returned in enumerate(outcome.called):
                judge_topological(asked[i], returned, bool(again))
            if untouched:
                compare_untouched(asked[i], outcome, "build_topo")

        self._examine(runs, judge, limits, again=partial(self.sorts, calls=calls, searches=searches))

    def by_hand(self, function: str, *programs: str | Program, **leaves: float) -> None:
        """Check that a learner's function, called with all nodes of a program, gives them torch's gradients.

            engine.by_hand("sum_of_product", "e = a * b; L = e + c", a=2, b=-3, c=10)

        The function must run every operation's rule once, users before inputs. Any such order passes. All gradients
        are 0 beforehand.
        """
        asked = self._questions.programs(programs, leaves)
        answers = self._answers(asked)
        runs = []
        for p in asked:
            nodes = [["node", i] for i in range(len(p.nodes))]
            runs.append(Run(p, (("preload", []), ("watch",), ("call", function, nodes), ("grads",), ("traced",))))

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            self._went_through(outcome, p)
            (trace,), (grads,) = outcome.traced, outcome.grads
            disorder = trace_disorder(p, trace)
            seed = grads[p.root]
            # what may explain wrong gradients: rules in a wrong order, a wrong seed, or gradients
            # of 1 at first
            remarks: tuple[Remark, ...] = (disorder,) if disorder else notes
            if isinstance(disorder, NeverRan) and (written := not_called(self._source, function)):
                remarks = (disorder, NotCalled(written))
            if disorder is None and seed != 1.0:
                remarks = (SeedChanged(p.root_name, shown(seed)), *notes)
            elif disorder is None and all(map(close, grads, p.gradients(at_first=1.0), repeat(largest(answer)))):
                remarks = (OnesAtFirst(p.root_name), *notes)
            compare_grads(p, answer.grads, grads, largest(answer), remarks)
            if disorder:
                # right numbers in a wrong order are right by chance
                fail(*remarks, program=p.shown)

        self._examine(runs, judge)

    def returns(
        self, function: str, *arguments: str | float, expected: dict[str, float], about: str, reveal: bool = True
    ) -> None:
        """Check that a learner's function, called with numbers or texts, returns the expected numbers.

            engine.returns("square", expected={"dL/da": 6.0}, about="L = a * a with a = 3")

        Args:
            function: The name of the function.
            arguments: The numbers or texts with which it is called.
            expected: The numbers that it must return, in this order, by their names in messages.
            about: A description of the task for the learner.
            reveal: Whether a failure shows the expected numbers.
        """
        if not expected:
            raise ArgumentError("returns: `expected` names no number")
        given = [["text" if isinstance(argument, str) else "number", argument] for argument in arguments]
        call = ("call", function, given)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, about)
            compare_returned(function, outcome.called[0], expected, about, reveal)

        self._examine([Run(NOTHING, (call,))], judge, engine=False)

    def trains(
        self,
        loss: str | Program,
        /,
        *,
        steps: int,
        rate: float,
        called: str = "",
        fixed: bool = False,
        calls: int | None = None,
        cpu_s: float | None = None,
        **leaves: float,
    ) -> None:
        """Check that the learner's `train` returns the loss before each step and performs gradient descent.

            engine.trains("L = (w * 2 - 2) ** 2", w=3, steps=3, rate=0.1)

        `train` gets the loss, and its leaves as the parameters. Their gradients are 1 beforehand. If all steps of the
        training build more than 10,000 nodes, it is run under one order seed.

        Args:
            called: What the learner reads in place of the text of a long loss.
            fixed: Whether the leaves keep their values even if those of other programs are redrawn.
            calls: Replaces the course's limit of calls.
            cpu_s: Replaces the course's limit of CPU seconds.
        """
        if steps < 1:
            raise ArgumentError(f"trains: `steps` is {steps}; expected at least 1")
        (asked,) = parsed([loss], leaves) if fixed else self._questions.programs([loss], leaves)
        asked = replace(asked, text=called or asked.text)
        # torch's losses and parameters, and what they are called in a message
        before, after = self.descent(asked, rate=rate, steps=steps)
        many = counted(steps, "step")
        losses = {f"loss at step {k}": value for k, value in enumerate(before, 1)}
        places = {leaf.name: asked.index[leaf.name] for leaf in asked.leaves}
        moved = {f"{name} after {many}": after[name] for name in places}
        about = f"{many}, rate {number_text(rate)}, .grad 1 at first: {asked.shown}"

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, about)
            (returned, parameters), (values,) = outcome.called, outcome.values
            left = tuple(values[place] for place in places.values())
            count = miscounted("train", returned, len(losses))
            remarks = [] if count is None else [count]
            if count is None and returned.numbers and not close(returned.numbers[0], before[0], abs(before[0])):
                # every later number follows from the first loss
                compare_returned("train", returned, losses, about, reveal=True)
            # the parameters first, because wrong losses follow from wrong parameters
            compare_returned("train", Called(numbers=left), moved, about, reveal=True, remarks=remarks)
            compare_returned("train", returned, losses, about, reveal=True)
            compare_list("train", list(places.values()), parameters, about)

        # a `train` that does not clear the gradients before its first pass adds to these
        used = ("preload", [[place, 1.0] for place in places.values()])
        steps_taken = (used, ("train", asked.root, steps, rate), ("given_list",), ("values",))
        self._examine([Run(asked, steps_taken)], judge, _OwnLimits(calls, cpu_s))

    def changes_leaves(
        self, function: str, *arguments: float, start: Sequence[tuple[float, float]], expected: dict[str, float]
    ) -> None:
        """Check how a learner's function changes a list of leaves.

            engine.changes_leaves("zero_grad", start=[(3, 16), (-1, 2)], expected={"a.grad": 0.0, "b.grad": 0.0})

        Args:
            function: The name of the function.
            arguments: The numbers that follow the list.
            start: The value and the gradient of two or more leaves, which are named a, b, c and so on.
            expected: The numbers afterwards, by the attribute that holds them: `{"a.data": 2.0, "b.grad": 0.0}`.
        """
        names = [chr(ord("a") + i) for i in range(len(start))]
        if len(start) < 2:
            raise ArgumentError("changes_leaves: `start` is the value and the gradient of two or more leaves")
        # the attributes whose numbers a test may expect
        held = [f"{name}.{attribute}" for name in names for attribute in ("data", "grad")]
        if not expected or not expected.keys() <= set(held):
            raise ArgumentError(f"changes_leaves: the keys of `expected` are some of {', '.join(held)}")
        # any program with these leaves will do, because only the leaves are used
        p = program(f"L = {' + '.join(names)}", **{n: value for n, (value, _) in zip(names, start, strict=True)})
        leaves = [p.index[name] for name in names]
        about = ", ".join(
            [f"{n} = {number_text(x)} with gradient {number_text(g)}" for n, (x, g) in zip(names, start, strict=True)]
            + [f"{function}(parameters{''.join(f', {number_text(x)}' for x in arguments)})"]
        )
        grads = [[place, grad] for place, (_, grad) in zip(leaves, start, strict=True)]
        call = ("call", function, [["nodes", leaves], *(["number", argument] for argument in arguments)])

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, about)
            observed = {"data": outcome.values[0], "grad": outcome.grads[0]}
            wanted = [key.split(".") for key in expected]
            left = tuple(observed[attribute][p.index[name]] for name, attribute in wanted)
            compare_returned(function, Called(numbers=left), expected, about, reveal=True)
            compare_list(function, leaves, outcome.called[-1], about)

        self._examine([Run(p, (("preload", grads), call, ("given_list",), ("values",), ("grads",)))], judge)

    def measures(self, function: str, *names: str, on: Program, by: Measure, passed: bool = False) -> None:
        """Check the numbers that a learner's function returns for a list of nodes, and that it changes nothing.

            engine.measures("total", "L", on=program("L = a * b", a=2, b=-3), by=lambda values, grads: sum(values))

        Args:
            function: The name of the function.
            names: The names of the nodes.
            on: The program that makes the nodes.
            by: Returns the number, or the numbers, from torch's values and gradients of the nodes.
            passed: Whether `backward()` runs before. Otherwise all gradients are 0.

        After the call, `backward()` still has to compute torch's gradients. In a second call, the nodes have other
        gradients.
        """
        (p,) = self._questions.programs([on], {})
        (answer,) = self._answers([p])
        places = [p.index[name] for name in names]
        call = f"{function}([{', '.join(names)}])"
        grads = [grad * passed for grad in answer.grads]
        # gradients of both signs that belong to no pass
        others = {i: (-1) ** k * (k + 1.5) for k, i in enumerate(dict.fromkeys(places))}

        def expected(at: Callable[[int], float]) -> dict[str, float]:
            found = by([answer.values[i] for i in places], [at(i) for i in places])
            return {f"{call}[{k}]": x for k, x in enumerate(found)} if isinstance(found, list) else {call: found}

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, p)
            # the first call, and what it left behind
            first, left, second = outcome.called
            compare_returned(function, first, expected(grads.__getitem__), p.shown, reveal=True, remarks=notes)
            compare_list(function, places, left, p.shown)
            compare_values(p, answer, outcome.values[0], AfterCall(call, passed))
            compare_grads(p, grads, outcome.grads[0], largest(answer), (AfterCall(call, passed), *notes), by="check")
            again = AfterCall(f"{call} and {p.root_name}.backward()")
            compare_grads(p, answer.grads, outcome.grads[1], largest(answer), (again, *notes), cleared=True)
            # the second call, with other gradients
            start = StartingFrom({f"{p.nodes[i].name}.grad": grad for i, grad in others.items()})
            later: tuple[Remark, ...] = (AfterCall(call), start, *notes)
            compare_returned(function, second, expected(others.__getitem__), p.shown, reveal=True, remarks=later)

        backward, one_call = ("backward", p.root), ("call", function, [["nodes", places]])
        other = ("preload", [[i, grad] for i, grad in others.items()])
        seen = (("given_list",), ("values",), ("grads",))
        steps = (*[backward] * passed, one_call, *seen, ("preload", []), backward, ("grads",), other, one_call)
        self._examine([Run(p, steps)], judge)

    def agrees_after(
        self,
        function: str,
        *arguments: str | float,
        on: Sequence[Program],
        second: bool = False,
        calls: int = 1,
        added: dict[str, float] | None = None,
    ) -> None:
        """Check values and gradients after a learner's function was called with nodes and numbers.

            engine.agrees_after("backward_again", "L", on=[program("L = a * b", a=2, b=-3)], second=True)

        Args:
            function: The name of the function.
            arguments: The name of a node, or a number, for each argument.
            on: The programs. Each has the nodes that `arguments` and `added` name.
            second: Whether a backward pass runs before the call, and the leaves have the contributions of this pass
                too in the end. The operations have the gradients of one pass.
            calls: How often the function is called. Each call is a backward pass.
            added: What the function adds to the value of a leaf, by name: one of the numbers in `arguments`.

        All leaves have the gradient 0.5 beforehand.
        """
        # the call, with redrawn numbers in the place of those that the test gives
        given = [argument for argument in arguments if not isinstance(argument, str)]
        asked = self._questions.programs(on, {}, given)
        answers = self._answers(asked)
        redrawn = dict(zip(given, self._questions.numbers(given), strict=True))
        spelled = [one if isinstance(one, str) else number_text(redrawn[one]) for one in arguments]
        call = f"{function}({', '.join(spelled)})"
        after = AfterCall(call if calls == 1 else f"{calls} calls of {call}", second)
        moved = {name: redrawn[number] for name, number in (added or {}).items()}
        # gradients at first show whether the function resets them
        runs = []
        for p in asked:
            wire = [["node", p.index[one]] if isinstance(one, str) else ["number", redrawn[one]] for one in arguments]
            at_first = ("preload", [[p.index[leaf.name], _AT_FIRST] for leaf in p.leaves])
            passes = [("backward", p.root)] * second + [("call", function, wire)] * calls
            runs.append(Run(p, (at_first, *passes, ("grads",), ("values",))))

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            self._went_through(outcome, p)
            expected = [
                _AT_FIRST + (calls + second) * grad if isinstance(node, Leaf) else grad
                for node, grad in zip(p.nodes, answer.grads, strict=True)
            ]
            values = tuple(x + moved.get(node.name, 0.0) for node, x in zip(p.nodes, answer.values, strict=True))
            remarks: tuple[Remark, ...] = (
                after,
                StartingFrom({f"{leaf.name}.grad": _AT_FIRST for leaf in p.leaves}),
                *notes,
            )
            scale = (calls + second) * largest(answer)
            compare_grads(p, expected, outcome.grads[0], scale, remarks, cleared=True, by="check")
            by: ExpectedBy = "check" if moved else "torch"
            compare_values(p, Answer(values, answer.grads), outcome.values[0], after, by=by)

        self._examine(runs, judge)

    def makes_leaves(self, *names: str, on: str | Program, **leaves: float) -> None:
        """Check that these nodes of a program have no inputs, so that they keep no other node in memory.

        Their gradients are 0 at first, even if those of the program's leaves are not. All values are right, which
        recorded answers are not if the numbers are redrawn.

        engine.makes_leaves("d", on=program("d = detach(a); L = d * a", "d = c * 1; L = d * a", a=2, c=2))
        """
        (p,) = self._questions.programs([on], leaves)
        (answer,) = self._answers([p])

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, p)
            for name in names:
                if outcome.inputs[0][p.index[name]]:
                    fail(HoldsInput(name), program=p.shown)
            began = [_AT_FIRST * isinstance(node, Leaf) for node in p.nodes]
            start = StartingFrom({f"{leaf.name}.grad": _AT_FIRST for leaf in p.leaves})
            compare_grads(p, began, outcome.grads[0], 1.0, (start, *notes), by="check")
            compare_values(p, answer, outcome.values[0])

        at_first = ("preload", [[p.index[leaf.name], _AT_FIRST] for leaf in p.leaves])
        self._examine([Run(p, (("inputs",), at_first, ("build_again",), ("grads",), ("values",)))], judge)

    def differentiates(self, function: str, *programs: str | Program, tolerance: float, **leaves: float) -> None:
        """Check that a learner's function computes torch's gradients of a given function without its backward pass.

            engine.differentiates("numeric_grad", "L = a * b + a", a=2, b=-3, tolerance=1e-5)

        The learner's function is called with the given function, which computes the program from nodes for its
        leaves, a list of the leaves' values, and the index of a leaf. The backward pass of the given function is wrong
        for every leaf. The list must have the same numbers afterwards.

        Args:
            tolerance: The largest error, relative to the gradient, or absolute if that is below 1.
        """
        asked = self._questions.programs(programs, leaves)
        answers = self._answers(asked)
        runs, wanted = [], []
        for p, answer in zip(asked, answers, strict=True):
            right = [answer.grads[p.index[leaf.name]] for leaf in p.leaves]
            wanted.append(right)
            # the right gradients cannot be computed from these
            handed = _handed(p, [-k - 2.5 if grad > 0 else k + 2.5 for k, grad in enumerate(right)])
            calls = [("call", function, [*handed, ["number", i]]) for i in range(len(right))]
            runs.append(Run(NOTHING, tuple(step for call in calls for step in (call, _GIVEN_NUMBERS))))

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p = asked[i]
            self._went_through(outcome, p)
            # after each call, the list that it was given was read
            returned, left = outcome.called[::2], outcome.called[1::2]
            names = [gradient_name(p, leaf.name) for leaf in p.leaves]
            for one in returned:
                if (count := miscounted(function, one, 1)) is not None:
                    fail(count, program=p.shown)
            # each call returned one number, as was checked above
            numbers = [one.numbers[0] for one in returned if one.numbers]
            rows = list(zip(names, wanted[i], numbers, strict=True))
            wrong = [row for row in rows if isinstance(row[2], Odd) or not _near(row[2], row[1], tolerance)]
            if wrong:
                fail(
                    *notes,
                    program=p.shown,
                    expected={name: right for name, right, _ in wrong},
                    actual={name: shown(number) for name, _, number in wrong},
                    expected_by="check" if p.truth else "torch",
                )
            for one in left:
                self._kept_numbers(function, p, one)

        self._examine(runs, judge)

    def tells_apart(self, function: str, *passes: GivenPass) -> None:
        """Check that a learner's function returns True for right backward passes and False for wrong ones.

            p = program("L = a * b + a", a=2, b=-3)
            engine.tells_apart("agrees", GivenPass(p), GivenPass(p, "sign", lambda a, b: (-a, b)))

        The function is called with the given function and a list of the leaves' values. The list must have the same
        numbers afterwards. A wrong pass has an error of at least 2e-4 of a gradient. If programs are redrawn, the
        passes also come in another order. The learner's process does not know which of them are right.
        """
        # the gradients of each pass; those that do not fit their fault are a mistake of the test
        passes = tuple(self._questions.in_other_order(passes))
        asked = self._questions.programs([one.on for one in passes], {})
        tables: list[_Gradients] = []
        for p, one, answer in zip(asked, passes, self._answers(asked), strict=True):
            right = [exact(answer.grads[p.index[leaf.name]], largest(answer)) for leaf in p.leaves]
            given = list(map(float, one.by(*right))) if one.by else right
            errors = [abs(x - y) / max(abs(x), abs(y), 1e-9) for x, y in zip(given, right, strict=True)]
            if (max(errors) < _LEAST_ERROR) != (one.fault is None):
                raise ArgumentError(f"tells_apart: the gradients {given} of {p.shown} do not fit: {one.fault}")
            tables.append(_Gradients(right, given, errors.index(max(errors))))
        # the function gets only leaves and gradients, so the runs need no program
        runs = [
            Run(NOTHING, (("call", function, _handed(p, table.given)), _GIVEN_NUMBERS))
            for p, table in zip(asked, tables, strict=True)
        ]

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, fault, table = asked[i], passes[i].fault, tables[i]
            self._went_through(outcome, p)
            returned, left = outcome.called
            names = [gradient_name(p, leaf.name) for leaf in p.leaves]
            truth = _truth(returned)
            if truth is None:
                numbers = None if returned.numbers is None else "numbers"
                nodes = None if returned.nodes is None else "nodes"
                fail(NoTruth(function, returned.other or numbers or nodes or "None"), program=p.shown)
            if truth and fault:
                worst = table.worst
                unnoticed = Unnoticed(function, fault, names[worst], table.given[worst], table.right[worst])
                fail(unnoticed, *notes, program=p.shown)
            if not truth and not fault:
                fail(RightRefused(function, dict(zip(names, table.right, strict=True))), *notes, program=p.shown)
            self._kept_numbers(function, p, left)

        self._examine(runs, judge)

    def _kept_numbers(self, function: str, p: Program, left: Called) -> None:
        """Fail unless a function left the values of the leaves in the list that it was given."""
        numbers, values = left.numbers or (), [leaf.value for leaf in p.leaves]
        if len(numbers) != len(values) or not all(map(close, numbers, values, map(abs, values))):
            fail(NumbersChanged(function), program=p.shown)

    def truth(self, text: str | Program, /, **leaves: float) -> Answer:
        """Return torch's values and gradients for a program, in its order, for checks that compute with them.

        grads = engine.truth("L = a * a", a=3).grads
        """
        (p,) = parsed([text], leaves)
        return self._answers([p])[0]

    def numbers(self, *numbers: float, more: int = 0) -> list[float]:
        """Return the numbers with which a check calls a function.

        They are the given ones or, if numbers are redrawn, others of the same kind. In that case one to `more`
        additional numbers follow them.

            first, *rest = engine.numbers(2.5, more=1)
        """
        return self._questions.numbers(numbers, more)

    def leaves(self, text: str, /, **leaves: float) -> dict[str, float]:
        """Return the values of the leaves of a program that the learner's own code builds.

        They are the given ones or, if numbers are redrawn, those of a program that tests the same.

            leaves = engine.leaves("L = a * b", a=2, b=-3)
        """
        return self._questions.leaves(text, leaves)

    def descent(self, start: Program, *, rate: float, steps: int) -> tuple[list[float], dict[str, float]]:
        """Return the root's values before each step of gradient descent, and the leaves' after the last one.

            losses, moved = engine.descent(program("L = (w - 2) ** 2", w=3), rate=0.1, steps=8)

        Each step subtracts `rate` times its gradient from every leaf. The leaves' values are given by name. Do not make
        a program from an answer: its key would differ between machines.
        """
        of_torch = start.truth or start
        (answer,) = self._oracle([Descent(of_torch, rate, steps)])
        moved = {leaf.name: x for leaf, x in zip(of_torch.leaves, answer.values[steps:], strict=True)}
        return list(answer.values[:steps]), moved

    def fresh(
        self,
        count: int,
        *,
        ops: Sequence[str] = ("add", "mul"),
        sizes: tuple[int, int] = (1, 12),
        numbers: bool = False,
    ) -> list[Program]:
        """Return programs drawn from the run's seed, smallest first (see `grader.course.program.draw`).

        engine.agrees(*engine.fresh(20, ops=("add", "mul"), sizes=(2, 12)))
        """
        return self._questions.fresh(count, ops, sizes, numbers)

    def _answers(self, asked: Sequence[Program]) -> list[Answer]:
        """Return torch's answers. That to a program with a `truth` has the numbers of the program's own nodes."""
        answers = self._oracle([one.truth or one for one in asked])
        return [
            Answer(one.of_truth(answer.values), one.of_truth(answer.grads))
            for one, answer in zip(asked, answers, strict=True)
        ]

    # -- running and judging ------------------------------------------------------------------

    def _examine(
        self,
        runs: Sequence[Run],
        judge: Judge,
        limits: _OwnLimits = _COURSE_LIMITS,
        engine: bool = True,
        where_offered: bool = False,
        again: Callable[..., None] | None = None,
    ) -> None:
        """Send the runs as one batch, and judge the outcomes of each program under every order seed.

        If a program that was drawn for this check fails, `again` runs its parts. The first part that fails is then
        shown instead of the program.
        """
        # send the runs
        if not runs:
            raise ArgumentError("there is no program")
        self.comparisons += len(runs)
        batch = self._batch(runs, limits, engine)
        ran = self._runner.run(batch, alone=self._shrinking)
        if ran is None:  # planning: the programs are now known, and nothing is judged
            for run in runs:
                self._shrink(run.program, again)
            return
        self.output.append(_once(ran.output, len(batch.order_seeds)))

        # judge the answer
        answer = ran.answer
        failures = self._judge(batch, answer, judge, where_offered)
        if self._to_the_end:
            return

        # fail
        self.screen = None
        if isinstance(answer, (Problem, Died)):
            if not self._shrinking:
                self.screen = Screen(batch, partial(self._fixes, batch, judge, where_offered, range(len(runs))))
            fail_for(answer, self._source, runs[0].program.shown if len(runs) == 1 else None)
        if failures:
            # of failures with the same rank, show the program that was sent first: tests send small programs first
            first = min(failures, key=lambda i: (*_rank(failures[i]), i))
            if not self._runner.shared:
                # in a shared process, the check is run again alone, and shrunk then
                self._shrink(runs[first].program, again)
            self.failing = runs[first]
            alone = self._batch([runs[first]], limits, engine)
            self.screen = Screen(alone, partial(self._fixes, alone, judge, where_offered, [first]))
            raise failures[first]
        # nothing is wrong so far, but not everything was run
        if any(None in seed for seed in answer.seeds):
            fail(status="error", reason=Reason("left_out"))

    def _batch(self, runs: Sequence[Run], limits: _OwnLimits, engine: bool) -> Batch:
        huge = _is_huge(runs)
        # in a long run, counting each call would take longer than the calls themselves
        calls = limits.calls if huge else limits.calls or self._limits.calls
        once = huge or max(map(_trained, runs)) > _MOST_TRAINED
        order_seeds = (_HUGE_SEED,) if once else _ORDER_SEEDS
        return Batch(tuple(runs), calls, limits.cpu_s or self._limits.cpu_s, order_seeds, engine, limits.measured)

    def _judge(
        self, batch: Batch, answer: Read | Problem | Died, judge: Judge, where_offered: bool
    ) -> dict[int, CheckFailed]:
        """Judge each run of a batch, and keep the answer with the verdicts. Return the failures by the run's index."""
        runs = batch.runs
        aside = {i for i, run in enumerate(runs) if self._questions.is_fresh(run.program)}
        if not isinstance(answer, Read):
            self.shown.append(Shown(runs, answer, frozenset(range(len(runs))), frozenset(aside)))
            return {}
        self.reading = answer.reading if batch.engine else None
        self.left_out = self.left_out or left_out(answer)
        verdicts = [
            self._verdict(run.program, [seed[i] for seed in answer.seeds], partial(judge, i), where_offered)
            for i, run in enumerate(runs)
        ]
        failures = {i: verdict.failure for i, verdict in enumerate(verdicts) if verdict.failure}
        aside |= {i for i, verdict in enumerate(verdicts) if verdict.absent}
        unsettled = frozenset(i for i, verdict in enumerate(verdicts) if verdict.unsettled)
        huge = _is_huge(runs)
        seen = outline(answer) if huge else answer
        self.shown.append(Shown(runs, seen, frozenset(failures), frozenset(aside), unsettled, huge))
        return failures

    def _fixes(
        self, batch: Batch, judge: Judge, where_offered: bool, places: Sequence[int], answer: Read | Problem
    ) -> bool:
        """Return whether an edited file answers a batch without a failure.

        Args:
            batch: The batch that failed, or a part of it.
            judge: Judges the outcomes of the batch that failed.
            places: For each run of `batch`, its place in the batch that failed.
        """
        if not isinstance(answer, Read):
            return False
        self.reading = answer.reading if batch.engine else None
        for i, place in enumerate(places):
            outcomes = [seed[i] for seed in answer.seeds]
            if None in outcomes:
                return False
            if self._verdict(batch.runs[i].program, outcomes, partial(judge, place), where_offered).failure:
                return False
        return True

    def _verdict(
        self, about: Program, outcomes: Sequence[Done | Broke | None], judge: JudgeOutcome, where_offered: bool
    ) -> "_Verdict":
        """Judge the outcomes of a run under the order seeds. An operation that the engine may lack is no failure."""
        # leave out what the engine does not offer
        absences = [self._absence(about, outcome, where_offered) for outcome in outcomes]
        absent = next(filter(None, absences), None)
        if absent:
            self._absent.append((about, absent))
        elif any(outcomes):
            self._judged += 1
            self._built |= about.calls
        known = [one for one, gone in zip(outcomes, absences, strict=True) if one is not None and not gone]

        # judge the others, most of which are the same object
        failures = {key: _failure(one, judge) for key, one in {id(one): one for one in known}.items()}
        wrong = [outcome for outcome in known if failures[id(outcome)]]
        if not wrong:
            return _Verdict(absent=bool(absent))
        unsettled = len(wrong) < len(known)
        failure = failures[id(wrong[0])]
        # judge again with the remark that the result depends on the order
        if isinstance(wrong[0], Done) and unsettled and None not in outcomes:
            failure = _failure(wrong[0], judge, (DependsOnOrder(len(wrong), len(known)),))
        return _Verdict(failure, unsettled, bool(absent))

    def _shrink(self, failed: Program, again: Callable[..., None] | None) -> None:
        """Run the parts of a drawn program, if there are any. Raises `CheckFailed` for the first part that fails."""
        if again is not None and not self._shrinking and (parts := self._questions.parts(failed)):
            with self._aside():
                again(*parts)

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        """Run the batches of a block only to find a program that explains a failure better.

        Only a failure that names its program leaves the block.
        """
        kept = len(self.output), len(self.shown), self.failing, self.comparisons
        self._shrinking = True
        try:
            yield
        except CheckFailed as better:
            if better.finding.program:
                raise
            self.failing = kept[2]
        finally:
            self._shrinking = False
            self.comparisons = kept[3]
            del self.output[kept[0] :], self.shown[kept[1] :]

    def _absence(self, about: Program, outcome: Done | Broke | None, where_offered: bool) -> Problem | None:
        """Return the problem because of which this check may skip a program, or None."""
        if not isinstance(outcome, Broke):
            return None
        tolerated = where_offered and not_offered(about, outcome.problem)
        return outcome.problem if tolerated or lacks(about, outcome.problem, self._charged_elsewhere) else None

    def _went_through(self, outcome: Done | Broke, about: Program | str, *built: Remark) -> None:
        """Fail if a run broke.

        Args:
            about: The program, or a description of the task. The text of a program is made only if it is needed.
            built: How the program was built.
        """
        if isinstance(outcome, Broke):
            fail_for(outcome.problem, self._source, about if isinstance(about, str) else about.shown, built)


class Screen(Struct, frozen=True):
    """The batch on which a check failed, with the failing run alone if there is one.

    Attributes:
        repaired: Returns whether an answer of an edited file has no failure. The other batches of the check may still
            have one.
    """

    batch: Batch
    repaired: Callable[[Read | Problem], bool]


class _Verdict(Struct, frozen=True):
    """The verdict on a run under all order seeds.

    Attributes:
        failure: The failure of the first wrong outcome.
        unsettled: Whether another outcome was right.
        absent: Whether an outcome was left out because the engine may lack an operation.
    """

    failure: CheckFailed | None = None
    unsettled: bool = False
    absent: bool = False


def _handed(p: Program, grads: Sequence[float]) -> list[Any]:
    """Return the arguments for a learner's function: a function with these gradients, and a list of numbers."""
    return [["function", [p.wire, p.root, list(grads)]], ["numbers", [leaf.value for leaf in p.leaves]]]


def _truth(returned: Called) -> bool | None:
    """Return whether a function returned a true value; None if it is neither a truth value nor 0 or 1."""
    numbers = returned.numbers
    return numbers == (1.0,) if numbers in ((0.0,), (1.0,)) else returned.truth


def _near(number: float, right: float, tolerance: float) -> bool:
    return abs(number - right) <= tolerance * max(1.0, abs(right))


def _rank(failure: CheckFailed) -> tuple[bool, bool]:
    """Return what decides which of several failures is reported: the lowest rank.

    Code that is still to be filled in comes last. Before it comes a limit, because the moment at which CPU time runs
    out depends on the machine, and wrong numbers do not.
    """
    return failure.finding.status == "not_started", failure.finding.status == "timeout"


def _trained(run: Run) -> int:
    """Return how many nodes all steps of a run's training build; 0 without a training."""
    graph = run.program.truth or run.program
    return sum(len(graph.nodes) * step[2] for step in run.steps if step[0] == "train")


def _search_s(length: int) -> float:
    """Return the seconds that this machine needs to search a list of so many objects for another one.

    Other processes can only make a search longer, so the shortest of several times is returned.
    """
    objects, another = [object() for _ in range(length)], object()
    searches = 5  # together, because a browser's clock can have steps of a millisecond

    def searched_s() -> float:
        begun = perf_counter()
        for _ in range(searches):
            objects.count(another)
        return perf_counter() - begun

    return min(searched_s() for _ in range(5)) / searches


def _is_huge(runs: Sequence[Run]) -> bool:
    return max(len(run.program.nodes) for run in runs) > _HUGE


def _failure(outcome: Done | Broke, judge: JudgeOutcome, notes: Notes = ()) -> CheckFailed | None:
    try:
        judge(outcome, notes)
    except CheckFailed as failure:
        return failure
    return None


def _once(printed: str, times: int) -> str:
    """Return printed text without repeats, if a program printed the same under every order seed."""
    lines = printed.splitlines(keepends=True)
    if times < 2 or len(lines) > _PRINTED:
        return printed
    # the longest text at the end that occurs `times` times in a row
    for length in range(len(lines) // times, 0, -1):
        if lines[-times * length :] == lines[-length:] * times:
            return "".join(lines[: len(lines) - (times - 1) * length])
    return printed


_PRINTED = 1_000  # repeats are not removed from output with more lines
_STORED = ("pairs", "parallel")
_WITHOUT_FUNCTION = (*_STORED, "inline")
