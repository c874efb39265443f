"""Start the worker's server process in a tier of isolation. Each tier is a function that starts it."""

from .tiers import OFFICIAL, TIERS, IsolationError, Warm, WorkerGone, start
