"""The `grade` command."""

from .main import main
