"""forge: breaks off with a syntax error made of commands for CI logs."""

"@commands@"
