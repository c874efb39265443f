"""Operate a learner's engine: load the file, introspect its classes, and execute programs with them."""
