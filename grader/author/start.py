"""Hand the exercises out: the stubs, as files to be edited."""

from pathlib import Path

from ..answer_book import AnswerBook
from ..course import Course


def hand_out(course: Course, book: AnswerBook, folder: Path) -> list[Path]:
    """Write each exercise's stub into `folder`, leaving alone what is there; returns what was written.

    Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for exercise in course.exercises:
        path = folder / exercise.filename
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(book.stubs[exercise.id])
        except FileExistsError:
            continue
        written.append(path)
    return written
