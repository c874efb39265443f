"""Single-file HTML pages that need no network and run only their own scripts."""

import base64
import hashlib
import html
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import Template
from xml.etree.ElementTree import Element, tostring

import msgspec

from ..text import plain

_HERE = Path(__file__).resolve().parent
ELEMENTS, BASE_STYLE = _HERE / "elements.js", _HERE / "base.css"
_PAGE = _HERE / "page.html"
ASSETS = _HERE / "assets"  # downloaded by assets/fetch.sh
REPORT_STYLE = _HERE / "report.css"  # of results, on the class page and in feedback
_INFLATE = ASSETS / "pako_inflate.min.js"
_SOURCE_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=[^\n*]*(?:\*/)?")


@dataclass(frozen=True)
class Parts:
    """The files that a page is made of.

    Attributes:
        template: the `body` element. It contains `$licences`, `$data` and `$scripts`. It contains `$title` where it
            shows the title, and `$more` if the page has further data.
        about: the text that follows the page's title in the title of the document.
        own: the page's own scripts, which can use the functions of `elements.js`.
        style: the page's own style, which adds to `base.css`.
        shared_style: a style that several pages share. It comes between `base.css` and the page's own style.
        libraries: third-party scripts that the page uses in addition to pako; they come first.
        licences: the licences of these libraries.
        generated: a script that is not a file. It comes first.
    """

    template: Path
    about: str
    own: tuple[Path, ...]
    style: Path
    shared_style: Path | None = None
    libraries: tuple[Path, ...] = ()
    licences: Path | None = None
    generated: str = ""

    @property
    def scripts(self) -> tuple[Path, ...]:
        """Return every script, in the order in which they run."""
        return (_INFLATE, *self.libraries, ELEMENTS, *self.own)

    @property
    def every_licence(self) -> tuple[Path, ...]:
        """Return the licences of all third-party scripts."""
        return (ASSETS / "LICENSES.txt", *([self.licences] if self.licences else []))

    @property
    def styles(self) -> tuple[Path, ...]:
        """Return every style. A later style overrides an earlier one."""
        return (BASE_STYLE, *([self.shared_style] if self.shared_style else []), self.style)


def write_page(parts: Parts, title: str, data: object, more: Iterable[str] = ()) -> str:
    """Return a page as HTML.

    Args:
        parts: the files that the page is made of.
        title: the title as text; markup in it is escaped.
        data: the data that the page shows.
        more: further packed data, with the ids `more-0`, `more-1` and so on. The page unpacks it when it is needed.
    """
    # the policy has the hashes of these texts, so they must be exactly those of the page
    scripts = [*filter(None, [parts.generated]), *map(_text, parts.scripts)]
    style = "".join(_text(path) for path in parts.styles)
    body = Template(parts.template.read_text(encoding="utf-8")).substitute(
        title=html.escape(plain(title)),
        licences=html.escape("".join(path.read_text(encoding="utf-8") for path in parts.every_licence)),
        data=pack(data),
        more="\n".join(
            f'<script type="application/octet-stream" id="more-{number}">{packed}</script>'
            for number, packed in enumerate(more)
        ),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )
    return _page(f"{title}: {parts.about}", scripts, style, body)


def write_static_page(title: str, styles: Iterable[Path], body: Element) -> str:
    """Return a page without scripts as HTML.

    Args:
        styles: style files that follow `base.css`.
        body: the `body` element; texts in it are escaped.
    """
    style = "".join(_text(path) for path in (BASE_STYLE, *styles))
    return _page(title, (), style, tostring(body, encoding="unicode", method="html"))


def _page(title: str, scripts: Iterable[str], style: str, body: str) -> str:
    """Return a whole document. The head has the same form on all pages."""
    return Template(_PAGE.read_text(encoding="utf-8")).substitute(
        policy=_policy(scripts, style), title=html.escape(plain(title)), style=style, body=body
    )


def pack(data: object) -> str:
    """Return data as deflated JSON in base64, so that nothing in it can act as markup."""
    # base64 has no `<`, so no data can end the script element that holds it
    return base64.b64encode(zlib.compress(msgspec.json.encode(data), 9)).decode("ascii")


def _text(path: Path) -> str:
    """Return a script or style without its source map comment, which would make a browser's tools load a file."""
    return _SOURCE_MAP.sub("", path.read_text(encoding="utf-8"))


def _policy(scripts: Iterable[str], style: str) -> str:
    """Return a content security policy that allows the page's own scripts and style, and `data:` images."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src " + (" ".join(map(_hash, scripts)) or "'none'"),
            "style-src " + _hash(style),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            # with these two, a browser that knows them refuses to turn text into markup or code
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
