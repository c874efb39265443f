"""Edit a learner's file in one place, in every way that may repair it. Here the file is parsed and not run."""

import ast
import difflib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, get_args

from .edits import Candidate, CandidateKind, Splice

MOST = 12_000  # candidates in one answer
_POOL = 14  # expressions that may replace another one
_TOGETHER = 12  # statements that one edit changes
_SORTS = (ast.For, ast.While, ast.FunctionDef)  # statements that may sort nodes
_FILLS = ("append", "appendleft", "insert")
_ADDED = 300  # statements that are added to a file, each in a file of its own
LONGEST = 1_000  # characters of a replacement

_Node = ast.expr | ast.stmt
_Function = ast.FunctionDef | ast.AsyncFunctionDef

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Gt: (">=", "<", "<="),
    ast.GtE: (">", "<", "<="),
    ast.Lt: ("<=", ">", ">="),
    ast.LtE: ("<", ">", ">="),
    ast.Eq: ("!=", "is"),
    ast.NotEq: ("==", "is not"),
    ast.Is: ("is not", "=="),
    ast.IsNot: ("is", "!="),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}


class Function(NamedTuple):
    """An outermost function of a file: its node, the classes around it, and the places of characters in the text.

    Attributes:
        start: the first character of the line with `def`.
        body: the first character after the header.
        end: the character after the last.
    """

    node: _Function
    owners: tuple[ast.ClassDef, ...]
    start: int
    body: int
    end: int

    @property
    def name(self) -> str:
        """Return a name such as `Value.backward`."""
        return ".".join([*(owner.name for owner in self.owners), self.node.name])


def candidates(file: "ParsedFile") -> list[Candidate]:
    """Return the candidates of a file: whole functions, then likely edits first, then edits of several statements.

    A candidate for a whole function replaces it by nothing. The trusted side puts a right function there. So it does
    with the statements that may sort nodes, which are replaced by names (`ParsedFile.sorts`).
    """
    by_kind: dict[CandidateKind, list[_Edit]] = {kind: [] for kind in ORDER}
    seen: set[tuple[Splice, ...]] = set()
    for edit in file.edits():
        short = all(len(splice.text) <= LONGEST for splice in edit.splices)
        if edit.splices not in seen and short and file.changes(edit.splices):
            seen.add(edit.splices)
            by_kind[edit.kind].append(edit)
    # the functions that have a line which may be edited
    whole = [
        Candidate("function", (one.node.lineno,), (Splice(*file.span(one.node), ""),), one.name)
        for one in file.functions
        if not file.editable.isdisjoint(range(one.node.lineno, (one.node.end_lineno or 0) + 1))
    ]
    # the edits in one place, then those in several
    once = [Candidate(edit.kind, edit.lines, edit.splices, edit.function) for kind in ORDER for edit in by_kind[kind]]
    together = [many for kind in ORDER if kind in _TWICE for many in _everywhere(by_kind[kind])]
    twice = [pair for kind in ORDER if kind in _TWICE for pair in _pairs(by_kind[kind])]
    likely = sum(one.kind not in _UNLIKELY for one in once)
    every = [*whole, *file.sorts(), *once[:likely], *together, *once[likely:], *twice]
    # of candidates with the same splices, the first one counts, at the place of the last one
    return list({one.splices: one for one in reversed(every)}.values())[::-1][:MOST]


def grafts(file: "ParsedFile", right: "ParsedFile") -> list[Candidate]:
    """Return the candidates in which a part of a function is that of the right file's function of the same name.

    A part is an expression, or a statement without a block. Edits of two statements come last. These statements differ
    between the two functions.
    """
    functions = {one.name: one for one in right.functions}
    pairs = [(one, functions[one.name]) for one in file.functions if one.name in functions]
    parts = [edit for mine, theirs in pairs for edit in file.graft(mine, right, theirs)]
    seen = dict.fromkeys(Candidate(one.kind, one.lines, one.splices) for one in parts)
    twice = [pair for mine, theirs in pairs for pair in file.graft_pairs(mine, right, theirs)]
    return [one for one in [*seen, *twice] if all(len(splice.text) <= LONGEST for splice in one.splices)][:MOST]


ORDER: tuple[CandidateKind, ...] = get_args(CandidateKind)
_UNLIKELY = ("deleted", "moved", "expression")
# the kinds that are also tried in several statements at once
_TWICE = (
    *("accumulate", "assigned", "sign", "operator", "operands", "factor_dropped", "constant", "comparison", "name"),
    *("factor_added", "condition", "called", "deleted"),
)


class _Edit(NamedTuple):
    """An edit of a statement. Edits of two statements with the same `how` are the same edit in two places.

    Attributes:
        target: the object whose attribute the statement sets, such as `self`, or empty.
        attribute: the name of the attribute, or empty.
        function: the function that a statement is added to, or empty.
    """

    kind: CandidateKind
    lines: tuple[int, ...]
    splices: tuple[Splice, ...]
    block: int
    how: str
    target: str = ""
    attribute: str = ""
    function: str = ""


def _everywhere(edits: list[_Edit]) -> Iterator[Candidate]:
    """Yield each edit in all statements of the file where it fits. In a statement, only the first place is edited.

    Two edits are the same if they differ only in the names of the objects whose attributes the statements of a block
    set: `* other.data` after `self.grad +=` and `* self.data` after `other.grad +=`.
    """
    targets: dict[int, set[str]] = {}
    for edit in edits:
        targets.setdefault(edit.block, set()).add(edit.target)
    # edits that are the same once the two objects are called `<target>` and `<other>`; one for each
    # statement
    groups: dict[tuple[str, str], dict[int, _Edit]] = {}
    for edit in edits:
        others = targets[edit.block] - {edit.target, ""}
        how = _mirrored(edit.how, edit.target, "<target>") if edit.target else edit.how
        how = _mirrored(how, min(others), "<other>") if len(others) == 1 else how
        groups.setdefault((how, edit.attribute), {}).setdefault(edit.lines[0], edit)
    # splices that overlap cannot be made together
    for group in groups.values():
        splices = tuple(sorted(splice for edit in group.values() for splice in edit.splices))
        if 1 < len(group) <= _TOGETHER and _apart(splices) and all(len(edit.lines) == 1 for edit in group.values()):
            yield Candidate(next(iter(group.values())).kind, tuple(sorted(group)), splices)


def _pairs(edits: list[_Edit]) -> Iterator[Candidate]:
    """Yield the same edit in two statements of a block, or the edit and its mirror image.

    In the mirror image, the objects whose attributes the two statements set are exchanged: `* other.data` after
    `self.grad +=` is the mirror image of `* self.data` after `other.grad +=`.
    """
    places: dict[tuple[int, str], list[_Edit]] = {}
    targets: dict[int, set[str]] = {}
    for edit in edits:
        places.setdefault((edit.block, edit.how), []).append(edit)
        targets.setdefault(edit.block, set()).add(edit.target)
    for first in edits:
        for target in sorted(targets[first.block]):
            for second in places.get((first.block, _mirrored(first.how, first.target, target)), ()):
                splices = tuple(sorted(first.splices + second.splices))
                # each pair once
                if first.lines < second.lines and second.target == target and _apart(splices):
                    yield Candidate(first.kind, first.lines + second.lines, splices)


def _apart(splices: Sequence[Splice]) -> bool:
    """Return whether no two splices overlap. They are in the order of the file."""
    return all(one.end <= other.start for one, other in itertools.pairwise(splices))


def _mirrored(how: str, one: str, other: str) -> str:
    """Return a text with two names exchanged."""
    if one == other or not one or not other:
        return how
    exchanged = {one: other, other: one}
    return _NAME.sub(lambda found: exchanged.get(found[0], found[0]), how)


_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")  # of an object, not of an attribute


class ParsedFile:
    """A parsed file, and the places of its nodes in the text."""

    def __init__(self, source: str, editable: frozenset[int]) -> None:
        self.editable = editable
        self.tree = ast.parse(source)
        self._source = source
        self._lines = source.encode().splitlines(keepends=True)  # in bytes, because the parser counts columns in them
        self._starts = [0, *itertools.accumulate(len(line.decode()) for line in self._lines)]
        self._line, self._block, self._target, self._attribute = 0, 0, "", ""
        self._names: list[str] = []
        self._parameters: list[str] = []
        self._operands: list[tuple[str, str]] = []  # operators and right operands
        self._steps_of: list[str] = []  # variables of loops
        self.functions = tuple(self._function(owners, node) for owners, node in _outermost(self.tree))
        # what the file defines and uses: methods without arguments, functions of one argument, attributes of objects
        nodes = list(ast.walk(self.tree))
        called = [one.func for one in nodes if isinstance(one, ast.Call) and not one.args and not one.keywords]
        self._methods = list(dict.fromkeys(one.attr for one in called if isinstance(one, ast.Attribute)))
        self._methods += [
            one.node.name
            for one in self.functions
            if one.owners
            and len(one.node.args.args) == 1
            and one.node.name[:2] != "__"
            and one.node.name not in self._methods
        ]
        self._unary = [one.node.name for one in self.functions if not one.owners and len(one.node.args.args) == 1]
        self._attributes = list(
            dict.fromkeys(_target(one)[1] for one in nodes if isinstance(one, ast.Assign) and _target(one)[0] == "self")
        )
        self._classes = [one.name for one in self.tree.body if isinstance(one, ast.ClassDef)][:2]

    def edits(self) -> Iterator[_Edit]:
        """Yield all edits of the functions in the file."""
        for function in self.functions:
            pool, self._names = self._pool(function.node), _bound(function.node)
            self._parameters = [one.arg for one in function.node.args.args]
            self._operands = self._operands_of(function)
            self._steps_of = [
                one.target.id
                for one in _statements(function.node)
                if isinstance(one, ast.For) and isinstance(one.target, ast.Name)
            ]
            for block in _blocks(function.node):
                yield from self._edits_of_block(block, pool)
        yield from itertools.islice(self.added(), _ADDED)

    def changes(self, splices: Sequence[Splice]) -> bool:
        """Return whether an edit changes the text. An exchange of two equal operands does not."""
        return any(self._source[splice.start : splice.end] != splice.text for splice in splices)

    def sorts(self) -> Iterator[Candidate]:
        """Yield the loops and the inner functions that may fill a list with sorted nodes, large ones first.

        Each is replaced by names: the first parameter of the function around it, which may be the root, the list, an
        attribute that may hold the inputs, and its own name if it is a function.
        """
        for function in self.functions:
            parameters = [one.arg for one in function.node.args.args[:1]]
            blocks = [one for one in _statements(function.node) if isinstance(one, _SORTS)]
            for block in sorted(blocks, key=lambda one: one.lineno - (one.end_lineno or 0)):
                nodes = list(ast.walk(block))
                begun = {one.lineno for one in nodes if isinstance(one, ast.stmt)}
                # an `else` is a line of its own
                lines = tuple(range(block.lineno, (block.end_lineno or block.lineno) + 1))
                called = [
                    one.func for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
                ]
                filled = [one.value.id for one in called if one.attr in _FILLS and isinstance(one.value, ast.Name)]
                read = [one.attr for one in nodes if isinstance(one, ast.Attribute) and one not in called]
                own = block.name if isinstance(block, ast.FunctionDef) else ""
                if self.editable.issuperset(begun) and len(lines) <= _TOGETHER:
                    for names in itertools.product(parameters, dict.fromkeys(filled), dict.fromkeys(read)):
                        yield Candidate("grafted", lines, (Splice(*self.span(block), " ".join((*names, own))),))

    def graft(self, mine: Function, right: "ParsedFile", theirs: Function) -> Iterator[_Edit]:
        """Yield edits of a function with the expressions and the statements of another one."""
        statements = [one for one in _statements(theirs.node) if not _has_block(one)]
        texts = {right.text(one): None for s in _statements(theirs.node) for one in _expressions(s) if _is_read(one)}
        for statement in self._own_statements(mine):
            self._line = statement.lineno
            for one in [] if _has_block(statement) else statements:
                yield self._put("grafted", "", statement, right.text(one))
            for expression in filter(_is_read, _expressions(statement)):
                for text in texts:
                    if text != self.text(expression):
                        yield self._put("grafted", "", expression, f"({text})" if " " in text else text)

    def graft_pairs(self, mine: Function, right: "ParsedFile", theirs: Function) -> Iterator[Candidate]:
        """Yield edits of two statements, each with the statement in its place in another function."""
        own = [one for one in _statements(mine.node) if not _has_block(one)]
        other = [one for one in _statements(theirs.node) if not _has_block(one)]
        texts = [self.text(one) for one in own], [right.text(one) for one in other]
        # the statements that were replaced one for one between the two functions
        changed: list[tuple[ast.stmt, str]] = []
        for tag, a, end_a, b, end_b in difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
            if tag == "replace" and end_a - a == end_b - b:
                changed += zip(own[a:end_a], texts[1][b:end_b], strict=True)
        for pair in itertools.combinations(changed, 2):
            if all(one.lineno in self.editable for one, _ in pair):
                splices = tuple(sorted(Splice(*self.span(one), text) for one, text in pair))
                yield Candidate("grafted", tuple(sorted(one.lineno for one, _ in pair)), splices)

    def _own_statements(self, function: Function) -> Iterator[ast.stmt]:
        """Yield the statements of a function that may be edited, without definitions and texts."""
        for one in _statements(function.node):
            given = self.editable.isdisjoint(range(one.lineno, _header_end(one) + 1))
            if not (given or isinstance(one, ast.FunctionDef | ast.ClassDef) or _is_text(one)):
                yield one

    # -- places in the text

    def _place(self, line: int, column: int) -> int:
        """Return the position of a character, from its line and its column in bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def span(self, node: _Node) -> tuple[int, int]:
        """Return the positions of the first character of a node and of that after its last."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def _function(self, owners: tuple[ast.ClassDef, ...], node: _Function) -> Function:
        body = node.body[0]
        return Function(node, owners, self._place(node.lineno, 0), self.span(body)[0], self.span(node)[1])

    def text(self, node: _Node) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self._source[start:end]

    def _operand(self, node: ast.expr) -> str:
        """Return the text of an expression, in parentheses unless it binds tightly."""
        tight = ast.Name | ast.Attribute | ast.Call | ast.Constant | ast.Subscript
        return self.text(node) if isinstance(node, tight) else f"({self.text(node)})"

    def _edit(self, kind: CandidateKind, how: str, *splices: Splice) -> _Edit:
        return _Edit(kind, (self._line,), tuple(sorted(splices)), self._block, how, self._target, self._attribute)

    def _put(self, kind: CandidateKind, how: str, node: _Node, text: str) -> _Edit:
        return self._edit(kind, how, Splice(*self.span(node), text))

    def _is_elif(self, statement: ast.stmt) -> bool:
        return self._source.startswith("elif", self.span(statement)[0])

    # -- names in scope

    def _pool(self, function: _Function) -> tuple[str, ...]:
        """Return the names, and the numbers on them, that a function uses. The most frequent ones come first."""
        counts: Counter[str] = Counter()
        owners: dict[str, None] = {}
        for node in ast.walk(function):
            match node:
                case ast.Attribute(ast.Name(owner), attribute):
                    counts[f"{owner}.{attribute}"] += 1
                    owners[owner] = None
                case ast.Name(name):
                    counts[name] += 1
                case ast.arg(name):
                    counts.setdefault(name, 0)
                    owners[name] = None
        # also if the function does not name them yet, because its fault may be that it lacks one of them
        for owner in owners:
            for attribute in ("data", "grad"):
                counts.setdefault(f"{owner}.{attribute}", 0)
        # the pool is small, so attributes of objects come first, and last those that the function does not name
        names = [name for name in counts if name not in _BUILTIN]
        return tuple(sorted(names, key=lambda name: (not counts[name], "." not in name, -counts[name]))[:_POOL])

    # -- edits

    def _operands_of(self, function: Function) -> list[tuple[str, str]]:
        """Return the operators of the file's functions, each with its right operand, if it has no other names."""
        known = {*self._names, *(one.node.name for one in self.functions), *_BUILTIN}
        found: dict[tuple[str, str], None] = {}
        for other in sorted(self.functions, key=lambda one: one is not function):
            for node in ast.walk(other.node):
                if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS and not isinstance(node.right, ast.Call):
                    names = {one.id for one in ast.walk(node.right) if isinstance(one, ast.Name)}
                    if names <= known and len(self.text(node.right)) < _LONG_OPERAND and (names or other is function):
                        found[_OPERATORS[type(node.op)], self._operand(node.right)] = None
        return list(found)[:_POOL]

    def _edits_of_block(self, block: list[ast.stmt], pool: tuple[str, ...]) -> Iterator[_Edit]:
        for position, statement in enumerate(block):
            if not any(line in self.editable for line in range(statement.lineno, _header_end(statement) + 1)):
                continue
            self._line, self._block = statement.lineno, id(block)
            self._target, self._attribute = _target(statement)
            yield from self._edits_of_statement(statement, pool)
            if isinstance(statement, ast.FunctionDef | ast.ClassDef) or _is_text(statement):
                continue
            # `elif` is part of its `if`, so no other statement can replace it
            if self._is_elif(statement):
                continue
            yield self._put("deleted", self.text(statement), statement, "pass")
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
                for name in self._steps_of:
                    for attribute in self._attributes:
                        for sign in ("", "not "):
                            text = f"if {sign}{name}.{attribute}: {self.text(statement)}"
                            yield self._put("condition", f"if {sign}{attribute}", statement, text)
            if position + 1 < len(block):
                yield from self._exchanged(statement, block[position + 1])
            yield from self._moves(block, position)

    def _exchanged(self, first: ast.stmt, second: ast.stmt) -> Iterator[_Edit]:
        """Yield two assignments with each other's value."""
        if not (isinstance(first, ast.Assign | ast.AugAssign) and isinstance(second, ast.Assign | ast.AugAssign)):
            return
        if self.text(first.value) != self.text(second.value):
            splices = self._swapped(first.value, second.value)
            yield _Edit("operands", (first.lineno, second.lineno), splices, self._block, "values")

    def _edits_of_statement(self, statement: ast.stmt, pool: tuple[str, ...]) -> Iterator[_Edit]:
        if isinstance(statement, ast.Assign | ast.AugAssign):
            yield from self._assignments(statement)
        # the value: its sign, another factor, and the mean in place of the sum
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Return) and isinstance(statement.value, _NUMERIC):
            operand = self._operand(statement.value)
            yield self._put("sign", "-", statement.value, f"-{operand}")
            for name in pool:
                yield self._put("factor_added", name, statement.value, f"{operand} * {name}")
        match statement:
            case ast.Return(value=ast.Call(func=ast.Name(id="sum"), args=[ast.Name(id=name)]) as total):
                yield self._put("factor_added", "mean", total, f"{self.text(total)} / len({name})")
        # the statement as a whole: an unused value, another result, another target
        if isinstance(statement, ast.Expr):
            yield from self._used(statement, statement.value)
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.List | ast.Tuple | ast.Call):
            for name in self._names:
                yield self._put("expression", "returned", statement.value, name)
        if isinstance(statement, ast.Assign | ast.AugAssign):
            yield from self._other_targets(statement, pool)
        yield from self._wholes(statement)
        # its expressions, its condition, and the order of its loop
        yield from self._edits_of_expressions(list(_expressions(statement)), pool)
        if isinstance(statement, ast.If | ast.While):
            test = self.text(statement.test)
            for text in ("True", "False", f"not ({test})"):
                yield self._put("condition", f"{text[:4]} {test}", statement.test, text)
        if isinstance(statement, ast.For):
            yield from self._orders(statement.iter)

    def _used(self, statement: ast.Expr, value: ast.expr) -> Iterator[_Edit]:
        """Yield the assignment or the call that an expression without an effect may have been meant to be."""
        if isinstance(value, ast.Compare):
            left, right = self.text(value.left), self.text(value.comparators[0])
            yield self._put("assigned", "=", statement, f"{left} = {right}")
        if isinstance(value, ast.BinOp) and type(value.op) in _OPERATORS:
            left, right = self.text(value.left), self.text(value.right)
            yield self._put("assigned", "+=", statement, f"{left} {_OPERATORS[type(value.op)]}= {right}")
        if isinstance(value, ast.Name | ast.Attribute):
            yield self._put("called", "()", value, f"{self.text(value)}()")

    def _edits_of_expressions(self, expressions: list[ast.expr], pool: tuple[str, ...]) -> Iterator[_Edit]:
        """Yield the edits of all expressions of a statement: first those of their form, then other names."""
        for expression in expressions:
            yield from self._edits_of_expression(expression)
        owners = {id(one.value) for one in expressions if isinstance(one, ast.Attribute)}
        called = {id(one.func) for one in expressions if isinstance(one, ast.Call)}
        for expression in expressions:
            if _is_read(expression) and id(expression) not in owners | called:
                yield from self._wrapped(expression)
        for expression in expressions:
            if isinstance(expression, ast.Constant) and isinstance(expression.value, int | float):
                for name in pool:
                    yield self._put("name", name, expression, name)
            if isinstance(expression, ast.Tuple) and _is_read(expression):
                yield from self._longer(expression)
            if isinstance(expression, ast.Name | ast.Attribute) and id(expression) not in called:
                yield from self._other_names(expression, pool, plain=id(expression) in owners)

    def _assignments(self, statement: ast.Assign | ast.AugAssign) -> Iterator[_Edit]:
        """Yield `=` in place of `+=`, and the other way round."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if isinstance(statement, ast.Assign) and not (
            len(statement.targets) == 1 and isinstance(target, ast.Attribute | ast.Subscript)
        ):
            return
        start, end = self.span(target)[1], self.span(statement.value)[0]
        between = self._source[start:end]
        if isinstance(statement, ast.AugAssign) and type(statement.op) in _OPERATORS:
            old = _OPERATORS[type(statement.op)] + "="
            others = [*(f"{sign}=" for sign in _OPERATORS.values() if f"{sign}=" != old), "="]
        else:
            old, others = "=", ["+=", "-="]
        for other in others:
            signs = (old == "-=" and other in ("+=", "=")) or (old, other) == ("+=", "-=")
            # `-=` in place of `=` changes the sign, too, so the question about it asks for no more than the operation
            stored = "=" in (old, other) and other != "-="
            kind: CandidateKind = "sign" if signs else "accumulate" if stored else "operator"
            # so that `a.grad = 0` and `a.grad = x` are not edited together
            constant = " 0" if isinstance(statement.value, ast.Constant) else ""
            yield self._edit(kind, f"{old}{other}{constant}", Splice(start, end, between.replace(old, other, 1)))

    def _edits_of_expression(self, node: ast.expr) -> Iterator[_Edit]:
        match node:
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
                yield from self._comprehensions(node.generators)
            # operations, and the conditions that choose between them
            case ast.BinOp() if type(node.op) in _OPERATORS:
                yield from self._operations(node)
            case ast.UnaryOp(ast.USub() | ast.Not(), operand):
                negated = isinstance(node.op, ast.USub)
                yield self._put("sign" if negated else "condition", "+", node, f"({self.text(operand)})")
            case ast.BoolOp(op, values):
                other = " or " if isinstance(op, ast.And) else " and "
                yield self._put("condition", other, node, f"({other.join(map(self._operand, values))})")
                yield self._put("operator", "or", node, f"({' + '.join(map(self._operand, values))})")
                for value in values:
                    yield self._put("condition", "one", node, self._operand(value))
            case ast.Compare(left, [op], [right]) if type(op) in _COMPARISONS:
                start, end = self.span(left)[1], self.span(right)[0]
                for sign in _COMPARISONS[type(op)]:
                    yield self._edit("comparison", sign, Splice(start, end, f" {sign} "))
            case ast.IfExp(test, body, orelse):
                first, second = self._operand(body), self._operand(orelse)
                exchanged = f"({second} if {self._operand(test)} else {first})"
                for how, text in (("exchanged", exchanged), ("first", first), ("second", second)):
                    yield self._put("condition", how, node, text)
            # what is called or listed, and single names and numbers
            case ast.Call(_, arguments):
                yield from self._calls(node, arguments)
            case ast.Tuple([first, second], ast.Load()) | ast.List([first, second], ast.Load()):
                yield self._edit("operands", "items", *self._swapped(first, second))
            case ast.Name(_, ast.Load()) | ast.Attribute(ast.Name(), _, ast.Load()):
                yield from self._of_name(node)
            case ast.Constant(bool() as value):
                yield self._put("constant", "not", node, str(not value))
            case ast.Constant(int() | float() as value):
                yield from self._other_numbers(node, value)

    def _comprehensions(self, generators: Sequence[ast.comprehension]) -> Iterator[_Edit]:
        """Yield other conditions of a comprehension, and other sequences."""
        for one in generators:
            for test in one.ifs:
                yield self._put("condition", "not", test, f"not ({self.text(test)})")
            yield from self._sequences(one.iter)

    def _of_name(self, node: ast.Name | ast.Attribute) -> Iterator[_Edit]:
        """Yield the square and the inverse of a name, an attribute of it, and the object in place of its attribute."""
        yield self._put("expression", "squared", node, f"({self.text(node)} ** 2)")
        yield self._put("expression", "inverse", node, f"(1 / {self.text(node)})")
        if isinstance(node, ast.Name):
            for attribute in ("data", "grad"):
                yield self._put("name", f".{attribute}", node, f"{node.id}.{attribute}")
        else:
            yield self._put("name", "owner", node, self.text(node.value))

    def _operations(self, node: ast.BinOp) -> Iterator[_Edit]:
        """Yield another operation, its operands exchanged, a factor as a step, and one of the operands alone."""
        left, right = self._operand(node.left), self._operand(node.right)
        mine = _OPERATORS[type(node.op)]
        for sign in _OPERATORS.values():
            if sign != mine:
                yield self._put("operator", f"{mine}{sign}", node, f"({left} {sign} {right})")
        if left != right and (mine not in "+*" or isinstance(node.left, ast.Name | ast.Subscript)):
            yield self._put("operands", f"{left} {right}", node, f"({right} {mine} {left})")
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Name):
            yield self._put("name", "- 1", node.right, f"({right} - 1)")
        for factor in (node.left, node.right):
            if isinstance(factor, ast.Attribute):
                yield self._put("step", "", factor, f"({self.text(factor)} > 0)")
        # a method of an operand in place of that of the result
        match node.right:
            case ast.Call(ast.Attribute(inner, method), [], []):
                text = f"({left} {mine} {self._operand(inner)}).{method}()"
                yield self._put("expression", "outside", node, text)
        match node.left:
            case ast.Call(ast.Attribute(inner, method), [], []):
                text = f"({self._operand(inner)} {mine} {right}).{method}()"
                yield self._put("expression", "outside", node, text)
        yield self._put("factor_dropped", f"{mine} {right}", node, left)
        yield self._put("factor_dropped", f"{left} {mine}", node, right)

    def _swapped(self, first: ast.expr, second: ast.expr) -> tuple[Splice, Splice]:
        """Return the splices that put two expressions in each other's place."""
        return Splice(*self.span(first), self.text(second)), Splice(*self.span(second), self.text(first))

    def _other_numbers(self, node: ast.Constant, value: float) -> Iterator[_Edit]:
        """Yield other numbers in place of a number."""
        others = [0.0 if isinstance(value, float) else 0, 1, value + 1, value - 1, -value, value * 2, value / 2, 1e-5]
        for number in dict.fromkeys(others[: None if isinstance(value, float) else -1]):
            if number != value or type(number) is not type(value):
                yield self._put("constant", repr(number), node, f"({number!r})" if number < 0 else repr(number))

    def _other_names(self, node: ast.Name | ast.Attribute, pool: tuple[str, ...], *, plain: bool) -> Iterator[_Edit]:
        """Yield other names in place of one that is read. An owner of attributes is replaced by `plain` names only."""
        mine = self.text(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node, ast.Attribute) and not plain:
            for number in ("0.0", "1.0"):
                yield self._put("name", f"{mine} {number}", node, number)
        for name in pool if isinstance(node.ctx, ast.Load) else ():
            if name != mine and not (plain and "." in name):
                # `self.data` is nearer to `other.data` and `self.grad` than to `out.grad`
                near = set(name.split(".")) & set(mine.split(".")) or "." not in name + mine
                yield self._put("name" if near else "expression", f"{mine} {name}", node, name)

    def _other_targets(self, statement: ast.Assign | ast.AugAssign, pool: tuple[str, ...]) -> Iterator[_Edit]:
        """Yield another attribute, or that of another object, in place of the one that is assigned."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner, attribute = target.value.id, target.attr
            for name in pool:
                other, _, other_attribute = name.partition(".")
                if other_attribute and (other == owner) != (other_attribute == attribute):
                    yield self._put("name", f"{attribute} {other_attribute}=", target, name)
                elif not other_attribute and other != owner:
                    yield self._put("name", f"{owner} {other}=", target.value, other)

    def _longer(self, node: ast.Tuple) -> Iterator[_Edit]:
        """Yield a tuple of names with one parameter more."""
        items = [self.text(one) for one in node.elts if isinstance(one, ast.Name)]
        for name in self._parameters if len(items) == len(node.elts) else ():
            if name not in items:
                yield self._put("expression", f"({name})", node, f"({', '.join([*items, name])},)")

    def _calls(self, call: ast.Call, arguments: list[ast.expr]) -> Iterator[_Edit]:
        """Yield the arguments exchanged or left out, and the call left out."""
        if not arguments and not call.keywords:
            yield self._put("factor_dropped", "called", call, self.text(call.func))
            if isinstance(call.func, ast.Attribute):
                yield self._put("factor_dropped", "method", call, self._operand(call.func.value))
                if isinstance(inner := call.func.value, ast.BinOp) and type(inner.op) in _OPERATORS:
                    # the method of an operand in place of that of the result
                    left, right, sign = (
                        self._operand(inner.left),
                        self._operand(inner.right),
                        _OPERATORS[type(inner.op)],
                    )
                    yield self._put("expression", "inside", call, f"({left} {sign} {right}.{call.func.attr}())")
        yield from self._other_calls(call, arguments)
        if len(arguments) == 2 and not call.keywords:
            first, second = arguments
            yield self._edit("operands", "arguments", *self._swapped(first, second))
        if isinstance(call.func, ast.Name):
            for position, argument in enumerate(arguments):
                if not isinstance(argument, ast.Starred):
                    yield self._put("factor_dropped", f"{call.func.id} {position}", call, self._operand(argument))
            if len(arguments) == 2:
                yield self._put("operator", call.func.id, call, f"({' + '.join(map(self._operand, arguments))})")
        # `x.append(y)` becomes `x.insert(0, y)`
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            yield self._edit(
                "reversed",
                "append",
                Splice(self.span(call.func)[1] - len("append"), self.span(call.func)[1], "insert"),
                *(Splice(self.span(one)[0], self.span(one)[0], "0, ") for one in arguments[:1]),
            )

    def _other_calls(self, call: ast.Call, arguments: list[ast.expr]) -> Iterator[_Edit]:
        """Yield another function of the same kind, another method, an argument less, and a tolerance more."""
        name = self.text(call.func)
        for other in next((group for group in _ALIKE if name in group), ()):
            if other != name:
                yield self._put("name", f"{name} {other}", call.func, other)
        if isinstance(call.func, ast.Attribute) and call.func.attr in self._methods:
            owner = self._operand(call.func.value)
            for method in self._methods:
                if method != call.func.attr:
                    yield self._put("name", f".{method}", call.func, f"{owner}.{method}")
        if len(arguments) > 1 and not isinstance(arguments[-1], ast.Starred):
            end = self.span(arguments[-2])[1]
            yield self._edit("factor_dropped", "argument", Splice(end, self.span(arguments[-1])[1], ""))
        if len(arguments) == 1 and isinstance(arguments[0], ast.Name):
            text = f"(one.data for one in {self.text(arguments[0])})"
            yield self._put("expression", "data of each", arguments[0], text)
        if call.keywords and len(call.keywords) < len(_TOLERANCES):
            for keyword in _TOLERANCES:
                if keyword[:7] not in self.text(call) and "tol" in self.text(call):
                    end = self.span(call)[1] - 1
                    yield self._edit("expression", keyword, Splice(end, end, f", {keyword}"))

    def _orders(self, sequence: ast.expr) -> Iterator[_Edit]:
        """Yield the other order of a loop, and another sequence."""
        yield from self._sequences(sequence)
        match sequence:
            case ast.Call(ast.Name("reversed"), [inner]):
                yield self._put("reversed", "forward", sequence, self.text(inner))
            case ast.Subscript(value, ast.Slice(None, None, _)):
                yield self._put("reversed", "forward", sequence, self.text(value))
            case _:
                yield self._put("reversed", "backward", sequence, f"reversed(list({self.text(sequence)}))")

    def _sequences(self, sequence: ast.expr) -> Iterator[_Edit]:
        """Yield what a function of the file returns for a name, in place of a sequence."""
        for function in self._unary:
            for name in self._names[:_FEW]:
                if not _is_same(f"{function}({name})", sequence):
                    yield self._put("expression", f"{function} {name}", sequence, f"{function}({name})")

    def _wholes(self, statement: ast.stmt) -> Iterator[_Edit]:
        """Yield what a learner may have meant with a whole statement."""
        # a part of a list, or its other order
        if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Name):
            for part in ("[1:]", "[:-1]", "[::-1]"):
                yield self._put("expression", part, statement.value, f"{statement.value.id}{part}")
        match statement:
            # a new object, or a name, in place of an object's value
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(function), [argument])) if function in self._classes:
                yield self._put("assigned", ".data", statement, f"{name}.data = {self.text(argument)}")
            case ast.Assign([ast.Name(name)], value) if name in self._parameters:
                yield self._put("assigned", ".data", statement, f"{name}.data = {self.text(value)}")
            # a result that is made of the parameters alone, as in an operator that other operators define
            case ast.Return(value) if value is not None and len(self._parameters) in (1, 2):
                parts = [*self._parameters, "-1"]
                parts = [
                    form for one in parts for form in ((one,) if one == "-1" else (one, f"(-{one})", f"{one}**-1"))
                ]
                for one, operator, other in itertools.product(parts, "+*", parts):
                    text = f"{one} {operator} {other}"
                    if self._parameters[0] == "self" and one != other and not _is_same(text, value):
                        yield self._put("expression", text, value, text)
                for name in self._classes if self._parameters[0] != "self" else ():
                    for one in self._parameters:
                        yield self._put("expression", name, value, f"{name}({one}.data)")
        # two names of a statement, exchanged
        names = [one for one in _expressions(statement) if isinstance(one, ast.Name) and _is_read(one)]
        for first, second in itertools.combinations(dict.fromkeys(one.id for one in names), 2):
            if {first, second} <= {*self._names} and not _has_block(statement):
                splices = [Splice(*self.span(one), second if one.id == first else first) for one in names]
                yield self._edit(
                    "operands", "names", *(s for s in splices if self._source[s.start : s.end] in (first, second))
                )

    def _wrapped(self, node: ast.expr) -> Iterator[_Edit]:
        """Yield an expression with a method, a function or an operand more, taken from the file."""
        alone = ast.Constant | ast.Tuple | ast.GeneratorExp | ast.Starred | ast.Slice | ast.Compare | ast.Lambda
        if isinstance(node, alone):
            return
        text = self._operand(node)
        if isinstance(node, ast.Call | ast.BinOp):
            yield self._put("expression", "squared", node, f"({text} ** 2)")
            for method in self._methods:
                yield self._put("expression", f".{method}()", node, f"{text}.{method}()")
        if isinstance(node, ast.ListComp | ast.List):
            yield self._put("expression", "and 0", node, f"({text} + [0])")
            return
        for operator, operand in self._operands:
            if operand != text:
                yield self._put("expression", f"{operator} {operand}", node, f"({text} {operator} {operand})")
        if isinstance(node, ast.Name | ast.Attribute | ast.BinOp | ast.Call):
            for form in ("(2 * {})", "({} / 2)", "math.log({})", "math.sqrt({})", "abs({})", "(2 + {})", "({} - 1)"):
                if "math" not in form or "import math" in self._source:
                    yield self._put("expression", form, node, form.format(text))
            for one in self._parameters[:1]:
                yield self._put("expression", "step", node, f"({text} * ({one}.data > 0))")
                yield self._put("expression", f"{one}.data *", node, f"({text} * {one}.data)")
            for name in self._names[:_FEW] if isinstance(node, ast.BinOp) else ():
                yield self._put("expression", f"{name} *", node, f"({name} * {text})")

    def _moves(self, block: list[ast.stmt], position: int) -> Iterator[_Edit]:
        """Yield the statement at another place of its block, and in or out of a block beside it."""
        statement = block[position]
        start, end = self.span(statement)
        column = statement.col_offset
        # the statement after one of the next ones, and each of these before the statement
        following = block[position + 1 : position + 1 + _FURTHEST]
        for distance, after in enumerate(following, 1):
            if column != after.col_offset or isinstance(after, ast.ClassDef):
                break
            first, last = self.span(after)
            between, moved = self._source[end:first], self._source[start:end]
            if distance == 1:  # the two are exchanged
                splice = Splice(start, last, self._source[first:last] + between + moved)
                yield self._edit("moved", "down", splice)._replace(lines=(statement.lineno, after.lineno))
                continue
            line_break = "\n" + " " * column
            beginning = self.span(block[position + 1])[0]
            yield self._edit("moved", "down", Splice(start, beginning, ""), Splice(last, last, line_break + moved))
            before = self._source[self.span(block[position + distance - 1])[1] : first]
            up = Splice(start, start, self._source[first:last] + line_break)
            out = Splice(first - len(before), last, "")
            yield self._edit("moved", "up", up, out)._replace(lines=(after.lineno,))
        if position + 1 < len(block) and isinstance(block[position + 1], ast.For | ast.While):
            # the statement becomes the first one of the loop after it
            loop = block[position + 1]
            first, body = self.span(loop)[0], self.span(loop.body[0])[0]  # type: ignore[attr-defined]
            inner = " " * loop.body[0].col_offset  # type: ignore[attr-defined]
            yield self._edit(
                "moved",
                "first",
                Splice(start, body, f"{self._source[first:body]}{self._source[start:end]}\n{inner}"),
            )
        if position:
            before_it = block[position - 1]
            # the statement becomes the last one of the block before it
            if isinstance(before_it, ast.For | ast.While | ast.If) and not before_it.orelse and before_it.body:
                inner_column = before_it.body[-1].col_offset
                yield self._edit("moved", "in", self._shifted(statement, inner_column - column))
        inner_block = statement.body if isinstance(statement, ast.For | ast.While | ast.If) else []
        if len(inner_block) > 1 and inner_block[-1].col_offset > column:
            # its last statement is run after the block
            last_inner = inner_block[-1]
            shifted = self._shifted(last_inner, column - last_inner.col_offset)
            yield _Edit("moved", (last_inner.lineno,), (shifted,), self._block, "out")

    # -- statements that are missing

    def added(self) -> Iterator[_Edit]:
        """Yield additions of a statement to a function that has none of this kind. Its other statements stay."""
        attached, numbers = self._attached(), self._numbers()
        for function in sorted(self.functions, key=lambda one: "backward" not in one.node.name):
            lines = range(function.node.lineno, (function.node.end_lineno or 0) + 1)
            if self.editable.isdisjoint(lines) or function.node.name == "__init__":
                continue
            names = _bound(function.node)
            # what a rule does for one operand only, and a rule that is not attached
            yield from self._mirror_images(function)
            yield from self._attachments(function, attached)
            # a first number, a growing collection and a call may be missing at any place
            texts = dict.fromkeys([*self._first_numbers(function, names, numbers), *self._growth(function, names)])
            texts |= dict.fromkeys(self._calls_of(function, names, attached))
            for text in texts:
                yield from self._everywhere_in(function, text)
            # a result may be missing at the end
            if not any(isinstance(one, ast.Return) and one.value is not None for one in _statements(function.node)):
                assigned = [_assigned(one) for one in function.node.body if isinstance(one, ast.Assign)]
                for name in dict.fromkeys(
                    one.id for pairs in assigned for one, _ in pairs if isinstance(one, ast.Name)
                ):
                    yield self._after(function, function.node.body, len(function.node.body), f"return {name}")

    def _after(self, function: Function, block: list[ast.stmt], position: int, text: str) -> _Edit:
        """Return a statement more at a position of a block."""
        if position < len(block):
            start = self.span(block[position])[0]
            splice = Splice(start, start, f"{text}\n{' ' * block[position].col_offset}")
        else:
            end = self.span(block[-1])[1]
            splice = Splice(end, end, f"\n{' ' * block[-1].col_offset}{text}")
        line = (block[position - 1].end_lineno or 0) if position else block[0].lineno - 1
        return _Edit("added", (line,), (splice,), id(block), text, function=function.name)

    def _everywhere_in(self, function: Function, text: str) -> Iterator[_Edit]:
        """Yield a statement at every position of a function's blocks."""
        for block in _blocks(function.node):
            passes = any(isinstance(one, ast.Pass) for one in block)
            for position in range(len(block) + 1) if block else ():
                before = block[position - 1] if position else None
                # the place has to exist: not before `elif`, and not where nothing runs any more
                if position == 0 and self._is_elif(block[0]):
                    continue
                if isinstance(before, ast.Return | ast.Raise | ast.Continue | ast.Break):
                    continue
                # a docstring stays first, and what is still to be filled in begins after `pass`
                if (position == 0 and _is_text(block[0])) or (passes and not isinstance(before, ast.Pass)):
                    continue
                yield self._after(function, block, position, text)

    def _mirror_images(self, function: Function) -> Iterator[_Edit]:
        """Yield what a rule does for one operand, done for the other one too."""
        operands = [one.arg for one in function.node.args.args][:2]
        if len(operands) < 2:
            return
        for block in _blocks(function.node):
            targets = [_target(one) for one in block]
            for position, (owner, attribute) in enumerate(targets):
                other = next((one for one in operands if one != owner), "")
                if owner in operands and (other, attribute) not in targets:
                    text = _mirrored(self.text(block[position]), owner, other)
                    yield self._after(function, block, position + 1, text)

    def _attached(self) -> list[str]:
        """Return the attributes that the file sets to a function."""
        functions = {one.name for one in ast.walk(self.tree) if isinstance(one, ast.FunctionDef)}
        found: dict[str, None] = {}
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
                continue
            if isinstance(node.value, ast.Lambda) or (isinstance(node.value, ast.Name) and node.value.id in functions):
                found[node.targets[0].attr] = None
        return list(found)

    def _attachments(self, function: Function, attributes: Sequence[str]) -> Iterator[_Edit]:
        """Yield an inner function that is not used, set as an attribute of the result."""
        used = {one.id for one in ast.walk(function.node) if isinstance(one, ast.Name)}
        block = function.node.body
        for position, inner in enumerate(block):
            if isinstance(inner, ast.FunctionDef) and inner.name not in used:
                results = [
                    one.targets[0].id
                    for one in block
                    if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
                ]
                for owner in dict.fromkeys(reversed(results)):
                    for attribute in attributes:
                        text = f"{owner}.{attribute} = {inner.name}"
                        yield self._after(function, block, position + 1, text)

    def _numbers(self) -> list[str]:
        """Return the attributes of `self` that the file sets to 0."""
        set_to_0 = (
            _target(node)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value == 0
        )
        return list(dict.fromkeys(attribute for owner, attribute in set_to_0 if owner == "self"))

    def _first_numbers(self, function: Function, names: Sequence[str], attributes: Sequence[str]) -> Iterator[str]:
        """Yield 1 or 0 for an attribute that begins as a number, if the function never sets it."""
        set_here = {_target(one) for one in _statements(function.node)}
        for name, attribute in itertools.product(names, attributes):
            if (name, attribute) not in set_here:
                yield from (f"{name}.{attribute} = {number}" for number in ("1.0", "0.0"))

    def _growth(self, function: Function, names: Sequence[str]) -> Iterator[str]:
        """Yield a name put into a collection that begins empty, if the function never puts anything into it."""
        called = [one.func for one in ast.walk(function.node) if isinstance(one, ast.Call)]
        methods = [one for one in called if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]
        grown = {one.value.id for one in methods if one.attr in _GROWING}  # type: ignore[attr-defined]
        for node in _statements(function.node):
            if not isinstance(node, ast.Assign):
                continue
            for target, value in _assigned(node):
                if isinstance(target, ast.Name) and target.id not in grown and self.text(value) in _EMPTY:
                    for name in names:
                        if name != target.id:
                            yield f"{target.id}.{_EMPTY[self.text(value)]}({name})"

    def _calls_of(self, function: Function, names: Sequence[str], attached: Sequence[str]) -> Iterator[str]:
        """Yield calls of functions and methods of the file that the function does not call."""
        called = {
            getattr(one.func, "id", getattr(one.func, "attr", ""))
            for one in ast.walk(function.node)
            if isinstance(one, ast.Call)
        }
        for other in self.functions:
            arguments = [one.arg for one in other.node.args.args]
            if other.node.name in called or other.node.name.startswith("__") or other is function:
                continue
            if not other.owners and all(one in names for one in arguments):
                yield f"{other.node.name}({', '.join(arguments)})"
            elif other.owners and len(arguments) == 1 and not function.owners:
                yield from (f"{name}.{other.node.name}()" for name in names)
        for attribute in attached:
            if attribute not in called and "backward" in function.node.name:
                yield from (f"{name}.{attribute}()" for name in names)

    def _shifted(self, statement: ast.stmt, by: int) -> Splice:
        """Return the statement's lines with more or less space before them."""
        start, end = self._place(statement.lineno, 0), self.span(statement)[1]
        return Splice(start, end, "\n".join(_indented(self._source[start:end].split("\n"), by)))


_GROWING = ("append", "add", "extend", "insert", "update")
_EMPTY = {"[]": "append", "list()": "append", "set()": "add"}
_ALIKE = (("any", "all"), ("min", "max"), ("math.log", "math.exp", "math.sqrt", "math.tanh", "math.cosh"))
_TOLERANCES = ("rel_tol=1e-5", "abs_tol=1e-8")
_FEW = 6  # names in scope that are tried in place of others
_LONG_OPERAND = 30  # characters
_FURTHEST = 5  # statements that another one is moved over
_NUMERIC = (ast.Constant, ast.BinOp, ast.Name, ast.Attribute, ast.IfExp, ast.UnaryOp, ast.Subscript)
_BUILTIN = {"abs", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min", "print"}
_BUILTIN |= {"range", "reversed", "set", "sorted", "str", "sum", "super", "tuple", "type", "zip", "Value", "math"}


def _indented(lines: Iterable[str], by: int) -> list[str]:
    """Return lines with `by` more spaces before them, or with as many characters less."""
    return [" " * by + line if by > 0 else line[-by:] for line in lines]


def _outermost(tree: ast.Module) -> Iterator[tuple[tuple[ast.ClassDef, ...], _Function]]:
    """Yield the outermost functions, those of the file and of its classes, with the classes around them."""
    waiting: list[tuple[tuple[ast.ClassDef, ...], ast.stmt]] = [((), statement) for statement in tree.body]
    while waiting:
        owners, statement = waiting.pop(0)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield owners, statement
        elif isinstance(statement, ast.ClassDef):
            waiting[:0] = [((*owners, statement), inner) for inner in statement.body]


def first_line(node: _Function | ast.ClassDef) -> int:
    """Return the first line of a definition with its decorators, from which Python counts its lines."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _blocks(function: _Function) -> Iterator[list[ast.stmt]]:
    """Yield every list of statements in a function, those of inner functions too."""
    for node in ast.walk(function):
        for field in _BLOCKS:
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block


def _statements(function: _Function) -> Iterator[ast.stmt]:
    """Yield every statement in a function, in the order of the text."""
    waiting = list(function.body)
    while waiting:
        yield (one := waiting.pop(0))
        # the statements inside come before those after it, as in the text
        waiting[:0] = [inner for block in _BLOCKS for inner in getattr(one, block, ()) if isinstance(inner, ast.stmt)]


_BLOCKS = ("body", "orelse", "finalbody")


def _assigned(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of an assignment, each with its value."""
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _bound(function: _Function) -> list[str]:
    """Return the names that a function binds: parameters, loop variables and others, also those of inner functions."""
    names = dict.fromkeys(one.arg for one in ast.walk(function) if isinstance(one, ast.arg))
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
    return list(names)


def _has_block(statement: ast.stmt) -> bool:
    """Return whether a statement has statements of its own."""
    return hasattr(statement, "body")


def _is_read(expression: ast.expr) -> bool:
    """Return whether an expression is read, and not assigned to."""
    return isinstance(getattr(expression, "ctx", ast.Load()), ast.Load)


def _target(statement: ast.stmt) -> tuple[str, str]:
    """Return the object whose attribute a statement sets, and the attribute's name; or empty texts."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return target.value.id, target.attr
    return "", ""


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement, without those of the statements in its blocks."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.stmt):
                continue
            if isinstance(child, ast.expr):
                yield child
            waiting.append(child)


def _header_end(statement: ast.stmt) -> int:
    """Return the last line of a statement, without its blocks."""
    blocks: Iterable[object] = (getattr(statement, field, ()) for field in ("body", "handlers", "cases"))
    inner = [block[0].lineno - 1 for block in blocks if isinstance(block, list) and hasattr(block[0], "lineno")]
    return max(statement.lineno, min(inner)) if inner else statement.end_lineno or statement.lineno


def _is_same(text: str, expression: ast.expr) -> bool:
    """Return whether a text is that of an expression, but for spaces and parentheses."""
    return ast.dump(ast.parse(text, mode="eval").body) == ast.dump(expression)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
