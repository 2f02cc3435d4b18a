"""The parts of `Benchmarks/bounds`."""
