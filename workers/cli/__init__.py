"""The command line: one module per command, found by its name (see `main`)."""
