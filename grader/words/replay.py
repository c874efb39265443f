"""The sentences of `grade play`: errors in its arguments, its results, and the limits of a replay."""

from collections.abc import Sequence

# -- errors in the arguments ----------------------------------------------------------------------------


def unknown_word(why: str, presets: Sequence[str], near: str) -> str:
    """Say that a word names no exercise (`why`), and list the presets. `near` is a question about a similar preset."""
    return f"{why}; the presets are {', '.join(presets)}{near}; an expression looks like `a * b`"


def too_many_words(exercise: str, word: str) -> str:
    return f"only one check can follow `{exercise}`; `{word}` is one word too many"


def no_check(exercise: str, checks: Sequence[str], word: str) -> str:
    return f"`{exercise}` has checks 1 to {len(checks)}: {', '.join(checks)}; `{word}` is not one of them"


def hidden_check(check: str) -> str:
    return f"the programs of check `{check}` are hidden"


def check_without_pass(check: str, exercise: str) -> str:
    """Say that a check has no program that can be replayed."""
    return (
        f"check `{check}` of `{exercise}` runs no backward pass that can be shown; "
        f"`grade play {exercise}` shows the others"
    )


def passed_check(title: str) -> str:
    return f"Your code passes this check ({title}): its first program is shown."


def preset_with_numbers(preset: str, word: str) -> str:
    return f"the preset `{preset}` has its own numbers; `{word}` is one word too many"


def no_value(word: str) -> str:
    return f"`{word}` is not a value for a leaf, such as a=2; put the expression in quotes"


def no_number(word: str, number: str) -> str:
    return f"{word}: `{number}` is not a number"


def values_missing(leaves: Sequence[str], command: str) -> str:
    """Say which leaves of an expression have no value. `command` is an example that gives them values."""
    return f"{', '.join(leaves)} {'have' if len(leaves) > 1 else 'has'} no value; for example: {command}"


def no_training(trainings: Sequence[str], word: str) -> str:
    names = " or ".join(trainings)
    return f"--landscape takes {names}, or a loss and the values of its parameters, not `{word}`"


def nothing_trains(folder: str) -> str:
    return f"no exercise file in {folder} has a function `train`"


def several_in(notebook: str, ids: Sequence[str]) -> str:
    """Say that a notebook has cells of several exercises, so that one of them must be named."""
    return f"{notebook} has cells of {', '.join(ids)}; write `grade play {ids[0]} {notebook}`"


def too_many_nodes(program: str, nodes: int, most: int) -> str:
    return f"{program}: it has {nodes} nodes; a replay shows at most {most}"


def no_landscape(loss: str, most_steps: int, most_parameters: int) -> str:
    limit = f"1 to {most_steps} steps and at most {most_parameters} parameters"
    return f"{loss}: a landscape shows {limit}"


# -- results --------------------------------------------------------------------------------------------

RUNNING = "running your code"
OPEN_IT = "No browser was opened. Open that file in a browser."


def replayed(file: str, program: str) -> str:
    return f"Replayed {file}: {program}"


def replay_in(path: str) -> str:
    return f"Replay: {path}"


def nothing_to_play(exercise: str) -> str:
    return f"No check of {exercise} runs a backward pass that can be shown."


# -- limits of a replay ---------------------------------------------------------------------------------

ELSEWHERE = "The backward pass computes gradients elsewhere and writes them to the nodes, so no steps can be shown."
NO_RULE = "No local rule was recognised in this file, so no steps can be shown."


def first_runs(count: int) -> str:
    return f"Only the first {count} runs of rules are shown."
