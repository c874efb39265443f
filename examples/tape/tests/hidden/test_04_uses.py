from grader.checks import EngineUnderCheck, check

ONE_OPERATION = [[2, 0], [2, 1]]
REUSED = [[2, 0], [2, 1], [3, 2], [3, 0]]
SAME_INPUT = [[1, 0], [1, 0], [2, 1], [2, 0], [3, 2], [3, 1], [4, 3], [4, 3]]
CHAIN = [[4, 3], [3, 2], [2, 1], [1, 0]]
DIAMOND = [[1, 0], [2, 0], [3, 1], [3, 2]]
# in these two, a source may have a larger number than its user
LATE_USER = [[3, 1], [3, 2], [1, 2], [2, 0]]
MIXED_NUMBERS = [[0, 1], [0, 3], [2, 0], [2, 3], [4, 2], [4, 0]]


def renumbered(engine: EngineUnderCheck, edges: list[list[int]]) -> list[list[int]]:
    """Return the graph with other numbers for its nodes in an official run. The root keeps the largest number."""
    root = max(user for user, _ in edges)
    drawn = engine.numbers(*range(2, 2 + root))
    places = [sorted(drawn).index(number) for number in drawn] + [root]
    return [[places[user], places[source]] for user, source in edges]


def counted(edges: list[list[int]]) -> list[int]:
    """Return the number of uses of each node."""
    sources = [source for _, source in edges]
    return [sources.count(node) for node in range(1 + max(user for user, _ in edges))]


def ordered(edges: list[list[int]]) -> list[int]:
    """Return all nodes, each after its users, and the largest possible number first."""
    order: list[int] = []
    nodes = range(max(user for user, _ in edges), -1, -1)
    while len(order) < len(nodes):
        placed = set(order)
        # the first of the largest numbers whose users are all in the order
        order.append(next(n for n in nodes if n not in placed and placed >= {u for u, source in edges if source == n}))
    return order


def counts(engine: EngineUnderCheck, *graphs: list[list[int]]) -> None:
    for edges in (renumbered(engine, graph) for graph in graphs):
        engine.returns("count_uses", edges, expected=counted(edges))


def orders(engine: EngineUnderCheck, *graphs: list[list[int]]) -> None:
    for edges in (renumbered(engine, graph) for graph in graphs):
        engine.returns("backward_order", edges, expected=ordered(edges))


@check("counts")
def test_every_use_is_counted(engine: EngineUnderCheck) -> None:
    counts(engine, ONE_OPERATION, REUSED, MIXED_NUMBERS)


@check("same_input")
def test_an_input_that_is_used_twice_counts_twice(engine: EngineUnderCheck) -> None:
    counts(engine, SAME_INPUT)


@check("root_first")
def test_the_order_begins_at_the_root(engine: EngineUnderCheck) -> None:
    orders(engine, ONE_OPERATION, CHAIN)


@check("after_its_users")
def test_a_node_comes_after_all_its_users(engine: EngineUnderCheck) -> None:
    orders(engine, DIAMOND, MIXED_NUMBERS, LATE_USER)


@check("once")
def test_every_node_is_in_the_order_once(engine: EngineUnderCheck) -> None:
    orders(engine, SAME_INPUT)
