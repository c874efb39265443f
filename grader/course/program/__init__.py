"""Programs: expressions as data, parsed from text or drawn at random."""

from . import arrays
from .arrange import Arrangement, arrange
from .draw import argument_text, draw, parts
from .draw_arrays import DRAWN, draw_arrays, parts_of_arrays
from .graph import (
    NOTHING,
    Descent,
    Leaf,
    Number,
    Op,
    Program,
    ProgramError,
    Question,
    braids,
    chain,
    diamonds,
    leaf,
    nested_text,
    number_text,
    program,
    tree,
)
from .operations import (
    BINARY,
    ELEMENTWISE,
    FORMS,
    FUNCTIONS,
    METHODS,
    OPERATIONS,
    REFLECTED,
    Form,
    Operation,
    functions_called,
)
