"""Find a learner's file and a program to replay, run the file on it, and make a replay from the recording."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...base.text import plain
from ...course.figures import Figure, Input
from ...course.load import Check, Course, Exercise, Limits
from ...course.oracle import Answer, Oracle, OracleError
from ...course.program import Leaf, Number, Op, Program, ProgramError, argument_text, number_text, program
from ...runner.client import (
    Array,
    Batch,
    Broke,
    Died,
    Done,
    EngineProcess,
    Held,
    Host,
    LoadFailed,
    Observed,
    Odd,
    Problem,
    Ran,
    Read,
    Reading,
    Reason,
    Recorded,
    RuleVisit,
    Run,
    Source,
    ask,
    bounds,
    cut,
    read_exercise,
)
from ...runner.sandbox import Started
from ...verdict.checks import (
    MOST_NODES,
    EngineUnderCheck,
    Training,
    layers,
    recorded,
    shape_text,
    shown,
    stopped,
    training,
)
from ...verdict.grading import Grader, examine, search_budget, search_file
from ...verdict.report import Repairs
from ...words import practice as words
from ...words.practice import too_many_nodes
from ...words.repairs import repairs_text
from ...words.stopped import ended_text, stopped_text
from .amounts import Amount, Field, Shaped, amount_of, finite, is_zero, shape_of
from .difference import NOTHING, first_difference
from .model import (
    Change,
    Expected,
    Forward,
    Replay,
    ReplayNode,
    ReplayProblem,
    Seen,
    SourceText,
    Thermometer,
    Visit,
    Where,
)
from .right_pass import RightPass, contributions, right_pass


@dataclass(frozen=True)
class Subject:
    """A program to replay.

    Attributes:
        title: the title of the replay.
        run: the program and the steps, of which the first is `record`.
        preset: the id of a preset, or an empty text.
        training: a training with the program as its loss, which is shown below the replay.
    """

    title: str
    run: Run
    preset: str = ""
    training: Training | None = None

    @property
    def program(self) -> Program:
        return self.run.program

    @property
    def upstream(self) -> float:
        """Return the gradient that the root is given."""
        last = self.run.steps[-1]
        return last.upstream if isinstance(last, ask.LocalRules) else 1.0

    @property
    def before(self) -> Mapping[int, float]:
        """Return the gradients that exist before the recorded pass, by index.

        Before a function that runs one more pass, the leaves have the contributions of the earlier passes too.
        """
        first, *steps = self.run.steps
        assert isinstance(first, ask.Record)
        earlier, recorded = steps[: first.begin - 1], steps[first.begin - 1]
        held = [step for step in (*earlier, recorded) if isinstance(step, ask.Preload)]
        before = dict(held[-1].grads) if held else {}
        if isinstance(recorded, ask.Preload):
            return before
        if not held or not self.calls:
            return {}
        # each pass before the recorded one adds the whole gradient of a leaf
        passes = sum(not isinstance(step, ask.Preload) for step in earlier)
        grads = self.program.gradients()
        leaves = (index for index, node in enumerate(self.program.nodes) if isinstance(node, Leaf))
        return {index: before.get(index, 0.0) + passes * grads[index] for index in leaves}

    @property
    def calls(self) -> bool:
        """Return whether a function of the learner's file runs the recorded pass."""
        return isinstance(self.run.steps[-1], ask.CallFunction)


def subject_of(program: Program, title: str = "", preset: str = "") -> Subject:
    """Return a program to replay, with the file's own backward pass, or with its local rules if it has no such pass.

    Raises `ProgramError` for a program with too many nodes to show.
    """
    if len(program.nodes) > MOST_NODES:
        raise ProgramError(too_many_nodes(program.text, len(program.nodes), MOST_NODES))
    steps = (ask.Record(1), ask.PassOrRules(program.root))
    return Subject(title or program.text, Run(program, steps), preset)


def subject_of_figure(figure: Figure, leaves: Mapping[str, float]) -> Subject:
    """Return the program of a figure to replay, with other values of its leaves.

    Raises `ProgramError` for values at which it cannot be computed.
    """
    subject = subject_of(
        program(figure.program, **{name: leaves.get(name, own) for name, own in figure.leaves.items()})
    )
    if figure.upstream == 1:
        return subject
    root = subject.program.root
    return replace(subject, run=Run(subject.program, (ask.Record(1), ask.LocalRules(root, figure.upstream))))


# -- Run a learner's file on programs, and make replays from the recordings

MOST_LINES = 2_000  # lines of a learner's file that are shown
LINE = 300  # characters of a line that are shown
_CALLS = 100_000  # calls of the learner's functions in one replay
_CPU_S = 1.0  # CPU time of one replay
_TEXT = 300
_WHERE: dict[str, Where] = {"load": "load", "build": "build", "reading": "read"}

AnswerOf = Callable[[Program], Answer | None]


def answers_of(oracle: Oracle) -> AnswerOf:
    """Return a function that returns torch's answer to a program, or None if there is no answer."""

    def answer(wanted: Program) -> Answer | None:
        try:
            return oracle.answers([wanted])[0]
        except OracleError:
            return None

    return answer


@dataclass(frozen=True)
class FileToReplay:
    """A learner's file to replay.

    Attributes:
        exercise: the id of the exercise that the file belongs to.
        name: the name to show.
        source: the file.
        repairs: the result of the search for the line that must change, if there is one.
    """

    exercise: str
    name: str
    source: Source
    repairs: Repairs | None = None

    @property
    def shown(self) -> SourceText:
        """Return the beginning of the file, as a replay shows it."""
        lines = self.source.text.split("\n")[:MOST_LINES]
        place = self.repairs.only_place if self.repairs else ()
        about = repairs_text(self.repairs, self.source.cells) if self.repairs and place else ""
        return SourceText(plain(self.name), tuple(cut(plain(line), LINE) for line in lines), place, about)


def record(
    warm: Started | Host,
    limits: Limits,
    file: FileToReplay,
    first: Subject | None,
    others: Sequence[Subject],
    answers: AnswerOf,
) -> tuple[Replay, ...]:
    """Run a learner's file on programs, each in a separate process.

    No further program is run after one that does not finish.

    Args:
        first: the program that is always shown; None for none.
        others: programs that are shown if the file can build them.
        answers: returns torch's answer to a program, or None if there is no answer.

    Returns:
        At least one replay, that of the first program.

    Raises:
        WorkerGone: the sandbox has died. The learner's code never causes an error here.
    """
    subjects = [*filter(None, [first]), *others]
    replays: list[Replay] = []
    cpu_s = min(limits.cpu_s, _CPU_S)
    with EngineProcess(warm, file.source, None, limits, apart=True) as process:
        loaded = process.load()
        if isinstance(loaded, LoadFailed):
            asked = subjects[0].program
            return (_replay(file, subjects[0], loaded, answers(asked.truth or asked)),)
        for one in subjects:
            ran = process.run(Batch((one.run,), min(limits.calls, _CALLS), cpu_s))
            replays.append(_replay(file, one, ran, answers(one.program.truth or one.program)))
            # the others would run into the same limit, and the learner waits
            if _endless(ran):
                break
    # a program that the file cannot build shows nothing, unless it is the one that was asked for
    shown = [one for at, one in enumerate(replays) if (first and not at) or _was_built(one)]
    return tuple(shown or replays[:1])


def _was_built(replay: Replay) -> bool:
    return replay.problem is None or replay.problem.where == "backward"


def _endless(ran: Ran) -> bool:
    """Return whether a run was stopped before it finished."""
    if not isinstance(ran.answer, Read):
        return True
    return any(isinstance(one, Broke) and one.problem.ran_out for seed in ran.answer.seeds for one in seed)


def _replay(file: FileToReplay, subject: Subject, ran: Ran | LoadFailed, answer: Answer | None) -> Replay:
    """Return the replay under the first order seed that shows a fault or a problem, or else under the first one."""
    if isinstance(ran, LoadFailed):
        return _build_replay(file, subject, answer, None, failure(ran.cause, file, "load"))
    if not isinstance(ran.answer, Read):
        return _build_replay(file, subject, answer, None, failure(ran.answer, file, "read"))
    first = None
    for (outcome,) in ran.answer.seeds:
        if outcome is None:
            continue
        recorded = next(iter(outcome.recorded), None)
        problem = failure(outcome.problem, file, "backward") if isinstance(outcome, Broke) else None
        replay = _build_replay(file, subject, answer, recorded, problem, ran.answer.reading)
        if replay.fault or replay.problem:
            return replay
        first = first or replay
    return first or _build_replay(file, subject, answer, None, left_out())


def _build_replay(
    file: FileToReplay,
    subject: Subject,
    answer: Answer | None,
    recorded: Recorded | None,
    problem: ReplayProblem | None,
    reading: Reading | None = None,
) -> Replay:
    # the graph: that of the program, or the one that functions of the learner's file build
    graph = _graph(subject.program, recorded)
    program = graph.program
    if program.truth:  # no graph was read
        graph, recorded = _leaves(program), None
        program, problem = graph.program, problem or ReplayProblem(words.no_graph(bounds.TRACED), 0, "read")
    right = right_pass(program, subject.upstream, subject.before)
    # the nodes, and the rules that ran
    nodes = _nodes(subject, graph, right, answer, recorded)
    # the rules ran on the learner's own values, so they are judged by these
    values = tuple(
        value if node.yours.data is None or shape_of(node.yours.data) != node.shape else node.yours.data
        for node, value in zip(nodes, right.values, strict=True)
    )
    # an operation that is composed of others has no single rule with known contributions
    compound = {visit.node for visit in recorded.visits if visit.inner} if recorded else set()
    visits = tuple(_visit(program, values, visit, compound) for visit in recorded.visits) if recorded else ()
    # the first difference from the right pass, if the recording is complete enough to tell
    complete = problem is None and recorded is not None and not recorded.left_out
    if recorded is not None and problem is None:
        problem = _silence(program, nodes, recorded, reading)
    difference = NOTHING
    if (visits and not recorded.elsewhere) or (complete and problem is None):  # type: ignore[union-attr]
        judged = visits if complete else visits[:-1]  # the last rule may have been stopped before it finished
        # a function of the file may change values; these are the values after the pass
        later = tuple(map(field_of, recorded.values)) if subject.calls and recorded else ()
        difference = first_difference(program, nodes, judged, right, whole=complete, own=graph.own, later=later)
    return Replay(
        title=plain(subject.title),
        program=plain(subject.program.text),
        preset=subject.preset,
        exercise=file.exercise,
        source=file.shown,
        nodes=nodes,
        root=program.root,
        forward=tuple(Forward(node, line) for node, line in recorded.made) if recorded else (),
        backward=visits,
        reference=right.visits,
        first_difference=difference.visit,
        fault=difference.fault,
        fault_node=difference.node,
        problem=problem,
        asked="expected" if answer is None or graph.own else "torch",
        own_graph=bool(recorded and recorded.traced),
        aliases=tuple((plain(own[0]), plain(other)) for own in graph.names for other in own[1:]),
    )


@dataclass(frozen=True)
class _ShownGraph:
    """The graph that is shown.

    Attributes:
        program: the graph as a program.
        own: whether functions of the learner's file build it.
        names: for each node, the nodes of the check's program that are this node.
    """

    program: Program
    own: bool
    names: tuple[tuple[str, ...], ...]


def _graph(program: Program, recorded: Recorded | None) -> _ShownGraph:
    """Return the graph that was recorded. That is the program itself if there is no other."""
    traced = recorded.traced if recorded else None
    numbers = [number for node in traced or () for number in node.numbers]
    # without the root or with a node of no number, the recorded graph cannot be replayed
    roots = [place for place, node in enumerate(traced or ()) if program.root in node.names]
    if not roots or not traced or any(finite_number(number) is None for number in numbers):
        return _ShownGraph(program, own=False, names=tuple((node.name,) for node in program.nodes))
    names = tuple(tuple(program.nodes[index].name for index in node.names) for node in traced)
    nodes: list[Leaf | Op] = []
    for place, (node, own) in enumerate(zip(traced, names, strict=True)):
        name = own[0] if own else f"node {place}"  # the page gives it a letter
        given = iter([finite_number(number) or 0.0 for number in node.numbers])
        if node.op == "leaf":
            nodes.append(Leaf(name, next(given)))
        else:
            nodes.append(Op(name, node.op, tuple(Number(next(given)) if i < 0 else i for i in node.operands)))
    return _ShownGraph(Program(tuple(nodes), roots[0], program.text), own=True, names=names)


def _leaves(program: Program) -> _ShownGraph:
    """Return a graph of the leaves of a program alone."""
    leaves = program.leaves
    return _ShownGraph(Program(leaves, 0, program.text), own=True, names=tuple((leaf.name,) for leaf in leaves))


def _nodes(
    subject: Subject, graph: _ShownGraph, right: RightPass, answer: Answer | None, recorded: Recorded | None
) -> tuple[ReplayNode, ...]:
    program, before = graph.program, subject.before
    values, grads = right.values, right.grads
    if graph.own:
        values, grads = _of_own_graph(subject.program, graph, right, answer)
    elif answer is not None:
        values = _of_nodes(program, answer.values)
        # torch's gradients are for a seed of 1 and gradients that are 0 before
        grads = tuple(
            subject.upstream * grad + (before.get(index, 0.0) if index != program.root else 0.0)
            for index, grad in enumerate(_of_nodes(program, answer.grads))
        )
    nodes = []
    for index, node in enumerate(program.nodes):
        data, grad = (recorded.values[index], recorded.grads[index]) if recorded else (None, None)
        # the values of the forward pass, before the function changed any
        if subject.calls and recorded and recorded.at_first:
            data = recorded.at_first[index]
        nodes.append(
            ReplayNode(
                name=plain(node.name),
                op="leaf" if isinstance(node, Leaf) else node.op,
                inputs=Input.of(node),
                leaf_value=node.value if isinstance(node, Leaf) and not node.shape else None,
                yours=Seen(field_of(data), _text_of(data), field_of(grad), _text_of(grad)),
                expected=Expected(finite(values[index]), finite(grads[index])),
                inner=not graph.names[index],
                shape=program.shapes[index],
                arguments="" if isinstance(node, Leaf) else _arguments_text(node),
            )
        )
    return tuple(nodes)


def _arguments_text(node: Op) -> str:
    """Return the arguments of an operation besides its operands, as a program writes them."""
    text = ", ".join(argument_text(name, argument) for name, argument in node.arguments)
    # an index of several axes has no parentheses
    return text.removeprefix("(").removesuffix(")") if node.op == "getitem" else text


def _of_nodes(program: Program, numbers: Sequence[float]) -> tuple[Amount, ...]:
    """Return the amount of each node, from the numbers of all nodes."""
    return tuple(amount_of(numbers[at], shape) for at, shape in zip(program.slices, program.shapes, strict=True))


def _of_own_graph(
    program: Program, graph: _ShownGraph, right: RightPass, answer: Answer | None
) -> tuple[tuple[Amount, ...], tuple[Amount, ...]]:
    """Return the expected values and gradients of a graph that the learner's code builds.

    A node of the check's program has torch's, and any other node those of a correct pass over the graph.
    """
    values = program.of_truth(answer.values) if answer else program.values
    grads = program.of_truth(answer.grads) if answer else program.gradients()
    places = [program.index[own[0]] if own else None for own in graph.names]
    return (
        tuple(right.values[i] if place is None else values[place] for i, place in enumerate(places)),
        tuple(right.grads[i] if place is None else grads[place] for i, place in enumerate(places)),
    )


def _visit(program: Program, values: Sequence[Amount], visit: RuleVisit, compound: set[int]) -> Visit:
    # without an upstream gradient of the right shape, no contributions can be expected
    node, upstream = program.nodes[visit.node], field_of(visit.upstream)
    known = isinstance(node, Op) and visit.node not in compound and upstream is not None
    known = known and shape_of(upstream) == program.shapes[visit.node]
    return Visit(
        node=visit.node,
        inner=visit.inner,
        upstream=upstream,
        upstream_text=_text_of(visit.upstream),
        line=visit.line,
        changes=tuple(
            Change(
                input=change.node,
                before=field_of(change.before),
                before_text=_text_of(change.before),
                after=field_of(change.after),
                after_text=_text_of(change.after),
                amount=_amount(change.before, change.after),
                line=change.line,
                outside=change.outside,
            )
            for change in visit.changes
        ),
        expected=contributions(node, values, values[visit.node], upstream) if known else (),  # type: ignore[arg-type]
    )


def _amount(before: Held, after: Held) -> Field:
    old, new = field_of(before), field_of(after)
    return None if old is None or new is None else finite(new - old)


def field_of(seen: Held | None) -> Field:
    """Return what a node held in the form for JSON; None for anything that is neither a number nor an array."""
    if not isinstance(seen, Array):
        return finite_number(seen)
    if seen.shape is None or len(seen.numbers) != math.prod(seen.shape):
        return None
    numbers = tuple(map(finite_number, seen.numbers))
    return Shaped(seen.shape, numbers) if seen.shape else numbers[0]


def finite_number(seen: Observed | None) -> float | None:
    """Return an observed number in the form for JSON; None for anything else."""
    return finite(seen) if isinstance(seen, float) else None


def _text_of(seen: Held | None) -> str:
    """Return an observed number as text, or a text about another object. Return an empty text for a missing node."""
    if seen is None:
        return ""
    if isinstance(seen, Array):
        if seen.shape is None:
            return _text_of(Odd(seen.type))
        return shape_text(seen.shape) if seen.shape or not seen.numbers else _text_of(seen.numbers[0])
    if isinstance(seen, Odd):
        return str(shown(seen))
    return number_text(seen) if finite(seen) is not None else str(seen)


def _silence(
    program: Program, nodes: Sequence[ReplayNode], recorded: Recorded, reading: Reading | None
) -> ReplayProblem | None:
    """Return the reason why the recording shows less than the run did, or None."""
    if recorded.left_out:
        return ReplayProblem(words.first_runs(len(recorded.visits)), 0, "backward")
    if recorded.elsewhere:
        return ReplayProblem(words.ELSEWHERE, 0, "read")
    # rules ran, or there is none that could run
    if recorded.visits or not any(isinstance(node, Op) for node in program.nodes) or reading is None:
        return None
    if not reading.rule:
        return ReplayProblem(words.NO_RULE, 0, "read")
    # gradients changed though no rule was seen: the pass wrote them itself
    grads = [node.yours.grad for i, node in enumerate(nodes) if i != program.root]
    moved = any(grad is not None and not is_zero(grad) for grad in grads)
    return ReplayProblem(words.ELSEWHERE, 0, "read") if moved and reading.rule in ask.WITHOUT_FUNCTION else None


def run_alone(warm: Started | Host, limits: Limits, file: FileToReplay, batch: Batch) -> Read | ReplayProblem:
    """Run a batch with a file in a process of its own. Return the answer, or the problem if there is none."""
    with EngineProcess(warm, file.source, None, limits) as process:
        loaded = process.load()
        if isinstance(loaded, LoadFailed):
            return failure(loaded.cause, file, "load")
        answer = process.run(batch).answer
    return answer if isinstance(answer, Read) else failure(answer, file, "read")


def outcome_alone(
    warm: Started | Host, limits: Limits, file: FileToReplay, run: Run, cpu_s: float
) -> Done | ReplayProblem:
    """Make a run with a file in a process of its own. Return its outcome, or the problem that ended it."""
    answer = run_alone(warm, limits, file, Batch((run,), None, cpu_s, (0,)))
    if not isinstance(answer, Read):
        return answer
    outcome = answer.seeds[0][0]
    return outcome if isinstance(outcome, Done) else ended_early(outcome, file, "build")


def ended_early(outcome: Broke | None, file: FileToReplay, where: Where) -> ReplayProblem:
    """Return the problem that ended a run: that of its outcome, or that it has none."""
    return failure(outcome.problem, file, where) if outcome else left_out()


def failure(cause: Problem | Died, file: FileToReplay, where: Where) -> ReplayProblem:
    """Return the problem as a sentence, with the place where it arose.

    Args:
        where: the part of the run, used if the cause does not name one.
    """
    if isinstance(cause, Died):
        return ReplayProblem(_sentence(ended_text(cause)), 0, where)
    # the first line alone: the others quote the code, which the page shows beside it
    text = stopped_text(stopped(cause, file.source.text), file.source.cells).splitlines()[0]
    line = cause.lines[-1] if cause.lines else 0
    return ReplayProblem(_sentence(text), line, _WHERE.get(cause.where, where))


def left_out() -> ReplayProblem:
    """Return the problem of an engine process that did not answer everything it was asked."""
    return ReplayProblem(_sentence(ended_text(Reason("left_out"))), 0, "read")


def _sentence(text: str) -> str:
    text = cut(plain(text), _TEXT)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", "…")) else ".")


# -- Find the program on which a check failed, by running the checks of its exercise on the learner's file


class CheckedFile:
    """The file of an exercise after its checks were run under the grader's seed."""

    def __init__(self, grader: Grader, exercise: Exercise, source: Source) -> None:
        self.exercise = exercise
        self._grader, self._source = grader, source
        self._examined = examine(grader, exercise, source)

    @property
    def loaded(self) -> bool:
        """Return whether the file could be loaded, so that checks were run."""
        return bool(self._examined.outcomes)

    def passed(self, check: Check) -> bool:
        """Return whether the file passed a check."""
        return check.id not in self._examined.failures

    def repairs(self, withdrawn: Callable[[], bool] = lambda: False) -> Repairs | None:
        """Search for the line that must change. Return the result, or None if there is none.

        Args:
            withdrawn: returns whether the search is to end without a result.
        """
        if not self._examined.failures:
            return None
        budget = search_budget(withdrawn)
        events = search_file(self._grader, self.exercise, self._source, self._examined, budget)
        return next((event for event in events if isinstance(event, Repairs)), None)

    def first(self) -> Subject | None:
        """Return the program of the first failing check that can be shown, or else of the first passed one, or None."""
        checks = sorted(filter(is_open, self.exercise.checks), key=self.passed)  # failed checks come first
        return next(filter(None, map(self.of, checks)), None)

    def thermometers(self, answers: "AnswerOf", only: Check | None = None) -> tuple[Thermometer, ...]:
        """Return the sizes of the gradients of layers, in the runs of all checks, or of one. Failed checks come first.

        Args:
            answers: returns torch's answer to a program, or None if there is no answer.
        """
        checks = [only] if only else sorted(filter(is_open, self.exercise.checks), key=self.passed)
        shown = [(check, one) for check in checks if (e := self._examined.engines.get(check.id)) for one in e.shown]
        return tuple(
            thermometer(check.title, run.program, outcome.grads[0], answers)
            for check, one in shown
            if isinstance(one.answer, Read)
            for run, outcome in zip(one.runs, one.answer.seeds[0], strict=True)
            if outcome is not None and outcome.grads and layers(run.program)
        )

    def of(self, check: Check) -> Subject | None:
        """Return the program on which a check failed, or its first program if it passed; None if none can be shown."""
        engine = self._examined.engines.get(check.id)
        return next((one for run in _runs(engine) if (one := _subject(check.title, run))), None) if engine else None


def _subject(title: str, run: Run) -> Subject | None:
    """Return what is shown of a check's run, or None."""
    if trained := training(run):
        return replace(subject_of(trained.loss), title=title, training=trained)
    played = recorded(run)
    return Subject(title, played) if played else None


def thermometer(title: str, program: Program, grads: Sequence[Observed], answers: AnswerOf) -> Thermometer:
    """Return the sizes of the gradients of a program's layers."""
    answer = answers(program.truth) if program.truth else None
    right = program.of_truth(answer.grads) if answer else program.gradients()
    places = layers(program)
    return Thermometer(
        title=plain(title),
        function=plain(next(node.op for node in program.nodes if isinstance(node, Op) and node.made)),
        values={plain(leaf.name): leaf.value for leaf in program.leaves},
        layers=tuple(plain(program.nodes[i].name) for i in places),
        yours=tuple(None if (grad := finite_number(grads[i])) is None else abs(grad) for i in places),
        expected=tuple(finite(abs(right[i])) for i in places),
        asked="torch" if answer else "expected",
    )


def _runs(engine: EngineUnderCheck) -> Iterator[Run]:
    if engine.failing is not None:
        yield engine.failing
    else:
        for shown in engine.shown:
            yield from shown.runs


def is_open(check: Check) -> bool:
    """Return whether a learner may see the programs of a check."""
    return check.visibility == "visible" or check.detail == "full"


# -- Find the learner's file to replay

_PASSES = ("backward", "backprop", "backpropagate", "back")  # the names that the worker accepts for a backward pass
_DEFINITION = re.compile(r"^[ \t]*def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)


class FilesToReplay:
    """The exercise files in a learner's folder.

    Args:
        course: the course.
        stubs: the files as they were handed out, by exercise id.
        folder: the folder with the exercise files.
    """

    def __init__(self, course: Course, stubs: Mapping[str, str], folder: Path) -> None:
        self._stubs = stubs
        self.sources = {
            exercise.id: read_exercise(exercise, folder / exercise.filename) for exercise in course.exercises
        }
        self._existing = [exercise for exercise in course.exercises if self.sources[exercise.id].problem is None]

    def begun(self, exercise: Exercise) -> bool:
        """Return whether an exercise's file differs from the one that was handed out."""
        return self.sources[exercise.id].text != self._stubs.get(exercise.id)

    def at_hand(self) -> Exercise | None:
        """Return the last exercise that the learner has begun, or else the first one, or None if there is no file."""
        return self._last(lambda text: True) or next(iter(self._existing), None)

    def with_pass(self) -> Exercise | None:
        """Return the last begun exercise with a backward pass.

        Without one, return the last begun exercise with `+` and `*`, or else what `at_hand` returns.
        """
        return (
            self._last(lambda text: defines(text, *_PASSES))
            or self._last(lambda text: defines(text, "__add__") and defines(text, "__mul__"))
            or self.at_hand()
        )

    def with_training(self) -> Exercise | None:
        """Return the last begun exercise with a function `train`, or else the first one with it, or None."""
        with_train = (one for one in self._existing if defines(self.sources[one.id].text, "train"))
        return self._last(lambda text: defines(text, "train")) or next(with_train, None)

    def _last(self, fits: Callable[[str], bool]) -> Exercise | None:
        begun = [one for one in self._existing if self.begun(one) and fits(self.sources[one.id].text)]
        return begun[-1] if begun else None


def defines(text: str, *names: str) -> bool:
    """Return whether a line of a file begins a function or a method with one of these names.

    The text is not parsed, because a file with a syntax error has functions, too.
    """
    return any(found[1] in names for found in _DEFINITION.finditer(text))
