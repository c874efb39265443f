from grader.checks import EngineUnderCheck, check

ONE_OPERATION = [[2, 0], [2, 1]]
REUSED = [[2, 0], [2, 1], [3, 2], [3, 0]]
SAME_INPUT = [[1, 0], [1, 0], [2, 1], [2, 0]]
DIAMOND = [[1, 0], [2, 0], [3, 1], [3, 2]]
# in these two, a source may have a larger number than its user
LATE_USER = [[3, 1], [3, 2], [1, 2], [2, 0]]
MIXED_NUMBERS = [[0, 1], [0, 3], [2, 0], [2, 3], [4, 2], [4, 0]]


@check("counts")
def test_every_use_is_counted(engine: EngineUnderCheck) -> None:
    engine.returns("count_uses", ONE_OPERATION, expected=[1, 1, 0])
    engine.returns("count_uses", REUSED, expected=[2, 1, 1, 0])
    engine.returns("count_uses", MIXED_NUMBERS, expected=[2, 1, 1, 2, 0])


@check("same_input")
def test_an_input_that_is_used_twice_counts_twice(engine: EngineUnderCheck) -> None:
    engine.returns("count_uses", SAME_INPUT, expected=[3, 1, 0])


@check("root_first")
def test_the_order_begins_at_the_root(engine: EngineUnderCheck) -> None:
    engine.returns("backward_order", ONE_OPERATION, expected=[2, 1, 0])


@check("after_its_users")
def test_a_node_comes_after_all_its_users(engine: EngineUnderCheck) -> None:
    engine.returns("backward_order", DIAMOND, expected=[3, 2, 1, 0])
    engine.returns("backward_order", MIXED_NUMBERS, expected=[4, 2, 0, 3, 1])
    engine.returns("backward_order", LATE_USER, expected=[3, 1, 2, 0])


@check("once")
def test_every_node_is_in_the_order_once(engine: EngineUnderCheck) -> None:
    engine.returns("backward_order", SAME_INPUT, expected=[2, 1, 0])
