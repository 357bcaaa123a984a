"""Word alignment from bitext alone: hidden Markov models of both directions that agree, over several units of text."""
