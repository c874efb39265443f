"""What people see: pure functions from a report to text."""

from .terminal import plain, render

__all__ = ["plain", "render"]
