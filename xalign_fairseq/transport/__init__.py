"""Hidden states to a transport plan, to links, to words: one implementation for the trainer and for the aligner."""
