"""Find out whether the values of an engine are arrays or single numbers."""

from ...course.load import Limits
from ...course.program import program
from ...runner.client import Batch, Done, EngineProcess, Host, Loaded, Read, Run, Source, Values, ask
from ...runner.sandbox import Started

# a class of single numbers may add arrays without an error, but has neither of these operations
_PROGRAMS = (
    program("s = a + b; L = sum(s)", a=[[1, 2]], b=[[3, 5]]),
    program("s = a + b; L = s @ c", a=[[1, 2]], b=[[3, 5]], c=[[2], [-1]]),
)


def takes_arrays(host: Started | Host, source: Source, limits: Limits) -> bool:
    """Return whether an engine adds [[1, 2]] to another such array, and has `sum` or `@`.

    Returns False if the file cannot be loaded.
    """
    runs = tuple(Run(one, (ask.VALUES,)) for one in _PROGRAMS)
    with EngineProcess(host, source, None, limits) as process:
        if not isinstance(process.load(), Loaded):
            return False
        answer = process.run(Batch(runs, limits.calls, limits.cpu_s, order_seeds=(0,))).answer
    outcomes = answer.seeds[0] if isinstance(answer, Read) else ()
    for one, outcome in zip(_PROGRAMS, outcomes, strict=False):
        values = outcome.results[0] if isinstance(outcome, Done) else None
        if (
            isinstance(values, Values)
            and values.arrays
            and values.arrays[one.index["s"]].shape == one.shapes[one.index["s"]]
        ):
            return True
    return False
