"""Labelled text as data: readers of the benchmarks' own file formats, plain or compressed, and what they give."""
