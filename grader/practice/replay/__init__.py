"""Record a replay: the steps of a learner's own code as it runs forward and backward on a program."""

from .landscape import record_all
from .language import is_language_model, record_model
from .model import Landscape, Played, Replay, SourceText, Thermometer
from .page import (
    DRAWING_SCRIPTS,
    DRAWING_STYLE,
    ReplayPage,
    build_replay_frame,
    build_replay_page,
    nodes_of,
    operations_script,
)
from .play_words import FILES, is_program, named_check, named_exercise, named_subject, named_training
from .presets import presets
from .record import CheckedFile, FilesToReplay, FileToReplay, Subject, answers_of
from .training import offered
from .transformer import LONGEST, is_transformer, names_of, trained_transformers
