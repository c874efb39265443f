"""type: defines nothing."""
