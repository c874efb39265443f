"""Support for `benchmarks/cohort.py`: the graders that it compares, and their measurement."""
