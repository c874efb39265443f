"""type: is not Python."""

"@essay@"
