"""Engines under check whose answers a test chooses, and answers without torch."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from grader.checks import EngineUnderCheck
from grader.course.load import Limits
from grader.course.oracle import Redraw
from grader.course.oracle.answer_book import Answer
from grader.course.program import Arrangement, Leaf, Op, Question
from grader.course.program.graph import Number
from grader.program import Program
from grader.runner.client import Batch, Died, Ran, Refused, ask
from grader.runner.client.protocol import decode_batch
from grader.runner.worker.adapter.ask import Look
from grader.runner.worker.confine.framing import HEADER

READING = ["Value", "data", "grad", "_prev", "closure", "_backward", False]


def answer(program: Program) -> Answer:
    """Return values and gradients of programs of + - * and **, computed as a learner would by hand."""
    values: list[float] = []
    slopes: list[list[tuple[int, float]]] = []
    for node in program.nodes:
        if isinstance(node, Leaf):
            values.append(node.value)
            slopes.append([])
            continue
        x = [float(o.value) if isinstance(o, Number) else values[o] for o in node.operands]
        rules: dict[str, Callable[..., tuple[float, tuple[float, ...]]]] = {
            "add": lambda a, b: (a + b, (1.0, 1.0)),
            "sub": lambda a, b: (a - b, (1.0, -1.0)),
            "mul": lambda a, b: (a * b, (b, a)),
            "pow": lambda a, b: (a**b, (b * a ** (b - 1), 0.0)),
            "tanh": lambda a: (a, (1.0,)),  # whatever: both sides of a test take it from here
        }
        value, local = rules[node.op](*x)
        values.append(value)
        slopes.append([(o, d) for o, d in zip(node.operands, local, strict=True) if isinstance(o, int)])
    grads = [0.0] * len(values)
    grads[program.root] = 1.0
    for i in reversed(range(program.root + 1)):
        for source, slope in slopes[i]:
            grads[source] += slope * grads[i]
    return Answer(tuple(values), tuple(grads))


def answered(question: Question) -> Answer:
    """Return the answer to a program or to a descent."""
    if isinstance(question, Program):
        return answer(question)
    p, losses = question.start, []
    for _ in range(question.steps):
        leaves = [(i, node) for i, node in enumerate(p.nodes) if isinstance(node, Leaf)]
        losses.append(answer(p).values[p.root])
        p = p.with_leaves([leaf.value - question.rate * answer(p).grads[i] for i, leaf in leaves])
    return Answer((*losses, *(leaf.value for leaf in p.leaves)), ())


def honest_result(program: Program, step: ask.RunStep, state: dict[str, Any]) -> list[Any]:
    """Return the answer of a correct engine with closures to a step, as sent by a worker."""
    known = answer(program) if program.nodes else Answer((), ())
    if isinstance(step, ask.Train):
        state["given"] = [i for i, node in enumerate(program.nodes) if isinstance(node, Leaf)]
    if isinstance(step, ask.CallFunction):
        state["given"] = next((given[1] for given in step.arguments if given[0] in ("nodes", "numbers")), [])
    grads: list[float] = state.setdefault("grads", [0.0] * len(program.nodes))
    factor = 3.0 if state.get("tripled") else 1.0
    match step:
        case Look("values"):
            return ["values", [v.hex() for v in known.values]]
        case Look("grads"):
            return ["grads", [g.hex() for g in grads]]
        case ask.Backward():
            grads[:] = [g if i == program.root else factor * g for i, g in enumerate(known.grads)]
        case ask.Preload(given):
            grads[:] = [0.0] * len(grads)
            for index, grad in given:
                grads[index] = grad
        case ask.LocalRules(_, upstream):
            grads[:] = [there + upstream * g for there, g in zip(grads, known.grads, strict=True)]
        case ask.Triple():
            state["tripled"] = True
        case Look("traced"):
            ran = [i for i in reversed(range(len(program.nodes))) if isinstance(program.nodes[i], Op)]
            return ["trace", [[i, []] for i in ran]]
        case Look("inputs"):
            of_nodes = [list(node.inputs) if isinstance(node, Op) else [] for node in program.nodes]
            return ["inputs", of_nodes]
        case Look("given_list"):
            return called(nodes=state["given"])
        case Look("given_numbers"):
            return called(numbers=[number.hex() for number in state["given"]])
        case ask.CallFunction("pass_back"):
            grads[:] = known.grads
            return called()
        case ask.CallFunction(function, arguments):
            return _returned(program, function, arguments)
    return called() if isinstance(step, ask.Train) else ["nothing"]


def called(numbers: list[str] | None = None, nodes: list[int] | None = None, truth: bool | None = None) -> list[Any]:
    """Return what a worker sends for the result of a function. Without arguments, it is None."""
    return ["called", numbers, nodes, None, truth]


def _returned(program: Program, function: str, given: Sequence[Any]) -> list[Any]:
    """Return the result of a correct function of the learner's file."""
    match function:
        case "half":
            return called([(number / 2).hex() for _, number in given])
        case "flat":
            ((_, (first, others)),) = given
            return called([float(number).hex() for number in (first, *others)])
        case "sums":
            (_, rows), _ = given
            totals = [sum(column).hex() for column in zip(*rows, strict=True)]
            return [*called(), [[len(totals)], "float64", totals]]
        case "numeric_grad":
            return called([_true_grads(*given[:2])[given[2][1]].hex()])
        case "agrees":
            return called(truth=_true_grads(*given) == [*given[0][1][2]])
    return called(nodes=program.reachable)


def _true_grads(handed: list[Any], numbers: list[Any]) -> list[float]:
    """Return the right gradients of a function that is handed to a learner's function, for its numbers."""
    wire, root, _ = handed[1]
    given = iter(numbers[1])
    nodes = [
        Leaf(f"x{i}", next(given))
        if op == "leaf"
        else Op(f"x{i}", op, tuple(o if isinstance(o, int) else Number(o[1]) for o in operands))
        for i, (op, *operands) in enumerate(wire)
    ]
    known = answer(Program(tuple(nodes), root, "handed"))
    return [grad for node, grad in zip(nodes, known.grads, strict=True) if isinstance(node, Leaf)]


def honest(batch: Batch) -> list[Any]:
    """Return a correct engine's whole answer to a batch, as JSON."""
    results = []
    for run in batch.runs:
        state: dict[str, Any] = {}
        results.append([honest_result(run.program, step, state) for step in run.steps])
    seeds = [
        [["done", [placed(one, arrangement) for one in each]] for each, arrangement in zip(results, seed, strict=True)]
        for seed in batch.arrangements
    ]
    answer: list[Any] = json.loads(json.dumps(["read", READING, seeds]))
    return answer  # no list in it stands twice: a test may change one place


def placed(result: list[Any], arrangement: Arrangement | None) -> list[Any]:
    """Return a result with the nodes of a program at their places in an arrangement."""
    if arrangement is None:
        return result
    kind, *rest = result
    places = arrangement.places
    if kind in ("values", "grads"):
        tokens = [""] * len(places)
        for place, token in zip(places, rest[0], strict=True):
            tokens[place] = token
        return [kind, tokens]
    if kind == "called" and rest[1:2] not in ([], [None]):
        return [kind, rest[0], [places[i] for i in rest[1]], *rest[2:]]
    if kind == "inputs":
        of_nodes: list[list[int]] = [[] for _ in places]
        for place, inputs in zip(places, rest[0], strict=True):
            of_nodes[place] = [places[i] for i in inputs]
        return [kind, of_nodes]
    if kind == "trace":
        return [kind, [[places[i], [[places[j], token] for j, token in added]] for i, added in rest[0]]]
    return result


def decoded(message: Any, batch: Batch, printed: str) -> Ran:
    """Return an answer as `EngineProcess.run` decodes it."""
    body = json.dumps(message).encode("ascii")
    try:
        return Ran(decode_batch(HEADER.pack(len(body)) + body, batch), printed, 0.0)
    except Refused as refusal:
        return Ran(Died("protocol_error", detail=str(refusal)), printed, 0.0)


Says = Callable[[Batch], Any]


class Process:
    """A process that answers with the result of a function of the batch. If it is None, checks are only planned."""

    shared = False

    def __init__(self, says: Says | None, printed: str) -> None:
        self.says, self.printed = says, printed

    def run(self, batch: Batch, alone: bool = False) -> Ran | None:
        said = self.says(batch) if self.says else None
        return said if self.says is None or isinstance(said, Ran) else decoded(said, batch, self.printed)


def engine_that(
    says: Says | None = honest,
    source: str = "",
    seed: str = "a seed",
    redraw: Redraw | None = None,
    printed: str = "",
    answers: Callable[[Sequence[Question]], list[Answer]] = lambda questions: list(map(answered, questions)),
    brief: bool = False,
) -> EngineUnderCheck:
    """Return an engine under check whose process answers with the result of a function of the batch."""
    return EngineUnderCheck(Process(says, printed), answers, source, Limits(), seed, redraw, brief=brief)


def redrawn(seed: str = "a secret") -> Redraw:
    """Return the numbers that a secret seed puts into programs, with answers computed by hand."""

    def answers(programs: Sequence[Question]) -> list[Any]:
        return [answered(p) for p in programs]

    return Redraw(seed, answers, answers, {})


def zeroed(result: list[Any]) -> list[Any]:
    return [result[0], [(0.0).hex()] * len(result[1])]


def all_zeroed(batch: Batch) -> Any:
    """Return an answer in which every number is 0."""
    message = honest(batch)
    for seed in message[2]:
        for outcome in seed:
            outcome[1] = [zeroed(r) if r[0] in ("values", "grads") else r for r in outcome[1]]
    return message
