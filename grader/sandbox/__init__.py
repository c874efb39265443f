"""Start the warm worker process inside limits: one file per backend, one interface."""

from .process import start
from .warm import Warm, WorkerGone

__all__ = ["Warm", "WorkerGone", "start"]
