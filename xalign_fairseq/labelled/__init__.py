"""Readers of the benchmarks' own file formats, plain or gzipped."""
