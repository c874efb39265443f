"""What learner files usually import: here for every fork to have for nothing, once the worker's own modules are there.

The order matters: a fork copies each page of memory that it touches, and touches fewer where what the worker itself
uses lies close together.
"""

# ruff: noqa: F401
import abc
import collections
import copy
import dataclasses
import enum
import functools
import heapq
import inspect
import itertools
import math
import operator
import os
import typing
from collections import defaultdict, deque

_at_fork = os.register_at_fork
os.register_at_fork = lambda **hooks: None
import random  # noqa: E402  (it would seed itself anew in each fork, and a submission draw other numbers each time)

os.register_at_fork = _at_fork
random.seed(0)
