"""The `engine` fixture of hidden tests. Its methods run programs, and fail unless the results are as expected."""

from collections.abc import Sequence

from ...course.oracle import Answer
from ...course.program import Program
from .functions import FunctionChecks
from .hidden_tests import checks_arguments
from .orders import OrderChecks
from .passes import PassChecks
from .questions import parsed
from .rules import RuleChecks
from .trainings import TrainingChecks
from .values import ValueChecks


@checks_arguments
class EngineUnderCheck(ValueChecks, RuleChecks, OrderChecks, PassChecks, FunctionChecks, TrainingChecks):
    """A learner's engine in one check.

    Every method for a check sends its programs as one batch, as `Judging` explains. Programs are given as texts with
    the values of their leaves, or as `Program`s. The methods here return what a check computes with.
    """

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

    def fresh(
        self,
        count: int,
        *,
        ops: Sequence[str] = ("add", "mul"),
        sizes: tuple[int, int] = (1, 12),
        numbers: bool = False,
        with_arrays: bool = False,
    ) -> list[Program]:
        """Return programs drawn from the run's seed, smallest first (see `grader.course.program.draw`).

        engine.agrees(*engine.fresh(20, ops=("add", "mul"), sizes=(2, 12)))
        engine.agrees(*engine.fresh(8, ops=("add", "mul", "sum", "matmul"), sizes=(1, 4), with_arrays=True))
        """
        return self._questions.fresh(count, ops, sizes, numbers, with_arrays)
