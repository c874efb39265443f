"""Support for `benchmarks/cohort.py`: the graders it compares, and the means to measure them."""
