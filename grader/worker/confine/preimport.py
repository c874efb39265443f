"""Pre-import the modules that submissions commonly use, so that forks inherit them."""

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
import random  # noqa: E402  (with its fork hook it would reseed itself in each fork, and not be reproducible)

os.register_at_fork = _at_fork
random.seed(0)
