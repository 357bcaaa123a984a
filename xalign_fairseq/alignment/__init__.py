"""From hidden states to scored links: similarity, transport plan, links, words, AER. Pure torch, no fairseq.

The trainer's self-labelling (:mod:`.labels`) and the aligner call the same functions.
"""
