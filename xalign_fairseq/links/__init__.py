"""Word links as data, without torch: files, symmetrisation, phrases, alignment error rate."""
