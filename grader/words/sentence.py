"""Sentences as templates, and parts of sentences that several audiences read.

A sentence that needs more grammar than a template has is a function in the module of its audience.
"""

from collections.abc import Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

from ..base.text import counted, few

_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


class Sentence:
    """A sentence with fields in braces. A call with their values gives the text.

        written = Sentence("{count:exercise} written to {folder}")
        written(2, "work")  # "2 exercises written to work"

    | field                       | text                                                                        |
    |-----------------------------|-----------------------------------------------------------------------------|
    | `{path}`, `{points:g}`      | the value, in a format of Python's own                                      |
    | `{count:exercise}`          | a number with its noun: `1 exercise`, `2 exercises`                         |
    | `{count:is|are}`            | the first text if the number is 1, or if a list has one item; else the next |
    | `{copy:? in {copy}|, lost}` | the first text if there is a value; else the next, if there is one          |
    | `{names}`, `{names: or }`   | the items of a list, separated by commas or by another text                 |
    | `{names:8}`                 | the first items of a list, and the number of the others                     |

    Args:
        template: the text with the fields.
        order: the names of the fields in the order of a call's arguments. By default, it is that of the text.
        defaults: values of fields that a call may leave out.
    """

    def __init__(self, template: str, order: str = "", **defaults: object) -> None:
        self.template = template
        self.fields = tuple(order.split()) or tuple(dict.fromkeys(_fields(template)))
        self.defaults = defaults

    def __call__(self, *values: object, **named: object) -> str:
        return filled(self.template, {**self.defaults, **dict(zip(self.fields, values, strict=False)), **named})


def filled(template: str, fields: Mapping[str, object]) -> str:
    """Return a template with its fields filled in, as in a `Sentence`."""
    parts = []
    for text, name, form, _ in Formatter().parse(template):
        parts += [text] if name is None else [text, _filled(fields[name], form or "", fields)]
    return "".join(parts)


def _filled(value: Any, form: str, fields: Mapping[str, object]) -> str:
    several = isinstance(value, list | tuple)
    # first, because the texts of a condition may contain further fields and `|`
    if form[:1] == "?":
        yes, _, no = form[1:].partition("|")
        return filled(yes if value else no, fields)
    if "|" in form:
        one, _, other = form.partition("|")
        return filled(one if (len(value) if several else value) == 1 else other, fields)
    if several:
        return few(value, int(form)) if form.isdecimal() else (form or ", ").join(map(str, value))
    # a noun begins with a letter and has more than one, unlike the formats `g` and `.1f` of Python
    if isinstance(value, int | float) and form[:1].isalpha() and len(form) > 1:
        return counted(value, form)
    return format(value, form)


def _fields(template: str) -> Iterator[str]:
    """Yield the names of the fields of a template, and of those in the forms of a field."""
    for _, name, form, _ in Formatter().parse(template):
        if name is not None:
            yield name
            yield from _fields(form or "")


def listed(names: Sequence[str], *, more: bool) -> str:
    """Return names with commas, followed by "and more" if there are others."""
    return ", ".join(names) + (" and more" if more else "")


def enumerated(names: Sequence[str]) -> str:
    """Return names in a sentence, such as `a, b and c`; an empty text for none."""
    *most, last = names or ("",)
    return f"{', '.join(most)} and {last}" if most else last


def duration_text(seconds: int) -> str:
    """Return a duration in its two largest units, such as `1 day 1 hour`. Seconds are rounded up to minutes."""
    # rounded up, so that somebody who is late by a second is late by a minute, not by nothing
    left = -(-seconds // 60) * 60
    parts: list[str] = []
    for unit, length in _UNITS:
        count, left = divmod(left, length)
        if count:
            parts.append(counted(count, unit))
    return " ".join(parts[:2])


# errors of the system, with its own words
cannot_be_read = Sentence("{path} cannot be read: {why}")
cannot_be_written = Sentence("{path}: cannot be written: {why}")
