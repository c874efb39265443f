"""Files beside a learner's exercises: backups, the last report, and how far the learner is."""

from .backup import Reset, keep, reset
from .folder import FOLDER, own_folder
from .page import keep_replay
from .progress import Progress, progress_of, remember

__all__ = ["FOLDER", "Progress", "Reset", "keep", "keep_replay", "own_folder", "progress_of", "remember", "reset"]
