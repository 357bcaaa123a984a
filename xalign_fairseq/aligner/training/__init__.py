"""Fine-tune an aligner from raw bitext and a model: prepare, train with fairseq-train, choose by development AER."""
