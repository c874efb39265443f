"""Confine learner code: the server process, a locked-down fork for each file, limits, and message framing."""
