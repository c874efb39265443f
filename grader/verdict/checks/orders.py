"""Checks of orders: the list that `build_topo` returns, and the order in which rules run."""

from functools import partial
from itertools import repeat
from time import perf_counter

from ...course.program import Program
from ...course.remarks import NeverRan, NoRules, NotCalled, OnesAtFirst, Remark, SeedChanged
from ...runner.client import Broke, Done, Run, ask
from .judging import HUGE, Judging, Notes, OwnLimits
from .outcome import (
    close,
    compare_grads,
    compare_untouched,
    fail,
    judge_topological,
    judge_trace,
    largest,
    not_called,
    shown,
    trace_disorder,
)


class OrderChecks(Judging):
    """Check the orders in which nodes are listed and rules run."""

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
        limits = OwnLimits(calls)
        if searches:
            limits = OwnLimits(calls, searches * _search_s(max(len(p.nodes) for p in asked)), measured=True)
        runs = []
        for p in asked:
            p.edges  # noqa: B018  (computed once, before the forks that judge)
            call = ask.CallFunction("build_topo", [("node", p.root)])
            # the first call may leave state behind
            calling: tuple[ask.RunStep, ...] = (call,) if len(p.nodes) > HUGE else (call, call)
            if untouched:
                # gradients that all differ, so that any change shows
                before = ask.Preload([(i, (i + 1) / 2) for i in range(len(p.nodes))])
                look = (ask.VALUES, ask.GRADS, ask.INPUTS)
                calling = (before, *look, call, *look, call, *look)
            runs.append(Run(p, calling))

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, asked[i])
            for again, returned in enumerate(outcome.called):
                judge_topological(asked[i], returned, bool(again))
            if untouched:
                compare_untouched(asked[i], outcome, "build_topo")

        self._examine(runs, judge, limits, again=partial(self.sorts, calls=calls, searches=searches))

    def backward_runs_each_rule_once(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` runs the `_backward` of every operation exactly once, users before inputs.

            engine.backward_runs_each_rule_once("b = a + a; L = b * b", a=2)

        An engine that stores local derivatives has no closures to watch, and passes.
        """
        asked = self._questions.in_other_places(programs, leaves)
        runs = [Run(p, (ask.WATCH, ask.Backward(p.root), ask.TRACED)) for p in asked]

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            assert self.reading is not None
            self._went_through(outcome, asked[i])
            if not self.reading.rule:
                fail(NoRules(), program=asked[i].shown)
            trace = outcome.traced[0]
            if self.reading.rule not in ask.WITHOUT_FUNCTION:
                judge_trace(asked[i], trace)

        self._examine(runs, judge)

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
            nodes: list[ask.Argument] = [("node", i) for i in range(len(p.nodes))]
            runs.append(Run(p, (ask.Preload(), ask.WATCH, ask.CallFunction(function, nodes), ask.GRADS, ask.TRACED)))

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
