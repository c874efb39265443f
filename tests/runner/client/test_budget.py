"""The budget of a submission, which all its files share."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from every import every

from grader.course.load import Limits
from grader.runner.client import Budget, Died, Done, LoadFailed, Ran, Read

Acting = Callable[..., Any]
Running = Callable[..., Any]

CPU = Died("budget", seconds=1, clock="cpu")
WALL = Died("budget", seconds=1, clock="wall")
SPENT = [Budget(max_cpu_s=1, cpu_s=1.0), Budget(max_wall_s=1, wall_s=1.25)]


def went_through(ran: Ran) -> bool:
    return isinstance(ran.answer, Read) and isinstance(ran.answer.seeds[0][0], Done)


def used(budget: Budget) -> tuple[float, float]:
    return budget.cpu_s, budget.wall_s


@every(
    ("expected", "budget"),
    [
        (None, Budget(max_cpu_s=1, max_wall_s=1, cpu_s=0.99, wall_s=0.99)),
        (CPU, Budget(max_cpu_s=1, cpu_s=1.0)),
        (WALL, Budget(max_wall_s=1, wall_s=1.0)),
        (CPU, Budget(max_cpu_s=1, max_wall_s=1, cpu_s=2.0, wall_s=2.0)),
    ],
)
def test_a_budget_is_exceeded_by_either_clock(expected: Died | None, budget: Budget) -> None:
    """Either clock can use up the budget. If both do, CPU time is named."""
    assert expected == budget.exceeded


def test_a_submission_may_have_a_minute_of_cpu_time_and_one_and_a_half_of_waiting() -> None:
    """The limits are those in the documentation."""
    assert (60.0, 90.0) == (Budget().max_cpu_s, Budget().max_wall_s)


@pytest.mark.parametrize("budget", SPENT)
def test_with_a_budget_used_up_no_file_is_loaded(acting: Acting, budget: Budget) -> None:
    """The next file of the submission is not started, and uses nothing."""
    before = used(budget)
    assert LoadFailed(budget.exceeded) == acting(budget=budget).load()  # type: ignore[arg-type]
    assert before == used(budget)
    assert budget.exceeded is not None
    assert budget.exceeded.status == "timeout"


@pytest.mark.parametrize("spent", SPENT)
def test_with_a_budget_used_up_no_batch_is_run(running: Running, spent: Budget) -> None:
    """A file that was already loaded runs no further batch."""
    budget = Budget()
    process = running(budget=budget)
    budget.max_cpu_s, budget.max_wall_s = spent.max_cpu_s, spent.max_wall_s
    budget.cpu_s, budget.wall_s = spent.cpu_s, spent.wall_s
    assert Ran(spent.exceeded, "", 0.0) == process.ask()  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_a_process_used_is_counted_when_it_ends(running: Running) -> None:
    """CPU time of the file and its batches counts, and the time spent waiting while they sleep."""
    budget = Budget()
    spin = "end = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
    process = running(f"{spin}\ntime.sleep(0.6)", budget=budget, limits=Limits(cpu_s=5))
    assert went_through(process.ask(cpu_s=5))
    process.close()
    assert 0.2 <= budget.cpu_s < 3
    assert budget.wall_s >= 0.19  # on a busy machine, fewer moments of the sleep are observed
    assert budget.clock_s >= 0.8


def test_a_tenfold_of_the_time_by_the_clock_exceeds_a_budget() -> None:
    """It is the last resort for code that waits for a core, which does not count as waiting."""
    assert None is Budget(max_wall_s=1, clock_s=9.99).exceeded
    assert Died("budget", seconds=10, clock="wall") == Budget(max_wall_s=1, clock_s=10.0).exceeded


@pytest.mark.slow
def test_time_between_batches_is_not_counted(running: Running) -> None:
    """Time in which the grader does something else does not count."""
    budget = Budget()
    process = running(budget=budget)
    before = budget.wall_s
    time.sleep(0.5)
    assert before == budget.wall_s
    process.close()
    assert budget.wall_s - before < 0.5


@pytest.mark.slow
def test_a_batch_that_uses_up_the_cpu_time_is_told_so(running: Running) -> None:
    """The kernel ends the process when the budget is spent, even if the batch's own limit is higher."""
    budget = Budget(max_cpu_s=1)
    process = running("sum(range(10**12))", budget=budget, limits=Limits(cpu_s=20))
    assert process.ask(cpu_s=20).answer == CPU
    assert process.ask(cpu_s=20).answer == CPU
    assert 1 <= budget.cpu_s < 3


@pytest.mark.slow
def test_a_batch_that_uses_up_the_waiting_is_told_so(running: Running) -> None:
    """A batch that waits is ended when the budget is spent, even if it uses a little CPU time now and then."""
    budget = Budget(max_wall_s=1)
    process = running("while True: time.sleep(0.05)", budget=budget)
    assert process.ask().answer == WALL
    assert process.ask().answer == WALL
    assert 1 <= budget.wall_s < 3


@pytest.mark.slow
def test_taking_ones_time_to_end_is_waiting_too(running: Running) -> None:
    """A process that closes its channel and continues gets one second, which counts for the submission."""
    budget = Budget(max_wall_s=1)
    process = running("os.closerange(3, 64); time.sleep(1000)", budget=budget)
    assert Died("exited") == process.ask().answer
    assert process.ask().answer == WALL


def test_a_kill_with_time_left_is_a_kill(running: Running) -> None:
    """A process that is killed by SIGKILL early has not used up its budget."""
    process = running("os.kill(os.getpid(), signal.SIGKILL)", budget=Budget(max_cpu_s=30))
    assert Died("killed", signal="SIGKILL") == process.ask().answer


@pytest.mark.parametrize(
    ("fits", "used", "part"),
    [
        (True, Budget(), Budget(cpu_s=58.9, wall_s=89.9, clock_s=899)),
        (False, Budget(), Budget(cpu_s=59.1)),
        (False, Budget(cpu_s=30), Budget(cpu_s=29)),
        (False, Budget(wall_s=45), Budget(wall_s=45)),
        (False, Budget(clock_s=450), Budget(clock_s=450)),
        (True, Budget(cpu_s=30, wall_s=45, clock_s=450), Budget(cpu_s=28, wall_s=44, clock_s=449)),
    ],
)
def test_a_part_that_ran_alone_fits_if_no_limit_is_reached(fits: bool, used: Budget, part: Budget) -> None:
    """The kernel rounds a limit of CPU time down, so up to a second must be left."""
    assert fits == used.has_room_for(part)
