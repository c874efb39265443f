"""A learner's folder: which exercises and files words name, and the files beside the exercises.

Those are backups, the last report, the last replay, and the learner's progress.
"""

from .backup import FOLDER, Progress, Reset, keep, keep_replay, own_folder, progress_of, remember, reset
from .names import (
    exercise_folder,
    exercise_path,
    files_to_grade,
    find_exercise,
    folder_named,
    holds_exercises,
    is_file,
    learner_folders,
)

__all__ = [
    "FOLDER",
    "Progress",
    "Reset",
    "exercise_folder",
    "exercise_path",
    "files_to_grade",
    "find_exercise",
    "folder_named",
    "holds_exercises",
    "is_file",
    "keep",
    "keep_replay",
    "learner_folders",
    "own_folder",
    "progress_of",
    "remember",
    "reset",
]
