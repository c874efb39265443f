"""Judge one submission: hidden checks, diagnosis, grading, and the report with its formats.

In: observations, and torch's answers. Out: a report, with a score and codes for each check.
It never imports learner code, and never scores a check that the grader itself could not finish.
"""
