"""Checks of a pass after another one, in another graph, or by a function of the learner's."""

from collections.abc import Sequence

from ...course.oracle import Answer
from ...course.program import Leaf, Program, number_text
from ...course.remarks import AfterCall, BuiltAgain, Released, Remark, SecondPass, StartingFrom
from ...runner.client import Broke, Done, Run, ask
from .hidden_tests import ArgumentError
from .judging import AT_FIRST, Judging, Notes
from .outcome import ExpectedBy, compare_grads, compare_values, largest


class PassChecks(Judging):
    """Check that a backward pass is right, whatever ran or was lost before it."""

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
        runs = []
        for p in asked:
            again = (ask.Preload(), ask.Backward(p.root)) * (passes - 1)
            runs.append(Run(p, (ask.Backward(p.index[first or p.root_name]), *again, ask.GRADS)))
        remark = SecondPass(first) if passes == 2 else AfterCall(f"{passes} calls of backward()")
        self._compare_last(asked, runs, remark)

    def agrees_anew(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` gives torch's gradients in a second graph of the same leaves, as in a training loop.

            engine.agrees_anew("h = a * b; L = h * h + a", a=2, b=-3)

        Before the second graph is built, only the gradients of the leaves are set to 0, and those of nodes on a tape.
        """
        asked = self._questions.programs(programs, leaves)
        runs = [Run(p, (ask.Backward(p.root), ask.ANEW, ask.Backward(p.root), ask.GRADS)) for p in asked]
        self._compare_last(asked, runs, BuiltAgain())

    def agrees_released(self, *programs: str | Program, **leaves: float) -> None:
        """Check that `backward()` gives the leaves torch's gradients if no variable holds another node than the root.

            engine.agrees_released("L = (a * b) + c", a=2, b=-3, c=10)

        If a node holds its inputs by weak references, they no longer exist then.
        """
        asked = self._questions.programs(programs, leaves)
        runs = [Run(p, (ask.Release(p.root), ask.Backward(p.root), ask.GRADS)) for p in asked]
        self._compare_last(asked, runs, Released(), ", where variables hold only {root} and the leaves")

    def _compare_last(self, asked: Sequence[Program], runs: Sequence[Run], remark: Remark, held: str = "") -> None:
        """Compare the gradients after the last pass with torch's.

        Args:
            held: What follows the program's text in an error; `{root}` is the name of the root.
        """
        answers = self._answers(asked)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            self._went_through(outcome, p.shown + held.format(root=p.root_name) if held else p)
            compare_grads(p, answer.grads, outcome.grads[-1], largest(answer), (remark, *notes), cleared=True)

        self._examine(runs, judge)

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
            handed: list[ask.Argument] = [
                ("node", p.index[one]) if isinstance(one, str) else ("number", redrawn[one]) for one in arguments
            ]
            at_first = ask.Preload([(p.index[leaf.name], AT_FIRST) for leaf in p.leaves])
            earlier, passes = [ask.Backward(p.root)] * second, [ask.CallFunction(function, handed)] * calls
            runs.append(Run(p, (at_first, *earlier, *passes, ask.GRADS, ask.VALUES)))

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            p, answer = asked[i], answers[i]
            self._went_through(outcome, p)
            expected = [
                AT_FIRST + (calls + second) * grad if isinstance(node, Leaf) else grad
                for node, grad in zip(p.nodes, answer.grads, strict=True)
            ]
            values = tuple(x + moved.get(node.name, 0.0) for node, x in zip(p.nodes, answer.values, strict=True))
            remarks: tuple[Remark, ...] = (
                after,
                StartingFrom({f"{leaf.name}.grad": AT_FIRST for leaf in p.leaves}),
                *notes,
            )
            scale = (calls + second) * largest(answer)
            compare_grads(p, expected, outcome.grads[0], scale, remarks, cleared=True, by="check")
            by: ExpectedBy = "check" if moved else "torch"
            compare_values(p, Answer(values, answer.grads), outcome.values[0], after, by=by)

        self._examine(runs, judge)
