"""A misconception is named only if nothing else is known to behave the same."""

import pytest

from grader.diagnosis import Behaviour, diagnose
from grader.oracle.answer_book import UNCLEAR, KnownBehaviour, KnownExercise


def known(name: str, functions: str = "", **looks: str) -> KnownBehaviour:
    """Return a known misconception.

    `a0="x"` is the fingerprint x on program 0 of check a's only batch. `f1 g2` are two functions and the ways in which
    they are written.
    """
    written = {word[0]: word[1:] for word in functions.split()}
    return KnownBehaviour(name, "it is so", "it is not", 1, written, keyed(looks))


def keyed(looks: dict[str, str]) -> dict[str, str]:
    return {f"{key[0]}:0:{key[1]}": look for key, look in looks.items()}


def named(
    catalogue: list[KnownBehaviour],
    looks: dict[str, str],
    *,
    unfinished: tuple[dict[str, str], ...] = (),
    functions: dict[str, tuple[str, ...]] | None = None,
    arrived: bool | None = True,
) -> dict[str, str]:
    """Return the misconception that is named at each failing check."""
    seen = Behaviour(keyed(looks), frozenset(), arrived)
    failures = list(dict.fromkeys(key[0] for key, look in looks.items() if look))
    exercise = KnownExercise(tuple(catalogue), tuple(map(keyed, unfinished)), functions or {})
    return {check: one.id for check, one in diagnose(exercise, seen, failures).items()}


ONE, OTHER, TWIN = known("one", a0="x", b0="y"), known("other", a0="x", b0="z"), known("twin", a0="x", b0="y")


@pytest.mark.parametrize(
    ("expected", "catalogue", "looks"),
    [
        ({"a": "one", "b": "one"}, [ONE, OTHER], {"a0": "x", "b0": "y"}),
        ({}, [ONE, OTHER], {"a0": "x"}),
        ({}, [ONE, TWIN], {"a0": "x", "b0": "y"}),
        ({}, [ONE, OTHER], {"a0": "x", "b0": "new"}),
        ({}, [ONE], {"a0": "x", "b0": "y", "c0": "z"}),
        ({}, [ONE], {"a0": "x", "b0": ""}),
        ({"a": "one"}, [ONE], {"a0": "x", "c0": ""}),
        ({}, [ONE], {}),
        ({}, [], {"a0": "x"}),
        ({"a": "some"}, [known("some", a0="x", b0=UNCLEAR)], {"a0": "x", "b0": ""}),
    ],
    ids=[
        "exactly one",
        "two alike on what was run",
        "twins",
        "none",
        "wrong where it is right",
        "right where it is wrong",
        "a part that the engine does not offer",
        "nothing was run",
        "empty catalogue",
        "where nothing is known",
    ],
)
def test_exactly_one_is_named(expected: dict[str, str], catalogue: list[KnownBehaviour], looks: dict[str, str]) -> None:
    """A misconception is named if it alone behaves the same on every compared program."""
    assert expected == named(catalogue, looks)


@pytest.mark.parametrize(
    ("expected", "other"), [({"a": "one", "b": "one"}, set()), ({"a": "one"}, {"b"}), ({"a": "one"}, {"b", "c"})]
)
def test_a_check_is_explained_where_the_misconception_fails_it(expected: dict[str, str], other: set[str]) -> None:
    """A check with no wrong program to compare is explained if the misconception fails it too.

    An error or a wrong value is explained only by the same behaviour.
    """
    seen = Behaviour(keyed({"a0": "x"}), frozenset(), arrived=True)
    found = diagnose(KnownExercise((ONE,)), seen, ["a", "b", "c"], (), other)
    assert expected == {check: one.id for check, one in found.items()}


def test_nothing_is_named_where_no_gradient_arrived() -> None:
    """Without gradients, many mistakes look alike."""
    assert {} == named([ONE], {"a0": "x", "b0": "y"}, arrived=False)
    assert {"a": "one", "b": "one"} == named([ONE], {"a0": "x", "b0": "y"}, arrived=None)


def test_nothing_is_named_where_an_unfinished_solution_is_like_it() -> None:
    """An unfinished solution is not a misconception."""
    assert {} == named([ONE], {"a0": "x", "b0": "y"}, unfinished=({"a0": "x", "b0": "y"},))


LEFT, RIGHT_ = known("left", a0="x", c0="z"), known("right", b0="y", c0="w")


def test_two_are_named_where_the_programs_separate_them() -> None:
    """Each check is explained by the misconception that shows there. Programs on which both are wrong are skipped."""
    assert {"a": "left", "b": "right"} == named([LEFT, RIGHT_], {"a0": "x", "b0": "y", "c0": "q", "d0": ""})


@pytest.mark.parametrize(
    "looks",
    [{"a0": "x", "b0": "y", "d0": "q"}, {"a0": "x", "b0": "", "c0": "q"}, {"a0": "x", "b0": "y", "c0": ""}],
    ids=["something else besides", "one does not show", "right where both are wrong"],
)
def test_two_explain_everything_or_nothing(looks: dict[str, str]) -> None:
    """A pair that leaves anything unexplained is not named."""
    assert {} == named([LEFT, RIGHT_], looks)


@pytest.mark.parametrize(
    ("expected", "others", "unfinished"),
    [
        ({"a": "left"}, [known("again", b0="y", c0="v")], ()),
        ({"a": "left"}, [], ({"b0": "y", "c0": "v"},)),
        ({}, [known("again", b0="y", c0="v"), known("once more", a0="x", c0="v")], ()),
    ],
    ids=["two for the other", "an unfinished solution for the other", "two for each"],
)
def test_of_several_pairs_those_in_all_are_named(
    expected: dict[str, str], others: list[KnownBehaviour], unfinished: tuple[dict[str, str], ...]
) -> None:
    """If several pairs fit, only misconceptions in all of them are certain."""
    catalogue = [LEFT, RIGHT_, *others]
    assert expected == named(catalogue, {"a0": "x", "b0": "y", "c0": "q"}, unfinished=unfinished)


FUNCTIONS: dict[str, tuple[str, ...]] = {"f": ("a:0:0",), "g": ("b:0:0",)}


def test_a_function_is_explained_beside_another_that_is_wrong() -> None:
    """Programs that depend on a single function are compared with the known behaviour of that function."""
    catalogue = [known("of_f", "f1", a0="x"), known("of_both", "f1 g1", a0="x", b0="y")]
    assert {"a": "of_f"} == named(catalogue, {"a0": "x", "b0": "new"}, functions=FUNCTIONS)


def test_a_function_that_may_be_written_in_two_ways_is_not_explained() -> None:
    """Another misconception changes the function in another way, changes more, and behaves the same there."""
    catalogue = [known("of_f", "f1", a0="x"), known("of_both", "f2 g1", a0="x", b0="y")]
    assert {} == named(catalogue, {"a0": "x", "b0": "new"}, functions=FUNCTIONS)


def test_a_function_is_not_explained_by_what_another_one_shows_first() -> None:
    """If the first wrong program of a check depends on more functions, a later program does not explain the check."""
    catalogue = [known("of_f", "f1", a1="x")]
    assert {} == named(catalogue, {"a0": "new", "a1": "x"}, functions={"f": ("a:0:1",), "g": ()})
