"""The order seed determines the order in which a set of nodes is iterated."""

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.runner.worker.adapter.set_order import EngineObjects, order_hash, rank

SEEDS = range(4)
Load = Callable[[str], ModuleType]

PLAIN = "class Value:\n    def __init__(self, data):\n        self.data = data\n"
SLOTS = "class Value:\n    __slots__ = ('data',)\n    def __init__(self, data):\n        self.data = data\n"
NOT_COMPARED = (
    "from dataclasses import dataclass\n@dataclass(eq=False)\nclass Value:\n    data: float\n    grad: float = 0.0\n"
)
OBJECT_HASH = f"{PLAIN}    def __eq__(self, other):\n        return self is other\n    __hash__ = object.__hash__\n"
BASE = f"""{PLAIN}
class Node(Value):
    pass
class Leaf(Value):
    def __init__(self, data):
        self.data = data
"""
NO_INIT = "class Value:\n    data = 0.0\n    def __new__(cls, data):\n        return super().__new__(cls)\n"
OWN_NEW = f"{PLAIN}    def __new__(cls, *args):\n        return super().__new__(cls)\n"
BY_ID = f"""{PLAIN}
    def __hash__(self):
        return id(self)
    def __eq__(self, other):
        return self is other
"""
COMPARED = "from dataclasses import dataclass\n@dataclass\nclass Value:\n    data: float\n"

IDENTITY = {
    "plain": PLAIN,
    "slots": SLOTS,
    "dataclass eq=False": NOT_COMPARED,
    "__hash__ = object.__hash__": OBJECT_HASH,
    "a base": BASE,
    "no __init__": NO_INIT,
    "__new__": OWN_NEW,
}


@pytest.fixture(params=list(IDENTITY.values()), ids=list(IDENTITY))
def identity(request: pytest.FixtureRequest) -> str:
    source: str = request.param
    return source


@given(st.integers(0, 2**40 - 1), st.integers(0, 2**40 - 1), st.sampled_from(SEEDS))
@settings(database=None, derandomize=True, max_examples=300)
def test_different_numbers_have_different_hashes(one: int, two: int, seed: int) -> None:
    """order_hash is injective, and Python's hash() does not change its results."""
    hashes = order_hash(one, seed), order_hash(two, seed)
    assert (one == two) == (hashes[0] == hashes[1])
    assert all(hash(h) == h and 0 <= h < 2**60 for h in hashes)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_of_the_first_numbers_collide(seed: int) -> None:
    """The numbers that real graphs use have different hashes."""
    assert len({order_hash(number, seed) for number in range(50_000)}) == 50_000


def first(seed: int, one: int, two: int) -> int:
    """Return which of two numbers a set yields first."""
    back = {order_hash(number, seed): number for number in (one, two)}
    return back[next(iter({order_hash(one, seed), order_hash(two, seed)}))]


@every("apart", range(1, 8))
def test_neighbours_are_met_in_both_orders(apart: int) -> None:
    """A set yields two numbers less than eight apart in one order under seed 0, and in the other under seed 1."""
    for one in range(200):
        for pair in ((one, one + apart), (one + apart, one)):
            assert {first(0, *pair), first(1, *pair)} == {one, one + apart}


@every("seed", SEEDS)
def test_objects_are_hashed_by_number_and_seed(loaded: Load, identity: str, seed: int) -> None:
    """The n-th object of a run has the hash of the number n, whatever its class."""
    module = loaded(identity)
    nodes = EngineObjects(module)
    nodes.start_run(seed)
    made = [module.Value(1.0) for _ in range(20)]
    assert [order_hash(number, seed) for number in range(20)] == [hash(obj) for obj in made]


@every("seed", SEEDS)
def test_ids_are_ordered_by_rank(loaded: Load, seed: int) -> None:
    """Ids are in the same order on every machine. A set of them is iterated like a set of the objects."""
    module = loaded(PLAIN + "def ident(o):\n    return id(o)\n")
    nodes = EngineObjects(module)
    nodes.start_run(seed)
    made = [module.Value(1.0) for _ in range(20)]
    ids = [module.ident(one) for one in made]
    assert sorted(range(20), key=lambda number: rank(number, seed)) == sorted(range(20), key=lambda number: ids[number])
    assert 1 == len({hash(one) - hash(obj) for one, obj in zip(ids, made, strict=True)})


def both_orders(module: ModuleType) -> bool:
    """Return whether seeds 0 and 1 give both orders for any two objects made within seven of each other."""
    nodes = EngineObjects(module)
    met: dict[tuple[int, int], set[int]] = {}
    for seed in (0, 1):
        nodes.start_run(seed)
        made = [module.Value(1.0) for _ in range(24)]
        for i, j in itertools.permutations(range(24), 2):
            if abs(i - j) < 8:
                met.setdefault((i, j), set()).add(i if next(iter({made[i], made[j]})) is made[i] else j)
    return all({i, j} == seen for (i, j), seen in met.items())


def test_a_real_set_of_two_objects_is_walked_in_both_orders(loaded: Load, identity: str) -> None:
    """Python's own set yields two objects made close to each other in both orders."""
    assert both_orders(loaded(identity))


def test_subclasses_share_their_bases_numbering(loaded: Load) -> None:
    """Objects of subclasses, with and without their own __init__, are numbered together with the base class."""
    module = loaded(BASE)
    nodes = EngineObjects(module)
    nodes.start_run(1)
    made = [module.Value(1), module.Node(2), module.Leaf(3)]
    assert [order_hash(number, 1) for number in range(3)] == [hash(obj) for obj in made]
    assert made == nodes.of_run()
    assert [1, 2, 3] == [obj.data for obj in made]


@pytest.mark.parametrize("identity", ["id(self)", "hash(id(self))", "object.__hash__(self)", "super().__hash__()"])
def test_a_hash_of_ones_own_that_goes_by_identity_follows_the_seed(loaded: Load, identity: str) -> None:
    """The order also follows the seed for a class that hashes by id() or uses the hash of object."""
    assert both_orders(loaded(BY_ID.replace("id(self)", identity)))


def test_a_class_that_cannot_be_hashed_stays_so(loaded: Load) -> None:
    """A dataclass that compares by value has no hash, with and without the worker's numbering."""
    module = loaded(COMPARED)
    nodes = EngineObjects(module)
    nodes.start_run(0)
    obj = module.Value(1.0)
    assert [obj] == nodes.of_run()
    with pytest.raises(TypeError, match="unhashable"):
        hash(obj)


@pytest.mark.parametrize("source", [PLAIN, COMPARED, SLOTS], ids=["plain", "dataclass", "slots"])
def test_sorting_by_id_changes_with_the_seed(loaded: Load, source: str) -> None:
    """`id` in the learner's module follows the seed: sorted(key=id) is ascending or descending."""
    module = loaded(source + "def ids(objects):\n    return [o.data for o in sorted(objects, key=id)]\n")
    nodes = EngineObjects(module)
    orders = []
    for seed in (0, 1):
        nodes.start_run(seed)
        orders.append(module.ids([module.Value(i) for i in range(6)]))
    assert orders == [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]]


def test_ids_tell_objects_apart_across_runs(loaded: Load) -> None:
    """No two objects have the same id, not even the n-th ones of two runs.

    Objects of other classes keep Python's id.
    """
    module = loaded(PLAIN + "def ident(o):\n    return id(o)\n")
    nodes = EngineObjects(module)
    made = []
    for seed in (0, 0, 1):
        nodes.start_run(seed)
        made += [module.Value(i) for i in range(10)]
    assert len({module.ident(obj) for obj in made}) == 30
    assert id(nodes) == module.ident(nodes)


def test_a_hash_never_changes(loaded: Load, identity: str) -> None:
    """An object keeps its first hash, even if a later run has another seed."""
    module = loaded(identity)
    nodes = EngineObjects(module)
    nodes.start_run(0)
    made = [module.Value(i) for i in range(10)]
    before = [hash(obj) for obj in made]
    for seed in (1, 2, 3):
        nodes.start_run(seed)
        module.Value(0)
        assert before == [hash(obj) for obj in made]


def test_objects_made_at_import_get_a_number_when_first_hashed(loaded: Load) -> None:
    """An object made before the run gets a number with its first hash, and keeps it."""
    module = loaded(PLAIN + "zero = Value(0)\n")
    nodes = EngineObjects(module)
    nodes.start_run(1)
    module.Value(1)
    assert order_hash(1, 1) == hash(module.zero)
    assert order_hash(1, 1) == hash(module.zero)


def test_a_copy_is_another_object(loaded: Load) -> None:
    """copy() does not call the constructor, but the copy has its own number."""
    import copy

    module = loaded(PLAIN)
    nodes = EngineObjects(module)
    nodes.start_run(0)
    one = module.Value(1)
    two = copy.copy(one)
    assert [0, 1] == [hash(one), hash(two)]


@every(
    "source",
    [
        "class Wrong(Exception):\n    def __init__(self, text):\n        super().__init__(text)\nthing = Wrong('x')\n",
        "import enum\nclass Kind(enum.Enum):\n    ADD = 1\nthing = Kind.ADD\n",
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\n    b: int\nthing = Pair(1, 2)\n",
        "from abc import ABC\nclass Base(ABC):\n    pass\nthing = Base()\n",
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n    pass\nthing = Box()\n",
    ],
    ids=["exception", "enum", "namedtuple", "abc", "generic"],
)
def test_other_classes_of_the_file_keep_working(loaded: Load, source: str) -> None:
    """Exceptions, enums, named tuples and abstract base classes are made, compared and hashed as before."""
    module = loaded(source + "def again():\n    return type(thing)(*args)\n")
    before = hash(module.thing) if module.thing.__hash__ is not object.__hash__ else None
    kind: Any = type(module.thing)
    args = {"Wrong": ("x",), "Kind": (1,), "Pair": (1, 2)}.get(kind.__name__, ())
    nodes = EngineObjects(module)
    nodes.start_run(0)
    assert kind is type(kind(*args))
    if kind.__name__ in ("Kind", "Pair"):
        assert module.thing == kind(*args)
        assert before == hash(module.thing)


def test_a_global_called_id_is_the_files_own(loaded: Load) -> None:
    """A variable or a function of the file called `id` is not replaced."""
    module = loaded(PLAIN + "id = 7\ndef mine():\n    return id\n")
    EngineObjects(module)
    assert module.mine() == 7


def test_the_usual_repr_follows_the_seed(loaded: Load) -> None:
    """The default `repr`, which contains an address, sorts objects in the order of the seed.

    A class's own repr is kept.
    """
    source = PLAIN + "class Named(Value):\n    def __repr__(self):\n        return 'me'\n"
    module = loaded(source)
    nodes = EngineObjects(module)
    orders = []
    for seed in (0, 1):
        nodes.start_run(seed)
        orders.append([o.data for o in sorted([module.Value(i) for i in range(6)], key=repr)])
    assert orders == [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]]
    assert repr(module.Named(1)) == "me"


@pytest.mark.parametrize("make", ["object.__new__(Value)", "copy.copy(Value(1))"])
def test_an_object_made_past_the_class_is_met(loaded: Load, make: str) -> None:
    """A node that was made without the class's constructor gets its number when it is first used."""
    module = loaded(PLAIN + f"import copy\ndef make():\n    return {make}\n")
    nodes = EngineObjects(module)
    nodes.start_run(0)
    made = module.make()
    nodes.meet(made)
    nodes.meet(made)
    assert [obj for obj in nodes.of_run() if obj is made] == [made]


def test_a_class_of_make_dataclass_is_followed(loaded: Load) -> None:
    """A class made by make_dataclass is numbered, although its module is `types`."""
    fields = "['data'], namespace={'__hash__': object.__hash__}, eq=False"
    module = loaded(f"from dataclasses import make_dataclass\nValue = make_dataclass('Value', {fields})\n")
    nodes = EngineObjects(module)
    nodes.start_run(0)
    made = module.Value(1.0)
    assert [made] == nodes.of_run()


@pytest.mark.parametrize("seed", SEEDS)
def test_hashes_of_32_bits_give_the_same_order(seed: int) -> None:
    """The low 28 bits of the hashes order sets of few and of many nodes like the whole hashes."""

    class Hashed:
        def __init__(self, number: int, mask: int) -> None:
            self.number = number
            self.hash = order_hash(number, seed) & mask

        def __hash__(self) -> int:
            return self.hash

    def order(count: int, mask: int) -> list[int]:
        return [one.number for one in {Hashed(number, mask) for number in range(count)}]

    for count in (*range(1, 40), 300, 5000):
        assert order(count, -1) == order(count, (1 << 28) - 1)
