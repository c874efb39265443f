"""Handle untrusted files, text and YAML safely."""

from .errors import UserError
from .files import in_the_way, open_plain, plain_folder, read_plain, write_atomically, write_files, write_named
from .text import (
    ascii_only,
    cell,
    counted,
    decoded,
    did_you_mean,
    few,
    json_text,
    lines,
    markdown,
    one_line,
    paragraph,
    plain,
    printable,
    readable,
    spelled,
    take_any_text,
)
from .yaml_text import YamlError, yaml_texts, yaml_tree

__all__ = [
    "UserError",
    "YamlError",
    "ascii_only",
    "cell",
    "counted",
    "decoded",
    "did_you_mean",
    "few",
    "in_the_way",
    "json_text",
    "lines",
    "markdown",
    "one_line",
    "open_plain",
    "paragraph",
    "plain",
    "plain_folder",
    "printable",
    "read_plain",
    "readable",
    "spelled",
    "take_any_text",
    "write_atomically",
    "write_files",
    "write_named",
    "yaml_texts",
    "yaml_tree",
]
