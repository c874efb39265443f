"""forge: ends in a syntax error made of commands for CI logs."""

"@commands@"
