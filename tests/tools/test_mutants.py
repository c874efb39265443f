"""One operator of a program is changed at a time."""

from pathlib import Path

import pytest

from .mutants import mutants


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = a < b", {"x = (a <= b)"}),
        ("x = a and b", {"x = (a or b)"}),
        ("x = a - 1", {"x = (a + 1)", "x = a - (2)"}),
        ("x += a", {"x -= a"}),
        ("x = 'ä' if a else b", {"x = (b if a else 'ä')", "x = 'ä' if (not a) else b"}),
        ("x = f(a, b)", {"x = (f(b, a))"}),
        ("f(a)", {"pass"}),
        ("if a: b", {"if (not a): b"}),
        ("x = f'{a < b}'", set()),
        ("x: Literal[1] = a", set()),
    ],
)
def test_each_change_is_made_alone(line: str, expected: set[str], tmp_path: Path) -> None:
    """Types and what is in an f-string stay as they are."""
    path = tmp_path / "ä.py"
    changed = set()
    for mutant in mutants(Path(path.name), f"# ä\n{line}\n".encode()):
        path.write_text(f"# ä\n{line}\n", encoding="utf-8")
        mutant.apply(tmp_path)
        changed.add(path.read_text(encoding="utf-8").splitlines()[1])
    assert expected == changed
