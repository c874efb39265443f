"""The answer book: the results of `grade build`, shipped with the course.

It holds three things:

- the oracle's answers to every program that the checks ask for under the course's own seed
- the generated stubs, so that an unchanged file is recognised
- how each misconception behaves
"""

from pathlib import Path

import msgspec

from ...base.files import read_plain, write_atomically
from ..load import CourseError

FORMAT = 3
UNCLEAR = "?"  # replaces the fingerprint of a misconception on a program where its behaviour is not known


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The values of a program's nodes, and the derivatives of its root with respect to them, in the program's order.

    `Descent` says what the answer to a descent has.
    """

    values: tuple[float, ...]
    grads: tuple[float, ...]


class KnownBehaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A misconception and how it behaves.

    Attributes:
        hint: The number of a hint of the exercise.
        functions: The functions that the misconception changes, each with a fingerprint of its changed code.
        behaviour: The fingerprint of the observations, by `check:batch:program`, for each fixed program that the
            misconception gets wrong.
    """

    id: str
    title: str
    explanation: str
    hint: int
    functions: dict[str, str]
    behaviour: dict[str, str]


class KnownExercise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The known wrong solutions of an exercise.

    Attributes:
        unfinished: The behaviours of unfinished solutions. Each behaviour occurs once.
        functions: The keys of the programs that depend on one function alone, by that function. Empty unless the
            exercise has several functions to fill in.
    """

    misconceptions: tuple[KnownBehaviour, ...] = ()
    unfinished: tuple[dict[str, str], ...] = ()
    functions: dict[str, tuple[str, ...]] = {}


class AnswerBook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of an answer book.

    Attributes:
        torch: The version of torch that gave the answers.
        stubs: The stubs, by exercise id.
        known: The wrong solutions, by exercise id.
        answers: The oracle's answers, by `Program.key`.
    """

    format: int
    torch: str
    stubs: dict[str, str]
    known: dict[str, KnownExercise]
    answers: dict[str, Answer]


def read_book(path: Path) -> AnswerBook:
    """Read an answer book. Raises `CourseError`."""
    try:
        book = msgspec.json.decode(read_plain(path, follow=True), type=AnswerBook)
    except FileNotFoundError:
        raise CourseError(path, None, "there is no answer book; `grade build` writes it") from None
    except OSError as error:
        raise CourseError(path, None, f"cannot be read: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise CourseError(path, None, f"is damaged ({error}); `grade build` writes it anew") from None
    if book.format != FORMAT:
        raise CourseError(path, None, f"has format {book.format}, not {FORMAT}; `grade build` writes it anew")
    return book


def write_book(path: Path, book: AnswerBook) -> None:
    """Write an answer book, with one answer in each line so that a diff shows changes. Raises `OSError`."""
    # the answers are added to the text of all other fields, in place of its last brace
    head = msgspec.json.format(
        msgspec.json.encode(
            {
                "format": book.format,
                "torch": book.torch,
                "stubs": book.stubs,
                "known": book.known,
            }
        ),
        indent=1,
    )
    answers = b",\n".join(
        b"  " + msgspec.json.encode(key) + b": " + msgspec.json.encode(answer)
        for key, answer in sorted(book.answers.items())
    )
    write_atomically(path, head.removesuffix(b"\n}") + b',\n "answers": {\n' + answers + b"\n }\n}\n")
