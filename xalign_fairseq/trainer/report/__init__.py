"""A training run as one HTML page, from the files in its folder."""
