"""Hidden tests: their vocabulary (`@check`, the `engine` fixture), the session that runs them, and outcomes."""

from ...course.program import program
from .functions import GivenPass
from .hidden_tests import check
from .outcome import CheckFailed, GraderFault, alike, shape_text, shown, stopped
from .questions import MOST_NODES, MOST_PARAMETERS, MOST_STEPS, Training, layers, recorded, training
from .session import CheckSession
from .under_check import EngineUnderCheck
