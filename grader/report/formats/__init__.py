"""The formats of other programs. Each module has one format: pure functions from reports to text, and `FORMAT`."""
