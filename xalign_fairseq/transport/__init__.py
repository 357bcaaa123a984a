"""Hidden states to transport plan to links to words: one implementation for trainer and aligner."""
