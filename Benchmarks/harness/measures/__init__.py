"""One measurement a module: each takes a `Bench` and gives rows of the table."""
