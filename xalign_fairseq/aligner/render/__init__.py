"""The page that shows alignments in a browser: markup (page.py), style (page.css), behaviour (page.js)."""
