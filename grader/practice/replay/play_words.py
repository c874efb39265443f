"""The words of `grade play`: an exercise and a check, a preset, an expression, or a training run."""

import ast
import re
import shlex
from collections.abc import Sequence

from ...base.files import UserError
from ...base.text import did_you_mean
from ...course.load import Check, Course, Exercise
from ...course.program import FUNCTIONS, Program, program
from ...words import practice
from ..workspace import find_exercise
from .presets import TrainingPreset, presets, trainings
from .record import Subject, subject_of

FILES = (".py", ".ipynb")  # the ends of the names of a learner's files
_RATE, _STEPS = 0.1, 20  # for a training run on an expression
_VALUE = re.compile(r"([^\W\d]\w*)=([^=].*)", re.DOTALL)
_OF_EXPRESSION = re.compile(r"[-+*/()=;@%\s]")


def named_exercise(course: Course, words: Sequence[str]) -> Exercise | None:
    """Return the exercise that the first word names, or None for a preset or an expression.

    Raises `UserError` for any other word.
    """
    word = words[0]
    if is_program(words):
        return None
    try:
        return find_exercise(course, word)
    except UserError as error:
        names = [preset.id for preset in presets()]
        raise UserError(practice.unknown_word(str(error), names, did_you_mean(word, names))) from None


def is_program(words: Sequence[str]) -> bool:
    """Return whether words are a preset, or an expression and the values of its leaves."""
    return words[0] in {preset.id for preset in presets()} or _is_expression(words)


def _is_expression(words: Sequence[str]) -> bool:
    """Return whether words are an expression with values of its leaves, and not the name of an exercise or a file."""
    # without values, an operator makes a word an expression, but a file's name may have a `-`
    has_values = any(_VALUE.fullmatch(word) for word in words[1:])
    return has_values or bool(_OF_EXPRESSION.search(words[0]) and not words[0].endswith(FILES))


def named_check(exercise: Exercise, words: Sequence[str]) -> Check | None:
    """Return the check that the first of `words` names by its number or id, or None. Raises `UserError`."""
    if not words:
        return None
    word = words[0]
    ids = [check.id for check in exercise.checks]
    if len(words) > 1:
        raise UserError(practice.too_many_words(exercise.id, words[1]))
    if word.isdecimal() and 1 <= int(word) <= len(ids):
        check = exercise.checks[int(word) - 1]
    elif word in ids:
        check = exercise.checks[ids.index(word)]
    else:
        raise UserError(practice.no_check(exercise.id, ids, word))
    # a replay shows the program, which the course hides
    if check.visibility != "visible" and check.detail != "full":
        raise UserError(practice.hidden_check(check.id))
    return check


def named_subject(words: Sequence[str]) -> Subject:
    """Return the named preset, or the expression with the values of its leaves.

    Raises `UserError` or `ProgramError`.
    """
    preset = next((preset for preset in presets() if preset.id == words[0]), None)
    if preset is None:
        return subject_of(_parsed(words))
    if len(words) > 1:
        raise UserError(practice.preset_with_numbers(preset.id, words[1]))
    return preset.subject


def _parsed(words: Sequence[str]) -> Program:
    """Return the program of an expression and `name=value` words. Raises `UserError` or `ProgramError`."""
    text, *others = words
    values: dict[str, float] = {}
    for word in others:
        match = _VALUE.fullmatch(word)
        if match is None:
            raise UserError(practice.no_value(word))
        name, number = match.groups()
        try:
            values[name] = float(number)
        except ValueError:
            raise UserError(practice.no_number(word, number)) from None
    missing = [name for name in _names(text) if name not in values]
    if missing:
        program(text, **values, **dict.fromkeys(missing, 2.0))  # raises for a text that no values complete
        example = " ".join([shlex.quote(text), *others, *(f"{name}=2" for name in missing)])
        raise UserError(practice.values_missing(missing, f"grade play {example}"))
    return program(text, **values)


def _names(text: str) -> list[str]:
    """Return the names of the leaves in an expression, sorted; no names for a text that is not an expression."""
    try:
        # `;` separates the assignments of a program; the names that it assigns are no leaves
        tree = ast.parse(text.replace(";", "\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return sorted({node.id for node in names} - made - set(FUNCTIONS) - _called(tree))


def _called(tree: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


def named_training(words: Sequence[str]) -> TrainingPreset:
    """Return the named training run, the last available one without words, or one with an expression as the loss."""
    offered = trainings()
    if not words:
        return offered[-1]
    named = next((one for one in offered if one.id == words[0]), None)
    if named is not None and len(words) == 1:
        return named
    if named is not None or not _OF_EXPRESSION.search(words[0]):
        raise UserError(practice.no_training([one.id for one in offered], words[-1]))
    loss = _parsed(words)
    values = {leaf.name: leaf.value for leaf in loss.leaves}
    return TrainingPreset("", loss.text, loss.text, values, _RATE, _STEPS)
