"""The program that runs learner code. It uses only the standard library, and imports no other package of the grader.

`confine` holds the code that a security reader needs, `adapter` the code that an autograd reader needs.
"""
