"""The page that shows alignments in a browser: markup (page.py), looks (page.css), what words do when pointed at."""
