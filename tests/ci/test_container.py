"""The container file, and grading inside a container, tested without a daemon.

A container started as in docs/ci.md has another user, no capability, no network, and a read-only root with its own
`/tmp`. Namespaces of this machine give the same. `unshare` makes them, and `setpriv` drops the rights.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from grader.course import load_course

from .conftest import ROOT, TAPE, Fill

pytestmark = [pytest.mark.slow, pytest.mark.hostile]

NOBODY = 65_534
# what `podman run --network none --read-only --tmpfs /tmp --cap-drop all` and `USER grader` do
INSIDE = """
mount --make-rprivate /
mount -t tmpfs tmpfs /tmp
mount -o remount,bind,ro /
exec setpriv --reuid {user} --regid {user} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
"""


@pytest.fixture(scope="module")
def image(wheel: Path) -> Iterator[Path]:
    """Return a folder like the image's `/opt`, with the course and the grader from `install.sh`, but without torch."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("NOT TESTED: another user can be had by root alone")
    python = usable_python()
    folder = Path(mkdtemp(prefix="backward-image-", dir="/var/tmp"))
    folder.chmod(0o755)
    subprocess.run([python, "-m", "venv", "--without-pip", folder / "backward"], check=True)
    install: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder / "backward", "install", "--quiet"]
    subprocess.run([*install, "-c", ROOT / "constraints.txt", wheel], check=True, capture_output=True)
    for part in ("exercises", "tests"):
        shutil.copytree(TAPE / part, folder / "course" / part)
    shutil.copy(TAPE / "course.yaml", folder / "course")
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    yield folder
    shutil.rmtree(folder)


def usable_python() -> str:
    """Return a Python for another user that can use the pinned packages. Skip the test if there is none."""
    for candidate in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            done = subprocess.run(
                [candidate, "-Ic", "import sys, venv; print(sys.version_info >= (3, 11))"],
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                cwd="/",
                env={},
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError:
            continue
        if "True\n" == done.stdout:
            return candidate
    pytest.skip("NOT TESTED in a container's place: no Python 3.11 that another user can run")


@pytest.fixture
def inside(image: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run a command as in the container. Skip the test if this machine cannot make namespaces."""

    def run(*words: object) -> "subprocess.CompletedProcess[str]":
        command = ["unshare", "--mount", "--net", "--pid", "--fork", "bash", "-euc", INSIDE.format(user=NOBODY), "-"]
        environment = {"PATH": os.environ["PATH"], "HOME": "/tmp", "BACKWARD_CACHE": "/tmp/cache", "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [*command, *map(str, words)], cwd="/", env=environment, capture_output=True, text=True, check=False
        )

    tried = run("true")
    if tried.returncode:
        pytest.skip(f"NOT TESTED in a container's place: {tried.stderr.strip()}")
    return run


def test_inside_there_is_nothing_to_reach(inside: Callable[..., "subprocess.CompletedProcess[str]"]) -> None:
    """Inside there is no root, no capability and no network, and only /tmp can be written."""
    script = "id -u; grep CapBnd /proc/self/status; ls /sys/class/net 2>/dev/null | grep -v '^lo$' || true"
    script += "; touch /tmp/x && echo tmp; touch /var/tmp/x 2>/dev/null || echo refused"
    done = inside("bash", "-c", script)
    assert [str(NOBODY), "CapBnd:\t0000000000000000"] == done.stdout.splitlines()[:2]
    assert ["tmp", "refused"] == done.stdout.splitlines()[-2:]


@pytest.mark.parametrize("isolation", ["auto", "landlock"])
@pytest.mark.parametrize(("kind", "score"), [("honest", 30), ("hostile", 0), ("empty", 0)])
def test_it_grades_as_a_user_without_rights(
    image: Path,
    inside: Callable[..., "subprocess.CompletedProcess[str]"],
    fill: Fill,
    isolation: str,
    kind: str,
    score: int,
) -> None:
    """An official run needs no rights: the sandbox works, the score is right, and learner code reaches nothing.

    The seed is the course's own, so no PyTorch is needed.
    """
    submission = image / f"submission-{isolation}-{kind}"
    fill(submission, kind, image / "course" / "tests" / "hidden" / "answers.json", Path("/tmp/cache"), Path("/tmp/x"))
    subprocess.run(["chmod", "-R", "a+rX", submission], check=True)
    course = ["--course", image / "course", "--seed", load_course(TAPE).seed]
    words = ["--official", "--from", submission, *course, "--isolation", isolation, "--format", "junit=/tmp/junit.xml"]
    done = inside(image / "backward" / "bin" / "grade", *words, "--json")
    if "landlock" == isolation and "kernel has no Landlock" in done.stderr:
        pytest.skip("NOT TESTED: this kernel has no Landlock")

    report = json.loads(done.stdout)
    assert (score, 30) == (report["score"], report["max_score"])
    assert report["isolation"]["tier"] in ("namespaces", "landlock")
    assert "REACHED" not in done.stdout + done.stderr


def test_without_a_sandbox_it_refuses(image: Path, inside: Callable[..., "subprocess.CompletedProcess[str]"]) -> None:
    """In a container without a sandbox, an official run says so and gives no score."""
    words = ["--official", "--course", image / "course", "--seed", load_course(TAPE).seed, "--isolation", "process"]
    done = inside(image / "backward" / "bin" / "grade", *words, "--from", image / "course" / "exercises")
    assert (2, "") == (done.returncode, done.stdout)
    assert "grade: learner code cannot be isolated as requested" in done.stderr


def test_the_container_file_ends_without_rights(wheel: Path) -> None:
    """The last user is not root, a shell can read the scripts, and the Python version is that of the workflows."""
    from grader.ci import platform_files

    text = platform_files("container", wheel, None)["Containerfile"].decode()
    instructions = re.sub(r"\\\n", "", text)
    assert ["grader"] == re.findall(r"^USER (.*)$", instructions, re.MULTILINE)
    assert "useradd --no-create-home --shell /usr/sbin/nologin grader" in instructions
    assert re.findall(r"^FROM (.*)$", instructions, re.MULTILINE) == ["python:3.11-slim"]
    assert instructions.index("USER grader") < instructions.index("ENTRYPOINT")
    for script in re.findall(r"^RUN (.*)$", instructions, re.MULTILINE):
        subprocess.run(["sh", "-n", "-c", script], check=True)
