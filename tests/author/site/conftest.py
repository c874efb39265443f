"""Browsers."""

from pages import browser, chromium, firefox, tab  # noqa: F401 - fixtures
