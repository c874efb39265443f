"""Checks of gradient descent: training, and the functions that change a list of parameters."""

from collections.abc import Sequence
from dataclasses import replace

from ...base.text import counted
from ...course.program import Descent, Program, number_text, program
from ...runner.client import Broke, Called, Done, Numbers, Run, ask
from .hidden_tests import ArgumentError
from .judging import Judging, Notes, OwnLimits
from .outcome import close, compare_list, compare_returned, miscounted
from .questions import parsed

_BRIEF = 3  # the steps of a long training with arrays, if they are slow


class TrainingChecks(Judging):
    """Check that a learner's functions perform gradient descent."""

    def trains(
        self,
        loss: str | Program,
        /,
        *,
        steps: int,
        rate: float,
        called: str = "",
        fixed: bool = False,
        adam: bool = False,
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
            adam: Whether the steps are those of Adam, with the decays 0.9 and 0.99 and an epsilon of 1e-8.
            calls: Replaces the course's limit of calls.
            cpu_s: Replaces the course's limit of CPU seconds.
        """
        if steps < 1:
            raise ArgumentError(f"trains: `steps` is {steps}; expected at least 1")
        (asked,) = parsed([loss], leaves) if fixed else self._questions.programs([loss], leaves)
        asked = replace(asked, text=called or asked.text)
        # torch's losses and parameters, and what they are called in a message
        before, after = self.descent(asked, rate=rate, steps=steps, adam=adam)
        cut = self._brief and asked.has_arrays and steps > _BRIEF
        if cut:  # torch's parameters after these steps are not known
            steps, before = _BRIEF, before[:_BRIEF]
        many = counted(steps, "step")
        losses = {f"loss at step {k}": value for k, value in enumerate(before, 1)}
        places = {leaf.name: asked.index[leaf.name] for leaf in asked.leaves}
        names = [name for leaf in asked.leaves for name in asked.numbers_of(leaf.name, asked.names)]
        moved = {f"{name} after {many}": after[name] for name in names}
        about = f"{many}, rate {number_text(rate)}, .grad 1 at first: {asked.shown}"

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, about)
            (returned, parameters), (values,) = outcome.called, outcome.values
            left = tuple(number for name in places for number in asked.numbers_of(name, values))
            count = miscounted("train", returned, len(losses))
            remarks = [] if count is None else [count]
            if count is None and returned.numbers and not close(returned.numbers[0], before[0], abs(before[0])):
                # every later number follows from the first loss
                compare_returned("train", returned, losses, about, reveal=True)
            # the parameters first, because wrong losses follow from wrong parameters
            if not cut:
                compare_returned("train", Called(Numbers(left)), moved, about, reveal=True, remarks=remarks)
            compare_returned("train", returned, losses, about, reveal=True)
            compare_list("train", list(places.values()), parameters, about)

        # a `train` that does not clear the gradients before its first pass adds to these
        used = ask.Preload([(place, 1.0) for place in places.values()])
        steps_taken = (used, ask.Train(asked.root, steps, rate), ask.GIVEN_LIST, ask.VALUES)
        self._examine([Run(asked, steps_taken)], judge, OwnLimits(calls, cpu_s))

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
        grads = [(place, grad) for place, (_, grad) in zip(leaves, start, strict=True)]
        call = ask.CallFunction(function, [("nodes", leaves), *(("number", argument) for argument in arguments)])

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, about)
            observed = {"data": outcome.values[0], "grad": outcome.grads[0]}
            wanted = [key.split(".") for key in expected]
            left = tuple(observed[attribute][p.index[name]] for name, attribute in wanted)
            compare_returned(function, Called(Numbers(left)), expected, about, reveal=True)
            compare_list(function, leaves, outcome.called[-1], about)

        self._examine([Run(p, (ask.Preload(grads), call, ask.GIVEN_LIST, ask.VALUES, ask.GRADS))], judge)

    def descent(
        self, start: Program, *, rate: float, steps: int, adam: bool = False
    ) -> tuple[list[float], dict[str, float]]:
        """Return the root's values before each step of gradient descent, and the leaves' after the last one.

            losses, moved = engine.descent(program("L = (w - 2) ** 2", w=3), rate=0.1, steps=8)

        Each step subtracts `rate` times its gradient from every leaf, or changes it as Adam does. The leaves' values
        are given by name. Leaves that only a program's second text has keep their values. Do not make a program from an
        answer: its key would differ between machines.
        """
        of_torch = start.truth or start
        fixed = tuple(leaf.name for leaf in of_torch.leaves if leaf.name not in start.index)
        (answer,) = self._oracle([Descent(of_torch, rate, steps, adam, fixed)])
        names = [name for leaf in of_torch.leaves for name in of_torch.numbers_of(leaf.name, of_torch.names)]
        moved = dict(zip(names, answer.values[steps:], strict=True))
        return list(answer.values[:steps]), moved
