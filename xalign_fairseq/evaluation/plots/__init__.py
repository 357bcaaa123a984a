"""Pictures: link matrices, AER per layer."""
