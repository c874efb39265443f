"""Put data, style and scripts into one HTML file, with a policy that blocks everything else."""

import base64
import hashlib
import html
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from ...outside import plain

_HERE = Path(__file__).resolve().parent
_ELEMENTS, _BASE = _HERE / "elements.js", _HERE / "base.css"
_SOURCE_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=[^\n*]*(?:\*/)?")


@dataclass(frozen=True)
class Parts:
    """The files that a page is made of.

    Attributes:
        template: HTML with `$policy`, `$title`, `$style`, `$licences`, `$data` and `$scripts`.
        libraries: scripts of others; they come first.
        own: the page's own scripts, which can use those of `elements.js`.
        library_styles: styles of others.
        style: the page's own style, which adds to `base.css`.
        licences: the licences of the libraries.
        trusted_types: the trusted types that scripts may create: `'none'`, or the name of a policy.
    """

    template: Path
    libraries: tuple[Path, ...]
    own: tuple[Path, ...]
    style: Path
    licences: Path
    library_styles: tuple[Path, ...] = ()
    trusted_types: str = "'none'"

    @property
    def scripts(self) -> tuple[Path, ...]:
        """Every script, in the order in which they run."""
        return (*self.libraries, _ELEMENTS, *self.own)

    @property
    def styles(self) -> tuple[Path, ...]:
        """Every style; a later one wins."""
        return (*self.library_styles, _BASE, self.style)


def write_page(parts: Parts, title: str, data: dict[str, Any]) -> str:
    """Return a page as HTML.

    Args:
        parts: the files that the page is made of.
        title: text; markup in it is escaped.
        data: what the page shows, as plain data.
    """
    scripts = [_text(path) for path in parts.scripts]
    style = "".join(_text(path) for path in parts.styles)
    return Template(parts.template.read_text(encoding="utf-8")).substitute(
        policy=_policy(scripts, style, parts.trusted_types),
        title=html.escape(plain(title)),
        style=style,
        licences=html.escape(parts.licences.read_text(encoding="utf-8")),
        data=pack(data),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def pack(data: dict[str, Any]) -> str:
    """Return data as JSON, deflated, in base64, so that nothing in it can act as markup."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(data), 9)).decode("ascii")


def _text(path: Path) -> str:
    """Return a script or style without its source map comment, which would make a browser's tools load a file."""
    return _SOURCE_MAP.sub("", path.read_text(encoding="utf-8"))


def _policy(scripts: Iterable[str], style: str, trusted_types: str) -> str:
    """Return a content security policy that allows the page's own scripts and style, and `data:` images."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src " + " ".join(map(_hash, scripts)),
            "style-src " + _hash(style),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            f"trusted-types {trusted_types}",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
