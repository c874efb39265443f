"""What `benchmarks/cohort.py` needs: the graders it compares, and the means to measure them."""
