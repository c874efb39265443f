"""The container file, and grading inside a container, tested without a daemon.

A container started as in docs/ci.md has another user, no capability, no network, and a read-only root with its own
`/tmp`. Namespaces of this machine give the same. `unshare` makes them, and `setpriv` drops the rights.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.load import load_course

from .conftest import TAPE, Fill

pytestmark = [pytest.mark.slow, pytest.mark.hostile]

NOBODY = 65_534
# what `podman run --network none --read-only --tmpfs /tmp --cap-drop all` and `USER grader` do
INSIDE = """
mount --make-rprivate /
mount --bind {environment} /srv
mount --bind {image} /mnt
mount -t tmpfs tmpfs /tmp
mount -o remount,bind,ro /
exec setpriv --reuid {user} --regid {user} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
"""
GRADE, COURSE = Path("/srv/bin/grade"), Path("/mnt/course")
Inside = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that is `/mnt` inside: a course, and submissions."""
    folder = tmp_path_factory.mktemp("image")
    for part in ("exercises", "tests"):
        shutil.copytree(TAPE / part, folder / "course" / part)
    shutil.copy(TAPE / "course.yaml", folder / "course")
    return folder


@pytest.fixture
def inside(image: Path, light: Path, shared_python: str | None) -> Inside:
    """Run a command as in the container, with the light environment as `/srv`.

    Skip the test if this machine cannot make namespaces, or has no Python for another user.
    """
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("NOT TESTED: another user can be had by root alone")
    if shared_python is None:
        pytest.skip("NOT TESTED in a container's place: no Python of this version that another user can run")

    def run(*words: object) -> "subprocess.CompletedProcess[str]":
        subprocess.run(["chmod", "-R", "a+rX", image, light], check=True)
        script = INSIDE.format(user=NOBODY, image=image, environment=light)
        command = ["unshare", "--mount", "--net", "--pid", "--fork", "bash", "-euc", script, "-"]
        environment = {"PATH": os.environ["PATH"], "HOME": "/tmp", "BACKWARD_CACHE": "/tmp/cache", "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [*command, *map(str, words)], cwd="/", env=environment, capture_output=True, text=True, check=False
        )

    tried = run("true")
    if tried.returncode:
        pytest.skip(f"NOT TESTED in a container's place: {tried.stderr.strip()}")
    return run


def test_inside_there_is_nothing_to_reach(inside: Inside) -> None:
    """Inside there is no root, no capability and no network, and only /tmp can be written."""
    script = "id -u; grep CapBnd /proc/self/status; ls /sys/class/net 2>/dev/null | grep -v '^lo$' || true"
    script += "; touch /tmp/x && echo tmp; touch /var/tmp/x 2>/dev/null || echo refused"
    done = inside("bash", "-c", script)
    assert [str(NOBODY), "CapBnd:\t0000000000000000"] == done.stdout.splitlines()[:2]
    assert ["tmp", "refused"] == done.stdout.splitlines()[-2:]


@pytest.mark.parametrize("isolation", ["auto", "landlock"])
@pytest.mark.parametrize(("kind", "score"), [("honest", 40), ("hostile", 0), ("empty", 0)])
def test_it_grades_as_a_user_without_rights(
    image: Path, inside: Inside, fill: Fill, isolation: str, kind: str, score: int
) -> None:
    """An official run needs no rights: the sandbox works, the score is right, and learner code reaches nothing.

    The seed is the course's own, so no PyTorch is needed.
    """
    submission = f"submission-{isolation}-{kind}"
    fill(image / submission, kind, COURSE / "tests" / "hidden" / "answers.json", Path("/tmp/cache"), Path("/tmp/x"))
    words = ["--official", "--course", COURSE, "--seed", load_course(TAPE).seed, "--isolation", isolation]
    words += ["--from", Path("/mnt") / submission, "--format", "junit=/tmp/junit.xml"]
    done = inside(GRADE, *words, "--json")
    if "landlock" == isolation and "kernel has no Landlock" in done.stderr:
        pytest.skip("NOT TESTED: this kernel has no Landlock")

    report = json.loads(done.stdout)
    assert (score, 40) == (report["score"], report["max_score"])
    assert report["isolation"]["tier"] in ("namespaces", "landlock")
    assert "REACHED" not in done.stdout + done.stderr


def test_without_a_sandbox_it_refuses(inside: Inside) -> None:
    """In a container without a sandbox, an official run says so and gives no score."""
    words = ["--official", "--course", COURSE, "--seed", load_course(TAPE).seed, "--isolation", "process"]
    done = inside(GRADE, *words, "--from", COURSE / "exercises")
    assert (2, "") == (done.returncode, done.stdout)
    assert "grade: learner code cannot be isolated as requested" in done.stderr


def test_the_container_file_ends_without_rights(wheel: Path) -> None:
    """The last user is not root, a shell can read the scripts, and the Python version is that of the workflows."""
    from grader.author.ci import platform_files

    text = platform_files("container", wheel, None)["Containerfile"].decode()
    instructions = re.sub(r"\\\n", "", text)
    assert ["grader"] == re.findall(r"^USER (.*)$", instructions, re.MULTILINE)
    assert "useradd --no-create-home --shell /usr/sbin/nologin grader" in instructions
    assert re.findall(r"^FROM (.*)$", instructions, re.MULTILINE) == ["python:3.11-slim"]
    assert instructions.index("USER grader") < instructions.index("ENTRYPOINT")
    for script in re.findall(r"^RUN (.*)$", instructions, re.MULTILINE):
        subprocess.run(["sh", "-n", "-c", script], check=True)
