"""Support for `benchmarks/cohort.py`: the graders to compare, and the measurement of their cost."""
