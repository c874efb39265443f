"""The profile of Hypothesis for all tests."""

import hypothesis
import pytest
from hypothesis import given, is_hypothesis_test
from hypothesis import strategies as st


def test_no_test_of_hypothesis_depends_on_time(request: pytest.FixtureRequest) -> None:
    """None of the collected tests has a deadline, and none fails because its examples are drawn slowly."""

    @given(st.integers())
    def test(number: int) -> None:
        pass

    tests = [test, *(one.obj for one in request.session.items if isinstance(one, pytest.Function))]
    for one in filter(is_hypothesis_test, tests):
        settings = one._hypothesis_internal_use_settings
        assert settings.deadline is None, one
        assert hypothesis.HealthCheck.too_slow in settings.suppress_health_check, one
