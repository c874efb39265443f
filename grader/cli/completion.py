"""Make scripts that complete words on a command line, for `grade completion SHELL`."""

import re
from argparse import ArgumentParser
from collections.abc import Mapping

from ..course import Course

SHELLS = ("bash", "zsh", "fish")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_TAKES_EXERCISE = ("build", "hint", "play", "reset", "solution", "verify", "watch")
_BASH = """\
_grade() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words
    case "${{COMP_WORDS[1]}}" in
{cases}
        *) words="{plain}" ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then words="{first}"; fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _grade grade
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def completion(shell: str, course: Course, parsers: Mapping[str, ArgumentParser]) -> str:
    """Return a script that completes commands, options and the exercises of a course, or else file names.

    Args:
        parsers: the parser of each command, by name. The name of `grade` itself is an empty text.
    """
    exercises = [exercise.id for exercise in course.exercises]
    options = {name: _options(parser) for name, parser in parsers.items()}
    words = {name: options[name] + (exercises if name in _TAKES_EXERCISE else []) for name in parsers if name}
    plain = options[""] + exercises + ["all"]
    first = [*words, *plain]
    if shell == "fish":
        return _fish(words, plain, first)
    cases = "\n".join(f'        {name}) words="{" ".join(of)}" ;;' for name, of in words.items())
    script = _BASH.format(cases=cases, plain=" ".join(plain), first=" ".join(first))
    return _ZSH + script if shell == "zsh" else script


def _fish(words: Mapping[str, list[str]], plain: list[str], first: list[str]) -> str:
    known = " ".join(words)
    rows = [("__fish_is_first_token", first), (f"not __fish_seen_subcommand_from {known}", plain)]
    rows += [(f"__fish_seen_subcommand_from {name}", of) for name, of in words.items()]
    return "".join(f"complete -c grade -n '{when}' -a '{' '.join(of)}'\n" for when, of in rows)


def _options(parser: ArgumentParser) -> list[str]:
    """Return the options that a command's help mentions."""
    return sorted(set(_OPTION.findall(parser.format_help())))
