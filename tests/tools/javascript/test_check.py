"""The types of the pages' scripts are checked, and a mistake is found."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import check
import pytest
from read_yaml import read_yaml

import grader
from grader.base.page import ELEMENTS

HERE = Path(__file__).resolve().parent
MISTAKES = read_yaml(HERE / "mistakes.yaml")


def test_every_script_of_a_page_is_checked() -> None:
    """No script of the repository's own is left out."""
    own = {path for path in Path(grader.__file__).parent.rglob("*.js") if "assets" not in path.parts}
    assert own == {path for _, scripts in check.PROGRAMS.values() for path in scripts if "assets" not in path.parts}


def test_the_lock_file_names_no_registry() -> None:
    """The compiler's version is fixed, and comes from wherever npm is told to look."""
    lock = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))
    assert all(one.get("integrity") and "resolved" not in one for name, one in lock["packages"].items() if name)


def test_without_npm_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The check is left out loudly, and fails in CI."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    for variable, code in (("", 0), ("true", 1)):
        monkeypatch.setenv("CI", variable)
        assert code == check.main(tmp_path)
        assert "*** NOT CHECKED" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_mistakes_are_found(tmp_path: Path) -> None:
    """Each script that would show `undefined` or an object has an error at the line of its mistake, and no other."""
    folder = Path(sys.prefix, "javascript")
    if not (folder / "node_modules").is_dir():
        pytest.skip("NOT TESTED: there is no TypeScript here (`make types` installs it with npm)")
    for name, code in MISTAKES.items():
        script = tmp_path / f"{name.replace(' ', '_')}.js"
        script.write_text(f'"use strict";\n{code}\n', encoding="utf-8")
        files = [ELEMENTS, script, folder / "data.d.ts", *HERE.glob("*.d.ts")]
        config = {"compilerOptions": {**check.OPTIONS, "lib": check.PAGE}, "files": list(map(str, files))}
        (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
        compiler = [str(folder / "node_modules" / ".bin" / "tsc"), "-p", str(tmp_path), "--pretty", "false"]
        run = subprocess.run(compiler, capture_output=True, text=True, check=False)
        lines = [line for line in run.stdout.splitlines() if not line.startswith(" ")]
        assert 1 == len(lines), (name, lines)
        assert f"{script.name}(2," in lines[0], name
