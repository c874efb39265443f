"""The sentences of `grade play`: errors in its arguments, its results, and the limits of a replay."""

from collections.abc import Sequence

from .sentence import Sentence

# -- errors in the arguments ----------------------------------------------------------------------------
unknown_word = Sentence("{why}; the presets are {presets}{near}; an expression looks like `a * b`")
too_many_words = Sentence("only one check can follow `{exercise}`; `{word}` is one word too many")


def no_check(exercise: str, checks: Sequence[str], word: str) -> str:
    return f"`{exercise}` has checks 1 to {len(checks)}: {', '.join(checks)}; `{word}` is not one of them"


hidden_check = Sentence("the programs of check `{check}` are hidden")
check_without_pass = Sentence(
    "check `{check}` of `{exercise}` runs no backward pass that can be shown; `grade play {exercise}` shows the others"
)
passed_check = Sentence("Your code passes this check ({title}): its first program is shown.")
preset_with_numbers = Sentence("the preset `{preset}` has its own numbers; `{word}` is one word too many")
no_value = Sentence("`{word}` is not a value for a leaf, such as a=2; put the expression in quotes")
no_number = Sentence("{word}: `{number}` is not a number")

values_missing = Sentence("{leaves} {leaves:has|have} no value; for example: {command}")
no_training = Sentence("--landscape takes {trainings: or }, or a loss and the values of its parameters, not `{word}`")
nothing_trains = Sentence("no exercise file in {folder} has a function `train`")


def several_in(notebook: str, ids: Sequence[str]) -> str:
    """Say that a notebook has cells of several exercises, so that one of them must be named."""
    return f"{notebook} has cells of {', '.join(ids)}; write `grade play {ids[0]} {notebook}`"


too_many_nodes = Sentence("{program}: it has {nodes} nodes; a replay shows at most {most}")
no_landscape = Sentence("{loss}: a landscape shows 1 to {most_steps} steps and at most {most_parameters} parameters")

# -- results --------------------------------------------------------------------------------------------

RUNNING = "running your code"
OPEN_IT = "No browser was opened. Open that file in a browser."
replayed = Sentence("Replayed {file}: {program}")
replay_in = Sentence("Replay: {path}")
nothing_to_play = Sentence("No check of {exercise} runs a backward pass that can be shown.")

# -- limits of a replay ---------------------------------------------------------------------------------

ELSEWHERE = "The backward pass computes gradients elsewhere and writes them to the nodes, so no steps can be shown."
NO_RULE = "No local rule was recognised in this file, so no steps can be shown."
first_runs = Sentence("Only the first {count} runs of rules are shown.")
