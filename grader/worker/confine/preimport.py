"""Import what learner files usually import, so that every engine process has it without loading anything."""

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
import random  # noqa: E402  (it would seed itself anew in each fork, and draw other numbers each time)

os.register_at_fork = _at_fork
random.seed(0)
