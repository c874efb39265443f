"""Fill in the project's addresses from the one setting `home` in pyproject.toml, which is empty until it is known."""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """A hook of hatchling, which builds the wheel."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses to the project's metadata."""
        home = self.config["home"].rstrip("/")
        pages = {"Repository": "", "Issues": "/issues", "Changelog": "/blob/main/CHANGELOG.md"}
        metadata["urls"] = {name: home + page for name, page in pages.items()} if home else {}
