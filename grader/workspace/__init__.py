"""Files beside a learner's exercises: backups, the last report, the last replay, and the learner's progress."""

from .backup import Reset, keep, reset
from .folder import FOLDER, own_folder
from .page import keep_replay
from .progress import Progress, progress_of, remember

__all__ = ["FOLDER", "Progress", "Reset", "keep", "keep_replay", "own_folder", "progress_of", "remember", "reset"]
