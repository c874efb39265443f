"""Trace the operations of a learner's engine, to read the graph that a function of the learner's file builds."""

from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType
from typing import Any

from . import values
from .given import FUNCTIONS, PYTHON
from .observer import in_place_of
from .rules import EngineReading

MOST_NODES = 100  # the most nodes of a graph that is read
_NUMBER = -1  # stands for an operand that is a plain number
_METHODS = {f"__{name}__": (op, False) for op, (name, _) in PYTHON.items()}
_METHODS |= {f"__r{name}__": (op, True) for op, (name, _) in PYTHON.items()}
_METHODS |= {"__neg__": ("neg", False), **{name: (name, False) for name in FUNCTIONS if name != "neg"}}


class Trace:
    """The operation that made each node, as the innermost call of a method of the engine that returned the node.

    The methods of the class are replaced until `end` is called.

    Args:
        shape: the reading of the engine.
    """

    def __init__(self, shape: EngineReading) -> None:
        self._shape = shape
        # by address: the node, operation and operands
        self._made: dict[int, tuple[object, str, tuple[object, ...]]] = {}
        self._kept: dict[str, object] = {}  # methods that the class itself defines
        self._watched = [name for name in _METHODS if isinstance(getattr(shape.cls, name, None), FunctionType)]
        for name in self._watched:
            method = getattr(shape.cls, name)
            if name in vars(shape.cls):
                # otherwise the method is inherited, and `end` deletes what replaced it
                self._kept[name] = vars(shape.cls)[name]
            setattr(shape.cls, name, in_place_of(method, partial(self._around, method, *_METHODS[name])))

    def end(self) -> None:
        """Put the methods back."""
        for name in self._watched:
            if name in self._kept:
                setattr(self._shape.cls, name, self._kept[name])
            else:
                delattr(self._shape.cls, name)

    def _around(self, run: Callable[..., object], op: str, reflected: bool, *operands: object) -> object:
        result = run(*operands)
        if isinstance(result, self._shape.cls) and not any(result is one for one in operands):
            # the innermost call ends first, and counts; the node is kept, so that its address stays
            # its own
            self._made.setdefault(id(result), (result, op, operands[::-1] if reflected else operands))
        return result

    def graph(self, objects: Iterable[object], oldest_first: Iterable[object]) -> list[object] | None:
        """Return the nodes of the graph from which objects were computed, inputs first.

        Return None if there are too many nodes, or if a node with inputs was not made by an operation.

        Args:
            objects: the objects. Those of other classes are left out.
            oldest_first: all nodes, inputs before their users.
        """
        # the graph, from the objects back to the leaves
        wanted: dict[int, object] = {}
        waiting = [one for one in objects if isinstance(one, self._shape.cls)]
        while waiting:
            node = waiting.pop()
            if id(node) in wanted:
                continue
            wanted[id(node)] = node
            _, _, operands = self._made.get(id(node), (None, "", ()))
            if len(wanted) > MOST_NODES or (not operands and self._shape.inputs(node)):
                return None
            waiting += [one for one in operands if isinstance(one, self._shape.cls)]
        # a node that existed before the run is not among them, and then the graph cannot be read
        nodes = [node for node in oldest_first if id(node) in wanted]
        place = {id(node): at for at, node in enumerate(nodes)}
        sound = all(place.get(id(one), at) < at for at, node in enumerate(nodes) for one in self.operands(node))
        return nodes if sound and len(nodes) == len(wanted) else None

    def operands(self, node: object) -> list[object]:
        """Return the operands of a node that are nodes, one for each use; an empty list for a leaf."""
        return [one for one in self._made.get(id(node), (None, "", ()))[2] if isinstance(one, self._shape.cls)]

    def wire(self, node: Any, index: dict[int, int], names: list[int]) -> list[Any]:
        """Return a node of the graph in the form in which it is sent.

        It is `[names, op, operands, numbers]`. An operand is the index of a node, or -1 for the next one of `numbers`.
        A leaf has the operation `leaf` and its value as the only number.

        Args:
            index: the index of each node of the graph, by address.
            names: the indices of the program's nodes that are this node.
        """
        _, op, operands = self._made.get(id(node), (None, "leaf", ()))
        numbers = [one for one in operands if not isinstance(one, self._shape.cls)]
        if op == "leaf":
            numbers = [getattr(node, self._shape.data)]
        places = [index[id(one)] if isinstance(one, self._shape.cls) else _NUMBER for one in operands]
        return [names, op, places, [values.spell(one) for one in numbers]]
