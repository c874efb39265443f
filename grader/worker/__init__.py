"""The untrusted side: loads one learner's file, executes programs with it, says what it saw.

Standard library only, and no import of the rest of `grader`: this package runs alone in a
process that knows no expected value, no check and no solution.
"""
