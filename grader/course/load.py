"""A course as data, read from its folder. Errors name file and line."""

import builtins
import hashlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
import yaml
from msgspec import Meta, Struct, field, inspect

from ..base.files import UserError, YamlError, read_plain, yaml_tree
from ..base.text import did_you_mean
from .facts import FactKind
from .figures import Figure, problem_of
from .program import FORMS
from .remarks import (
    AfterCall,
    BuiltAgain,
    ListChanged,
    Released,
    Remark,
    RulesRunAgain,
    RuleTripled,
    SecondPass,
    StartingFrom,
)

# -- A course as data

Visibility: TypeAlias = Literal["visible", "hidden"]
Detail: TypeAlias = Literal["full", "hint", "score"]
Asks: TypeAlias = Literal["numbers", "order"]
Solutions: TypeAlias = Literal["passed", "always", "never"]
Reveal: TypeAlias = Literal["question", "repair"]

# The commands of `grade`, and the word for all exercises. They cannot be ids of exercises. `reset` is not listed,
# because a course had an exercise of that name before the command existed; that exercise is named by its number.
COMMANDS = (
    "all",
    "build",
    "ci",
    "cohort",
    "compare",
    "completion",
    "decide",
    "export",
    "help",
    "hint",
    "list",
    "new",
    "next",
    "page",
    "play",
    "release",
    "site",
    "solution",
    "start",
    "stubs",
    "verify",
    "watch",
)


class CourseError(UserError):
    """A course has an error. The message says where it is and what to do."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        place = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of one run.

    Attributes:
        calls: calls of the learner's functions.
        cpu_s: CPU time in seconds.
        memory_mb: memory in MB.
        output_kb: kept output in KB.
    """

    calls: int = 2_000_000
    cpu_s: float = 2.0
    memory_mb: int = 512
    output_kb: int = 256


class Check(Struct, frozen=True):
    """A check as listed in `course.yaml`.

    Attributes:
        hint: the number of one of its exercise's hints, or 0.
        line: its line in `course.yaml`.
        asks: what the page of a site asks for in place of code: the numbers that a function without parameters
            returns, or the order in which the nodes that a function gets have to propagate.
    """

    id: str
    title: str
    points: int
    bonus: bool
    visibility: Visibility
    detail: Detail
    hint: int
    line: int
    asks: Asks = "numbers"


class Exercise(Struct, frozen=True):
    """One file that learners edit, with its checks in the order of `course.yaml`.

    Attributes:
        number: two digits, such as `03`, from the names of its files.
        line: its line in `course.yaml`.
        learnt: what it teaches, in one sentence.
        hint_for: codes of failures, each with the number of the hint that fits, or 0 if no hint does.
        arrays: the id of the exercise as which `grade` grades a file that is named for this one, if the values of its
            engine are arrays; empty if there is none.
        figures: the figures of its lesson.
    """

    id: str
    number: str
    title: str
    checks: tuple[Check, ...]
    hints: tuple[str, ...]
    line: int
    learnt: str = ""
    hint_for: tuple[tuple[str, int], ...] = ()
    arrays: str = ""
    figures: tuple[Figure, ...] = ()

    @property
    def stem(self) -> str:
        """Return the common part of the names of exercise file, solution and hidden test, such as `03_accumulate`."""
        return f"{self.number}_{self.id}"

    @property
    def filename(self) -> str:
        return f"{self.stem}.py"

    @property
    def notebook(self) -> str:
        """Return the name of a notebook that may replace the file."""
        return f"{self.stem}.ipynb"

    @property
    def names(self) -> tuple[str, ...]:
        """Return every full name that a person may use for the exercise."""
        return names_of(self.id, self.number)

    @property
    def max_score(self) -> int:
        """Return the maximum score, without bonus."""
        return sum(check.points for check in self.checks if not check.bonus)

    def hint_command(self, number: int) -> str:
        """Return the command that shows a hint. Hints are counted from 1."""
        return f"grade hint {self.id}" + (f" {number}" if number > 1 else "")

    def hint_number(self, check: Check, codes: Collection[str]) -> int:
        """Return the number of the hint for a failure of a check, or 0 if no hint fits.

        Args:
            codes: the codes of the failure. The first code of `hint_for` that is among them decides; without such a
                code, the check's own hint does.
        """
        # a check without a hint of its own has the exercise's first one
        return next((number for code, number in self.hint_for if code in codes), max(1, check.hint))

    def hints_from(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the hints for a failure with the hint `number`; none if it is 0.

        They are that hint and all later hints that belong to no check and no code.
        """
        if number == 0:
            return ()
        # the number may come from progress in an earlier version of the course, with more hints
        first = number if 1 <= number <= len(self.hints) else 1
        named = {check.hint for check in self.checks} | {hint for _, hint in self.hint_for}
        return first, *(other for other in range(first + 1, len(self.hints) + 1) if other not in named)


def names_of(id: str, number: str) -> tuple[str, ...]:
    """Return every full name of an exercise, from its id and number."""
    return id, number, number.lstrip("0"), f"{number}_{id}", f"{number}_{id}.py", f"{number}_{id}.ipynb"


class Part(Struct, frozen=True):
    """A part of a course: the ids of exercises that follow each other, and their maximum score without bonus."""

    title: str
    exercises: tuple[str, ...]
    max_score: int


class Grades(Struct, frozen=True):
    """The grades of a course.

    Attributes:
        borders: the least number of points for each grade, best grade first.
        part: the title of the part whose points count, or empty if those of all exercises do.
        exercises: the ids of the exercises whose points count; none if those of all exercises do.
    """

    borders: Mapping[str, int] = field(default_factory=dict)
    part: str = ""
    exercises: tuple[str, ...] = ()


class Course(Struct, frozen=True):
    """A course.

    Attributes:
        folder: the folder that holds `course.yaml`, `exercises/` and `tests/hidden/`.
        parts: the parts, which together have every exercise once, in order; none if the course is not divided.
        further: sentences on what to do after the last exercise.
        solutions: when a learner may see the solution of an exercise.
        solutions_at: an address or a sentence for learners whose copy of the course has no solutions.
        reveal: what a learner may see of an edit with which the checks pass, besides its place: a question about its
            kind, or the edit itself.
    """

    folder: Path
    id: str
    version: str
    title: str
    allow_imports: tuple[str, ...]
    limits: Limits
    exercises: tuple[Exercise, ...]
    hash: str
    parts: tuple[Part, ...] = ()
    grades: Grades = Grades()
    further: tuple[str, ...] = ()
    solutions: Solutions = "passed"
    solutions_at: str = ""
    reveal: Reveal = "question"

    def encoded(self) -> bytes:
        """Return this course as JSON, without its folder."""
        # the folder is the only field that JSON cannot hold, and it differs from machine to machine
        return msgspec.json.encode(self, enc_hook=lambda folder: None)

    @classmethod
    def decoded(cls, data: bytes, folder: Path) -> "Course":
        """Return the course of `encoded`, in a folder. This takes a hundredth of the time of `load_course`."""
        return msgspec.json.decode(data, type=cls, dec_hook=lambda kind, value: folder)

    @property
    def by_id(self) -> dict[str, Exercise]:
        """Return each exercise by its id, in the order of the course."""
        return {exercise.id: exercise for exercise in self.exercises}

    @property
    def begins(self) -> dict[str, Part]:
        """Return each part by the id of its first exercise."""
        return {part.exercises[0]: part for part in self.parts}

    @property
    def file(self) -> Path:
        return self.folder / "course.yaml"

    @property
    def max_score(self) -> int:
        """Return the maximum score, without bonus."""
        return sum(exercise.max_score for exercise in self.exercises)

    @property
    def details(self) -> dict[tuple[str, str], str]:
        """Return the level of detail that a learner may see of each check, by the ids of exercise and check."""
        return {(exercise.id, check.id): check.detail for exercise in self.exercises for check in exercise.checks}

    @property
    def hints(self) -> dict[str, str]:
        """Return the text of each hint, by the command that shows it."""
        return {e.hint_command(number): text for e in self.exercises for number, text in enumerate(e.hints, 1)}

    @property
    def hidden(self) -> Path:
        return self.folder / "tests" / "hidden"

    @property
    def book(self) -> Path:
        """Return the file of the answer book."""
        return self.hidden / "answers.json"

    @property
    def seed(self) -> str:
        """Return the default seed of random programs."""
        return f"{self.id} {self.version}"

    def hidden_test(self, exercise: Exercise) -> Path:
        return self.hidden / f"test_{exercise.filename}"

    def solution(self, exercise: Exercise) -> Path:
        return self.folder / "solutions" / exercise.filename

    def exercise_file(self, exercise: Exercise) -> Path:
        return self.folder / "exercises" / exercise.filename


# -- Find the course: the one given, the nearest one upwards, or the packaged one

PACKAGED = "packaged"  # `--course packaged` is the packaged course, even if there is a folder of this name
_PACKAGE = Path(__file__).resolve().parent.parent.parent


def find_course(given: Path | None, start: Path | None) -> Path:
    """Return the folder of the course to use: the given one, the nearest one upwards, or the packaged one.

    Args:
        given: a folder, or `packaged`; None to search.
        start: the folder in which the search for a `course.yaml` begins, upwards; None for no search.

    Raises:
        CourseError: there is no course.
    """
    if given == Path(PACKAGED):
        return packaged_course()
    if given is not None:
        if not (given / "course.yaml").is_file():
            raise CourseError(
                given / "course.yaml", None, "there is no such file; --course needs the folder of a course"
            )
        return given
    return (start and course_around(start)) or packaged_course()


def course_around(start: Path) -> Path | None:
    """Return the nearest folder upwards from `start` with a `course.yaml`, or None."""
    return next((folder for folder in (start, *start.parents) if (folder / "course.yaml").is_file()), None)


def other_course_around(start: Path) -> Path | None:
    """Return the nearest folder upwards from `start` with a `course.yaml`.

    Return None if there is no such folder, or if it is that of the packaged course.
    """
    around = course_around(start)
    return None if around is None or os.path.realpath(around) == os.path.realpath(packaged_course()) else around


def packaged_course() -> Path:
    """Return the folder of the packaged course.

    That is the course installed with the grader or, in a checkout, the course that contains the grader.
    """
    for folder in (_PACKAGE / "backward_course", _PACKAGE):
        if (folder / "course.yaml").is_file():
            return folder
    raise CourseError(_PACKAGE / "backward_course", None, "this installation contains no course; use --course DIR")


# -- The codes of failures for which `hint_for` in `course.yaml` may choose a hint

# Kinds of remarks. `grader.course.remarks` says what each one means. The others only say how a program was run.
_NO_CODES = (AfterCall, StartingFrom, SecondPass, BuiltAgain, Released, RulesRunAgain, RuleTripled, ListChanged)
REMARKS = tuple(str(one.__struct_config__.tag) for one in get_args(Remark) if one not in _NO_CODES)
# Operations: the failing program has only this one, or a fault fact is about it. In those that begin with r, a plain
# number is on the left; `relu_below_zero` is only the operation of a fact.
OPERATIONS = tuple(FORMS)
# Reasons why there is nothing to compare.
_SHAPES = ("shape", "no_gradient", "no_backward")
STOPS = ("not_offered", "wants_argument", *_SHAPES, "calls", "cpu", "stalled", "cpu_limit", "wall_limit")
STATUSES = ("not_started", "timeout", "crashed", "error")

CODES = tuple(dict.fromkeys((*get_args(FactKind), *REMARKS, *OPERATIONS, *STOPS, *STATUSES)))


def is_code(name: str) -> bool:
    """Return whether a name is one of `CODES`, or that of an exception of Python's own, such as `RecursionError`."""
    value = getattr(builtins, name, None)
    return name in CODES or (isinstance(value, type) and issubclass(value, Exception))


# -- Find the value in a YAML file that does not fit its type, and suggest a replacement

# msgspec tells the place and the kind of a problem only in the text of its error, such as
# ``Expected `int`, got `str` - at `$.exercises[2].id` ``.
_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]+)`")
_MISSING = re.compile(r"missing required field `(?P<field>[^`]+)`")
_SHOWN = 40  # characters of a value
# Python's types for those of msgspec that a mapping's values may have
_OF: tuple[tuple[type, type], ...] = ((inspect.IntType, int), (inspect.StrType, str))


@dataclass(frozen=True)
class _At:
    """A node, its name for a sentence, and the type that it should have."""

    node: yaml.Node
    name: str
    kind: Any


def misfit(node: yaml.Node, kind: object, name: str, message: str) -> tuple[yaml.Node, str]:
    """Return the node that does not fit its type, and a sentence about the problem.

    Args:
        node: The node that was converted.
        kind: The type that it should have.
        name: Its name for a sentence.
        message: msgspec's error message.
    """
    place = _PLACE.search(message)
    at = _reached(_At(node, name, _resolved(inspect.type_info(kind))), place["path"] if place else "")
    # an unknown key: the error is at the key itself
    if unknown := _UNKNOWN.search(message):
        field = unknown["field"]
        key = next((key for key, _ in items(at.node) if key.value == field), at.node)
        return key, f"unknown key `{field}`{_instead(field, _keys(at.kind))}"
    # a missing key: there is no node for it, so the error is at the mapping
    if missing := _MISSING.search(message):
        field = missing["field"]
        kind_text = _kind_text(_field(at.kind, field))
        return at.node, f"{at.name} has no key `{field}`; add `{field}:` with {kind_text}"
    # a value of the wrong type, or one that is not among the legal values
    if isinstance(at.kind, inspect.LiteralType) and isinstance(at.node, yaml.ScalarNode):
        legal = [str(value) for value in at.kind.values]
        return at.node, f"{at.name} cannot be `{_short(at.node)}`{_instead(str(at.node.value), legal)}"
    return at.node, f"{at.name} is {_value_text(at)}; write {_kind_text(at.kind)}{_quotes(at)}"


def _reached(at: _At, path: str) -> _At:
    """Return the node at the end of a path in msgspec's notation, starting from a node."""
    for step in _STEP.finditer(path):
        if step["key"]:
            value = next((value for key, value in items(at.node) if key.value == step["key"]), at.node)
            at = _At(value, f"`{step['key']}`", _resolved(_field(at.kind, step["key"])))
        elif step["index"] != "..." and isinstance(at.node, yaml.SequenceNode):
            number = int(step["index"])
            at = _At(at.node.value[number], f"item {number + 1} of {at.name}", _resolved(at.kind.item_type))
        else:  # a value of a mapping; msgspec does not say which
            kind = _resolved(at.kind.value_type)
            wrong = (_At(value, f"`{key.value}`", kind) for key, value in items(at.node) if not _fits(value, kind))
            at = next(wrong, at)
    return at


def _fits(node: yaml.Node, kind: Any) -> bool:
    """Return whether a value of a mapping has its type and, if it is an int, is within the bounds."""
    python = next((type_ for info, type_ in _OF if isinstance(kind, info)), object)
    value = yaml.SafeLoader("").construct_object(node) if isinstance(node, yaml.ScalarNode) else node
    # `True` is an int in Python, but not in a course
    if not isinstance(value, python) or (python is int and isinstance(value, bool)):
        return False
    return python is not int or ((kind.ge is None or value >= kind.ge) and (kind.le is None or value <= kind.le))


def _field(kind: object, name: str) -> object:
    """Return the type of a struct's field, or the type of the values of a mapping."""
    fields = kind.fields if isinstance(kind, inspect.StructType) else ()
    return next((field.type for field in fields if field.encode_name == name), getattr(kind, "value_type", None))


def _resolved(kind: object) -> object:
    """Return the inner type of an optional type, and any other type itself."""
    if isinstance(kind, inspect.UnionType):
        return next((one for one in kind.types if not isinstance(one, inspect.NoneType)), kind)
    return kind


def _keys(kind: object) -> list[str]:
    return [field.encode_name for field in kind.fields] if isinstance(kind, inspect.StructType) else []


def _instead(word: str, legal: Sequence[str]) -> str:
    """Return the end of a sentence about a word that is not among the legal ones."""
    near = did_you_mean(word, legal)
    return f"{near} Expected one of {', '.join(legal)}" if near else f"; expected one of {', '.join(legal)}"


def _short(node: yaml.Node) -> str:
    text = " ".join(str(node.value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _value_text(at: _At) -> str:
    """Return a description of the node's value."""
    if isinstance(at.node, yaml.MappingNode):
        return "a mapping of keys to values"
    if isinstance(at.node, yaml.SequenceNode):
        return "a list" if at.node.value else "an empty list"
    if at.node.tag.endswith(":null") or not at.node.value:
        return "empty"
    is_text = at.node.tag.endswith(":str") and not isinstance(at.kind, inspect.StrType)
    return f"the text `{_short(at.node)}`" if is_text else f"`{_short(at.node)}`"


def _kind_text(kind: object) -> str:
    """Return a description of the expected value."""
    kind = _resolved(kind)
    match kind:
        case inspect.IntType():
            return "a whole number" + _between(kind)
        case inspect.FloatType():
            return "a number"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(pattern=str(pattern)):
            return f"text that matches `{pattern}`"
        case inspect.StrType():
            return "text"
        case inspect.LiteralType():
            return "one of " + ", ".join(map(str, kind.values))
        case inspect.ListType():
            of = {inspect.StrType: " of texts", inspect.IntType: " of whole numbers"}.get(type(kind.item_type), "")
            return f"a list{of}" + ", with at least one item" * bool(kind.min_length)
        case inspect.StructType():
            return f"a mapping with the keys {', '.join(_keys(kind))}"
        case _:
            return "a mapping of keys to values"


def _between(kind: "inspect.IntType") -> str:
    if kind.ge is None:
        return ""
    if kind.le is None:
        return f" of at least {kind.ge}"
    return f" between {kind.ge} and {kind.le:,}"


def _quotes(at: _At) -> str:
    """Return a remedy if quotes are missing, so that text was read as another type; else an empty string."""
    if isinstance(at.kind, inspect.StrType):
        if isinstance(at.node, yaml.MappingNode):
            return ". Text with a colon and a blank in it needs quotes"
        if isinstance(at.node, yaml.ScalarNode) and at.node.value and not at.node.tag.endswith(":str"):
            return f', in quotes: "{_short(at.node)}"'
    return ""


# -- Convert PyYAML nodes to typed data, with the line of each error

T = TypeVar("T")
_MOST_BYTES = 4 << 20


class Document:
    """A YAML file as a tree of nodes with their line numbers."""

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        """Read the file at `path`, or `data` as its content. Raises `CourseError`."""
        self.path = path
        try:
            text = (read_plain(path, _MOST_BYTES, follow=True) if data is None else data).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise CourseError(path, None, f"cannot be read: {reason}") from None
        try:
            root = yaml_tree(text)
        except YamlError as error:
            raise CourseError(path, error.line, f"cannot parse YAML: {error.problem}") from None
        if root is None:
            raise CourseError(path, None, "the file is empty")
        self.root: yaml.Node = root
        # converts single scalars; `yaml_tree` has read the text within bounds
        self._scalars = yaml.SafeLoader("")

    def error(self, node: yaml.Node, message: str) -> CourseError:
        return CourseError(self.path, line(node), message)

    def convert(self, node: yaml.Node, kind: type[T], name: str = "the file") -> T:
        """Return the node's data as `kind`, a msgspec type.

        Args:
            name: the node's name for an error message.

        Raises:
            CourseError: the data does not fit. The error has the line.
        """
        try:
            return msgspec.convert(self.plain(node), kind, strict=True)
        except msgspec.ValidationError as error:
            raise self.error(*misfit(node, kind, name, str(error))) from None

    def plain(self, node: yaml.Node) -> Any:
        """Return the node as plain Python data. Raises `CourseError`, for example for a duplicate key."""
        try:
            # a value that contains an alias of itself has no end
            return self._plain(node)
        except RecursionError:
            raise self.error(node, "a value contains itself") from None

    def _plain(self, node: yaml.Node) -> object:
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item) for item in node.value]
        if isinstance(node, yaml.MappingNode):
            mapping: dict[str, object] = {}
            for key, value in items(node):
                if not isinstance(key, yaml.ScalarNode):
                    raise self.error(key, "a key must be a string")
                if key.value in mapping:
                    raise self.error(key, f"the key `{key.value}` occurs twice")
                # the course's version is a text: 2026.10 must not become the number 2026.1
                is_text = key.value == "version" and isinstance(value, yaml.ScalarNode)
                mapping[key.value] = value.value if is_text else self._plain(value)
            return mapping
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError, OverflowError):
            raise self.error(node, f"`{node.value}` cannot be read") from None


def line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def items(node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    """Return the keys of a mapping node with their values; none for any other node."""
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def child(node: yaml.Node, key: str) -> yaml.Node:
    """Return the value of `key` in a mapping node, or the node itself if it has no such key."""
    return next((value for name, value in items(node) if name.value == key), node)


# -- The keys of `course.yaml`, and how a course is loaded. The functions that return nothing raise `CourseError`

FORMAT_VERSION = 1
_MOST = 1_000_000_000  # of points and limits: far above any sensible value, and small enough for system calls
ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ID_RULE = "an id begins with a lower-case letter and has at most 40 lower-case letters, digits and _"
_NUMBERED = re.compile(r"(?P<number>\d\d)_(?P<id>[a-z][a-z0-9_]*)\.py")


class StrictStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A struct that is read from a file. A misspelled key is an error and not ignored."""


class _Head(StrictStruct, frozen=True):
    id: str
    version: str
    title: str
    total: Annotated[int, Meta(ge=1, le=_MOST)]


class _Defaults(StrictStruct, frozen=True):
    visibility: Visibility = "visible"
    detail: Detail = "full"


class _Check(StrictStruct, frozen=True):
    points: Annotated[int, Meta(ge=0, le=_MOST)]
    title: Annotated[str, Meta(min_length=1)]
    visibility: Visibility | None = None
    detail: Detail | None = None
    bonus: bool = False
    hint: Annotated[int, Meta(ge=1)] | None = None
    asks: Asks = "numbers"


class _Exercise(StrictStruct, frozen=True):
    id: str
    title: Annotated[str, Meta(min_length=1)]
    checks: dict[str, Any]
    hints: Annotated[list[str], Meta(min_length=1)]
    learnt: str = ""
    hint_for: dict[str, Annotated[int, Meta(ge=0)]] = {}
    arrays: str = ""
    figures: list[Figure] = []


class _PartInFile(StrictStruct, frozen=True):
    title: Annotated[str, Meta(min_length=1)]
    first: str
    total: Annotated[int, Meta(ge=1, le=_MOST)]
    grades: dict[str, int] = {}


class _Course(StrictStruct, frozen=True):
    format_version: int
    course: _Head
    exercises: Annotated[list[Any], Meta(min_length=1)]
    parts: list[_PartInFile] = []
    allow_imports: list[str] = []
    limits: Limits = Limits()
    defaults: _Defaults = _Defaults()
    grades: dict[str, int] = {}
    further: list[str] = []
    solutions: Solutions = "passed"
    solutions_at: Annotated[str, Meta(min_length=1)] | None = None
    reveal: Reveal = "question"


def load_course(folder: Path) -> Course:
    """Return the course in `folder`. Raises `CourseError`."""
    # the file, and what concerns the whole course
    document = Document(folder / "course.yaml")
    raw = document.convert(document.root, _Course)
    if raw.format_version != FORMAT_VERSION:
        where = child(document.root, "format_version")
        raise document.error(where, f"format_version {raw.format_version} is not supported; write 1")
    _positive(document, raw.limits)
    _modules(document, raw.allow_imports)
    # the exercises: each has an id and a number of its own
    numbers = _numbers(folder)
    exercises: list[Exercise] = []
    for node in child(document.root, "exercises").value:
        exercise = _exercise(document, node, raw.defaults, numbers)
        for other in exercises:
            first = f"the first is in line {other.line}"
            if exercise.id == other.id:
                problem = f"there are two exercises `{exercise.id}`; {first}. Give each its own id."
                raise document.error(child(node, "id"), problem)
            if exercise.number == other.number:
                files = f"{other.filename} and {exercise.filename}"
                problem = f"there are two exercises {exercise.number}, {files}; {first}. Give each its own number."
                raise document.error(child(node, "id"), problem)
        exercises.append(exercise)
    # the points of all exercises
    total = sum(exercise.max_score for exercise in exercises)
    if total != raw.course.total:
        where = child(child(document.root, "course"), "total")
        raise document.error(where, f"the points of the checks add up to {total}, but `total` is {raw.course.total}")
    parts = _parts(document, raw.parts, exercises)
    return Course(
        folder=folder,
        id=raw.course.id,
        version=raw.course.version,
        title=raw.course.title,
        allow_imports=tuple(raw.allow_imports),
        limits=raw.limits,
        exercises=tuple(exercises),
        hash=_hash(folder),
        parts=parts,
        grades=_grades(document, raw, parts),
        further=tuple(raw.further),
        solutions=raw.solutions,
        solutions_at=raw.solutions_at or "",
        reveal=raw.reveal,
    )


def _positive(document: Document, limits: Limits) -> None:
    for name in limits.__struct_fields__:
        if not 0 < getattr(limits, name) <= _MOST:
            where = child(child(document.root, "limits"), name)
            raise document.error(where, f"the limit `{name}` must be greater than 0 and at most {_MOST:,}")


def _grades(document: Document, raw: _Course, parts: Sequence[Part]) -> Grades:
    """Return the grades. Those of the course are for the points of its first part, if it has parts."""
    given = [(document.root, raw.grades, parts[0] if parts else Part("", (), raw.course.total))]
    # `strict=False`: without the key `parts`, `child` returns the root, which has other items
    nodes = zip(child(document.root, "parts").value, raw.parts, parts, strict=False)
    given += ((node, one.grades, part) for node, one, part in nodes)
    given = [(node, borders, part) for node, borders, part in given if borders]
    if not given:
        return Grades()
    if len(given) > 1:
        (first, _, _), (second, _, _) = given[:2]
        problem = f"there are grades twice; the first are in line {child(first, 'grades').start_mark.line + 1}"
        raise document.error(child(second, "grades"), f"{problem}. Keep those of one part.")
    ((node, borders, part),) = given
    better: tuple[str, int] | None = None
    for grade, border in borders.items():
        where = child(child(node, "grades"), grade)
        if not 0 < border <= part.max_score:
            problem = f"the grade `{grade}` begins at {border}, which is not between 1 and {part.max_score}"
            raise document.error(where, problem + (f", the points of the part `{part.title}`" if part.title else ""))
        if better is not None and border >= better[1]:
            before = f"the grade before it, `{better[0]}`, begins at {better[1]}"
            remedy = "List the grades from the best down, with decreasing points."
            raise document.error(where, f"the grade `{grade}` begins at {border}, but {before}. {remedy}")
        better = grade, border
    return Grades(borders, part.title, part.exercises)


def _parts(document: Document, parts: Sequence[_PartInFile], exercises: Sequence[Exercise]) -> tuple[Part, ...]:
    """Return the parts. Each begins at its exercise `first`, and ends before that of the next part."""
    ids = [exercise.id for exercise in exercises]
    nodes = child(document.root, "parts").value
    # find where each part begins: the first part must begin at the course's first exercise, and each
    # other part after the one before it
    begins: list[int] = []
    # `strict=False`: without the key `parts`, `child` returns the root, which has other items
    for raw, node in zip(parts, nodes, strict=False):
        where = child(node, "first")
        if raw.first not in ids:
            near = did_you_mean(raw.first, ids) or "; write the id of the part's first exercise"
            raise document.error(where, f"there is no exercise `{raw.first}`{near}")
        begins.append(ids.index(raw.first))
        if len(begins) == 1 and begins != [0]:
            problem = f"the first part begins at `{raw.first}`, and the course begins at `{ids[0]}`"
            raise document.error(where, f"{problem}; write `first: {ids[0]}`")
        if len(begins) > 1 and begins[-1] <= begins[-2]:
            problem = f"this part begins at `{raw.first}`, which is not after `{ids[begins[-2]]}`"
            raise document.error(where, f"{problem}, where the part before it begins; list parts in their order")
    # compare the points of each part, which ends where the next one begins
    course_parts = []
    for raw, node, begin, end in zip(parts, nodes, begins, [*begins[1:], len(ids)], strict=False):
        points = sum(exercise.max_score for exercise in exercises[begin:end])
        if points != raw.total:
            problem = f"the points of this part add up to {points}, but its `total` is {raw.total}"
            raise document.error(child(node, "total"), f"{problem}; it has the exercises from `{raw.first}`")
        course_parts.append(Part(raw.title, tuple(ids[begin:end]), points))
    return tuple(course_parts)


def _modules(document: Document, names: Sequence[str]) -> None:
    for name, node in zip(names, child(document.root, "allow_imports").value, strict=False):
        if not name.isidentifier():
            raise document.error(node, f"`{name}` is not the name of a module; name the package without submodules")


def _numbers(folder: Path) -> dict[str, list[str]]:
    """Return the numbers of the exercise files, by id.

    If a learner deleted a file, its number is taken from its hidden tests.
    """
    numbers: dict[str, list[str]] = {}
    for path in sorted((folder / "exercises").glob("*.py")):
        match = _NUMBERED.fullmatch(path.name)
        if match:
            numbers.setdefault(match["id"], []).append(match["number"])
    # `setdefault`: if an exercise file exists, its number counts, even if the hidden test has another
    for path in sorted((folder / "tests" / "hidden").glob("test_*.py")):
        match = _NUMBERED.fullmatch(path.name.removeprefix("test_"))
        if match:
            numbers.setdefault(match["id"], [match["number"]])
    return numbers


def _exercise(document: Document, node: yaml.Node, defaults: _Defaults, numbers: dict[str, list[str]]) -> Exercise:
    raw = document.convert(node, _Exercise, "this exercise")
    where = child(node, "id")
    if not ID.fullmatch(raw.id):
        raise document.error(where, f"`{raw.id}` is not a valid id; {_ID_RULE}")
    # `grade ID` would run the command
    if raw.id in COMMANDS:
        raise document.error(where, f"`{raw.id}` is a command of `grade`; choose another id")
    files = numbers.get(raw.id, [])
    if len(files) != 1:
        problem = f"there is no file exercises/NN_{raw.id}.py" if not files else "several exercise files have this id"
        raise document.error(where, problem + did_you_mean(raw.id, [i for i in numbers if i != raw.id]))
    checks = tuple(
        _check(document, key, value, defaults, len(raw.hints)) for key, value in items(child(node, "checks"))
    )
    if not checks:
        raise document.error(node, f"`{raw.id}` has no checks")
    _hint_for(document, child(node, "hint_for"), raw)
    if raw.arrays and raw.arrays not in numbers:
        near = did_you_mean(raw.arrays, list(numbers))
        raise document.error(child(node, "arrays"), f"there is no exercise `{raw.arrays}`{near}")
    _figures(document, child(node, "figures"), raw.figures)
    return Exercise(
        raw.id,
        files[0],
        raw.title,
        checks,
        tuple(raw.hints),
        line(node),
        raw.learnt,
        tuple(raw.hint_for.items()),
        raw.arrays,
        tuple(raw.figures),
    )


def _figures(document: Document, nodes: yaml.Node, figures: Sequence[Figure]) -> None:
    """Check that every figure of an exercise has an id of its own, and can be drawn."""
    seen: set[str] = set()
    # `strict=False`: without the key `figures`, `child` returns the exercise, which has other items
    for node, figure in zip(nodes.value, figures, strict=False):
        if not ID.fullmatch(figure.id):
            raise document.error(child(node, "id"), f"`{figure.id}` is not a valid id; {_ID_RULE}")
        if figure.id in seen:
            raise document.error(child(node, "id"), f"there are two figures `{figure.id}`; give each its own id")
        seen.add(figure.id)
        if problem := problem_of(figure):
            key, why = problem
            raise document.error(child(node, key), f"the figure `{figure.id}` cannot be drawn: {why}")


def _hint_for(document: Document, node: yaml.Node, raw: _Exercise) -> None:
    for key, value in items(node) if raw.hint_for else ():
        if not is_code(key.value):
            near = did_you_mean(key.value, CODES) or "; docs/authoring.md lists the codes"
            raise document.error(key, f"`{key.value}` is not the code of a failure{near}")
        _hint_exists(document, value, raw.hint_for[key.value], len(raw.hints))


def _hint_exists(document: Document, node: yaml.Node, hint: int, hints: int) -> None:
    if hint > hints:
        have = "1 hint" if hints == 1 else f"{hints} hints"
        raise document.error(node, f"there is no hint {hint}; the exercise has {have}")


def _check(document: Document, key: yaml.Node, value: yaml.Node, defaults: _Defaults, hints: int) -> Check:
    raw = document.convert(value, _Check, f"the check `{key.value}`")
    if not ID.fullmatch(key.value):
        raise document.error(key, f"`{key.value}` is not a valid id; {_ID_RULE}")
    _hint_exists(document, child(value, "hint"), raw.hint or 0, hints)
    return Check(
        id=key.value,
        title=raw.title,
        points=raw.points,
        bonus=raw.bonus,
        visibility=raw.visibility or defaults.visibility,
        detail=raw.detail or defaults.detail,
        hint=raw.hint or 0,
        line=line(key),
        asks=raw.asks,
    )


def _hash(folder: Path) -> str:
    """Return the SHA-256 of the files that determine verdicts: `course.yaml`, hidden tests and answer book."""
    digest = hashlib.sha256()
    hidden = folder / "tests" / "hidden"
    for path in [folder / "course.yaml", *sorted(hidden.glob("*.py")), hidden / "answers.json"]:
        try:
            content = read_plain(path, follow=True)
        # a course has no answer book before its first `grade build`
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CourseError(path, None, f"cannot be read: {error.strerror}") from None
        # name and length come first, so that no other files give the same bytes
        digest.update(os.fsencode(path.name) + f":{len(content)}\n".encode() + content)
    return digest.hexdigest()
