"""Files beside a learner's exercises: backups, the last report, and how far the learner is."""

from .backup import keep, reset
from .folder import FOLDER, own_folder
from .progress import Progress, progress_of, remember

__all__ = ["FOLDER", "Progress", "keep", "own_folder", "progress_of", "remember", "reset"]
