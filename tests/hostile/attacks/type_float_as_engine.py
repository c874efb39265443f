"""type: uses float as its engine, which can add."""

Value = float
