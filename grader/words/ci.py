"""The words for people who set up CI jobs: messages of `grade --format`, `grade --official` and `grade ci init`."""

from collections.abc import Sequence

# -- `grade --format`, `--min-score` and `--official` ----------------------------------------------------

SAME_FORMAT = "--format names each format once"


def formats_help(formats: Sequence[str]) -> str:
    """Return the help of `--format`."""
    names = ", ".join(formats[:-1]) + f" or {formats[-1]}"
    return f"also write {names}, to FILE or to where the platform reads it; may be repeated"


def json_and_format(name: str) -> str:
    """Return a message that a format prints something, too."""
    return f"--json and --format {name} both write to standard output; --report FILE writes the JSON"


def no_variables(name: str, variables: Sequence[str]) -> str:
    """Return a message that the variables that a format needs are not set."""
    sets = "the platform's runner sets them; elsewhere, set them yourself"
    return f"--format {name} needs the variables {', '.join(variables)}; {sets}"


def no_folder(name: str, folder: str) -> str:
    """Return a message that the folder for a format does not exist."""
    return f"--format {name}: there is no folder {folder}; name a file: {name}=FILE"


def no_format(word: str, known: Sequence[str]) -> str:
    """Return a message that a format does not exist."""
    return f"--format {word}: choose from {', '.join(known)}"


def no_file(word: str) -> str:
    """Return a message that nothing follows the equals sign."""
    return f"--format {word} names no file"


def no_summary(name: str, variable: str) -> str:
    """Return a message that the variable with the default path of a format is not set."""
    return f"--format {name} writes to the file that {variable} names; elsewhere: --format {name}=FILE"


def format_not_written(name: str, path: str, why: str | None) -> str:
    """Return a message that the system does not write the file of a format."""
    return f"--format {name}: {path} cannot be written: {why}"


def packaged_course(id: str, version: str, other: str) -> str:
    """Return a message that an official run does not use the course `other` of the current folder."""
    return f"grading with the packaged course ({id} {version}), not with {other}; use --course to name another"


def own_course(path: str, id: str, version: str) -> str:
    """Return a note that an official run ignores the course `path` of a submission."""
    return f"{path} was ignored; the course is {id} {version}"


def min_score(most: int) -> str:
    """Return a message that no grade can have the points that `--min-score` names."""
    return f"--min-score must be from 0 to {most}, the points of what is graded"


def symbolic_link(path: str) -> str:
    """Return a message that a given path leads through a symbolic link."""
    return f"an official run follows no symbolic link, and {path} is one; name its target"


# -- `grade ci init` -------------------------------------------------------------------------------------


def next_step(step: str) -> str:
    """Return a line about the next step with a platform's files."""
    return f"Next: {step}. docs/ci.md says what then counts."


def already_there(names: Sequence[str]) -> str:
    """Return a message that files exist, and so were not written."""
    return f"will not overwrite {', '.join(names)}; name another folder, or remove them first"


def not_read(path: str, why: str | None) -> str:
    """Return a message that the system does not read a file."""
    return f"{path} cannot be read: {why}"


def not_written(path: str, why: str | None) -> str:
    """Return a message that the system does not write a file."""
    return f"{path} cannot be written: {why}"


def no_min_score(name: str, others: Sequence[str]) -> str:
    """Return a message that a platform's runs cannot fail for their points."""
    return f"--min-score is for {' and '.join(others)}; on {name}, the run never fails for its points"


def not_built(why: str) -> str:
    """Return a message that no wheel could be built, with the last line of pip's output."""
    return f"the wheel of the grader could not be built: {why}; build it elsewhere, and name it with --wheel"


def worked_on(paths: Sequence[str]) -> str:
    """Return a message that exercise files of the clone differ from their stubs, so that no wheel is built of it."""
    files = f"{paths[0]} differs from its stub" if len(paths) == 1 else f"{', '.join(paths)} differ from their stubs"
    return f"{files}, and a wheel would contain that work; use a fresh clone, or name a wheel with --wheel"


def no_wheel(path: str) -> str:
    """Return a message that a file is not a wheel of this grader."""
    made = "`pip wheel --no-deps --wheel-dir dist .` in a clone makes one"
    return f"--wheel {path} is not a wheel of this grader; {made}"


def wheel_with_solutions(path: str) -> str:
    """Return a message that a wheel contains solutions."""
    return f"--wheel {path} holds solutions; make it with `pip wheel`, which leaves them out"


NO_PINS = "the versions that were tested together did not come with this installation: install it anew"
