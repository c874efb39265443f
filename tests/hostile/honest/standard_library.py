"""honest: imports a good part of the standard library, and uses it."""

import collections
import contextlib
import decimal
import enum
import fractions
import functools
import heapq
import itertools
import json
import math
import operator
import random
import re
import statistics
import string
import textwrap
from collections.abc import Iterable

random.seed(3)
NUMBERS = [random.random() for _ in range(5)]
MEAN = statistics.fmean(NUMBERS)
THIRD = fractions.Fraction(1, 3) + fractions.Fraction(decimal.Decimal("0.5"))
WORDS = re.findall(r"[a-z]+", textwrap.dedent(string.ascii_lowercase))
TEXT = json.dumps({"mean": MEAN, "words": WORDS, "isclose": math.isclose(MEAN, MEAN)})
HEAP = [3, 1, 2]
heapq.heapify(HEAP)


class Kind(enum.Enum):
    LEAF = "leaf"
    SUM = "sum"


class Value:
    def __init__(self, data, inputs: Iterable = ()):
        self.data, self.grad, self._prev = data, 0.0, tuple(inputs)
        self.kind = Kind.SUM if self._prev else Kind.LEAF
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(functools.reduce(operator.add, (self.data, other.data)), (self, other))

        def _backward():
            with contextlib.suppress(KeyError):
                shares = collections.Counter()
                for node in itertools.chain(out._prev):
                    shares[node] += 1
                for node, times in shares.items():
                    node.grad += times * out.grad

        out._backward = _backward
        return out
