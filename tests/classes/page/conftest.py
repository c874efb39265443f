"""Real reports, a class made from them, and a browser."""

import pytest
from pages import browser, chromium, handed_in, make_class, no_odd_words, odd_words, open_html, print_page, tab  # noqa: F401 - fixtures


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that needs graded submissions as slow."""
    for item in items:
        if "handed_in" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
