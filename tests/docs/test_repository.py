"""The files of the repository for GitHub and for citations."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader import __version__

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_no_more_rights_than_it_needs(path: Path) -> None:
    """It reads the repository, keeps no credentials in the checkout, and names actions by their commits."""
    workflow = read(path)
    assert {"contents": "read"} == workflow["permissions"]
    steps = [step for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]) for step in steps)
    checkouts = [step for step in steps if step["uses"].startswith("actions/checkout@")]
    assert [False] * len(checkouts) == [step["with"]["persist-credentials"] for step in checkouts]


def test_actions_and_pins_are_kept_up_to_date() -> None:
    """Dependabot proposes newer actions and newer pins."""
    updates = read(GITHUB / "dependabot.yml")["updates"]
    assert ["github-actions", "pip"] == sorted(one["package-ecosystem"] for one in updates)


def test_a_citation_names_the_version() -> None:
    """It has the fields that the Citation File Format requires."""
    citation = read(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert __version__ == citation["version"]


@pytest.mark.parametrize("path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem)
def test_an_issue_form_has_what_github_requires(path: Path) -> None:
    """A form has a name, a description and fields with labels."""
    form = read(path)
    assert {"name", "description", "body"} <= form.keys()
    assert all(field["id"] and field["attributes"]["label"] for field in form["body"])


def test_the_repositorys_address_is_one_setting() -> None:
    """`home` in pyproject.toml is the only place for it, and the metadata has no other addresses."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 1 == text.count("\nhome = ")
    assert "[project.urls]" not in text


@pytest.mark.parametrize(
    ("tag", "heading", "code"),
    [
        (f"v{__version__}", f"## {__version__} (2026-03-01)", 0),
        ("v9.9.9", f"## {__version__} (2026-03-01)", 1),
        (f"v{__version__}", "## Unreleased", 1),
    ],
    ids=["agree", "another tag", "no page in the changelog"],
)
def test_a_release_has_the_version_of_its_tag(tag: str, heading: str, code: int, tmp_path: Path) -> None:
    """The workflow ends before it builds anything if the tag, the package and the changelog do not agree."""
    steps = read(GITHUB / "workflows" / "release.yml")["jobs"]["build"]["steps"]
    (script,) = [step["run"] for step in steps if "name" in step]
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
    environment = {**os.environ, "GITHUB_REF_NAME": tag}
    done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=environment, capture_output=True)
    assert code == done.returncode
