"""Browsers."""

from pages import browser, chromium, firefox, no_odd_words, odd_words, tab  # noqa: F401 - fixtures
