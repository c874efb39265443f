"""type: is no Python."""

"@essay@"
