"""Word links as data, without torch: files, symmetrisation, phrases, the alignment error rate."""
