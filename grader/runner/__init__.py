"""Run learner code: the untrusted `worker`, the `sandbox` it starts in, and the trusted `client` that asks it.

In: programs and a learner's file. Out: observations, decoded and bounded.
Expected values never get into the worker, and objects of a learner never get out of it.
"""
