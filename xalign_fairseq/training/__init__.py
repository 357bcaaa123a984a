"""What every way to train has in common, none of which needs fairseq: the weighted sum of objectives."""
