"""The program that runs learner code: standard library only, and nothing of the other packages.

`confine` is what a security reader needs, `adapter` what an autograd reader needs. `boot` puts them together.
"""
