"""Start the worker's server process in a tier of isolation. Each tier is a function that starts it."""

from .schedule import Schedule, own_ready_s
from .tiers import OFFICIAL, TIERS, IsolationError, Warm, WorkerGone, start
