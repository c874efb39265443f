"""A small class with hostile checkouts of three people, and a place into which `install.sh` installs."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from read_yaml import read_yaml

ROOT = Path(__file__).resolve().parents[3]
TAPE = ROOT / "examples" / "tape"
TRAPS = read_yaml(Path(__file__).with_name("traps.yaml"))
GRADE = Path(sys.executable).parent / "grade"

Fill = Callable[..., Path]
Prepare = Callable[..., Path]


def lay_traps(folder: Path, mark: Path) -> None:
    """Make a checkout hostile: whichever of its modules runs outside of the sandbox writes its name to `mark`."""
    for name in TRAPS["modules"]:
        (folder / f"{name}.py").write_text(TRAPS["trap"].format(mark=str(mark)))
    for name, text in TRAPS["settings"].items():
        (folder / name).write_text(text)


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """Return the file that traps write to, and check at the end that none was sprung."""
    path = tmp_path / "sprung"
    yield path
    assert not path.exists(), path.read_text()


@pytest.fixture
def fill(mark: Path) -> Fill:
    """Write somebody's submission to a folder with traps: `honest`, `hostile`, `empty` or `mixed`.

    The mixed one has a hostile file for `02 replay`, no file for `03 reset`, and right files.
    """

    def fill(folder: Path, kind: str, *targets: Path) -> Path:
        place = folder / "exercises"
        place.mkdir(parents=True)
        for around in (folder, place):
            lay_traps(around, mark)
        if kind == "empty":
            return folder
        texts = {path.name: path.read_text(encoding="utf-8") for path in (TAPE / "solutions").glob("*.py")}
        if kind == "mixed":
            del texts["03_reset.py"]
        for name, text in texts.items():
            hostile = kind == "hostile" or (kind == "mixed" and name == "02_replay.py")
            (place / name).write_text(TRAPS["hostile"].format(targets=[*map(str, targets)]) if hostile else text)
        return folder

    return fill


@pytest.fixture(scope="session")
def installed_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with links to all installed packages except the grader."""
    folder = tmp_path_factory.mktemp("packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "backward" not in path.name and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session")
def prepare(installed_elsewhere: Path) -> Prepare:
    """Prepare a folder in which `install.sh` makes an environment: it finds all packages there except the grader."""

    def make(folder: Path) -> Path:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = folder / "lib" / version / "site-packages"
        site.mkdir(parents=True)
        (site / "packages.pth").write_text(f"{installed_elsewhere}\n")
        return folder

    return make


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small course with its solutions."""
    return Path(shutil.copytree(TAPE, tmp_path_factory.mktemp("own") / "tape"))


@dataclass(frozen=True)
class Shell:
    """Runs scripts as a platform does: with bash, stopping at the first error, and only with its variables."""

    home: Path

    def __call__(self, script: str, cwd: Path, **variables: object) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=cwd,
            env={
                **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.home),
                "LC_ALL": "C.UTF-8",
                "TORCH_INDEX": "",
                **{name: str(value) for name, value in variables.items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home)


@pytest.fixture(scope="session")
def init(wheel: Path, course: Path) -> Callable[..., Path]:
    """Run `grade ci init` for a platform with the small course, into a new folder."""

    def run(platform: str, folder: Path, *words: object) -> Path:
        command = [GRADE, "ci", "init", "--for", platform, "--wheel", wheel, "--course", course, *words, folder]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        assert (0, "") == (done.returncode, done.stderr)
        return folder

    return run
