"""The answer book: the results of `grade build`, shipped with the course.

It holds the oracle's answers for every program that the checks ask for under the course's own seed; the generated
stubs, so that an unchanged file is recognised; and how each misconception behaves.
"""

from pathlib import Path

import msgspec

from .course import CourseError
from .outside import read_plain, write_atomically

FORMAT = 3
UNCLEAR = "?"  # stands for what a misconception does on a program where that is not known


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values of a program's nodes, and the derivative of its root by each, in the program's order."""

    values: tuple[float, ...]
    grads: tuple[float, ...]


class KnownBehaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A misconception and how it behaves: `behaviour` maps `check:batch:program` to the fingerprint of what was
    observed, for the fixed programs that it gets wrong. `hint` is the number of a hint of the exercise. `functions`
    are those that it changes, each with a fingerprint of how it is written then."""

    id: str
    title: str
    explanation: str
    hint: int
    functions: dict[str, str]
    behaviour: dict[str, str]


class KnownExercise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The known wrong solutions of an exercise.

    `unfinished` are the behaviours of solutions of which only the beginning is written, each different. `functions`
    has, where there are several to fill, the programs that depend on one of them alone.
    """

    misconceptions: tuple[KnownBehaviour, ...] = ()
    unfinished: tuple[dict[str, str], ...] = ()
    functions: dict[str, tuple[str, ...]] = {}


class AnswerBook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answers by `Program.key`; stubs and wrong solutions by exercise id; the torch version that gave the answers."""

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
    """Write an answer book, one answer a line, so that a change shows in a diff. Raises `OSError`."""
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
