"""Benchmarks: one module per area, each measured against other programs in one run."""
