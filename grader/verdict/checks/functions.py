"""Checks of a learner's functions: what they return, what they leave, and the nodes that they make."""

from collections.abc import Callable, Sequence
from reprlib import repr as shortened
from typing import TypeAlias

from msgspec import Struct

from ...course.program import NOTHING, Leaf, Program, arrays, nested_text
from ...course.remarks import (
    AfterCall,
    HoldsInput,
    NoTruth,
    NumbersChanged,
    PassFault,
    Remark,
    RightRefused,
    StartingFrom,
    Unnoticed,
)
from ...runner.client import Broke, Called, Done, Odd, Run, ask
from .hidden_tests import ArgumentError, fits
from .judging import AT_FIRST, Judging, Notes
from .outcome import (
    close,
    compare_grads,
    compare_list,
    compare_returned,
    compare_returned_array,
    compare_values,
    exact,
    fail,
    gradient_name,
    largest,
    miscounted,
    shown,
)

_LEAST_ERROR = 2e-4  # of a wrong gradient that a function has to notice
_LONGEST = 64  # numbers of an answer of a function that gets no nodes
Measure: TypeAlias = Callable[[list[float], list[float]], float | list[float]]  # of values and gradients
GradientTable: TypeAlias = Callable[..., tuple[float, ...]]  # of torch's gradients of the leaves


class GivenPass(Struct, frozen=True):
    """A function of nodes with a backward pass, which is handed to a learner's function as data.

    Attributes:
        on: The program that the function computes from its leaves. The function has an argument for each leaf.
        fault: The fault of the backward pass; None if it gives torch's gradients.
        by: Returns its gradients of the leaves, from torch's; None if they are torch's.
    """

    on: Program
    fault: PassFault | None = None
    by: GradientTable | None = None


class _Gradients(Struct, frozen=True):
    """The gradients of the leaves for a call of `tells_apart`: the right ones, and those that the given function gives.

    Attributes:
        worst: The leaf with the largest error.
    """

    right: list[float]
    given: list[float]
    worst: int


class FunctionChecks(Judging):
    """Check the functions that a learner writes."""

    def returns(
        self,
        function: str,
        *arguments: str | float | Sequence[object],
        expected: dict[str, float] | Sequence[float],
        about: str = "",
        reveal: bool = True,
    ) -> None:
        """Check that a learner's function, called with numbers, texts or lists, returns the expected numbers.

            engine.returns("square", expected={"dL/da": 6.0}, about="L = a * a with a = 3")
            engine.returns("sorted_up", [3, 1, 2], expected=[1, 2, 3])

        Args:
            function: The name of the function.
            arguments: The numbers, texts and lists with which it is called. A list may have lists in it.
            expected: The numbers that it must return, in this order, by their names in messages, or as a list;
                at most 64.
            about: A description of the task for the learner; by default the call.
            reveal: Whether a failure shows the expected numbers. If not, the numbers are answers that a learner has
                worked out, and a diagnosis compares each of them alone.
        """
        if not expected:
            raise ArgumentError("returns: `expected` names no number")
        if len(expected) > _LONGEST:
            raise ArgumentError(f"returns: `expected` has {len(expected)} numbers; at most {_LONGEST}")
        named = expected if isinstance(expected, dict) else _results(expected)
        task = about or f"{function}({', '.join(map(repr, arguments))})"
        call = ask.CallFunction(function, [_argument(argument) for argument in arguments])

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, task)
            compare_returned(function, outcome.called[0], named, task, reveal)

        self._examine([Run(NOTHING, (call,))], judge, engine=False, answers={} if reveal else named)

    def returns_array(self, function: str, *arguments: Sequence[object], expected: float | Sequence[object]) -> None:
        """Check that a learner's function, called with arrays and shapes, returns the expected array.

            engine.returns_array("row_of", [[1, 2, 3], [4, 5, 6]], (3,), expected=[5, 7, 9])

        An array is one of numpy's if the file has numpy, and otherwise a nested list.

        Args:
            function: The name of the function.
            arguments: Arrays, as nested lists of numbers, and shapes, as tuples.
            expected: The array that it must return, or a number if it has the shape ().
        """
        right = _array(expected)
        given: list[ask.Argument] = [
            ("shape", one) if isinstance(one, tuple) else ("array", arrays.nested(*_array(one))) for one in arguments
        ]
        call = ask.CallFunction(function, given)
        about = f"{function}({', '.join(str(one) if kind == 'shape' else nested_text(one) for kind, one in given)})"

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, about)
            compare_returned_array(function, outcome.called[0], *right, about)

        self._examine([Run(NOTHING, (call,))], judge, engine=False)

    def returns_from(
        self, function: str, *arguments: float | str | Sequence[float | str], on: Program, expected: Sequence[float]
    ) -> None:
        """Check that a learner's function, called with nodes and numbers, returns the expected numbers.

            engine.returns_from("chosen", [0.2], "z", on=program("L = sum(z * z)", z=[1, 2]), expected=[1])

        Args:
            function: The name of the function.
            arguments: Names of nodes, numbers, and lists of names or of numbers.
            on: The program that makes the nodes. It keeps its numbers, also in official runs.
            expected: The numbers that the function must return, in this order.
        """
        if not expected:
            raise ArgumentError("returns_from: `expected` names no number")
        handed: list[ask.Argument] = []
        for one in arguments:
            if isinstance(one, (str, int, float)):
                handed.append(("node", on.index[one]) if isinstance(one, str) else ("number", one))
            elif all(isinstance(item, str) for item in one):
                handed.append(("nodes", [on.index[str(item)] for item in one]))
            else:
                handed.append(("numbers", [float(item) for item in one]))
        texts = [
            str(one) if isinstance(one, (str, int, float)) else f"[{', '.join(map(str, one))}]" for one in arguments
        ]
        call = f"{function}({', '.join(texts)})"
        # a program of which only leaves are handed over says nothing about the call
        named_nodes = [name for one in arguments for name in ([one] if isinstance(one, (str, int, float)) else one)]
        leaves = {leaf.name for leaf in on.leaves}
        about = (
            call if leaves.issuperset(name for name in named_nodes if isinstance(name, str)) else f"{on.text}; {call}"
        )
        task = on.shown.replace(on.text, about, 1)
        named = _results(expected)

        def judge(i: int, outcome: Done | Broke, notes: Notes) -> None:
            self._went_through(outcome, task)
            compare_returned(function, outcome.called[0], named, task, reveal=True, remarks=notes)

        self._examine([Run(on, (ask.CallFunction(function, handed),))], judge)

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
            first, left, second = outcome.called
            compare_returned(function, first, expected(grads.__getitem__), p.shown, reveal=True, remarks=notes)
            compare_list(function, places, left, p.shown)
            compare_values(p, answer, outcome.values[0], AfterCall(call, passed))
            compare_grads(p, grads, outcome.grads[0], largest(answer), (AfterCall(call, passed), *notes), by="check")
            again = AfterCall(f"{call} and {p.root_name}.backward()")
            compare_grads(p, answer.grads, outcome.grads[1], largest(answer), (again, *notes), cleared=True)
            start = StartingFrom({f"{p.nodes[i].name}.grad": grad for i, grad in others.items()})
            later: tuple[Remark, ...] = (AfterCall(call), start, *notes)
            compare_returned(function, second, expected(others.__getitem__), p.shown, reveal=True, remarks=later)

        backward, one_call = ask.Backward(p.root), ask.CallFunction(function, [("nodes", places)])
        other = ask.Preload([*others.items()])
        first = (one_call, ask.GIVEN_LIST, ask.VALUES, ask.GRADS)
        later = (ask.Preload(), backward, ask.GRADS, other, one_call)
        self._examine([Run(p, (*[backward] * passed, *first, *later))], judge)

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
            began = [AT_FIRST * isinstance(node, Leaf) for node in p.nodes]
            start = StartingFrom({f"{leaf.name}.grad": AT_FIRST for leaf in p.leaves})
            compare_grads(p, began, outcome.grads[0], 1.0, (start, *notes), by="check")
            compare_values(p, answer, outcome.values[0])

        at_first = ask.Preload([(p.index[leaf.name], AT_FIRST) for leaf in p.leaves])
        self._examine([Run(p, (ask.INPUTS, at_first, ask.BUILD_AGAIN, ask.GRADS, ask.VALUES))], judge)

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
            calls = [ask.CallFunction(function, [*handed, ("number", i)]) for i in range(len(right))]
            runs.append(Run(NOTHING, tuple(step for call in calls for step in (call, ask.GIVEN_NUMBERS))))

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
        passes also come in another order. At the end, a correct pass comes twice in a row. The learner's process does
        not know which of them are right.
        """
        # the gradients of each pass; those that do not fit their fault are a mistake of the test
        passes = tuple(self._questions.in_other_order(passes))
        # in any order, a function is caught whose gradients stay from one call to the next
        passes += tuple(one for one in passes if one.fault is None)[:1] * 2
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
            Run(NOTHING, (ask.CallFunction(function, _handed(p, table.given)), ask.GIVEN_NUMBERS))
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
                nodes = None if returned.nodes is None else "nodes" if len(returned.nodes) else "an empty sequence"
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


def _argument(given: str | float | Sequence[object]) -> ask.Argument:
    """Return an argument as the worker takes it. Raises `ArgumentError` for a list with anything else in it."""
    if isinstance(given, str):
        return "text", given
    if isinstance(given, (int, float)):
        return "number", given
    if not _is_plain(given):
        raise ArgumentError(f"returns: `arguments` is {shortened(given)}; a list has finite numbers, texts and lists")
    return "list", given


def _is_plain(given: object) -> bool:
    return all(map(_is_plain, given)) if isinstance(given, (list, tuple)) else fits(given, float | str)


def _results(expected: Sequence[float]) -> dict[str, float]:
    """Return the numbers that a function should return by their names in messages."""
    return {f"result[{k}]": x for k, x in enumerate(expected)}


def _array(given: object) -> tuple[list[float], tuple[int, ...]]:
    """Return the numbers and the shape of an array. Raises `ArgumentError`."""
    try:
        return arrays.flattened(given)
    except (arrays.ShapeError, TypeError) as error:
        raise ArgumentError(f"returns_array: {given} is no array: {error}") from None


def _handed(p: Program, grads: Sequence[float]) -> list[ask.Argument]:
    """Return the arguments for a learner's function: a function with these gradients, and a list of numbers."""
    return [("function", (p.wire, p.root, grads)), ("numbers", [leaf.value for leaf in p.leaves])]


def _truth(returned: Called) -> bool | None:
    """Return whether a function returned a true value; None if it is neither a truth value nor 0 or 1."""
    numbers = returned.numbers
    return numbers == (1.0,) if numbers in ((0.0,), (1.0,)) else returned.truth


def _near(number: float, right: float, tolerance: float) -> bool:
    return abs(number - right) <= tolerance * max(1.0, abs(right))
