"""Read test data. The lists are long, and every process that collects tests reads them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Case = dict[str, Any]

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times as fast


def read_yaml(path: Path) -> Any:
    """Return the contents of a YAML file."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)


def cases_of(path: Path) -> list[Case]:
    """Read cases. A case with `each` stands for a case for each of its items.

    The keys of an item that is a mapping are added to the case. Any other item replaces each `$`, and the elements of a
    list replace `$0`, `$1` and so on. In a list, `$` alone may stand for several elements.
    """
    return [one for case in read_yaml(path) for one in _each(case)]


def _each(case: Case) -> Iterator[Case]:
    items = case.pop("each", [{}])
    for item in items:
        if isinstance(item, dict):
            yield {**case, **item}
        else:
            yield {**_filled(case, item), "what": f"{case['what']} ({item!r})"}


def _filled(part: Any, item: Any) -> Any:
    if isinstance(part, dict):
        return {_filled(key, item): _filled(value, item) for key, value in part.items()}
    if isinstance(part, list) and "$" in part and isinstance(item, list):
        part = [one for each in part for one in (item if each == "$" else [each])]
    if isinstance(part, list):
        return [_filled(one, item) for one in part]
    if not isinstance(part, str) or "$" not in part:
        return part
    if isinstance(item, list):
        for number, one in enumerate(item):
            part = part.replace(f"${number}", str(one))
        return part
    return item if part == "$" else part.replace("$", str(item))
