"""Try a test on every case of a list, as one test: pytest takes milliseconds for each test, and most cases take less.

It is for cases that start no process, with fixtures that no case changes. Other cases are parametrised.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]
Ids = Callable[[Any], object] | Iterable[object]
_SHOWN = 200  # characters of a case


def every(names: str | Sequence[str], cases: Iterable[Any], ids: Ids | None = None) -> Callable[[Test], Test]:
    """Run a test on each case, and list all cases that fail. The arguments are those of `pytest.mark.parametrize`."""
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    given = [ParameterSet.extract_from(case, force_tuple=len(words) == 1) for case in cases]
    listed = [one.values for one in given]
    labels = [*map(str, ids)] if isinstance(ids, Iterable) else [str(one.id or one.values) for one in given]
    assert given
    assert len(labels) == len(given)
    assert not any(one.marks for one in given)

    def decorated(test: Test) -> Test:
        parameters = inspect.signature(test).parameters

        @wraps(test)
        def tried(**fixtures: Any) -> None:
            failures: list[BaseException] = []
            told: list[str] = []
            for label, case in zip(labels, listed, strict=True):
                try:
                    test(**fixtures, **dict(zip(words, case, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failures.append(error)
                    told.append(f"{label[:_SHOWN]}\n{type(error).__name__}: {error}")
            if failures:
                head = f"{len(failures)} of {len(listed)} cases fail, and the first one is above:"
                raise AssertionError("\n\n".join([head, *told])) from failures[0]

        others = [parameter for name, parameter in parameters.items() if name not in words]
        tried.__signature__ = inspect.Signature(others)  # type: ignore[attr-defined]
        return tried

    return decorated
