"""Fault facts as data: their kinds and their fields. `grader.verdict.diagnosis` derives them."""

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

FactKind: TypeAlias = Literal[
    "single_precision",
    "value",
    "gives_other",
    "overwrites",
    "gives_input",
    "rule_is_none",
    "no_rule",
    "nothing_added",
    "no_upstream",
    "upstream_added",
    "sign",
    "factor",
    "local_derivative",
    "swapped",
    "gradient_for_value",
    "parentheses",
    "contribution",
    "depends_on_gradients",
    "upstream_cleared",
    "not_seeded",
    "all_cleared",
    "seed",
    "no_rule_ran",
    "nothing_propagated",
    "all_ones",
    "stops_at",
    "ran_twice",
    "never_ran",
    "ran_early",
    "second_pass",
    "wrong_gradient",
    "shifted",
    "gradients_left",
    "gradients_set",
    "values_set",
    "values_left",
    "steps_by",
    "rebound",
    "stale_loss",
    "passed_twice",
    "never_passed",
    "moved_early",
    "not_cleared",
    "cleared_early",
    "never_moved",
    "other_root",
    "passes_taken",
    "some_left",
    "moved_apart",
    "moved_again",
    "other_rate",
    "steps_taken",
    "losses_late",
    "losses_kept",
]


class FaultFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One certain fault.

    Attributes:
        text: The fact in sentences. Reports have it.
        operation: The operation, or empty.
        input: "a", "b", or empty for all inputs of the operation. For `wrong_gradient`, leaves, joined by commas.
        expected: The expected factor of the upstream gradient, as text. For `value`, `contribution`, `seed` and
            `overwrites`, a number. For `wrong_gradient`, a formula for each leaf, joined by commas.
        found: The found factor, as text. For the same kinds, a number. For `single_precision`, "values" or
            "gradients". For `gives_other`, a type. For `rule_is_none`, the name of the rule. For `no_rule`, the
            function that the operation's method defines and does not store on the result; empty if that is not
            certain. For `not_seeded`, "None" if gradients may be None. For `wrong_gradient`, a formula. For the kinds
            about training, see below.
        lines: The first and the last line of the operation's rule in the learner's file, or of the function `node`.
        node: A node, in facts about `backward()`. A function, in facts about training. For `overwrites`, the function
            that every rule calls and that assigns; empty if there is none.
        other: Another node, in facts about `backward()`. For `no_rule`, where the function is stored instead. For
            `contribution`, a program with other numbers, for which the contribution is right; empty if there is none.
            In facts about training, the parameters that are meant: `all`, `first`, `last`, `not_first`, `not_last`
            or `some`. For `other_rate`, `times` if `found` has multiples of the right rate.
        orders: In how many orders the fact holds, and of how many. None if it holds in every order in which nodes are
            made and sets are iterated.
        checks: In a report, the failed checks that the fact can explain. The first of them shows it.

    | kind                   | meaning                                                                     |
    |------------------------|-----------------------------------------------------------------------------|
    | `single_precision`     | all values, or all gradients, are numbers of single precision               |
    | `value`                | in `program` the value of the result is `found`, and should be `expected`   |
    | `gives_other`          | the result is not a node, but a `found`: of `program`, or of any numbers    |
    | `overwrites`           | the rule sets the input's gradient instead of adding to it                  |
    | `gives_input`          | the result is one of the inputs, and not a new node                         |
    | `rule_is_none`         | the result has None where other results have their rule                     |
    | `no_rule`              | the result has the same rule as a leaf, and it adds nothing                 |
    | `nothing_added`        | the rule adds nothing to the input's gradient                               |
    | `no_upstream`          | the contribution does not depend on the upstream gradient                   |
    | `upstream_added`       | the upstream gradient is added to the local derivative                      |
    | `sign`                 | the contribution has the wrong sign                                         |
    | `factor`               | the contribution is `found` times the right one                             |
    | `local_derivative`     | the local derivative is `found`, and should be `expected`                   |
    | `swapped`              | each input receives the contribution of the other one                       |
    | `gradient_for_value`   | the local derivative is the other input's gradient, and should be its value |
    | `parentheses`          | only a part of the local derivative is multiplied by the upstream gradient  |
    | `contribution`         | in `program` with `upstream` the input receives `found`, not `expected`     |
    | `depends_on_gradients` | the contribution depends on existing gradients                              |
    | `upstream_cleared`     | the rule sets the upstream gradient to 0                                    |
    | `not_seeded`           | after `backward()` the root's gradient and all others are 0                 |
    | `all_cleared`          | after `backward()` every gradient is 0, though rules added to some          |
    | `seed`                 | after `backward()` the root's gradient is `found`, not 1                    |
    | `no_rule_ran`          | `backward()` ran no rule                                                    |
    | `nothing_propagated`   | after `backward()` only the root has a gradient                             |
    | `all_ones`             | after `backward()` every gradient is 1                                      |
    | `stops_at`             | in `program` `node` has the right gradient, and its inputs have 0           |
    | `ran_twice`            | in `program` the rule of `node` ran more than once                          |
    | `never_ran`            | in `program` the rule of `node` did not run                                 |
    | `ran_early`            | in `program` the rule of `node` ran before that of its user `other`         |
    | `second_pass`          | with gradients set back to 0, a second `backward()` gives other gradients   |
    | `wrong_gradient`       | after `backward()` on `program` the gradient of `input` is `found`          |
    | `shifted`              | in `program` the gradient of `node` is that of the operand `node` `found`   |
    | `gradients_left`       | `zero_grad` does not change the gradients of the parameters `other`         |
    | `gradients_set`        | `zero_grad` sets every gradient to `found`                                  |
    | `values_set`           | `zero_grad` sets values to `found`                                          |
    | `values_left`          | `step` does not change the values of the parameters `other`                 |
    | `steps_by`             | `step` sets `p.data` to `found`, a formula                                  |
    | `rebound`              | `node` makes nodes with the moved values, and leaves the parameters alone   |
    | `stale_loss`           | `train` runs another pass on a loss that was built before the last step     |
    | `passed_twice`         | `train` runs `backward()` twice on one loss, without a step in between      |
    | `never_passed`         | `train` does not call `backward()`                                          |
    | `other_root`           | `train` calls `backward()` on another node than the loss                    |
    | `passes_taken`         | `train` calls `backward()` `found` times in place of `expected`             |
    | `moved_early`          | parameters move before the `first` pass, or between a `loss` and its pass   |
    | `not_cleared`          | when passes begin, gradients are not 0: the `first` pass, every `later`     |
    |                        | one, `some` later ones, or all of them (`never`)                            |
    | `cleared_early`        | gradients are set to 0 between a pass and the step, so nothing moves        |
    | `never_moved`          | `train` changes the value of no parameter                                   |
    | `some_left`            | `train` never changes the values of the parameters `other`                  |
    | `moved_apart`          | after a pass, `train` changes some parameters, and others after the next    |
    | `moved_again`          | `train` changes every parameter more than once after a pass                 |
    | `other_rate`           | `train` steps at the rate `found`, or at these multiples of the right one   |
    | `steps_taken`          | `train` takes `found` steps in place of `expected`                          |
    | `losses_late`          | `train` returns the losses after each step                                  |
    | `losses_kept`          | a second call of `train` returns the losses of the first call, too          |
    """

    kind: FactKind
    text: str = ""
    operation: str = ""
    input: str = ""
    expected: str = ""
    found: str = ""
    lines: tuple[int, int] | None = None
    program: str = ""
    node: str = ""
    other: str = ""
    upstream: str = ""
    orders: tuple[int, int] | None = None
    checks: tuple[str, ...] | UnsetType = UNSET
