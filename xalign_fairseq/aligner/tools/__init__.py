"""From bitext to a side file of word links: aligners (:mod:`.engines`), filters, and the files that are written."""
