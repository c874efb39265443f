"""Checks of local rules: the grader runs the rules itself, or changes one and sees what `backward()` makes of it."""

from functools import partial

from ...course.program import Program
from ...course.remarks import (
    Cleared,
    DataChanged,
    IntLeaves,
    NoGradientChanged,
    NoRules,
    NothingStored,
    Remark,
    RulesRunAgain,
    RuleTripled,
)
from ...runner.client import Broke, Done, Run, ask
from .hidden_tests import ArgumentError
from .judging import Judging, Notes
from .outcome import CheckFailed, ExpectedBy, close, compare_grads, compare_list, compare_values, fail, largest
from .questions import start


class RuleChecks(Judging):
    """Check the local rules of an engine."""

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
            preloaded = [(p.index[name], grad) for name, grad in before.items() if name in p.index]
            steps = (ask.VALUES, ask.Preload(preloaded), ask.LocalRules(p.root, upstream), ask.GRADS, ask.VALUES)
            runs.append(Run(p, steps, whole))
        built = [IntLeaves()] * whole

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            assert self.reading is not None
            if stored and self.reading.rule not in ask.STORED:
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

    def local_rules_agree_again(
        self, clear: str | None, *programs: str | Program, upstream: float = 1.0, **leaves: float
    ) -> None:
        """Check that the local rules give torch's gradients again when they run after gradients were cleared.

            engine.local_rules_agree_again("zero_grad", "L = a * a", a=3, upstream=-2.5)

        The learner's function called `clear` gets the list of all nodes, and must set every gradient to 0. If `clear`
        is None, the grader does so. The list must hold the same nodes afterwards, with the same values.
        """
        asked = self._questions.programs(programs, leaves, [upstream])
        (upstream,) = self._questions.numbers([upstream])
        runs = []
        for p in asked:
            rules, every_node = ask.LocalRules(p.root, upstream), [*range(len(p.nodes))]
            called = ask.CallFunction(clear, [("nodes", every_node)]) if clear else None
            # the values tell a function that sets them from one that does nothing
            clearing = (called, ask.GIVEN_LIST, ask.VALUES) if called else (ask.Preload(),)
            runs.append(Run(p, (ask.Preload(), rules, *clearing, ask.GRADS, rules, ask.GRADS)))
        answers = self._answers(asked)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p = asked[i]
            self._went_through(outcome, p)
            # gradients grow with the upstream gradient, and the values do not shrink with it
            scale = largest(answers[i]) * max(1.0, abs(upstream))
            if clear:
                nothing = [0.0] * len(p.nodes)
                compare_grads(p, nothing, outcome.grads[0], scale, (Cleared(clear),), by="check")
                compare_values(p, answers[i], outcome.values[0], Cleared(clear))
                compare_list(clear, range(len(p.nodes)), outcome.called[-1], p.shown)
            expected = [upstream * grad for grad in answers[i].grads]
            by: ExpectedBy = "torch" if upstream == 1.0 else "check"
            remarks: tuple[Remark, ...] = (RulesRunAgain(upstream, clear), *notes)
            compare_grads(p, expected, outcome.grads[-1], scale, remarks, by=by)

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
        plain = [Run(p, (ask.Backward(p.root), ask.GRADS)) for p in asked]
        runs = [Run(p, (ask.Triple(p.root), *run.steps)) for p, run in zip(asked, plain, strict=True)]

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
