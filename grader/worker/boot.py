"""Start the worker: the confined server process, with the adapter that its forks run."""

from .adapter.execute import LearnerFile
from .confine import server


def main(control_fd: int, settings: str) -> None:
    """Serve the trusted side over `control_fd`; `settings` is JSON (see `server.main`)."""
    server.main(control_fd, settings, LearnerFile)
