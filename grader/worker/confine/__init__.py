"""Confine learner code: a warm server process, a locked-down fork for each file, limits, and what crosses between."""
