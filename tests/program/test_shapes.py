import pytest
from torch_answers import answer

from grader.program import chain, diamonds, leaf, program


@pytest.mark.slow
@pytest.mark.parametrize("value", [0.0, -2.5, 3.0])
def test_a_leaf_alone(value: float) -> None:
    """A single node has the derivative 1 with respect to itself."""
    assert [[value], [1.0]] == answer(leaf(value).wire, leaf(value).root)


@pytest.mark.slow
@pytest.mark.parametrize("length", [3, 4, 10, 50])
def test_a_chain(length: int) -> None:
    """`length` nodes; each link adds b, so b counts once for each of them."""
    made = chain(length)
    values, grads = answer(made.wire, made.root)
    assert length == len(made.nodes)
    assert 1 + 0.5 * (length - 2) == values[made.root]
    assert [1.0, length - 2] == grads[:2]


@pytest.mark.slow
def test_a_long_chain_is_made_at_once() -> None:
    """100,000 nodes are no recursion."""
    made = chain(100_000)
    assert (100_000, 99_999) == (len(made.nodes), made.root)
    assert "x = a; x = x + b, 99,998 times    with a = 1, b = 0.5" == made.shown


def test_a_chain_is_the_program_that_it_stands_for() -> None:
    """A short chain is the same program as the one written out."""
    assert program("x2 = a + b; x3 = x2 + b; x4 = x3 + b", a=1, b=0.5).key == chain(5).key


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 10, 40])
def test_stacked_diamonds(count: int) -> None:
    """Three nodes for each diamond; the derivative by x is (1 + a) to the number of diamonds."""
    made = diamonds(count)
    _, grads = answer(made.wire, made.root)
    assert 3 + 3 * count == len(made.nodes)
    assert 1.25**count == pytest.approx(grads[0], rel=1e-12)


def test_diamonds_are_the_program_that_they_stand_for() -> None:
    """Two diamonds are the same program as the one written out."""
    written = "l = x * a; r = x + b; y = l + r; m = y * a; s = y + b; z = m + s"
    assert program(written, x=1, a=0.25, b=0.5).key == diamonds(2).key
