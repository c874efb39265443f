"""Make a wheel of this grader for users who have none: pack the installation again, or build it from a clone."""

import base64
import hashlib
import io
import os
import sys
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ..outside import UserError
from ..words import ci as said

_NAME = "backward-grader"
# files that an installer adds: records of the installation
_ADDED = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")


def own_wheel() -> tuple[str, bytes]:
    """Return the name and the content of a wheel of this grader. A clone is built with pip.

    Raises:
        UserError: pip cannot build the wheel.
        OSError: a file cannot be read.
    """
    return installed_wheel() or _built_wheel(Path(__file__).resolve().parents[2])


def _built_wheel(clone: Path) -> tuple[str, bytes]:
    if not (clone / "pyproject.toml").is_file():
        raise UserError(said.not_built(f"{clone} is not a clone of its repository"))
    from ..processes import start  # imported here to keep `grade ci --help` fast

    with TemporaryDirectory() as folder:
        command = [sys.executable, "-I", "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = start([*command, "--wheel-dir", folder, str(clone)], environment)
        wheels = sorted(Path(folder).glob("*.whl")) if done.wait() == 0 else []
        if not wheels:
            raise UserError(said.not_built("`pip wheel` failed"))
        return wheels[0].name, wheels[0].read_bytes()


def installed_wheel() -> tuple[str, bytes] | None:
    """Return the name and the content of a wheel of this installation, or None if it is a checkout or no installation.

    The same installation gives the same bytes. Raises `OSError` for a file that cannot be read.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # imported here to keep `grade ci --help` fast

    try:
        found = distribution(_NAME)
    except PackageNotFoundError:
        return None
    files = {
        path.as_posix(): path.locate()
        for path in found.files or ()
        if ".." not in path.parts and "__pycache__" not in path.parts and not _is_added(path)
    }
    if "grader/__init__.py" not in files:
        return None
    contents = {name: place.read_bytes() for name, place in sorted(files.items())}  # type: ignore[attr-defined]
    info = next(str(PurePosixPath(name).parent) for name in contents if name.endswith(".dist-info/METADATA"))
    rows = [f"{name},sha256={_hash(data)},{len(data)}" for name, data in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return f"{info.removesuffix('.dist-info')}-py3-none-any.whl", _packed(contents)


def _is_added(path: PurePosixPath) -> bool:
    return path.parent.name.endswith(".dist-info") and path.name in _ADDED


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _packed(contents: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
