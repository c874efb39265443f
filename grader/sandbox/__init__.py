"""Start the warm worker process inside a tier of isolation: one file per tier, one interface."""

from .tiers import OFFICIAL, TIERS, IsolationError, start
from .warm import Warm, WorkerGone

__all__ = ["OFFICIAL", "TIERS", "IsolationError", "Warm", "WorkerGone", "start"]
