"""From hidden states to transport plan, links and words: one implementation for trainer and aligner."""
