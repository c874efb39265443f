"""Loading one file: permitted imports, left-out code, and errors as plain data."""

import builtins
import concurrent.futures
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import numpy
import pytest
from every import every

import grader
from grader.runner.worker.adapter import errors, imports, load
from grader.runner.worker.adapter.calls import CallBudget, OutOfCalls
from grader.runner.worker.confine import limits

FILE = "07_learner.py"
Load = Callable[..., ModuleType]
Problem = Callable[[str], list[Any]]


class Absent:
    """An import hook that makes some modules missing, as they are in the worker."""

    names = ("torch", "graphviz", "concurrent.futures.process", "_tkinter")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make torch, graphviz, and parts of two modules of the standard library impossible to import."""
    for name in list(sys.modules):
        if name in Absent.names or name.partition(".")[0] in (*Absent.names, "tkinter"):
            monkeypatch.delitem(sys.modules, name)
    for name in ("ProcessPoolExecutor", "process"):  # of a test that had it
        monkeypatch.delitem(vars(concurrent.futures), name, raising=False)
    sys.meta_path.insert(0, Absent())  # type: ignore[arg-type]


@pytest.fixture
def problem(loaded: Load) -> Callable[[str], list[Any]]:
    """Return the description of the exception that loading raises."""

    def find(source: str) -> list[Any]:
        try:
            loaded(source)
        except BaseException as error:
            return errors.describe(error, FILE)
        pytest.fail("it loaded")

    return find


# -- imports ------------------------------------------------------------------------------------------


@every(
    "source",
    [
        "import torch",
        "import torch.nn.functional as F",
        "from torch import nn, optim as o",
        "from graphviz import Digraph",
        "import torch, math\nx = math.pi",
        "from torch import *",
        "import torch\ndef test():\n    return torch.tensor(1.0)",
        "import torch\nlr = torch.float64",
        "import torch\ntorch.manual_seed(0)",
        "import torch; torch.set_default_dtype(torch.float64)",
        "from graphviz import set_engine\nfor one in (1, 2):\n    set_engine('dot', one=one)",
        "import torch\ntry:\n    torch.use('Agg')\nfinally:\n    torch.close()",
        "import torch\nmatch 1:\n    case 1: torch.manual_seed(0)",
        "from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor\nThreadPoolExecutor.submit",
        "import tkinter",
        "import tkinter.ttk as ttk\nttk.Style()",
    ],
)
@pytest.mark.usefixtures("no_torch")
def test_an_import_that_nobody_uses_costs_nothing(loaded: Load, source: str) -> None:
    """A module that grading does not offer may be imported if it is not used."""
    assert loaded(source).__name__ == "submission"


@every(
    ("what", "use"),
    [
        ("torch.tensor", "x = torch.tensor(1.0)"),
        ("torch", "x = torch()"),
        ("torch.tensor", "print(torch.tensor(1.0))"),
        ("torch.figure", "torch.figure().show()"),
        ("torch.figure", "torch.set_current(torch.figure())"),
        ("torch.manual_seed", "def f():\n    torch.manual_seed(0)\nf()"),
        ("torch.manual_seed", "class Value:\n    torch.manual_seed(0)"),
        ("torch.options", "torch.options['dpi'] = 80"),
        ("torch.nn.Module", "class Net(torch.nn.Module): pass"),
        ("torch.no_grad", "@torch.no_grad()\ndef f(): pass"),
        ("torch.no_grad", "with torch.no_grad: pass"),
        ("torch.sizes", "for x in torch.sizes: pass"),
        ("torch.sizes", "torch.sizes[0]"),
        ("torch.pi", "torch.pi + 1"),
        ("torch.pi", "2 * torch.pi"),
        ("torch.pi", "torch.pi / 2"),
        ("torch.pi", "-torch.pi"),
        ("torch.pi", "float(torch.pi)"),
        ("torch.pi", "torch.pi ** 2"),
        ("torch.pi", "2 < torch.pi"),
        ("torch.sizes", "len(torch.sizes)"),
        ("torch.sizes", "1 in torch.sizes"),
        ("torch.Tensor", "isinstance(1.0, torch.Tensor)"),
    ],
)
@pytest.mark.usefixtures("no_torch")
def test_a_module_that_is_not_offered_explains_itself_when_used(problem: Problem, what: str, use: str) -> None:
    """Any use of the placeholder raises an error that names the missing module and the available ones."""
    kind, name, message, lines = problem(f"import torch\n\n{use}\n")
    assert (kind, name) == ("module", "NotAvailable")
    assert f"{what} is not available while grading (there is only the standard library)" == message
    assert lines[-1] >= 3


@pytest.mark.usefixtures("no_torch")
def test_a_name_from_a_missing_module_explains_itself(problem: Problem) -> None:
    """For `from graphviz import Digraph`, the error names `Digraph`, not only the module."""
    kind, _, message, lines = problem("from graphviz import Digraph\ndot = Digraph(format='svg')\n")
    assert kind == "module"
    assert message.startswith("graphviz.Digraph is not available")
    assert lines == [2]


@every(
    ("expected", "source"),
    [
        (("module", "torch is not available", [1, 2]), "from torch import *\nx = tensor(1.0)\n"),
        (("module", "torch is not available", [1, 4, 3]), "from torch import *\ndef f():\n    tensor(1.0)\nf()\n"),
        (("raised", "name 'tensor' is not defined", [2]), "from math import *\nx = tensor(1.0)\n"),
        (("raised", "", [4, 3]), "from torch import *\ndef f():\n    x = x\nf()\n"),
    ],
)
@pytest.mark.usefixtures("no_torch")
def test_a_name_may_come_from_all_names_of_a_missing_module(
    problem: Problem, expected: tuple[str, str, list[int]], source: str
) -> None:
    """After `from torch import *`, the module explains a name that is not defined. Its import is the first line."""
    kind, _, message, lines = problem(source)
    assert message.startswith(expected[1])
    assert (expected[0], expected[2]) == (kind, lines)


@pytest.mark.usefixtures("no_torch")
def test_what_is_offered_is_listed(loaded: Load) -> None:
    """The error names the modules that the course allows."""
    with pytest.raises(imports.NotAvailable, match="there are only the standard library and numpy"):
        loaded("import torch\nx = torch.tensor(1)\n", numpy="/nowhere")


@pytest.mark.usefixtures("no_torch")
def test_a_name_that_an_available_module_cannot_provide_explains_itself(problem: Problem) -> None:
    """The name is a placeholder. The module's other names are what they are."""
    source = "from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor\nThreadPoolExecutor.submit\n"
    kind, _, message, lines = problem(f"{source}pool = ProcessPoolExecutor()\n")
    assert ("module", [3]) == (kind, lines)
    assert message.startswith("concurrent.futures.ProcessPoolExecutor is not available")


def test_what_a_module_imports_late_is_there_beforehand() -> None:
    """`concurrent.futures` imports a part only when its name is first used, when no file can be read any more."""
    for source in ("from concurrent.futures import ProcessPoolExecutor", "import concurrent.futures as f\nf.{}"):
        source = source.format("ProcessPoolExecutor")
        assert "process" in in_the_worker(
            f"import sys\n{source}\nresult = [n.rpartition('.')[2] for n in sys.modules if 'futures' in n]\n", {}
        )
    unused = "import sys, concurrent.futures\nresult = 'concurrent.futures.process' in sys.modules\n"
    assert not in_the_worker(unused, {})


@every(
    "source",
    [
        "try:\n    import torch\nexcept ImportError:\n    torch = None",
        "try:\n    from torch import nn\n    torch = nn\nexcept ImportError:\n    torch = None",
        "try:\n    import math, torch\nexcept ModuleNotFoundError:\n    torch = None",
        "try:\n    if True:\n        import torch\nexcept:\n    torch = None",
        "import importlib\ntry:\n    torch = importlib.import_module('torch')\nexcept ImportError:\n    torch = None",
    ],
)
@pytest.mark.usefixtures("no_torch")
def test_a_guarded_import_fails_as_its_author_expects(loaded: Load, source: str) -> None:
    """Inside `try`, the import of a missing module raises, so that `except` runs."""
    assert loaded(source).torch is None


@pytest.mark.filterwarnings("ignore:can't resolve package:ImportWarning")
@every(
    "source",
    [
        "import math.nothing",
        "import json.nothing",
        "import math.a.b",
        "from math import nothing",
        "from . import other",
    ],
)
def test_a_wrong_import_from_the_standard_library_is_an_error(problem: Problem, source: str) -> None:
    """Placeholders are only for missing modules. A name that an existing module lacks is an error."""
    kind, name, *_ = problem(source)
    assert kind == "raised"
    assert name in ("ImportError", "ModuleNotFoundError")


IN_THE_WORKER = """
import json, sys
sys.path[0] = sys.argv[1]
from worker.adapter import imports, load
del sys.path[0]
given = json.load(sys.stdin)
imports.preimport(given["source"], given["allow"])
parsed = load.parse(given["source"], "file.py")
module = load.execute(parsed, load.builtins_for(parsed, given["allow"]))
print(json.dumps(module.result))
"""


def in_the_worker(source: str, allow: dict[str, str]) -> Any:
    """Load a source in a Python process that is started as the worker is, and return the file's `result`."""
    done = subprocess.run(
        [sys.executable, "-s", "-S", "-c", IN_THE_WORKER, str(Path(grader.__file__).parent / "runner")],
        input=json.dumps({"source": source, "allow": allow}),
        capture_output=True,
        text=True,
        check=True,
        env={},
        cwd="/",
    )
    return json.loads(done.stdout)


def test_numpy_is_there_and_the_rest_of_its_folder_is_not() -> None:
    """An allowed module is available with all its parts. Other modules in site-packages are not."""
    source = """
import importlib
import numpy as np
import numpy.linalg
result = [float(np.array([1.0, 2.0]).sum()), float(numpy.linalg.norm([3.0, 4.0]))]
for name in ("pytest", "msgspec", "yaml", "grader", "worker.adapter.nothing"):
    try:
        result.append(importlib.import_module(name).__name__)
    except ImportError:
        pass
"""
    assert [3.0, 5.0] == in_the_worker(source, {"numpy": str(Path(numpy.__file__).parent.parent)})


def test_numpys_random_numbers_are_the_same_each_time() -> None:
    """A file that draws its weights from numpy has the same ones in every process."""
    allow = {"numpy": str(Path(numpy.__file__).parent.parent)}
    one, other = (in_the_worker("import numpy as np\nresult = np.random.rand()\n", allow) for _ in range(2))
    assert one == other


def test_numpy_is_a_stand_in_where_a_course_does_not_allow_it() -> None:
    """If a course does not allow numpy, it is missing like any other module."""
    source = """
import numpy as np
try:
    np.array([1.0])
    result = "there"
except ImportError as error:
    result = str(error)
"""
    assert "numpy.array is not available while grading" in in_the_worker(source, {})


@pytest.mark.usefixtures("no_torch")
def test_a_modules_own_words_explain_themselves_too(loaded: Load) -> None:
    """A name that begins with two underscores raises AttributeError, because Python itself looks for such names.

    The message explains it.
    """
    source = "import torch\ntry:\n    torch.__version__\nexcept AttributeError as error:\n    result = str(error)\n"
    assert "torch is not available while grading" in loaded(source).result


def test_what_a_file_imports_is_there_beforehand() -> None:
    """Modules of the standard library are imported before the file runs, with their parts and what they import late."""
    source = "import xml.dom.minidom\nfrom wave import open\nfrom xml.etree import cElementTree, ElementTree\n"
    source += "import datetime\nwhen = datetime.datetime.strptime\n"
    wanted = {"xml.dom.minidom", "wave", "xml.etree.ElementTree", "_strptime"}
    for name in wanted:
        sys.modules.pop(name, None)
    imports.preimport(source, {})
    assert wanted <= set(sys.modules)


def test_numpys_late_modules_are_named_where_numpy_is_imported() -> None:
    """`np.testing` is a module of numpy only if the file imports numpy as np."""
    uses = "np.testing.assert_allclose\nx.strptime\n"
    late = {"numpy.testing", "_strptime"}
    assert late == late & imports.named_modules(f"import numpy as np\n{uses}")
    assert {"_strptime"} == imports.named_modules(uses)
    assert "numpy.ma" not in imports.named_modules("import numpy as np\nnp.max(x) + np.matmul(x, y)\n")


@pytest.mark.parametrize("source", ["δ = 1\n", "x = 'ü'\n", 'x = "\\N{DIGIT ONE}"\n'])
def test_what_the_compiler_needs_is_there_beforehand(source: str) -> None:
    """Names with accents, and characters by name, need a module to compile.

    The sandbox might not be able to read it later.
    """
    sys.modules.pop("unicodedata", None)
    imports.preimport(source, {})
    assert "unicodedata" in sys.modules


@pytest.mark.parametrize("name", ["this", "antigravity", "nothing_of_this_name", "math.nothing", "venv.__main__"])
def test_importing_beforehand_neither_acts_nor_fails(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """No module raises, and modules with effects are not imported."""
    monkeypatch.setattr(sys, "argv", [""])
    imports.preimport(f"import {name}\n", {})
    assert capfd.readouterr().out == ""


@every("name", ["this", "lib2to3.__main__", "distutils.core", "idlelib.run", "test.support"])
def test_what_acts_when_it_is_imported_is_not_imported(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Programs, and modules with effects, are imported only when the file imports them."""
    monkeypatch.delitem(sys.modules, name, raising=False)
    imports.preimport(f"import {name}\n", {})
    assert name not in sys.modules


def test_reading_a_file_runs_nothing_of_it() -> None:
    """Parsing gives the code and the lines of guarded imports."""
    parsed = load.parse(
        "import os.path, re\nfrom json import loads\ntry:\n    import torch\nexcept: pass\n1 / 0\n", FILE
    )
    assert {4} == parsed.guarded


# -- the module -----------------------------------------------------------------------------------------


def test_the_main_guard_is_not_run(loaded: Load) -> None:
    """Code under `if __name__ == "__main__"` does not run while grading."""
    module = loaded("ran = False\nif __name__ == '__main__':\n    ran = True\n")
    assert module.ran is False
    assert module.__name__ == "submission"


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_a_dataclass_works(loaded: Load, future: str) -> None:
    """dataclasses look up the module of a class, and find it."""
    source = f"""{future}from dataclasses import dataclass, field
from typing import ClassVar
@dataclass(eq=False)
class Value:
    data: float
    grad: float = 0.0
    _prev: list[Value] = field(default_factory=list)
    count: ClassVar[int] = 0
""".replace("list[Value]", "list[Value]" if future else "list")
    module = loaded(source)
    assert module.Value(2.0) is not module.Value(2.0)
    assert [] == module.Value(2.0)._prev


def test_the_graders_own_builtins_stay_as_they_are(loaded: Load) -> None:
    """Only the learner's module has the import hook."""
    before = builtins.__import__
    module = loaded("import math\nhook = __builtins__['__import__']\n")
    assert module.hook is not before
    assert builtins.__import__ is before


def test_the_files_name_is_what_the_learner_knows(loaded: Load) -> None:
    """`__file__` is the file's name."""
    assert loaded("here = __file__\n").here == FILE


# -- what went wrong ------------------------------------------------------------------------------------


@every(
    ("expected", "source"),
    [
        (["raised", "ZeroDivisionError", "division by zero", [2]], "x = 1\ny = x / 0\n"),
        (["raised", "NameError", "name 'y' is not defined", [3, 2]], "def f():\n    return y\nf()\n"),
        (["raised", "ValueError", "", [1]], "raise ValueError\n"),
        (["exit", "SystemExit", "3", [2]], "import sys\nsys.exit(3)\n"),
        (["exit", "SystemExit", "", [1]], "raise SystemExit\n"),
        (["raised", "KeyboardInterrupt", "", [1]], "raise KeyboardInterrupt\n"),
        (["raised", "Own", "x", [2]], "class Own(BaseException): pass\nraise Own('x')\n"),
        (["syntax", "SyntaxError", "expected ':'", [2]], "x = 1\ndef f()\n    pass\n"),
        (["syntax", "SyntaxError", "invalid decimal literal", [1]], "3x = 1\n"),
    ],
)
def test_a_problem_is_told_in_plain_data(problem: Problem, expected: list[Any], source: str) -> None:
    """A problem has a kind, type, message and the learner's own lines, outermost first."""
    assert expected == problem(source)


@pytest.mark.parametrize(
    ("name", "line", "source"),
    [
        ("IndentationError", 2, "def f():\nreturn 1\n"),
        ("TabError", 3, "if 1:\n        x = 1\n\ty = 2\n"),
        ("SyntaxError", 2, "x = 1\nreturn x\n"),
        ("SyntaxError", 2, "def f(a):\n    global a\n"),
    ],
)
def test_every_kind_of_syntax_error_has_its_line(problem: Problem, name: str, line: int, source: str) -> None:
    """Errors of indentation and tabs, and those that only the compiler finds, are syntax errors with a line."""
    kind, _, _, lines = problem(source)
    assert ("syntax", [line]) == (kind, lines), name


def test_a_syntax_error_elsewhere_is_an_exception_like_others(problem: Problem) -> None:
    """A SyntaxError from eval() is an exception at the line of the call."""
    kind, name, _, lines = problem("x = 1\neval('1 +')\n")
    assert ("raised", "SyntaxError", [2]) == (kind, name, lines)


@pytest.mark.parametrize(("kind", "error"), [("calls", OutOfCalls()), ("cpu", limits.OutOfTime())])
def test_a_spent_budget_is_a_kind_of_its_own(kind: str, error: BaseException) -> None:
    """Running out of calls or CPU time is not an exception of the learner's code."""
    assert kind == errors.describe(error, FILE)[0]


@every(
    ("lines", "source"),
    [
        ([2], "while True:\n    x = 1\n    raise OutOfTime\n"),
        ([6, 3], "def f():\n    while True:\n        for _ in 'ab':\n            raise OutOfTime\nf()\n"),
        ([7, 5], "def g():\n    raise OutOfTime\ndef f():\n    return [\n        g() for _ in 'ab']\nf()\n"),
        ([5, 4], "def f(n):\n    if n == 9: raise OutOfTime\n    f(n + 1)\nf(0)\n"),
        ([7, 5, 3], "def f(n):\n    raise OutOfTime\ndef g():\n    f(1); f(2)\n    f(3)\ng()\n"),
    ],
    ids=["loop of the file", "outer loop", "comprehension", "recursion", "calls"],
)
def test_a_spent_time_is_shown_at_the_first_loop(problem: Problem, lines: list[int], source: str) -> None:
    """The lines lead to the loop or the recursive call that was running, and no further."""
    stop = "from grader.runner.worker.confine.limits import OutOfTime\n"
    assert ["cpu", lines] == problem(stop + source)[::3]


def test_time_spent_at_an_instruction_without_a_line_is_shown_at_its_loop(loaded: Load) -> None:
    """The jump back to an outer loop has no line in some Pythons. The loop is shown all the same."""
    source = """\
def f(rows):
    for row in rows:
        for x in row:
            if x not in rows:
                x.stop
"""
    f = loaded(source).f
    jumps = [start for start, _, line in f.__code__.co_lines() if line is None]
    if not jumps:
        pytest.skip("every instruction has a line in this Python")
    with pytest.raises(AttributeError) as raised:
        f([[1]])
    frame = raised.tb.tb_next.tb_frame  # type: ignore[union-attr]
    for jump in jumps:
        error = limits.OutOfTime().with_traceback(TracebackType(None, frame, jump, -1))
        assert ["cpu", [2]] == errors.describe(error, FILE)[::3]


def test_long_and_strange_messages_are_cut_and_cleaned(problem: Problem) -> None:
    """A message has at most 300 characters, and each of them can be encoded."""
    _, _, message, _ = problem("raise ValueError('\\ud800' + 'x' * 1000)\n")
    assert message == "?" + "x" * 299


def test_a_message_that_raises_is_no_second_problem(problem: Problem) -> None:
    """If an exception's __str__ fails, the problem has no message."""
    source = "class Own(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Own\n"
    assert problem(source) == ["raised", "Own", "(its message cannot be shown)", [4]]


def test_of_a_deep_traceback_the_last_lines_are_kept(problem: Problem) -> None:
    """An endless recursion has only its innermost lines."""
    kind, name, _, lines = problem("def f(x):\n    return f(x)\nf(1)\n")
    assert ("raised", "RecursionError", [2, 2, 2, 2]) == (kind, name, lines)


# -- the same code ----------------------------------------------------------------------------------------

STUB = '"""Title."""\n\ndef f(x):\n    # TODO: what?\n    raise NotImplementedError("f: what?")\n'


@every(
    ("expected", "source"),
    [
        (True, STUB),
        (True, STUB.replace("# TODO: what?", "# hm, a sum?")),
        (True, STUB.replace("\n\n", "\n\n\n\n") + "\n\n# thoughts\n"),
        (True, STUB.replace("(x)", "( x )").replace('"f: what?"', "'f: what?'")),
        (False, STUB.replace("raise NotImplementedError", "return ")),
        (False, STUB + "print(1)\n"),
        (False, STUB.replace("def f(x)", "def f(x, y=1)")),
        (False, ""),
        (False, "def f(x:\n"),
        (False, "\0"),
        (False, "(" * 5000),
        (False, "-" * 100_000 + "1"),
    ],
)
def test_only_a_change_of_code_counts_as_a_start(expected: bool, source: str) -> None:
    """A file with other comments or layout than the stub is not started. A file with a syntax error is."""
    assert expected is load.same_code(source, STUB)


# -- the budget of calls -----------------------------------------------------------------------------------


def code(source: str) -> dict[str, Any]:
    """Return the names that a learner's source defines."""
    parsed = load.parse(source, FILE)
    return vars(load.execute(parsed, load.builtins_for(parsed, {})))


SPIN = {
    "recursion": "import sys\nsys.setrecursionlimit(10**6)\ndef run():\n    return run()\n",
    "loop of calls": "def step():\n    pass\ndef run():\n    while True:\n        step()\n",
    "loop of methods": "class A:\n    def m(self): pass\ndef run():\n    a = A()\n    while True:\n        a.m()\n",
    "two paths at each step": "def walk(n):\n    return n and walk(n - 1) + walk(n - 1)\ndef run():\n    walk(60)\n",
    "endless generator": "def count():\n    while True:\n        yield 1\ndef run():\n    return sum(count())\n",
}


@pytest.fixture
def _recursion_limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("source", SPIN.values(), ids=SPIN.keys())
@pytest.mark.usefixtures("_recursion_limit")
def test_calls_without_end_are_stopped(source: str) -> None:
    """Endless recursion, loops of calls, repeated work and generators use up the budget."""
    names = code(source)
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 500):
        names["run"]()


@pytest.mark.parametrize(("allowed", "calls"), [(True, 10), (True, 11), (False, 12)])
def test_the_budget_is_exact(allowed: bool, calls: int) -> None:
    """Exactly as many calls as the budget allows are made."""
    names = code("def step():\n    pass\ndef run(n):\n    for _ in range(n):\n        step()\n")
    went_through = False
    try:
        with CallBudget(names["__builtins__"], 12):
            names["run"](calls)
            went_through = True
    except OutOfCalls:
        pass
    assert allowed is went_through


def test_code_of_other_files_is_free() -> None:
    """Calls inside the standard library are not counted."""
    names = code("import textwrap\ndef run():\n    return textwrap.wrap('word ' * 1000)\n")
    with CallBudget(names["__builtins__"], 1):
        assert names["run"]()


def test_a_budget_ends_with_its_block() -> None:
    """After the block, no call is counted."""
    names = code("def step():\n    pass\n")
    with CallBudget(names["__builtins__"], 5):
        names["step"]()
    for _ in range(10):
        names["step"]()


def test_a_budget_ends_also_when_it_is_spent() -> None:
    """The exception that ends a run also ends the counting. Inside the block, each further call raises it."""
    names = code("def step():\n    pass\n")
    with CallBudget(names["__builtins__"], 0):
        for _ in range(3):
            with pytest.raises(OutOfCalls):
                names["step"]()
    names["step"]()


@every(
    ("calls", "source"),
    [
        (1, "def run():\n    'A docstring.'\n    return 7\n"),
        (2, "def run():\n    return (lambda x: x + 6)(1)\n"),
        (4, "def run():\n    def two():\n        yield 3\n        yield 4\n    return sum(two())\n"),
        (3, "def run():\n    def one():\n        yield\n    return [7 for _ in one()][0]\n"),
        (2, "class A:\n    def __init__(self):\n        self.x = 7\ndef run():\n    return A().x\n"),
        (2, "def run():\n    x = 0\n    def inner():\n        nonlocal x\n        x = 7\n    inner()\n    return x\n"),
        (1, "def run():\n    'Only a docstring.'\nrun.__defaults__ = None\n"),
    ],
)
def test_functions_do_what_they_did_and_spend_a_call(calls: int, source: str) -> None:
    """Counting changes no result and no docstring. Each call and each item of a generator costs one."""
    names = code(source)
    plain: dict[str, Any] = {}
    exec(compile(source, FILE, "exec"), plain)
    with CallBudget(names["__builtins__"], calls):
        assert plain["run"]() == names["run"]()
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], calls - 1):
        names["run"]()
    assert plain["run"].__doc__ == names["run"].__doc__


def test_counting_shows_in_no_name_and_no_line() -> None:
    """A learner's module has only the learner's names, and tracebacks have the learner's lines."""
    names = code("def run():\n    'Doc.'\n    1 / 0\n")
    assert {"run"} == {name for name in names if not name.startswith("__")}
    with pytest.raises(ZeroDivisionError) as caught:
        names["run"]()
    assert caught.traceback[-1].lineno + 1 == 3


def test_the_learners_except_exception_does_not_catch_it() -> None:
    """`except Exception` in a learner's loop does not catch the end of a budget."""
    source = """
def step():
    pass
def run():
    while True:
        try:
            step()
        except Exception:
            pass
"""
    names = code(source)
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 100):
        names["run"]()


def test_without_a_budget_calls_are_free() -> None:
    """A budget of None counts nothing."""
    names = code("def step():\n    pass\ndef run(n):\n    for _ in range(n):\n        step()\n")
    with CallBudget(names["__builtins__"], None):
        names["run"](10_000)


# -- notebooks are loaded cell by cell, as Jupyter runs them ------------------------------------------------

NAME = "work.ipynb"


def notebook(*cells: str, budget: int | None = None) -> ModuleType:
    """Return the module of a notebook with these cells."""
    source, starts = joined(cells)
    parsed = load.parse(source, NAME, starts)
    return load.execute(parsed, load.builtins_for(parsed, {}), budget)


def joined(cells: Sequence[str]) -> tuple[str, list[int]]:
    """Return the cells one after the other, and the lines in which they begin."""
    starts, line = [], 1
    for cell in cells:
        starts.append(line)
        line += cell.count("\n") + 1
    return "\n".join(cells), starts


def test_cells_share_their_names() -> None:
    """A cell can use and redefine names of earlier cells."""
    assert 3 == notebook("x = 1", "y = x + 1", "x = y + 1").x


def test_a_cell_that_raises_is_left_there() -> None:
    """The cells after it run, and the names that it defined before are kept."""
    module = notebook("x = 1\n1 / 0\nx = 2", "y = x")
    assert (1, 1) == (module.x, module.y)


def test_a_cell_with_a_syntax_error_is_left_out() -> None:
    """As in Jupyter, only that cell does not run."""
    assert 1 == notebook("x = 1", "x = = 2", "y = x").y


@pytest.mark.parametrize(
    ("expected", "cell"),
    [
        (["raised", "ZeroDivisionError", "division by zero", [3]], "1 / 0\ndef train(): pass"),
        (["raised", "ZeroDivisionError", "division by zero", [4]], "\ntrain = 1 / 0"),
        (["syntax", "SyntaxError", "invalid syntax", [4]], "\nclass train(: pass"),
    ],
)
def test_a_missing_name_is_explained_by_its_cell(expected: list[object], cell: str) -> None:
    """The error is that of the cell that would have defined the name. Its line is counted through all cells."""
    module = notebook("x = 1\ny = 2", cell)
    with pytest.raises((ZeroDivisionError, SyntaxError)) as raised:
        load.need(module, "train")
    assert expected == errors.describe(raised.value, NAME)


def test_another_cell_explains_nothing() -> None:
    """If no failed cell would have defined a name, the error is the missing name."""
    assert None is load.need(notebook("x = 1", "retrain = 1 / 0\ntrain(x)"), "train")


def test_a_name_that_is_there_needs_no_explanation() -> None:
    """If a later definition fails, an earlier one counts."""
    assert 1 == load.need(notebook("train = 1", "train = 1 / 0"), "train")


def test_a_future_holds_in_the_cells_after_it() -> None:
    """A `from __future__` import also applies to later cells, as in Jupyter."""
    module = notebook("from __future__ import annotations", "def f(x: Missing) -> None: pass")
    assert {"x": "Missing", "return": "None"} == module.f.__annotations__


def test_imports_in_a_try_are_found_in_every_cell() -> None:
    """Inside `try`, a missing module raises an error. Elsewhere it is a placeholder."""
    module = notebook("try:\n    import nowhere\nexcept ImportError:\n    x = 1", "import nowhere.else_")
    assert 1 == module.x


def test_limits_end_all_cells() -> None:
    """If a cell runs out of a limit, the cells after it do not run."""
    with pytest.raises(OutOfCalls):
        notebook("def f(): f()", "f()", "x = 1", budget=10)
