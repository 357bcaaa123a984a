"""Word alignment from bitext alone: hidden Markov models of both directions, trained to agree, over several units."""
