"""Read test data. The lists are long, and every process that collects tests reads them."""

from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times as fast


def read_yaml(path: Path) -> Any:
    """Return the contents of a YAML file."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
