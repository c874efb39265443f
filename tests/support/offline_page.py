"""Reads a page of one file."""

import base64
import json
import re
import zlib
from typing import Any


def unpack(page: str) -> Any:
    """Return the data in a page."""
    (found,) = re.findall(r'<script type="application/octet-stream" id="data">([^<]*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(found, validate=True)))


def inline(page: str, tag: str) -> list[str]:
    """What stands between a tag without attributes and its end, as a browser cuts it out."""
    return re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
