"""Labels of words and spans: CoNLL, CoNLL-U and JSON lines."""
