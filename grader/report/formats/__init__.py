"""The formats of other programs: pure functions from reports to text, and a `Format` for each."""
