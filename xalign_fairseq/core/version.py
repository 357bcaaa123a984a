"""The version of the package; pyproject.toml and all that is stamped with it read it here."""

__version__ = "0.1.0"
