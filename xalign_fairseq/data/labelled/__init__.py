"""Labelled text as data: readers of the benchmarks' file formats, plain or compressed, and their examples."""
