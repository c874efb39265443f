"""It is known before a file runs whether it can leave something behind in the grader's own interpreter."""

from pathlib import Path

from every import every
from ours import SOLUTIONS

from grader.runner.same_interpreter import SMALL, leaves_traces


@every("path", sorted(SOLUTIONS.glob("*.py")), ids=lambda path: path.stem)
def test_solutions_leave_nothing(path: Path) -> None:
    """Usual code needs no other interpreter after it, also if it uses the small numpy of a tab."""
    assert not leaves_traces(path.read_text(encoding="utf-8"), {"numpy": SMALL})


@every(
    "line",
    [
        "from math import exp, tanh; exp(1)",
        "import random; random.seed(1); random.gauss(0, 1)",
        "class Value: __radd__, __rmul__ = __add__, __mul__",
        "import collections.abc as c; c.Iterable",
        "self.grad += 1; self._prev[0].grad = 2; del self.grad",
        "from dataclasses import *",
        "class Value: __slots__ = ('data',)",
        "self.__class__(1) + Value.__mul__(a, b)",
        "isinstance(a, Value) and hasattr(a, 'grad')",
        "import nothing after a syntax error",
    ],
)
def test_usual_code_leaves_nothing(line: str) -> None:
    """Numbers, attributes of the file's own objects, and what the standard library exports are harmless."""
    assert not leaves_traces(line)


@every(
    "line",
    [
        "import sys",
        "import numpy",
        "import math; math.exp = None",
        "import math as m; del m.exp",
        "import math; [math][0].exp = None",
        "from math import sys",
        "import dataclasses; dataclasses.sys.modules.clear()",
        "import random; random._inst = None",
        "from fractions import Fraction; Fraction.__add__ = None",
        "type(a).x = 1",
        "f().x = 1",
        "(lambda: 0).__globals__",
        "(lambda: 0).__code__",
        "().__class__.__base__.__subclasses__()",
        "try: 1 / 0\nexcept Exception as e: e.__traceback__.tb_frame.f_back",
        "(x for x in ()).gi_frame",
        "getattr(a, '__glob' + 'als__')",
        "from operator import attrgetter",
        "import operator; operator.attrgetter('x')",
        "__builtins__.len = None",
        "exec('import sys')",
        "class A:\n    def __del__(self): pass",
        "match a:\n    case object(__class__=c): pass",
        "from . import x",
    ],
)
def test_ways_to_the_interpreter_are_known(line: str) -> None:
    """Whatever reaches a module's namespace, a frame, a function's or a class's own data needs another interpreter."""
    assert leaves_traces(line)


@every(
    "line",
    [
        "np.array = None",
        "np.ndarray.sum = None",
        "np.array([1]).dtype.kind = 'f'",
        "np._operator.attrgetter('x')",
        "np.__dict__",
        "[np][0].array = None",
    ],
)
def test_ways_into_the_small_numpy_are_known(line: str) -> None:
    """It is as harmless as a module of the standard library, and no more."""
    assert not leaves_traces("import numpy as np", {"numpy": SMALL})
    assert leaves_traces(f"import numpy as np\n{line}", {"numpy": SMALL})
