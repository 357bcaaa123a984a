"""The HTML page of alignments: markup (page.py), style (page.css), script (page.js)."""
