"""Files beside a learner's exercises: backups, the last report, the last replay, and the learner's progress."""

from .backup import FOLDER, Progress, Reset, keep, keep_replay, own_folder, progress_of, remember, reset

__all__ = ["FOLDER", "Progress", "Reset", "keep", "keep_replay", "own_folder", "progress_of", "remember", "reset"]
