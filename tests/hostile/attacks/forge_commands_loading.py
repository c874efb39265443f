"""forge: cannot be loaded, and its error message has commands for terminals and for CI logs."""

raise RuntimeError("\x1b[31m\n::error::pwned\n##[error]pwned\u202e\u2066" + "word " * 14 + "::error::pwned")
