"""Make the files that a learner begins with: exercises, README, glossary, and settings for git and an editor."""

import json

from ..answer_book import AnswerBook
from ..course import Course
from ..outside import read_plain
from ..workspace import FOLDER
from .readme import GLOSSARY, LEARNERS, README, learners_glossary
from .release import IGNORE, IGNORED, made_readme

_UNSEEN = {f"**/{FOLDER}": True, "**/__pycache__": True}
_EDITOR = {"files.exclude": _UNSEEN, "files.insertFinalNewline": True}


def start_files(course: Course, book: AnswerBook) -> dict[str, bytes]:
    """Return the files of a learner's folder, by their paths in the folder. Raises `OSError`."""
    files = {f"exercises/{exercise.filename}": book.stubs[exercise.id].encode() for exercise in course.exercises}
    page = course.folder / LEARNERS
    files[README] = read_plain(page, follow=True) if page.is_file() else made_readme(course).encode()
    glossary = course.folder / GLOSSARY
    if glossary.is_file():
        files[GLOSSARY] = learners_glossary(read_plain(glossary, follow=True).decode("utf-8", "replace")).encode()
    files[IGNORE] = IGNORED
    files[".vscode/settings.json"] = (json.dumps(_EDITOR, indent=2) + "\n").encode()
    return files
