"""type: calls float its engine, which can add."""

Value = float
