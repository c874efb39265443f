"""Sentences. There is one module for each audience.

In: codes with fields. Out: English sentences.
It never decides anything: two codes that differ only in their sentences are treated alike everywhere.
"""
