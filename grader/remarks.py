"""Remarks on a failure, besides its numbers, as data: a kind and its fields. `grader.words` has the sentences.

A check says what it asked for and what it found with remarks. `Stopped` is for code that raised, ran on, or cannot be
read as an engine.
"""

from typing import Literal, TypeAlias

import msgspec

Shown: TypeAlias = float | str


class CellStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A code cell of a notebook: the number that Jupyter shows beside it, and the line of the text where it begins."""

    cell: int
    line: int


class _Remark(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True):
    pass


# -- how the programs were asked ------------------------------------------------------------------


class IntLeaves(_Remark, frozen=True, tag="int_leaves"):
    """The leaves were given as ints."""


class InPlace(_Remark, frozen=True, tag="in_place"):
    """Each operation was written in place, as in `x += b`."""


class StartingFrom(_Remark, frozen=True, tag="starting_from"):
    """Gradients were set before, by the node's name."""

    grads: dict[str, float]


class SecondPass(_Remark, frozen=True, tag="second_pass"):
    """The numbers are those of a second backward pass; the first began at the node `after`, at the root for None."""

    after: str | None = None


class BuiltAgain(_Remark, frozen=True, tag="built_again"):
    """The numbers are those of a second graph of the same leaves, whose gradients were set to 0."""


class RulesRunAgain(_Remark, frozen=True, tag="rules_run_again"):
    """The numbers are those after the rules ran a second time, from `upstream` at L. The learner's function `clear`
    set the gradients to 0 between, or the grader for None."""

    upstream: float
    clear: str | None = None


class Cleared(_Remark, frozen=True, tag="cleared"):
    """The numbers are those after the learner's function `function` was called to clear them."""

    function: str


class RuleTripled(_Remark, frozen=True, tag="rule_tripled"):
    """The rule of a node was made to contribute three times as much; `ignored` where no gradient changed."""

    node: str
    ignored: bool = False


# -- what was found -------------------------------------------------------------------------------


class DependsOnOrder(_Remark, frozen=True, tag="depends_on_order"):
    """The observations differ between order seeds; under `wrong` of `of` they are wrong."""

    wrong: int
    of: int


class DataChanged(_Remark, frozen=True, tag="data_changed"):
    """The backward pass changed the data, or the rules did when they were run one at a time."""

    by: Literal["backward", "rules"]


class NoGradientChanged(_Remark, frozen=True, tag="no_gradient_changed"):
    """The rules ran, and every gradient is as it was."""


class NothingStored(_Remark, frozen=True, tag="nothing_stored"):
    """No local derivatives were found beside the inputs of a node."""


class NoRules(_Remark, frozen=True, tag="no_rules"):
    """No backward rule was found on a node."""


class GaveNone(_Remark, frozen=True, tag="gave_none"):
    """An operation gave None."""


class SeedChanged(_Remark, frozen=True, tag="seed_changed"):
    """The gradient of the root is another than 1 in the end."""

    root: str
    found: Shown


class RanTwice(_Remark, frozen=True, tag="ran_twice"):
    """The rule of a node ran more than once."""

    node: str


class NeverRan(_Remark, frozen=True, tag="never_ran"):
    """The rule of a node did not run."""

    node: str


class RanEarly(_Remark, frozen=True, tag="ran_early"):
    """The rule of `node` ran before that of its user, which adds to `gradient`."""

    node: str
    user: str
    gradient: str


class Changed(_Remark, frozen=True, tag="changed"):
    """A function changed the value or the gradient of a node that it was to leave alone."""

    function: str
    what: Literal["value", "gradient"]
    node: str


class Returned(_Remark, frozen=True, tag="returned"):
    """A function returned something else than `expected` numbers: `count` of them, or an object of type `type`."""

    function: str
    expected: int
    count: int | None = None
    type: str | None = None


class NotRight(_Remark, frozen=True, tag="not_right"):
    """Numbers that a function returned and that are wrong, by name. What is right is not revealed."""

    numbers: dict[str, Shown]


# -- a topological order; `again` where a second call returned it ---------------------------------------


class NoList(_Remark, frozen=True, tag="no_list"):
    """`build_topo` returned an object of another type."""

    type: str
    again: bool = False


class Disordered(_Remark, frozen=True, tag="disordered"):
    """Something is wrong with a long order."""

    again: bool = False


class NoNode(_Remark, frozen=True, tag="no_node"):
    """The order holds something that is no node of the graph."""

    again: bool = False


class ListedTwice(_Remark, frozen=True, tag="listed_twice"):
    """A node stands in the order more than once."""

    node: str
    again: bool = False


class NotListed(_Remark, frozen=True, tag="not_listed"):
    """A node is missing from the order."""

    node: str
    again: bool = False


class Unrelated(_Remark, frozen=True, tag="unrelated"):
    """A node stands in the order that the root is not computed from."""

    node: str
    root: str
    again: bool = False


class BeforeInput(_Remark, frozen=True, tag="before_input"):
    """A node stands in the order before one of its inputs."""

    node: str
    input: str
    again: bool = False


Asked: TypeAlias = IntLeaves | InPlace | StartingFrom | SecondPass | BuiltAgain | RulesRunAgain | Cleared | RuleTripled
TraceFault: TypeAlias = RanTwice | NeverRan | RanEarly
OrderFault: TypeAlias = NoList | Disordered | NoNode | ListedTwice | NotListed | Unrelated | BeforeInput
Remark: TypeAlias = (
    Asked
    | DependsOnOrder
    | DataChanged
    | NoGradientChanged
    | NothingStored
    | NoRules
    | GaveNone
    | SeedChanged
    | TraceFault
    | Changed
    | Returned
    | NotRight
    | OrderFault
)


class Stopped(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The problem that stopped the learner's code, with the data that a sentence about it needs.

    Args:
        kind: As in the protocol's `Problem`.
        where: The step that was taken.
        type: Of the exception; for the kind `shape`, what could not be read.
        said: The exception's message.
        names: The names that `kind` or `type` are about.
        counts: The numbers that `type` is about.
        lines: The learner's own lines on the way, innermost last, with their numbers.
        in_file: It was raised on the way through the learner's file.
        unfilled: It is what a stub raises where a solution goes.
        notebook: The file is a Jupyter notebook.
    """

    kind: str
    where: str = ""
    type: str = ""
    said: str = ""
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    in_file: bool = False
    unfilled: bool = False
    notebook: bool = False
