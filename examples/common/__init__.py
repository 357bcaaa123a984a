"""Code shared by the recipes' scripts, which put the parent of this folder on their path."""
