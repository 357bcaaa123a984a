"""A training run as one HTML page, from what the run has left in its folder."""
