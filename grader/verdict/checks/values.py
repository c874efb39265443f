"""Checks of values and gradients: a program is built, its root runs `backward()`, and every node is compared."""

from functools import partial

from msgspec import structs

from ...course.program import Program
from ...course.remarks import DataChanged, InPlace, IntLeaves, Remark
from ...runner.client import Broke, Done, Run, ask
from .judging import Judging, Notes
from .outcome import CheckFailed, compare_grads, compare_values, largest
from .questions import parsed


class ValueChecks(Judging):
    """Check the values and gradients of programs."""

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
        runs = [Run(p, (ask.VALUES, ask.Backward(p.root), ask.GRADS, ask.VALUES), whole, in_place) for p in asked]
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
        """Check programs as `agrees` does, before the operations that the check is about.

            engine.needs("L = a * b + a", a=2, b=-3)
            engine.agrees("L = a / b", a=2, b=-3)

        These operations are built from those of the programs. If a program is wrong, their own results say nothing
        about them, so the check counts as not started.
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

        self._examine([Run(p, (ask.VALUES,)) for p in asked], judge)
