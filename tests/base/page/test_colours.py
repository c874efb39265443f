"""Contrasts of the colours that all pages share, and of the borders of controls (WCAG 2.2, 1.4.3 and 1.4.11)."""

import re
from pathlib import Path

import pytest

GRADER = Path(__file__).resolve().parents[3] / "grader"
BASE = (GRADER / "base" / "page" / "base.css").read_text(encoding="utf-8")
STYLES = sorted(path for path in GRADER.rglob("*.css") if "assets" not in path.parts)
BACKGROUNDS = ("paper", "card", "wash")
_COLOUR = re.compile(r"--([a-z-]+): (#[0-9a-f]{3,6});")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_BORDER = re.compile(r"border: 1px solid var\(--([a-z-]+)\)")
_CONTROL = re.compile(r"\b(button|select|input)\b")


def colours(scheme: str) -> dict[str, str]:
    """Return the tokens that are colours, by their names."""
    light, dark = BASE.split("prefers-color-scheme: dark", 1)
    found = dict(_COLOUR.findall(light))
    return found if scheme == "light" else found | dict(_COLOUR.findall(dark[: dark.index("@media")]))


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as #fff or #1c2024, as WCAG 2.2 defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "least"), [("ink", 4.5), ("quiet", 4.5), ("accent", 4.5), ("bad", 4.5), ("good", 4.5), ("control", 3)]
)
def test_a_colour_can_be_told_from_every_background(scheme: str, name: str, least: float) -> None:
    """Text has a contrast of 4.5, and the border of a control one of 3."""
    found = colours(scheme)
    assert [] == [one for one in BACKGROUNDS if contrast(found[name], found[one]) < least]


def test_borders_of_controls_are_seen() -> None:
    """A button, menu or field with a border has one of a colour that is tested above."""
    borders = [
        (path.name, selector.strip(), colour)
        for path in STYLES
        for selector, body in _RULE.findall(path.read_text(encoding="utf-8"))
        if _CONTROL.search(selector)
        for colour in _BORDER.findall(body)
    ]
    assert len(borders) >= 6
    assert [] == [one for one in borders if one[2] not in ("control", "quiet", "accent")]
