"""Search for the line that must change: edit a failing file in one place, run the checks, see whether they pass.

A repair is an edit with which the checks passed. Only repairs are reported. A candidate is an edit that is tried. The
worker makes the candidates, which are of these sorts:

- an edit of one statement, or of several statements,
- a whole function of the learner, which the function of the same name in the solution replaces,
- a part of the solution in place of a statement or an expression (kind `grafted`).

A candidate is tried in two stages. It is first run on the screens: for each failed check, the batch on which it failed.
That is fast, because one process tries many candidates. A candidate that passes there is run as a file of its own, on
all checks.
"""

import ast
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from difflib import ndiff
from functools import lru_cache
from itertools import groupby
from textwrap import indent
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...course.load import Check, CourseError, Exercise
from ...course.oracle import TableOracle
from ...runner.client import Budget, Candidate, CandidateProcess, Run, Source, cut
from ..checks.judging import FailedBatch
from ..checks.outcome import GraderFault
from ..report import Repair, Repairs
from .examination import Examined, Grader, Searching, checks_pass

MOST = 2_000  # the most edits of one attempt
_MOST_UNSCREENED = 100  # the same without screens, where each edit needs a process of its own
_MOST_FIRST = 40  # the most edits that run as files if they pass the first screen, and none passes all checks
_MOST_LATER = 2  # the most further failed checks that are tried if nothing makes the first one pass
_MOST_ALONE = 150  # the most runs of candidates as files of their own, in the whole search
MOST_STEPS = 400_000  # the most steps of the edits of a search (`Batch.steps`), and as many of the runs with a solution
_MOST_SEARCHES = 8  # all searches of a submission may take as many steps as so many that reach their limit
_MAX_CPU_S, _MAX_WALL_S = 60.0, 90.0  # of all searches of a submission; on an idle machine, the steps end them first
_MOST_SORTS = 6  # loops and inner functions in whose place a right sort is tried
_MOST_OWN = 1_000  # lines of the learner in a file that is searched
_MOST_GRAFTED = 24  # lines of a function that parts of the solution are put into
_SMALL = 100  # nodes of a program
_SMALL_S = 0.15  # CPU seconds of a candidate on a small program, which takes a right file a hundredth of that
_HASTE = 8  # divides the limits of a candidate on any other program; a right file needs much less than the limits
_MOST_LINES, _LINE = 20, 200  # lines of an edit that is shown, and characters of a line
# The tiers of edits by kind. Edits of a low tier are more likely to be the repair, so they are tried
# first. The search ends after a group with a repair.
_TIERS: Mapping[str, int] = {
    **dict.fromkeys(("accumulate", "assigned", "sign", "operator", "operands"), 0),
    **dict.fromkeys(("factor_dropped", "constant", "comparison", "step", "reversed", "condition", "called"), 1),
    **dict.fromkeys(("name", "factor_added"), 2),
    "added": 3,
    **dict.fromkeys(("deleted", "moved", "expression", "grafted"), 5),
}
_SEVERAL = 4  # the tier of the edits of several statements


def search_budget(withdrawn: Callable[[], bool] = lambda: False) -> Budget:
    """Return the budget of all searches of a submission.

    Args:
        withdrawn: Returns whether the searches are to end without a result.
    """
    return Budget(_MAX_CPU_S, _MAX_WALL_S, _MOST_SEARCHES * MOST_STEPS, max_stalls=0, withdrawn=withdrawn)


def _part(whole: Budget) -> Budget:
    """Return what the edits of one search may use of a budget, or its runs with a solution: half of the time."""
    steps = min(MOST_STEPS, whole.max_steps - whole.steps)
    return Budget(whole.left_cpu_s / 2, whole.left_wall_s / 2, steps, max_stalls=0, withdrawn=whole.withdrawn)


def search(
    grader: Grader,
    exercise: Exercise,
    source: Source,
    examined: Examined,
    own: frozenset[int],
    whole: Budget | None = None,
) -> Generator[Searching | Repairs, None, None]:
    """Try the candidates of a file that fails. Yield the progress, and the result.

    Counts end a search, so that a result does not depend on the machine. If code waits, or if a clock ends the search,
    the result says so and nothing else. If the search is withdrawn, there is no result.

    The result has no text of the solution. Of a run with parts of it, only whether the checks pass is used. These runs
    have a budget of their own, and are not counted. So a result can tell which function is named, and which of
    `_MOST_GRAFTED` lines of it, or pair of these lines.

    Args:
        source: The text that was graded.
        examined: The result of its checks.
        own: The lines that are the learner's, whose statements are edited.
        whole: The budget of all searches of the submission, by default a new one.
    """
    failed, filled = _failed(exercise, examined)
    if not failed:
        return
    whole = whole or search_budget()
    edits, known = (
        _Trial(grader, exercise, source, failed, _part(whole)),
        _Trial(grader, exercise, source, failed, _part(whole)),
    )
    if len(own) > _MOST_OWN:
        yield Repairs((), 0, exhaustive=False, ended="count")
        return
    result = yield from _searched(edits, known, examined, own, filled)
    for trial in (edits, known):
        whole.use(trial.budget)
    # what a clock ended depends on the machine
    for trial in (edits, known):
        if (ended := trial.budget.ended_by) in ("waiting", "time"):
            result = Repairs((), 0, exhaustive=False, ended=ended)
    if not whole.withdrawn():
        yield result


def _searched(
    trial: "_Trial", known: "_Trial", examined: Examined, own: frozenset[int], filled: bool
) -> Generator[Searching, None, Repairs]:
    """Try the candidates. Yield the progress, and return the result.

    Args:
        trial: For the edits.
        known: For the runs with parts of the solution.
    """
    grader, source, failed = trial.grader, trial.source, trial.failed
    # the screens of the failed checks; without `filled`, only the first of these checks can pass
    screens = _screens(examined, failed if filled else failed[:1])
    solution = _solution(grader, trial.exercise)
    with CandidateProcess(grader.warm, source, own, grader.course.limits, trial.budget) as process:
        # the candidates, without those whose lines the failing run does not execute
        candidates = process.candidates()
        executed, suspects = _executed(process, screens, examined.passing)
        edits, whole_functions = _split(candidates, executed, suspects, source)
        # try whole functions, to learn in which function the edits have to be
        functions = _with_right_function(known, list(_with_solution(whole_functions, source, solution)), filled)
        # try the edits, one group after another; if there is one such function, only those that concern it
        edits = _of_functions(edits, functions, whole_functions)
        attempt = _Attempt(trial, process, screens, edits, filled)
        repaired = yield from attempt.repaired()
        tried, check = attempt.tried, ""
        # without a repair: the edits with which the first failed check passes, or else a later one
        if not repaired and not functions.every and len(failed) > 1:
            repaired = yield from attempt.first_passed()
            check = failed[0].id
        if not repaired and not (functions.every or functions.first):
            later = failed[1 : 1 + _MOST_LATER]
            repaired, tried, check = yield from _later_passed(trial, process, candidates, later, examined, tried)
    if trial.budget.exceeded:
        repaired = []
    # if that fails, too: try parts of the solution in the only function
    elif not repaired and functions.only is not None and screens:
        lines = own.intersection(range(functions.only.lines[0], _last_line(functions.only, source) + 1))
        few = frozenset(sorted(lines)[:_MOST_GRAFTED])
        repaired = yield from _grafted(known, screens, few, suspects, solution, every=bool(functions.every))
    # if that fails, too: try a right sort
    if not repaired and filled and not trial.budget.exceeded:
        repaired = _with_right_sort(trial, [one for one in candidates.values() if one.kind == "grafted"])
        check = "" if repaired else check
    # The result also names the only function, unless all repairs are in one place, or the file has only one function
    # that may be replaced, whose name would say nothing.
    named = functions.only if functions.every or not repaired or check else None
    several = len({candidate.function for candidate in candidates.values() if candidate.kind == "function"}) > 1
    if not several or len({candidate.lines for candidate in repaired}) == 1 or (named and not known.keeps(named)):
        named = None
    check = check if repaired or named else ""
    shown = [*([named] if named else ()), *repaired]
    # whether it is true that no edit repairs the file: every edit was tried, and none was refused for lack of runs
    complete = len(edits.by_number) <= attempt.most and trial.left >= 0 and not trial.budget.exceeded
    return Repairs(
        tuple(_reported(trial, shown)),
        tried,
        exhaustive=complete and not repaired and tried > 0,
        check=check,
        ended="" if repaired or (complete and candidates) else "count",
    )


def _reported(trial: "_Trial", candidates: Sequence[Candidate]) -> Iterator[Repair]:
    """Yield what a report says of candidates: the edited lines too if the course reveals them."""
    text = trial.source.text if trial.grader.course.reveal == "repair" else None
    for candidate in candidates:
        yield Repair(candidate.kind, candidate.lines, candidate.function, _lines_of(candidate, text))


def _executed(
    process: CandidateProcess, screens: Sequence[FailedBatch], passing: Sequence[Run]
) -> tuple[frozenset[int] | None, frozenset[int]]:
    """Return the lines that the failing run executes, and the suspects.

    Returns:
        - The lines that are executed for the first screen; None if that is not known.
        - Those of them that none of the runs `passing` executes.
    """
    executed = process.executed(screens[0].batch) if screens else None
    if executed is None or not passing:
        return executed, frozenset()
    # one order seed is enough to find the lines
    batch = replace(screens[0].batch, runs=tuple(passing), order_seeds=screens[0].batch.order_seeds[:1])
    return executed, executed - (process.executed(batch) or executed)


def _split(
    candidates: Mapping[int, Candidate], executed: frozenset[int] | None, suspects: frozenset[int], source: Source
) -> tuple["_Edits", list[Candidate]]:
    """Return the edits and the whole functions among the candidates.

    Those that cannot change a run which executes the lines `executed` are left out.
    """
    if executed is not None:
        candidates = {
            number: candidate for number, candidate in candidates.items() if _is_executed(candidate, executed, source)
        }
    edits = {number: one for number, one in candidates.items() if one.kind not in ("function", "grafted")}
    return _Edits(edits, suspects), [candidate for candidate in candidates.values() if candidate.kind == "function"]


class _Edits(Struct, frozen=True):
    """Edits by number, and the lines that the failing run executes and no right run does."""

    by_number: Mapping[int, Candidate]
    suspects: frozenset[int] = frozenset()

    def where(self, holds: Callable[[Candidate], bool]) -> "_Edits":
        """Return the edits that fulfil a condition."""
        return replace(self, by_number={number: one for number, one in self.by_number.items() if holds(one)})

    def group(self, candidate: Candidate) -> tuple[bool, int]:
        """Return what orders edits: those of lines that no right run executes come first, and then the likely kinds.

        Edits of several statements have groups of their own.
        """
        return not self.is_suspect(candidate), _SEVERAL if _is_several(candidate) else _TIERS[candidate.kind]

    def is_suspect(self, candidate: Candidate) -> bool:
        """Return whether an edit is of lines that the failing run executes, and no right run does."""
        # a statement is added between two lines, so either may be the suspect
        lines = (candidate.lines[0], candidate.lines[0] + 1) if candidate.kind == "added" else candidate.lines
        which = all if _is_several(candidate) else any
        return which(line in self.suspects for line in lines)

    def in_order(self) -> list[int]:
        """Return the numbers of the edits in the order of their groups."""
        return sorted(self.by_number, key=lambda number: self.group(self.by_number[number]))


def _is_several(candidate: Candidate) -> bool:
    """Return whether an edit changes several statements."""
    return len(candidate.lines) > 1 and candidate.kind != "moved"


def _failed(exercise: Exercise, examined: Examined) -> tuple[list[Check], bool]:
    """Return the required checks that failed, and `filled`: whether the code of all of them was begun.

    If it was not, no edit in one place makes all checks pass.

    Checks whose code is still to be filled in come last, because no edit in one place makes them pass. If no code was
    begun, there are no checks.
    """
    begun = {check: not examined.outcomes[check].unfilled for check in examined.failures}
    failed = [check for check in exercise.checks if check.id in begun and not check.bonus]
    failed.sort(key=lambda check: not begun[check.id])  # stable: the others keep the course's order
    return failed if any(begun[check.id] for check in failed) else [], all(begun[check.id] for check in failed)


def _screens(examined: Examined, checks: Sequence[Check]) -> list[FailedBatch]:
    """Return the screens of checks: the programs that edits are tried on first. Some checks have none."""
    return [examined.screens[check.id] for check in checks if check.id in examined.screens]


class _Functions(NamedTuple):
    """The functions whose replacement by a correct function makes failed checks pass.

    Attributes:
        every: Each of these makes all failed checks pass.
        first: If there is none in `every`: each of these makes the first failed check pass.
    """

    every: list[Candidate]
    first: list[Candidate]

    @property
    def only(self) -> Candidate | None:
        """Return the only such function; None if there is none, or more than one."""
        functions = self.every or self.first
        return functions[0] if len(functions) == 1 else None


def _with_right_function(trial: "_Trial", right: Sequence[Candidate], filled: bool) -> _Functions:
    """Try right functions in the place of the learner's, one at a time.

    Args:
        right: The candidates with the solution's functions.
        filled: Whether all checks can pass. Otherwise only the first failed check can.
    """
    every = [candidate for candidate in right if trial.mends(candidate, trial.failed)] if filled else []
    if every or len(trial.failed) == 1:
        return _Functions(every, [])
    return _Functions([], [candidate for candidate in right if trial.mends(candidate, trial.failed[:1])])


# in the place of a loop, or as the body of a function, that fills a list with nodes
_SORT = """\
{filled}.clear()
done_, stack_ = set(), [({root}, False)]
while stack_:
    node_, inputs_done_ = stack_.pop()
    if inputs_done_:
        {filled}.append(node_)
    elif id(node_) not in done_:
        done_.add(id(node_))
        stack_.append((node_, True))
        stack_.extend((source_, False) for source_ in node_.{inputs})
"""


def _with_right_sort(trial: "_Trial", statements: Sequence[Candidate]) -> list[Candidate]:
    """Return the largest loop or inner function that a right sort can replace so that all checks pass, if any.

    Args:
        statements: Those that may sort nodes, with the names that the sort needs.
    """
    for one in statements[:_MOST_SORTS]:
        (splice,) = one.splices
        root, filled, inputs, *name = splice.text.split()
        if not all(map(str.isidentifier, (root, filled, inputs, *name))):
            continue
        sort = _SORT.format(root=root, filled=filled, inputs=inputs)
        for lines in (sort, f"{sort}{filled}.reverse()\n"):
            text = f"def {name[0]}(*_):\n{indent(lines, '    ')}" if name else lines
            column = splice.start - (trial.source.text.rfind("\n", 0, splice.start) + 1)
            right = splice._replace(text=indent(text, " " * column).strip())
            candidate = one._replace(splices=(right,))
            if trial.repairs(candidate, None):
                return [candidate]
    return []


def _of_functions(edits: _Edits, functions: _Functions, whole_functions: Sequence[Candidate]) -> _Edits:
    """Return the edits in the only function whose replacement makes checks pass; all edits if there is none.

    If its replacement makes only the first check pass, an edit of several functions may repair the file. Such edits are
    then returned, too.
    """
    only = functions.only
    if only is None:
        return edits
    spans = not functions.every
    return edits.where(lambda candidate: _within(candidate, only) or (spans and _spans(candidate, whole_functions)))


def _later_passed(
    trial: "_Trial",
    process: CandidateProcess,
    candidates: Mapping[int, Candidate],
    checks: Sequence[Check],
    examined: Examined,
    tried: int,
) -> Generator[Searching, None, tuple[list[Candidate], int, str]]:
    """Return the edits of the only place that makes one of these checks pass, how many were tried, and the check.

    Only suspects are edited.

    Args:
        tried: How many candidates were tried before.
    """
    for check in checks:
        screens = _screens(examined, [check])
        if not screens or examined.outcomes[check.id].unfilled:
            continue
        edits, _ = _split(candidates, *_executed(process, screens, examined.passing), trial.source)
        attempt = _Attempt(trial, process, screens, edits.where(edits.is_suspect), filled=True, tried=tried)
        repaired = yield from attempt.repaired(check)
        tried = attempt.tried
        if len(repaired) == 1 and repaired[0].kind != "added":
            return repaired, tried, check.id
    return [], tried, ""


def _grafted(
    trial: "_Trial",
    screens: Sequence[FailedBatch],
    lines: frozenset[int],
    suspects: frozenset[int],
    solution: str,
    *,
    every: bool,
) -> Generator[Searching, None, list[Candidate]]:
    """Try parts of the solution in these lines. Return the only repair, if there is one.

    Args:
        every: Whether every check has to pass, and not only the first one that failed.
    """
    screens = screens if every else screens[:1]
    limits = trial.grader.course.limits
    with CandidateProcess(trial.grader.warm, trial.source, lines, limits, trial.budget, solution) as process:
        attempt = _Attempt(trial, process, screens, _Edits(process.candidates(), suspects), every)
        repaired = yield from attempt.repaired()
    if not every:
        repaired = yield from attempt.first_passed()
    return repaired if len(repaired) == 1 and not trial.budget.exceeded else []


class _Attempt:
    """The candidates of one process, tried one group after another.

    Args:
        screens: The programs that they are tried on first.
        filled: Whether all checks can pass. Otherwise only the first failed check can.
        tried: How many candidates were tried before.

    Attributes:
        most: How many candidates are tried.
        tried: How many were tried so far.
    """

    def __init__(
        self,
        trial: "_Trial",
        process: CandidateProcess,
        screens: Sequence[FailedBatch],
        edits: _Edits,
        filled: bool,
        tried: int = 0,
    ) -> None:
        self._trial, self._process, self._screens, self._edits = trial, process, screens, edits
        self._filled = filled
        self.most = MOST if screens else _MOST_UNSCREENED
        self.tried = tried
        self._first: list[int] = []  # the candidates that pass the first screen

    def repaired(self, check: Check | None = None) -> Generator[Searching, None, list[Candidate]]:
        """Return the candidates of the first group that has a repair, one for each place. Yield the progress.

        Args:
            check: The check that a repair makes pass. By default, it makes every required check pass.
        """
        edits = self._edits.by_number
        for _, group in groupby(self._edits.in_order()[: self.most], lambda number: self._edits.group(edits[number])):
            # run them on the screens, and those that pass there as files of their own
            passed = yield from self._screened(list(group))
            if not self._screens:
                self.tried += len(passed)
            yield self._progress()
            to_run = [edits[number] for number in passed] if self._filled else []
            repairs = yield from self._trial.one_in_each_place(to_run, self._progress(), check)
            # a later group is less likely to have the repair that is meant
            if repairs or self._trial.budget.exceeded:
                return repairs
        return []

    def first_passed(self) -> Generator[Searching, None, list[Candidate]]:
        """Return the candidates of a group that make the first check pass. It is the first group that has any.

        Only suspects count. An edit of a line that right runs execute, too, may as well hide a fault of another line.
        """
        edits = self._edits.where(self._edits.is_suspect).by_number
        candidates = [edits[number] for number in self._first if number in edits][:_MOST_FIRST]
        for _, group in groupby(candidates, self._edits.group):
            repairs = yield from self._trial.one_in_each_place(list(group), self._progress(), self._trial.failed[0])
            if repairs:
                return repairs
        return []

    def _screened(self, numbers: list[int]) -> Generator[Searching, None, list[int]]:
        """Return the candidates that pass every screen. Yield the progress."""
        for place, screen in enumerate(self._screens):
            passed = []
            # the CPU time of each: all candidates come to the first screen, and few to the others
            each_s = screen.batch.cpu_s / _HASTE if place else _each_s(screen)
            answers = self._process.tried(screen.batch, numbers, each_s)
            for number, answer in zip(numbers, answers, strict=True):
                self.tried += not place
                yield self._progress()
                if answer is not None and screen.repaired(answer):
                    passed.append(number)
            self._first += passed if not place else ()
            numbers = passed
        return numbers

    def _progress(self) -> Searching:
        return Searching(self._trial.exercise, self.tried)


class _Trial(Struct):
    """The runs of candidates as files of their own.

    Attributes:
        failed: The required checks that failed.
        again: A grader with another seed, whose programs have other numbers. It is made when it is needed.
        left: How many runs are left. Those with `again` do not count.
    """

    grader: Grader
    exercise: Exercise
    source: Source
    failed: Sequence[Check]
    budget: Budget
    again: Grader | None = None
    left: int = _MOST_ALONE

    def one_in_each_place(
        self, candidates: Sequence[Candidate], progress: Searching, check: Check | None
    ) -> Generator[Searching, None, list[Candidate]]:
        """Return the candidates that repair the file, one for each place. Yield the progress before each run.

        Args:
            check: As for `repairs`.
        """
        by_place: dict[tuple[int, ...], Candidate] = {}
        for candidate in candidates:
            yield progress
            # of several repairs in one place, the first one says enough: the place
            if candidate.lines not in by_place and self.repairs(candidate, check):
                least = self._least(candidate, check)
                by_place[least.lines] = least
        repairs = by_place.values()
        return [repair for repair in repairs if not any(_says_more(other, repair) for other in repairs)]

    def _least(self, candidate: Candidate, check: Check | None) -> Candidate:
        """Return a repair without the edits of statements that it does not need."""
        for line in candidate.lines if len(candidate.lines) > 1 and candidate.kind != "moved" else ():
            less = candidate.without(line, self.source.text)
            if less is not None and self.repairs(less, check):
                candidate = less
        return candidate

    def repairs(self, candidate: Candidate, check: Check | None) -> bool:
        """Return whether all required checks pass with a candidate, and the failed ones also with other numbers.

        Args:
            check: The only one of the failed checks that has to pass; None for all.
        """
        failed = [check] if check else self.failed
        if not self.mends(candidate, [*failed, *self._others()]):
            return False
        if self.again is None:
            # other numbers show edits that are right for the first ones by chance
            seed = f"{self.grader.seed}:again"
            self.again = replace(self.grader, seed=seed, oracle=_table(seed))
        try:
            return self._passes(self.again, candidate, failed, orders=1)
        except (CourseError, GraderFault):  # the table of operations has no answer to a program
            return False

    def mends(self, candidate: Candidate, checks: Sequence[Check]) -> bool:
        """Return whether these checks pass with a candidate; false if no runs are left."""
        # each run takes a process, so their number is limited whatever the budget is
        self.left -= 1
        # one order seed is enough to refuse most candidates
        return self.left >= 0 and all(self._passes(self.grader, candidate, checks, orders) for orders in (1, None))

    def keeps(self, candidate: Candidate) -> bool:
        """Return whether the required checks that did not fail pass with a candidate too."""
        return self.mends(candidate, self._others())

    def _others(self) -> list[Check]:
        return [check for check in self.exercise.checks if not check.bonus and check not in self.failed]

    def _passes(self, grader: Grader, candidate: Candidate, checks: Sequence[Check], orders: int | None = None) -> bool:
        edited = replace(self.source, text=candidate.edited(self.source.text))
        return checks_pass(grader, self.exercise, edited, checks, self.budget, limit_divisor=_HASTE, orders=orders)


@lru_cache(maxsize=1)
def _table(seed: str) -> TableOracle:
    """Return an oracle for the other numbers. The cache keeps it, so it knows its answers from earlier searches."""
    return TableOracle()


def _each_s(screen: FailedBatch) -> float:
    """Return the CPU time that a candidate may use for the first screen."""
    if all(len(run.program.nodes) <= _SMALL for run in screen.batch.runs):
        return _SMALL_S
    return screen.batch.cpu_s / _HASTE


def _last_line(candidate: Candidate, source: Source) -> int:
    """Return the last line of the text that an edit replaces."""
    return 1 + source.text.count("\n", 0, candidate.splices[-1].end)


def _lines_of(candidate: Candidate, source: str | None) -> tuple[str, ...] | UnsetType:
    """Return the lines that an edit of a text removes, with `-` before each, and those that it adds, with `+`.

    Returns `UNSET` if the text is None, if the edit is too long, or if parts of the solution are in it.
    """
    if source is None or candidate.kind in ("function", "grafted"):
        return UNSET
    # the lines before and after the edit are left out of the comparison
    first, rest = candidate.lines[0] - 1, source.count("\n", candidate.splices[-1].end)
    before, after = (text.split("\n") for text in (source, candidate.edited(source)))
    before, after = before[first : len(before) - rest], after[first : len(after) - rest]
    if len(before) > _MOST_LINES:
        return UNSET
    return tuple(cut(line[0] + line[2:], _LINE) for line in ndiff(before, after) if line[0] in "+-")


def _within(candidate: Candidate, function: Candidate) -> bool:
    """Return whether an edit is in a function."""
    return function.lines[0] <= candidate.lines[0] and candidate.splices[-1].end <= function.splices[0].end


def _spans(candidate: Candidate, functions: Sequence[Candidate]) -> bool:
    """Return whether an edit changes statements of several functions."""
    return len(candidate.lines) > 1 and not any(_within(candidate, one) for one in functions)


def _says_more(one: Candidate, other: Candidate) -> bool:
    """Return whether a repair makes another one superfluous.

    It does if it edits some of the same statements and no others. An exchange of two statements makes it superfluous
    to say that one of them can be moved.
    """
    exchange = one.kind == other.kind == "moved"
    return {*other.lines} < {*one.lines} if exchange else {*one.lines} < {*other.lines}


def _is_executed(candidate: Candidate, executed: frozenset[int], source: Source) -> bool:
    """Return whether an edit can change a run that executes these lines. A moved or added statement always can.

    The first line of a function does not count, because loading the file executes it.
    """
    first, last = candidate.lines[0], _last_line(candidate, source)
    lines = range(first + (candidate.kind == "function" and first < last), last + 1)
    return candidate.kind in ("moved", "added") or not executed.isdisjoint(lines)


def _solution(grader: Grader, exercise: Exercise) -> str:
    """Return the solution of an exercise, or an empty text if the course does not contain it."""
    try:
        return grader.course.solution(exercise).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _with_solution(candidates: Sequence[Candidate], source: Source, solution: str) -> Iterator[Candidate]:
    """Yield the candidates for whole functions with the functions of the same names in a solution."""
    right = dict(_functions(ast.parse(solution), solution))
    # of several functions with the same name, the last one counts
    for name, candidate in {candidate.function: candidate for candidate in candidates}.items():
        if name in right:
            # the solution's function is indented like the one that it replaces, except for its
            # first line
            (splice,) = candidate.splices
            column = splice.start - (source.text.rfind("\n", 0, splice.start) + 1)
            head, *body = right[name].split("\n")
            text = "\n".join([head, *(" " * column + line if line else line for line in body)])
            yield candidate._replace(splices=(splice._replace(text=text),))


def _functions(tree: ast.Module | ast.ClassDef, text: str, owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name of each function of a solution, such as `Value.log`, and its text without its indentation."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, text, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            lines = text.split("\n")[node.lineno - 1 : node.end_lineno]
            yield owner + node.name, "\n".join(line[node.col_offset :] for line in lines)
