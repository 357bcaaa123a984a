"""Pictures: link matrices, AER per layer."""

PROJECTIONS = ("PCA", "t-SNE")  # of embeddings to the plane
