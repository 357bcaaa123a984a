"""The version of the package; pyproject.toml and all records read it here."""

__version__ = "0.1.0"
BIBTEX = rf"""@software{{xalign_fairseq,
  title = {{xalign\_fairseq: a word aligner, and cross-lingual alignment objectives for fairseq}},
  author = {{{{The xalign\_fairseq authors}}}},
  version = {{{__version__}}},
  year = {{2026}}
}}"""
