from grader.checks import EngineUnderCheck, check, program
from grader.program import braids, chain, diamonds, draw, leaf

# eight steps that each use a value twice: 256 paths of different lengths
STEPS = [f"x{i} = x{i - 1} * b + x{i - 1}" for i in range(1, 9)]


@check("inputs_first")
def test_every_node_comes_after_its_inputs(engine: EngineUnderCheck) -> None:
    engine.sorts(
        program("L = a + b", a=2, b=-3),
        program("L = (a * b) + c", a=2, b=-3, c=10),
        program("L = a * b + a", a=2, b=-3),
        program("b = a + a; c = b + b; d = c + c; L = d + d", a=1),
        program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10),
        program("b = a + c; d = b * a; e = d + b; f = e * a; L = f + d", a=2, c=-3),
        program("e = a * b; f = e + c; g = f * e; h = a + g; i = h * f; L = e + i", a=2, b=-3, c=1),
        program("d = a * b; u = d + d; L = d * d", a=2, b=-3),  # u uses d, but L does not use u
        program("d = a * b; e = d + a; f = e * d; g = f + e", a=2, b=-3).rooted_at("e"),
        chain(45),
        *braids(),
    )


@check("each_once")
def test_a_shared_node_is_listed_once(engine: EngineUnderCheck) -> None:
    engine.sorts(
        program("L = a + a", a=2),
        program("L = a * b + a", a=2, b=-3),
        program("b = a + c; d = a * c; L = b * d", a=2, c=-3),
        program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=2, b=2),
        program("d = a + b; e = b + c; f = d * e; g = d + f; L = g * e", a=1, b=1, c=1),
    )
    engine.sorts(
        program("L = a * b + a", a=2, b=-3),
        program("d = a + b; e = b + c; f = d * e; g = d + f; L = g * e", a=1, b=1, c=1),
        untouched=True,
    )


@check("root_included")
def test_a_single_node_gives_a_list_of_one(engine: EngineUnderCheck) -> None:
    engine.sorts(leaf(2.0))


@check("random_graphs")
def test_right_on_random_graphs(engine: EngineUnderCheck) -> None:
    engine.sorts(*engine.fresh(30, ops=("add", "mul"), sizes=(2, 18)))
    # The same graphs under every seed: what is wrong in one random graph out of twenty is noticed in one of them.
    engine.sorts(*draw("build_topo", 60, ops=("add", "mul"), sizes=(5, 18)))
    # Random graphs can have equal values and long paths. The fixed programs always have them.
    engine.sorts("d = a + b; e = b + c; f = d * e; g = d + f; L = g * e", a=1, b=1, c=1)
    engine.sorts("; ".join(STEPS), x0=2, b=-3)
    engine.sorts(chain(45), *braids())


@check("long_chain")
def test_a_chain_of_25_000_nodes(engine: EngineUnderCheck) -> None:
    # Plain recursion fails above Python's default limit of 1,000 calls.
    engine.sorts(chain(1_200))
    # With a list of visited nodes, each of the 25,000 nodes is searched for in a list that is half full on average.
    # Together this takes as long as 12,500 searches of a list of all nodes. Right files take as long as 100 to 1,900
    # such searches. So the limit tells them apart on fast and on slow machines. A shorter chain would not tell them
    # apart so well, and a longer one would make every right submission slower to grade.
    engine.sorts(chain(25_000), searches=5_000)


@check("stacked_diamonds")
def test_forty_stacked_diamonds(engine: EngineUnderCheck) -> None:
    engine.sorts(diamonds(40), calls=20_000)
