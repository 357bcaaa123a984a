"""Labelled text as data: readers of the benchmarks' own file formats, plain or gzipped, and what they give."""
