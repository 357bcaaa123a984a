"""Alignments as HTML: a page (page.py, page.css, page.js) and tables for notebooks (matrix.py)."""
