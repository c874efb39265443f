"""docs/threat-model.md describes exactly the existing attacks."""

from types import ModuleType
from typing import Any

import pytest


def test_the_table_names_every_attack_and_no_other(harness: ModuleType, write_table: ModuleType) -> None:
    """The rows of the committed table are the files in attacks/, in their order."""
    written = write_table.TABLE.read_text(encoding="utf-8")
    assert [file.name for file in harness.files("attacks")] == write_table.names_in(written)


def test_the_table_says_what_the_files_say(harness: ModuleType, write_table: ModuleType) -> None:
    """The table describes each attack in the words of its docstring."""
    written = write_table.TABLE.read_text(encoding="utf-8")
    said = [f"| `{file.name}` | {write_table._plain(file.sentence)} |" for file in harness.files("attacks")]
    assert [] == [row for row in said if row not in written]


@pytest.mark.parametrize("tier", ["process"])
def test_an_effect_stands_in_its_cell(run: Any, harness: ModuleType, write_table: ModuleType) -> None:
    """The table made from a run has a row for each attack, with its effect."""
    attacks = harness.files("attacks")
    text = write_table.render(attacks, [], {"process": run})
    assert [file.name for file in attacks] == write_table.names_in(text)
    assert f"{len(run.attacks)} | {len(run.accepted)} | {len(run.with_effect)} |" in text
    assert "| failed; read /etc/passwd |" in text
