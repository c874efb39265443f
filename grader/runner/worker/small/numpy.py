"""A small numpy in plain Python, for a browser tab that has no other. Learner code imports it under numpy's name.

It has what the exercises use: arrays of float64, int64 and bool with their operators, views, indices and axes, and some
functions. These behave as in numpy, down to views and the usual exceptions. Anything else raises an exception
that says so. The grader itself computes nothing with this module.

An array is a memory, which is a list of Python's numbers, and the place of each of its numbers there. A view has the
memory of another array.
"""

import builtins as _python
import itertools as _itertools
import math as _math
import operator as _operator

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None
_WIDTH = 75  # characters of a printed line


def _missing(what, kind=ImportError):
    return kind(f"this page has a small numpy without {what}; `grade` in a terminal has all of it")


def __getattr__(name):
    raise AttributeError(name) if name.startswith("__") else _missing(name)


class AxisError(ValueError, IndexError):
    """An axis is out of bounds."""


class UFuncTypeError(TypeError):
    """An array cannot take the type of a result."""


# -- types and scalars --------------------------------------------------------------------------------


class _Fixed:
    """An object that learner code can reach and cannot change."""

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' cannot be set")


class dtype(_Fixed):
    """The type of an array's numbers. `kind` is "b", "i" or "f", `plain` the type in Python, `type` that of scalars."""

    def __new__(cls, of=float):
        found = of if type(of) is cls else _dtypes.get(of if isinstance(of, (str, type)) else None)
        if found is None:
            raise _missing(f"the dtype {getattr(of, '__name__', of)}")
        return found

    def __eq__(self, other):
        return other is self or (isinstance(other, (str, type)) and _dtypes.get(other) is self)

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name


class generic:
    """A scalar. It cannot change. Otherwise it behaves like an array of shape ()."""

    shape, ndim, size = (), 0, 1
    dtype = property(lambda self: _dtypes[type(self)])
    T = property(lambda self: self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(asarray(self), name)

    def item(self):
        return self.dtype.plain(self)

    def copy(self):
        return self

    def astype(self, dtype):
        return asarray(self).astype(dtype)[()]

    def __getitem__(self, key):
        return asarray(self)[key]

    def __repr__(self):
        return f"np.{self.item()}_" if self.dtype is _BOOL else f"np.{self.dtype}({self.item()})"

    def __str__(self):
        return str(self.item())


class floating(generic):
    """The floats among the scalars."""


class float64(floating, float):
    __hash__ = float.__hash__


class int64(generic, int):
    __hash__ = int.__hash__


class bool_(generic, int):
    __hash__ = int.__hash__

    def __new__(cls, value=False):
        return int.__new__(cls, bool(value))


_dtypes = {}
for _rank, (_plain, _scalar) in enumerate([(bool, bool_), (int, int64), (float, float64)]):
    _dtype, _name = object.__new__(dtype), _scalar.__name__.rstrip("_")
    vars(_dtype).update(rank=_rank, kind="bif"[_rank], plain=_plain, type=_scalar, name=_name)
    _dtypes |= dict.fromkeys([_scalar, _plain, _name, _plain.__name__], _dtype)
_BOOL, _INT, _FLOAT = _dtypes[bool], _dtypes[int], _dtypes[float]


def _common(dtypes):
    """Return the type that has all numbers of these types."""
    return _python.max(dtypes, key=lambda one: one.rank, default=_FLOAT)


# -- arrays -------------------------------------------------------------------------------------------


class ndarray:
    """An array. `_places` has the place of each number in `_memory`, those along the last axis side by side."""

    __slots__ = ("_dtype", "_memory", "_places", "_shape", "_writeable")
    __hash__ = None
    shape, dtype = property(lambda self: self._shape), property(lambda self: self._dtype)
    ndim, size = property(lambda self: len(self._shape)), property(lambda self: len(self._places))
    T = property(lambda self: self.transpose())

    def __getattr__(self, name):
        raise AttributeError(name) if name.startswith("_") else _missing(f"ndarray.{name}", AttributeError)

    def _numbers(self):
        places, memory = self._places, self._memory
        return memory[places.start : places.stop] if type(places) is range else [memory[place] for place in places]

    def _in_memory(self):
        return id(self._memory), self._shape, tuple(self._places)

    def tolist(self):
        rows = self._numbers()
        for length, count in zip(self._shape[:0:-1], list(_itertools.accumulate(self._shape, _operator.mul))[-2::-1]):
            rows = [rows[at * length : (at + 1) * length] for at in range(count)]
        return rows if self._shape else rows[0]

    def item(self, *index):
        if index:
            return self[index].item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._numbers()[0]

    def _only(self):
        if self.ndim:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return self.item()

    def __float__(self):
        return float(self._only())

    def __int__(self):
        return int(self._only())

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self.item())

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self):
        return (self[at] for at in range(len(self)))

    def astype(self, dtype):
        return _array(self._numbers(), self._shape, dtype)

    def copy(self):
        return self.astype(self._dtype)

    # the same numbers in another shape

    def reshape(self, *shape, order="C"):
        shape = _unpacked(shape)
        if order not in ("C", "F"):
            raise _missing(f"the order {order!r} of reshape")
        known = _math.prod(length for length in shape if length != -1)
        filled = tuple(self.size // known if length == -1 and known else length for length in shape)
        if _math.prod(filled) != self.size or shape.count(-1) > 1:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {_spelled(shape)}")
        if order == "F":
            return self.T.reshape(filled[::-1]).T
        # a view, if the numbers lie side by side in memory, or if only axes of length 1 come or go
        same = [length for length in filled if length != 1] == [length for length in self._shape if length != 1]
        return _view(self if same or type(self._places) is range else self.copy(), None, filled)

    def ravel(self):
        return self.reshape(-1)

    def flatten(self):
        return self.copy().reshape(-1)

    def transpose(self, *axes):
        axes = _unpacked(axes) if axes and axes[0] is not None else tuple(range(self.ndim))[::-1]
        if len(axes) != self.ndim:
            raise ValueError("axes don't match array")
        lengths, strides = self._shape, _strides(self._shape)
        axes = _axes(axes, self.ndim)
        return self._at([(range(0, lengths[at] * strides[at], strides[at] or 1), (lengths[at],)) for at in axes])

    def swapaxes(self, one, other):
        axes = list(range(self.ndim))
        for at, axis in enumerate((one, other), 1):
            if not -self.ndim <= axis < self.ndim:
                raise AxisError(f"axis{at}: axis {axis} is out of bounds for array of dimension {self.ndim}")
        axes[one], axes[other] = axes[other], axes[one]
        return self.transpose(axes)

    def squeeze(self, axis=None):
        axes = [at for at, length in enumerate(self._shape) if length == 1] if axis is None else _axes(axis, self.ndim)
        if _python.any(self._shape[at] != 1 for at in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return self.reshape(tuple(length for at, length in enumerate(self._shape) if at not in axes))

    # indices

    def _at(self, groups):
        """Return a view of the places that the sums of one offset of each group give."""
        offsets, shape = [0], ()
        for more, lengths in groups:
            offsets, shape = [one + other for one in offsets for other in more], shape + lengths
        return _view(self, [self._places[offset] for offset in offsets], shape)

    def _chosen(self, key):
        """Return a view of what an index chooses, and whether numpy makes a view of it, too."""
        # an array of truth values stands for an array of places for each of its axes; `...` for all other axes
        keys = [one for part in (key if isinstance(key, tuple) else (key,)) for one in _places(part)]
        taken = len([one for one in keys if one is not None and one is not ...])
        if taken > self.ndim:
            text = f"array is {self.ndim}-dimensional, but {taken} were indexed"
            raise IndexError(f"too many indices for array: {text}")
        at = next((place for place, one in enumerate(keys) if one is ...), len(keys))
        keys[at : at + 1] = [slice(None)] * (self.ndim - taken)
        by_arrays = _python.any(isinstance(one, ndarray) for one in keys)
        groups, sums, places, axes = [], 0, [], iter(zip(range(self.ndim), self._shape, _strides(self._shape)))
        for one in keys:
            if one is None:
                groups.append(([0], (1,)))
                continue
            axis, length, stride = next(axes)
            if isinstance(one, slice):
                every = range(length)[one]
                groups.append(([place * stride for place in every], (len(every),)))
                continue
            index = asarray(one)
            for place in index._numbers():
                if not -length <= place < length:
                    raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
            offsets = _array([place % length * stride for place in index._numbers()], index._shape, int)
            if by_arrays:  # beside arrays, whole numbers are arrays, too
                sums, places = sums + offsets, [*places, len(groups)]
            else:
                groups.append((offsets._numbers(), ()))
        if by_arrays:
            # all arrays together are one group, which comes first if they are not side by side
            together = asarray(sums)
            groups.insert(places[0] if places[0] == places[-1] else 0, (together._numbers(), together._shape))
        return self._at(groups), not by_arrays

    def __getitem__(self, key):
        chosen, is_view = self._chosen(key)
        if not is_view:
            return chosen.copy()
        return chosen if chosen._shape or key is ... else _as_scalar(chosen)

    def __setitem__(self, key, value):
        if not self._writeable:
            raise ValueError("assignment destination is read-only")
        chosen, value = self._chosen(key)[0], asarray(value)
        more = _python.max(value.ndim - chosen.ndim, 0)
        try:
            value = broadcast_to(value.reshape(value._shape[more:]), chosen._shape)
        except ValueError:
            into = f"from shape {_spelled(value._shape)} into shape {_spelled(chosen._shape)}"
            raise ValueError(f"could not broadcast input array {into}") from None
        for place, one in zip(chosen._places, value._numbers()):
            self._memory[place] = self._dtype.plain(one)

    def __repr__(self):
        if self.size:
            return f"array({_printed(self, ', ', 'array(')})"
        return f"array([]{f', shape={self._shape}' if self.ndim > 1 else ''}, dtype={self._dtype})"

    def __str__(self):
        return _printed(self, " ", "") if self.ndim and self.size else str(self.tolist())


def _array(numbers, shape, of):
    """Return a new array of these numbers, which are converted."""
    made, of = object.__new__(ndarray), dtype(of)
    made._dtype, made._memory = of, list(map(of.plain, numbers))
    made._places = range(len(made._memory))
    made._shape, made._writeable = tuple(shape), True
    return made


def _view(array, places, shape):
    """Return an array with the memory of another one, at the same places or at others."""
    view = object.__new__(ndarray)
    view._dtype, view._memory, view._writeable, view._shape = array._dtype, array._memory, array._writeable, shape
    row = range(places[0], places[0] + len(places)) if places else []
    view._places = array._places if places is None else row if places == list(row) else places
    return view


def _as_scalar(array):
    return array if array._shape else array._dtype.type(array.item())


def _unpacked(arguments):
    """Return the lengths or axes of `reshape(2, 3)` or `reshape((2, 3))`."""
    first = arguments[0] if len(arguments) == 1 else arguments
    return tuple(map(int, first)) if hasattr(first, "__iter__") else (int(first),)


def _places(one):
    """Return the parts of an index that one part stands for."""
    if one is None or one is ... or isinstance(one, (int, slice)):
        return [one]
    if not isinstance(one, (list, tuple, ndarray)):
        valid = "integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays"
        raise IndexError(f"only {valid} are valid indices")
    one = asarray(one, None if len(one) else int) if not isinstance(one, ndarray) else one
    if one._dtype is _FLOAT:
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if one._dtype is _INT:
        return [one if one._shape else one.item()]
    true = [at for at, chosen in zip(_itertools.product(*map(range, one._shape)), one._numbers()) if chosen]
    return [_array([at[axis] for at in true], (len(true),), int) for axis in range(one.ndim)]


def _strides(shape):
    return [_math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _spelled(shape):
    return str(tuple(shape)).replace(" ", "").replace("-1", "newaxis")


def _axes(axis, ndim):
    """Return the numbers of axes, of which negative ones count from the end."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if not ndim and axis in (0, -1):
        return ()
    for one in axes:
        if not -ndim <= one < ndim:
            raise AxisError(f"axis {one} is out of bounds for array of dimension {ndim}")
    if len({one % ndim for one in axes}) < len(axes):
        raise ValueError("an axis is there twice")
    return tuple(one % ndim for one in axes)


# -- print --------------------------------------------------------------------------------------------


def _printed(array, between, before):
    numbers, of = array._numbers(), array._dtype
    texts = _floats(numbers) if of is _FLOAT else [str(one).rjust(5 * (of is _BOOL)) for one in numbers]
    width = _python.max(map(len, texts))
    return _rows(iter([text.rjust(width) for text in texts]), array._shape, between, " " * (len(before) + 1))


def _rows(texts, shape, between, indent):
    if not shape:
        return next(texts).strip()
    if len(shape) > 1:
        gap = between.rstrip() + "\n" * (len(shape) - 1) + indent
        return f"[{gap.join(_rows(texts, shape[1:], between, indent + ' ') for _ in range(shape[0]))}]"
    lines = [indent]
    for text in _itertools.islice(texts, shape[0]):
        if lines[-1] != indent and len(lines[-1] + text + between.rstrip()) >= _WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text + between
    return f"[{chr(10).join(lines).removesuffix(between)[len(indent) :]}]"


def _floats(numbers):
    """Return the texts of floats with as many digits as the one that needs most, and eight at most."""
    finite = [_python.abs(one) for one in numbers if _math.isfinite(one) and one] or [1.0]
    by_power = _python.max(finite) >= 1e8 or _python.min(finite) < 1e-4
    by_power = by_power or _python.max(finite) / _python.min(finite) > 1e3
    texts = [f"{one:.8e}" if by_power and _math.isfinite(one) else f"{one:.8f}" for one in numbers]
    parts = [text.partition("e") for text in texts]
    digits = [digits.rstrip("0") if "." in digits else digits for digits, _, _ in parts]
    longest = _python.max(len(one.partition(".")[2]) for one in digits)
    fill = "0" if by_power else " "
    padded = [one + fill * (longest - len(one.partition(".")[2])) if "." in one else one for one in digits]
    return [one + mark + power for one, (_, mark, power) in zip(padded, parts)]


# -- make arrays --------------------------------------------------------------------------------------


def array(data, dtype=None):
    numbers, shape, of = _read(data)
    return _array(numbers, shape, dtype or of)


def asarray(data, dtype=None):
    return data if isinstance(data, ndarray) and dtype in (None, data._dtype) else array(data, dtype)


def _read(data):
    """Return the numbers, the shape and the type of an array, a number, or nested sequences."""
    if isinstance(data, ndarray):
        return data._numbers(), data._shape, data._dtype
    if isinstance(data, (list, tuple, range)):
        rows = [_read(row) for row in data]
        if len({shape for _, shape, _ in rows}) > 1:
            text = "setting an array element with a sequence. The requested array has an inhomogeneous shape after"
            raise ValueError(f"{text} 1 dimensions. The detected shape was ({len(rows)},) + inhomogeneous part.")
        shape = (len(rows), *(rows[0][1] if rows else ()))
        return [one for numbers, _, _ in rows for one in numbers], shape, _common(of for _, _, of in rows)
    if type(data) not in _dtypes:
        raise _missing(f"arrays of {type(data).__name__}")
    return [data], (), _dtypes[type(data)]


def arange(*bounds):
    if not _python.all(isinstance(bound, int) for bound in bounds):
        raise _missing("arange of floats")
    return array(range(*bounds), int)


def eye(rows, columns=None):
    return array([[float(i == j) for j in range(rows if columns is None else columns)] for i in range(rows)])


def ndindex(*shape):
    return _itertools.product(*map(range, _unpacked(shape)))


def full(shape, value, dtype=None):
    return broadcast_to(asarray(value, dtype), shape).copy()


def zeros(shape, dtype=float):
    return full(shape, 0, dtype)


def ones(shape, dtype=float):
    return full(shape, 1, dtype)


def full_like(model, value, dtype=None):
    return full(asarray(model)._shape, value, dtype or asarray(model)._dtype)


def zeros_like(model, dtype=None):
    return full_like(model, 0, dtype)


def ones_like(model, dtype=None):
    return full_like(model, 1, dtype)


def copy(array):
    return asarray(array).copy()


def isscalar(value):
    return isinstance(value, (generic, int, float, str))


# -- functions of each number -------------------------------------------------------------------------


def _broadcast(*shapes):
    """Return the common shape. Raises `ValueError`."""
    columns = list(_itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1))[::-1]
    if _python.any(len({*lengths} - {1}) > 1 for lengths in columns):
        text = " ".join(map(_spelled, shapes))
        raise ValueError(f"operands could not be broadcast together with shapes {text} ")
    return tuple(next((length for length in lengths if length != 1), 1) for lengths in columns)


def broadcast_to(array, shape):
    array, shape = asarray(array), _unpacked((shape,))
    lengths = (1,) * (len(shape) - array.ndim) + array._shape
    if len(lengths) > len(shape):
        text = "input operand has more dimensions than allowed by the axis remapping"
        raise ValueError(text if shape else "cannot broadcast a non-scalar to a scalar array")
    if _python.any(have not in (1, wanted) for have, wanted in zip(lengths, shape)):
        text = f"[original->remapped]: {_spelled(array._shape)}  and requested shape {_spelled(shape)}"
        raise ValueError(f"operands could not be broadcast together with remapped shapes {text}")
    every = zip(shape, lengths, _strides(lengths))
    view = array._at([([at * stride * (have != 1) for at in range(n)], (n,)) for n, have, stride in every])
    view._writeable = False
    return view


def _spread(array, shape):
    """Return the numbers of an array that is broadcast to a shape."""
    return array._numbers() if array._shape == shape else broadcast_to(array, shape)._numbers()


class ufunc(_Fixed):
    """A function of each number. `result` is the type of the results; None for the common type of the operands."""

    def __init__(self, name, function, result=None):
        vars(self).update(__name__=name, _function=function, _result=result)

    def __call__(self, *operands, **others):
        for other in others:
            raise _missing(f"`{other}` of {self.__name__}")
        arrays = [asarray(one) for one in operands]
        of = _common(one._dtype for one in arrays)
        if of is _BOOL and self.__name__ in ("subtract", "negative"):
            raise TypeError(f"numpy boolean {self.__name__}, the `-` operator, is not supported, use `~` or `^`")
        shape = _broadcast(*(one._shape for one in arrays))
        numbers = map(self._function, *(_spread(one, shape) for one in arrays))
        return _as_scalar(_array(list(numbers), shape, self._result or of))

    def into(self, array, other):
        """Compute in place, as in `array += other`."""
        if not array._writeable:
            raise ValueError("output array is read-only")
        of = self._result or _common([array._dtype, asarray(other)._dtype])
        if of.rank > array._dtype.rank:
            text = f"from {of!r} to {array._dtype!r} with casting rule 'same_kind'"
            raise UFuncTypeError(f"Cannot cast ufunc '{self.__name__}' output {text}")
        result = asarray(self(array, other))
        if result._shape != array._shape:
            text = f"{_spelled(array._shape)} doesn't match the broadcast shape {_spelled(result._shape)}"
            raise ValueError(f"non-broadcastable output operand with shape {text}")
        array[...] = result
        return array

    def at(self, array, key, other):
        """Compute in place for each index, also for those that are there several times."""
        chosen, memory = array._chosen(key)[0], array._memory
        for place, one in zip(chosen._places, broadcast_to(other, chosen._shape)._numbers()):
            memory[place] = array._dtype.plain(self._function(memory[place], one))


def _divided(a, b):
    if b:
        return a / b
    return nan if a == 0 or a != a else _math.copysign(inf, a) * _math.copysign(1, b)


def _power(a, b):
    if type(a) is type(b) is int and b < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    try:
        result = a**b
    except (ZeroDivisionError, OverflowError):
        return inf
    return nan if isinstance(result, complex) else result


def _guarded(function):
    """Return a function of Python's with numpy's values where Python raises an exception."""

    def guarded(number):
        try:
            return function(number)
        except OverflowError:
            return inf
        except ValueError:
            return -inf if number == 0 else nan

    return guarded


_ARITHMETIC = {"add": _operator.add, "subtract": _operator.sub, "multiply": _operator.mul, "power": _power}
_ARITHMETIC |= {"negative": _operator.neg, "absolute": _python.abs, "square": lambda a: a * a}
_ARITHMETIC |= {
    "maximum": lambda a, b: a if a != a or a >= b else b,
    "minimum": lambda a, b: a if a != a or a <= b else b,
}
_ARITHMETIC["sign"] = lambda a: (a > 0) - (a < 0) if a == a else a
_COMPARED = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
_LOGICAL = {"logical_and": lambda a, b: a and b, "logical_or": lambda a, b: a or b, "logical_not": _operator.not_}
_REAL = {name: _guarded(getattr(_math, name)) for name in ("exp", "log", "sqrt", "tanh")} | {"divide": _divided}
_ufuncs = {name: ufunc(name, function) for name, function in _ARITHMETIC.items()}
_ufuncs |= {name: ufunc(name, getattr(_operator, method), _BOOL) for name, method in _COMPARED.items()}
_ufuncs |= {name: ufunc(name, function, _BOOL) for name, function in _LOGICAL.items()}
_ufuncs |= {name: ufunc(name, function, _FLOAT) for name, function in _REAL.items()}
globals().update(_ufuncs, abs=_ufuncs["absolute"])


def where(condition, one, other):
    arrays = [asarray(condition), asarray(one), asarray(other)]
    shape = _broadcast(*(each._shape for each in arrays))
    rows = zip(*(_spread(each, shape) for each in arrays))
    return _array([b if a else c for a, b, c in rows], shape, _common([arrays[1]._dtype, arrays[2]._dtype]))


# -- along axes, and products -------------------------------------------------------------------------


def _along(function, of=lambda dtype: dtype):
    """Return a function of the numbers along axes. `of` gives the type of its results from that of the numbers."""

    def along(array, axis=None, *, keepdims=False):
        array = asarray(array)
        axes = range(array.ndim) if axis is None else _axes(axis, array.ndim)
        kept = [at for at in range(array.ndim) if at not in axes]
        count = _math.prod(array._shape[at] for at in axes)
        rows = array.transpose([*kept, *axes])._numbers()
        values = [
            function(rows[at * count : (at + 1) * count]) for at in range(_math.prod(array._shape[k] for k in kept))
        ]
        shape = [1 if at in axes else length for at, length in enumerate(array._shape) if keepdims or at in kept]
        return _as_scalar(_array(values, shape, of(array._dtype)))

    return along


def _extreme(choose, name):
    def extreme(row):
        if not row:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        return next((one for one in row if one != one), choose(row))

    return _along(extreme)


sum = _along(_python.sum, lambda dtype: _INT if dtype is _BOOL else dtype)
mean = _along(lambda row: _divided(_python.sum(row), len(row)), lambda dtype: _FLOAT)
max, min = _extreme(_python.max, "maximum"), _extreme(_python.min, "minimum")
any, all = _along(_python.any, lambda dtype: _BOOL), _along(_python.all, lambda dtype: _BOOL)


def expand_dims(array, axis):
    array, axes = asarray(array), axis if isinstance(axis, (tuple, list)) else (axis,)
    axes, lengths = _axes(axes, array.ndim + len(axes)), iter(array._shape)
    return array.reshape([1 if at in axes else next(lengths) for at in range(array.ndim + len(axes))])


def moveaxis(array, source, destination):
    array = asarray(array)
    one, other = (_axes(tuple(axis) if isinstance(axis, range) else axis, array.ndim) for axis in (source, destination))
    axes = [at for at in range(array.ndim) if at not in one]
    for place, axis in sorted(zip(other, one)):
        axes.insert(place, axis)
    return array.transpose(axes)


def concatenate(arrays, axis=0):
    arrays = [asarray(one) for one in arrays]
    rows = [moveaxis(one, axis, 0) for one in arrays]
    if len({one._shape[1:] for one in rows}) > 1:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    numbers = [number for one in rows for number in one._numbers()]
    made = _array(numbers, (_python.sum(map(len, rows)), *rows[0]._shape[1:]), _common(one._dtype for one in rows))
    return moveaxis(made, 0, axis).copy()


def stack(arrays, axis=0):
    arrays = [asarray(one) for one in arrays]
    if len({one._shape for one in arrays}) > 1:
        raise ValueError("all input arrays must have the same shape")
    return concatenate([expand_dims(one, axis) for one in arrays], axis)


def repeat(array, repeats, axis=None):
    array = asarray(array)
    if not isinstance(repeats, int) or repeats < 1:
        raise _missing("repeat with other than one positive int")
    rows = array.reshape(-1) if axis is None else moveaxis(array, axis, 0)
    places = [at for at in range(len(rows)) for _ in range(repeats)]
    return moveaxis(rows[places], 0, axis or 0).copy()


def tile(array, reps):
    array, counts = asarray(array), reps if isinstance(reps, (tuple, list)) else (reps,)
    if not _python.all(isinstance(count, int) and count > 0 for count in counts):
        raise _missing("tile with other than positive ints")
    array = array.reshape((1,) * (len(counts) - array.ndim) + array._shape)
    for axis, count in enumerate(counts, array.ndim - len(counts)):
        array = concatenate([array] * count, axis)
    return array.copy()


def split(array, places, axis=0):
    if isinstance(places, int):
        raise _missing("split into equal parts")
    rows, ends = moveaxis(array, axis, 0), [0, *(int(place) for place in places), None]
    return [moveaxis(rows[begin:end], 0, axis) for begin, end in _itertools.pairwise(ends)]


def argsort(array):
    numbers, shape, _ = _read(array)
    if len(shape) != 1:
        raise _missing("argsort of an array with other than one axis")
    return _array(sorted(range(len(numbers)), key=numbers.__getitem__), shape, int)


def cumsum(array):
    numbers, _, of = _read(array)
    return _array(_itertools.accumulate(numbers), (len(numbers),), _INT if of is _BOOL else of)


def matmul(one, other):
    one, other = asarray(one), asarray(other)
    signature = "signature (n?,k),(k,m?)->(n?,m?)"
    for at, each in enumerate((one, other)):
        if not each.ndim:
            text = f"{at} does not have enough dimensions (has 0, gufunc core with {signature} requires 1)"
            raise ValueError(f"matmul: Input operand {text}")
    left = one if one.ndim > 1 else one.reshape(1, -1)
    right = (other if other.ndim > 1 else other.reshape(-1, 1)).swapaxes(-1, -2)
    (n, k), (m, same) = left._shape[-2:], right._shape[-2:]
    if k != same:
        text = f"1 has a mismatch in its core dimension 0, with gufunc {signature} (size {same} is different from {k})"
        raise ValueError(f"matmul: Input operand {text}")
    many = _broadcast(left._shape[:-2], right._shape[:-2])
    pairs = [_spread(each, (*many, length, k)) for each, length in ((left, n), (right, m))]
    rows, columns = ([numbers[at * k : (at + 1) * k] for at in range(len(numbers) // (k or 1))] for numbers in pairs)
    cells = [
        (rows[at * n + i], columns[at * m + j]) for at in range(_math.prod(many)) for i in range(n) for j in range(m)
    ]
    numbers = [_python.sum(map(_operator.mul, row, column)) for row, column in cells]
    return _as_scalar(
        _array(numbers, many + (n,) * (one.ndim > 1) + (m,) * (other.ndim > 1), _common([one._dtype, other._dtype]))
    )


def dot(one, other):
    one, other = asarray(one), asarray(other)
    if one.ndim > 2 or other.ndim > 2:
        raise _missing("dot of arrays with three axes")
    return matmul(one, other) if one.ndim and other.ndim else one * other


# -- methods and operators ----------------------------------------------------------------------------


def _is_known(value):
    return isinstance(value, (ndarray, generic, int, float, list, tuple))


def _operators(name, of):
    """Define the operators of arrays and scalars that compute what a function computes."""

    def forward(self, other):
        if _is_known(other):
            return of(self, other)
        # no number is equal to what is none
        return full(self.shape, name == "ne")[()] if name in ("eq", "ne") else NotImplemented

    def reflected(self, other):
        return of(other, self) if _is_known(other) else NotImplemented

    def in_place(self, other):
        return of.into(self, other) if _is_known(other) else NotImplemented

    for kind in (ndarray, generic):
        setattr(kind, f"__{name}__", forward)
        setattr(kind, f"__r{name}__", reflected)
    if name not in _COMPARED.values() and of is not matmul:
        setattr(ndarray, f"__i{name}__", in_place)


def _method(name):
    return lambda array, *arguments, **others: getattr(asarray(array), name)(*arguments, **others)


for _of, _name in {
    **_COMPARED,
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "power": "pow",
}.items():
    _operators(_name, _ufuncs[_of])
for _of, _name in {"logical_and": "and", "logical_or": "or"}.items():
    _operators(_name, _ufuncs[_of])
_operators("matmul", matmul)
for _of, _name in {"negative": "neg", "absolute": "abs", "logical_not": "invert"}.items():
    for _kind in (ndarray, generic):
        setattr(_kind, f"__{_name}__", lambda self, of=_ufuncs[_of]: of(self))
for _name in ("sum", "mean", "max", "min", "any", "all", "dot"):
    setattr(ndarray, _name, globals()[_name])
globals().update({name: _method(name) for name in ("reshape", "ravel", "transpose", "swapaxes", "squeeze")})
