"""One measurement a module: each takes a `BenchmarkRun` and gives rows of the table."""
