"""Start the worker's server process in a tier of isolation. Each tier is a function that starts it."""

from ..worker.confine.limits import apply as limit_this_process
from .children import Child, Children
from .choice import IsolationError, see_that_it_forks, start
from .connection import WorkerGone
from .schedule import Schedule, own_ready_s
from .tiers import OFFICIAL, TIERS, Started, Warm
