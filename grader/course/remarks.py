"""Remarks on a failure, besides its numbers, as data: a kind and its fields. `grader.words` has the sentences.

Checks use remarks to record how a program was run, and which faults were found. `Stopped` is for code that raised an
error, reached a limit, or cannot be read as an engine.
"""

from typing import Literal, TypeAlias

import msgspec

Shown: TypeAlias = float | str
# the fault of a backward pass that a function has to notice
PassFault: TypeAlias = Literal["factor", "sign", "lost", "small", "swapped", "missing", "extra", "cancelling"]


class CellStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A code cell of a notebook: the number that Jupyter shows beside it, and the line of the text where it begins."""

    cell: int
    line: int


# The kinds and fields of remarks are in reports: a new name changes the schema.
class _Remark(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True):
    pass


# -- how the programs were run --------------------------------------------------------------------


class IntLeaves(_Remark, frozen=True, tag="int_leaves"):
    """The leaves were given as ints."""


class InPlace(_Remark, frozen=True, tag="in_place"):
    """Each operation was written in place, as in `x += b`."""


class StartingFrom(_Remark, frozen=True, tag="starting_from"):
    """Gradients were set beforehand. `grads` has them by the node's name."""

    grads: dict[str, float]


class SecondPass(_Remark, frozen=True, tag="second_pass"):
    """The numbers are those of a second backward pass. The first one began at the node `after`, by default the root."""

    after: str | None = None


class BuiltAgain(_Remark, frozen=True, tag="built_again"):
    """The numbers are those of a second graph with the same leaves, whose gradients were set to 0 before."""


class Released(_Remark, frozen=True, tag="released"):
    """Only the leaves and the root were held by variables."""


class AfterCall(_Remark, frozen=True, tag="after_call"):
    """The numbers were observed after a call of the learner's function.

    Attributes:
        call: The call, such as `backward_again(L)`, or several calls.
        second: Whether a backward pass ran before it.
    """

    call: str
    second: bool = False


class HoldsInput(_Remark, frozen=True, tag="holds_input"):
    """A node that should be a leaf has an input."""

    node: str


class RulesRunAgain(_Remark, frozen=True, tag="rules_run_again"):
    """The numbers were observed after the rules ran a second time, from `upstream` at L.

    Between the two runs, the learner's function `clear` set the gradients to 0. If `clear` is None, the grader did.
    """

    upstream: float
    clear: str | None = None


class Cleared(_Remark, frozen=True, tag="cleared"):
    """The numbers were observed after the learner's function `function` was called to clear them."""

    function: str


class RuleTripled(_Remark, frozen=True, tag="rule_tripled"):
    """The rule of a node was made to contribute three times as much. `ignored` says that no gradient changed."""

    node: str
    ignored: bool = False


# -- faults ---------------------------------------------------------------------------------------


class DependsOnOrder(_Remark, frozen=True, tag="depends_on_order"):
    """The observations differ between order seeds. They are wrong under `wrong` of the `of` order seeds."""

    wrong: int
    of: int


class DataChanged(_Remark, frozen=True, tag="data_changed"):
    """The backward pass changed the data, or the rules did when they were run one at a time."""

    by: Literal["backward", "rules"]


class NoGradientChanged(_Remark, frozen=True, tag="no_gradient_changed"):
    """The rules ran, and every gradient is the same as before. Two contributions may have cancelled."""


class NothingStored(_Remark, frozen=True, tag="nothing_stored"):
    """No local derivatives were found with the inputs of a node."""


class NoRules(_Remark, frozen=True, tag="no_rules"):
    """No backward rule was found on a node."""


class GaveNone(_Remark, frozen=True, tag="gave_none"):
    """An operation returned None."""


class SeedChanged(_Remark, frozen=True, tag="seed_changed"):
    """The gradient of the root is not 1 after the backward pass."""

    root: str
    found: Shown


class RanTwice(_Remark, frozen=True, tag="ran_twice"):
    """The rule of a node ran more than once."""

    node: str


class NeverRan(_Remark, frozen=True, tag="never_ran"):
    """The rule of a node did not run, nor those of the nodes `others`."""

    node: str
    others: tuple[str, ...] = ()


class NotCalled(_Remark, frozen=True, tag="not_called"):
    """Lines of the file name rules and do not call them. `written` has these expressions."""

    written: tuple[str, ...]


class OnesAtFirst(_Remark, frozen=True, tag="ones_at_first"):
    """The gradients are those of a backward pass in which every gradient is 1 at first."""

    root: str


class RanEarly(_Remark, frozen=True, tag="ran_early"):
    """The rule of `node` ran before that of its user, which adds to `gradient`."""

    node: str
    user: str
    gradient: str


class Changed(_Remark, frozen=True, tag="changed"):
    """A function changed something of a node that it must not change."""

    function: str
    what: Literal["value", "gradient", "inputs"]
    node: str


class ListChanged(_Remark, frozen=True, tag="list_changed"):
    """A function removed nodes from the list that it was given, or added some."""

    function: str


class Returned(_Remark, frozen=True, tag="returned"):
    """A function did not return `expected` numbers.

    Attributes:
        count: How many numbers it returned.
        type: The type of the returned object, `a node` or `nodes`, if it did not return numbers.
    """

    function: str
    expected: int
    count: int | None = None
    type: str | None = None


class Unnoticed(_Remark, frozen=True, tag="unnoticed"):
    """A function that tests gradients returned True for a backward pass with a wrong gradient.

    Attributes:
        function: The function.
        fault: The fault of the backward pass.
        gradient: The name of the gradient.
        given: What the backward pass gives.
        right: Torch's gradient.
    """

    function: str
    fault: PassFault
    gradient: str
    given: float
    right: float


class RightRefused(_Remark, frozen=True, tag="right_refused"):
    """A function that tests gradients returned False for a backward pass with torch's gradients, which are `grads`."""

    function: str
    grads: dict[str, float]


class NoTruth(_Remark, frozen=True, tag="no_truth"):
    """A function returned neither True nor False, but an object of another type."""

    function: str
    type: str


class NumbersChanged(_Remark, frozen=True, tag="numbers_changed"):
    """A function changed the list of numbers that it was given."""

    function: str


class NotRight(_Remark, frozen=True, tag="not_right"):
    """Wrong numbers that a function returned, by name. The right ones are not revealed.

    Attributes:
        opposite: The names of those that have the wrong sign, and are right otherwise.
        exchanged: The names of two of them that are right in each other's place.
    """

    numbers: dict[str, Shown]
    opposite: tuple[str, ...] = ()
    exchanged: tuple[str, ...] = ()


# -- a topological order; `again` says that a second call returned it ------------------------------------


class NoList(_Remark, frozen=True, tag="no_list"):
    """`build_topo` returned an object that is not a list."""

    type: str
    again: bool = False


class Disordered(_Remark, frozen=True, tag="disordered"):
    """A long order has a fault."""

    again: bool = False


class NoNode(_Remark, frozen=True, tag="no_node"):
    """The order contains an object that is not a node of the graph."""

    again: bool = False


class ListedTwice(_Remark, frozen=True, tag="listed_twice"):
    """A node occurs in the order more than once."""

    node: str
    again: bool = False


class NotListed(_Remark, frozen=True, tag="not_listed"):
    """A node is missing from the order. The node `equal` is in the order, and has the same value."""

    node: str
    again: bool = False
    equal: str | None = None


class Unrelated(_Remark, frozen=True, tag="unrelated"):
    """The order contains a node from which the root is not computed."""

    node: str
    root: str
    again: bool = False


class BeforeInput(_Remark, frozen=True, tag="before_input"):
    """A node comes before one of its inputs in the order."""

    node: str
    input: str
    again: bool = False


class NotSummed(_Remark, frozen=True, tag="not_summed"):
    """The gradient of a node that an operation broadcasts is not summed over the axes of the broadcast.

    Attributes:
        user: the operation.
        shape: the shape of the gradient.
        right: the shape of the node.
        axes: the axes of `shape` to sum over.
    """

    node: str
    user: str
    shape: tuple[int, ...]
    right: tuple[int, ...]
    axes: tuple[int, ...]


class Averaged(_Remark, frozen=True, tag="averaged"):
    """The gradient of a node that an operation broadcasts is the mean over these axes, and not the sum."""

    node: str
    user: str
    axes: tuple[int, ...]


class OneSlice(_Remark, frozen=True, tag="one_slice"):
    """The gradient of a node that an operation broadcasts is one of the terms along these axes, and not their sum."""

    node: str
    user: str
    axes: tuple[int, ...]


class Reshaped(_Remark, frozen=True, tag="reshaped"):
    """The gradient of a node has the right numbers, in a shape other than that of the node."""

    node: str
    shape: tuple[int, ...]
    right: tuple[int, ...]


class Transposed(_Remark, frozen=True, tag="transposed"):
    """The gradient of a node is the right one with its two axes exchanged."""

    node: str


class IntGradient(_Remark, frozen=True, tag="int_gradient"):
    """The gradient of a node is an array of integers, and the right one has other numbers than integers."""

    node: str
    type: str


class NothingReceived(_Remark, frozen=True, tag="nothing_received"):
    """One of the users of a node, whose own gradient is right, contributes nothing to the gradient of the node."""

    node: str
    user: str


class IgnoresUpstream(_Remark, frozen=True, tag="ignores_upstream_array"):
    """The contribution of a user to a node is the right one for an upstream gradient of ones."""

    node: str
    user: str


class SpreadAlong(_Remark, frozen=True, tag="spread_along"):
    """The upstream gradient of a reduction is spread along the axis `axis`, and not along `right`."""

    node: str
    user: str
    axis: int
    right: int


class Divided(_Remark, frozen=True, tag="divided"):
    """The contribution of a mean or a sum to a node is divided by `by`. The right one is divided by `right`."""

    node: str
    user: str
    by: int
    right: int


class Scaled(_Remark, frozen=True, tag="scaled"):
    """The gradient of a node is a constant times the right one."""

    node: str
    factor: float


class RepeatedIndex(_Remark, frozen=True, tag="repeated_index"):
    """An index takes a number of a node several times, and the gradient of this number is one of the terms."""

    node: str
    user: str


class SpreadToAll(_Remark, frozen=True, tag="spread_to_all"):
    """Each number of a node receives the upstream gradient of a `max`, also those that are not the largest."""

    node: str
    user: str


class NotMovedBack(_Remark, frozen=True, tag="not_moved_back"):
    """The contribution of a user that moves numbers to other places has the numbers in the order of the result."""

    node: str
    user: str


class NotInPlace(_Remark, frozen=True, tag="not_in_place"):
    """The contribution of a user that moves numbers has the right numbers, in places that are neither right nor its."""

    node: str
    user: str


class OtherPart(_Remark, frozen=True, tag="other_part"):
    """A node that is joined with others receives the part of the upstream gradient that belongs to another place."""

    node: str
    user: str
    part: int
    right: int


class LargestOfAll(_Remark, frozen=True, tag="largest_of_all"):
    """Of the numbers of a node, only the largest of all receives the upstream gradient of a `max` along an axis."""

    node: str
    user: str


class SummedOverAll(_Remark, frozen=True, tag="summed_over_all"):
    """Each number of the gradient of a node that an operation broadcasts is the sum of all terms.

    Attributes:
        axes: the axes to sum over.
    """

    node: str
    user: str
    axes: tuple[int, ...]


class OtherProduct(_Remark, frozen=True, tag="other_product"):
    """The contribution of `@` to a node is the product of other matrices than the right ones.

    Attributes:
        formula: the product, with `G` for the upstream gradient.
        right: the right one.
    """

    node: str
    user: str
    formula: str
    right: str


class OnlyOneUse(_Remark, frozen=True, tag="only_one_use"):
    """The gradient of a node that has several users is the contribution of one of them."""

    node: str
    user: str


class OneOfTwoUses(_Remark, frozen=True, tag="one_of_two_uses"):
    """A user has a node as both of its operands, and contributes to the node only for one of them."""

    node: str
    user: str


class OneArray(_Remark, frozen=True, tag="one_array"):
    """The gradients of two nodes are one array, and should have different numbers."""

    node: str
    other: str


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition on the operations of a program.

    Attributes:
        kind: a condition on shapes or arguments; `has` if it is enough that the program has the operation.
        op: the operation, if the condition is about one.
    """

    kind: str
    op: str = ""


class FailsWhenever(_Remark, frozen=True, tag="fails_whenever"):
    """All programs of a check that meet a condition fail, and no others do.

    Attributes:
        conditions: the condition, or two of which each failing program meets at least one.
        stops: whether each of them raises an exception.
        count: how many programs were compared.
    """

    conditions: tuple[Condition, ...]
    stops: bool
    count: int


UseRemark: TypeAlias = (
    NothingReceived
    | IgnoresUpstream
    | SpreadAlong
    | Divided
    | Scaled
    | RepeatedIndex
    | SpreadToAll
    | LargestOfAll
    | NotMovedBack
    | NotInPlace
    | OtherPart
    | OtherProduct
    | OnlyOneUse
    | OneOfTwoUses
    | FailsWhenever
)
ShapeRemark: TypeAlias = (
    NotSummed | Averaged | OneSlice | SummedOverAll | Reshaped | Transposed | IntGradient | OneArray | UseRemark
)
RunRemark: TypeAlias = (
    IntLeaves | InPlace | StartingFrom | SecondPass | BuiltAgain | Released | RulesRunAgain | Cleared | RuleTripled
)
TraceFault: TypeAlias = RanTwice | NeverRan | RanEarly
OrderFault: TypeAlias = NoList | Disordered | NoNode | ListedTwice | NotListed | Unrelated | BeforeInput
Remark: TypeAlias = (
    RunRemark
    | DependsOnOrder
    | DataChanged
    | NoGradientChanged
    | NothingStored
    | NoRules
    | GaveNone
    | SeedChanged
    | TraceFault
    | NotCalled
    | OnesAtFirst
    | Changed
    | ListChanged
    | AfterCall
    | HoldsInput
    | Returned
    | Unnoticed
    | RightRefused
    | NoTruth
    | NumbersChanged
    | NotRight
    | ShapeRemark
    | OrderFault
)


def tag_of(remark: Remark) -> str:
    """Return the kind of a remark, as reports name it."""
    return str(remark.__struct_config__.tag)


class Stopped(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The problem that stopped the learner's code, with the data for a sentence about it.

    Args:
        kind: The kind of the protocol's `Problem`.
        where: The step that was running.
        type: The type of the exception. For the kind `shape`, the code of what could not be read.
        message: The exception's message.
        names: The names to which `kind` or `type` refers.
        counts: The numbers to which `type` refers.
        lines: The learner's own lines in the traceback with their numbers, innermost last.
        operand: The last operation of two variables before the innermost line, if its left operand is certainly a node:
            the operation, the operand and the method that was called.
        meant: For calls that are nested too deeply, the call in which a method calls itself, and the call of the method
            whose name has an underscore in front, if the file has one: `node.backward()` and `node._backward()`.
        in_file: Whether the traceback passes through the learner's file.
        unfilled: Whether the exception is the one that a stub raises in place of a solution.
        begun: Whether the function that raises it contains more than the stub's line.
        notebook: Whether the file is a Jupyter notebook.
    """

    kind: str
    where: str = ""
    type: str = ""
    message: str = ""
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    in_file: bool = False
    unfilled: bool = False
    begun: bool = False
    notebook: bool = False
    operand: tuple[str, str, str] | None = None
    meant: tuple[str, str] | None = None


# -- reasons why there is no answer -------------------------------------------------------------

ReasonCode: TypeAlias = Literal[
    "answer_too_large",
    "budget",
    "cpu_limit",
    "exited",
    "killed",
    "not_reloaded",
    "output_too_large",
    "protocol_error",
    "unanswered",
    "wall_limit",
]
ReasonStatus: TypeAlias = Literal["error", "timeout", "crashed"]

# `budget` and `unanswered` are timeouts of what ran before: the check itself was not run.
STATUS: dict[ReasonCode, ReasonStatus] = {
    "answer_too_large": "error",
    "budget": "timeout",
    "cpu_limit": "timeout",
    "exited": "crashed",
    "killed": "crashed",
    "not_reloaded": "crashed",
    "output_too_large": "error",
    "protocol_error": "error",
    "unanswered": "timeout",
    "wall_limit": "timeout",
}


class Died(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reason why no usable answer came from an engine process.

    | kind               | fields                                                                     |
    |--------------------|----------------------------------------------------------------------------|
    | `answer_too_large` | `limit_kb`                                                                 |
    | `budget`           | the submission has used up `seconds` of `clock` ("cpu" or "wall")          |
    | `cpu_limit`        | `seconds` of CPU time were used up                                         |
    | `exited`           | the process exited before it answered                                      |
    | `killed`           | `signal`, its name                                                         |
    | `not_reloaded`     | the file was loaded once, but not a second time                            |
    | `output_too_large` | `limit_kb`                                                                 |
    | `protocol_error`   | `detail`                                                                   |
    | `unanswered`       | not run: `count` earlier batches were not answered in time                 |
    | `wall_limit`       | `seconds` of time passed                                                   |
    """

    kind: ReasonCode
    seconds: float | None = None
    clock: Literal["cpu", "wall"] | None = None
    signal: str | None = None
    limit_kb: int | None = None
    count: int | None = None
    detail: str | None = None

    @property
    def status(self) -> ReasonStatus:
        """Return the status of a check with this reason."""
        return STATUS[self.kind]


class Reason(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The reason why a check did not pass or a file was not loaded, if it is not a wrong number.

    Attributes:
        kind: A kind of `Died` or of the protocol's `Problem`, or the reason why a file was not read: a kind of
            `grader.words.practice`.
        detail: For `not_offered` and `wants_argument`, the method. For `shape`, the code of what is missing. For a
            file that was not read, the words of the system or of a decoder.
        type: The type of an exception.
        line: The innermost line in the learner's file.
        names: Files: those that may be the missing one, or of which only one may exist.

    The other attributes are those of `Died`. For files that were not read, the kinds are:

    | kind                 | meaning, and fields                                                               |
    |----------------------|-----------------------------------------------------------------------------------|
    | `both`               | both files `names` exist: a Python file and the notebook in place of it           |
    | `compression`        | an archive's member uses a compression method that is not supported               |
    | `damaged`            | an archive's member cannot be unpacked: `detail`                                  |
    | `encrypted`          | an archive's member is encrypted                                                  |
    | `hard_link`          | the file has a second name                                                        |
    | `language`           | the notebook is for the language `detail`                                         |
    | `missing`            | there is no such file                                                             |
    | `nbformat`           | the major version of the notebook's format is `count`                             |
    | `near_name`          | there is no such file, but the files `names` have a similar name                  |
    | `nested`             | the notebook's JSON is nested too deeply                                          |
    | `not_a_notebook`     | the JSON is not a notebook: `detail`                                              |
    | `not_json`           | the notebook is not JSON: `detail`                                                |
    | `not_opened`         | the system does not open the file: `detail`                                       |
    | `not_regular`        | it is a folder, a pipe or a device                                                |
    | `not_utf8`           | the byte `count` is not UTF-8                                                     |
    | `notebook_not_utf8`  | the notebook is not UTF-8                                                         |
    | `notebook_too_large` | the notebook is larger than `limit_kb`                                            |
    | `nul_bytes`          | the file has NUL bytes                                                            |
    | `nul_characters`     | a cell of the notebook has NUL characters                                         |
    | `several_files`      | `count` files with this name differ; `names` are the first of them                |
    | `symbolic_link`      | there is a symbolic link in the path                                              |
    | `too_large`          | the file is larger than `limit_kb`                                                |
    | `too_many_cells`     | the notebook has more than `count` cells                                          |
    | `too_much_code`      | the notebook has more than `limit_kb` of code                                     |
    | `too_much_memory`    | reading the whole submission needs more than `limit_kb` of memory                 |
    | `too_slow`           | reading the whole submission takes more than `seconds` of `clock` (cpu or wall)   |
    """

    kind: str
    seconds: float | None = None
    clock: str | None = None
    signal: str | None = None
    limit_kb: int | None = None
    count: int | None = None
    detail: str | None = None
    type: str | None = None
    line: int | None = None
    names: tuple[str, ...] = ()
