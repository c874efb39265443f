"""A list of cases as one test."""

import pytest
from every import every


def test_every_case_is_tried_and_each_failure_is_listed() -> None:
    """A case that fails does not hide the next one. The first failure is the cause of the error."""
    tried: list[tuple[int, int]] = []

    @every(("left", "right"), [(1, 1), (1, 2), (3, 3), (3, 5)])
    def test(offset: int, left: int, right: int) -> None:
        tried.append((left, right))
        assert left == right + offset

    with pytest.raises(
        AssertionError, match=r"^2 of 4 cases fail(.|\n)*\(1, 2\)\nAssertionError(.|\n)*\(3, 5\)\n"
    ) as raised:
        test(offset=0)
    assert [(1, 1), (1, 2), (3, 3), (3, 5)] == tried
    assert isinstance(raised.value.__cause__, AssertionError)


@every("name", ["scope", "node"])
def test_fixtures_are_requested_as_ever(request: pytest.FixtureRequest, name: str) -> None:
    """pytest sees the parameters that are no part of a case."""
    assert hasattr(request, name)


def test_a_list_without_cases_is_a_mistake() -> None:
    """A test that tries nothing would always pass."""
    with pytest.raises(AssertionError):
        every("case", [])
