"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import presets, transfer  # noqa: F401  (importing registers)

presets.listen()
presets.add("weighted", ())
presets.add("xlm_align", ("mlm", "tlm", "dwa"))
presets.add("explicit_alignments", ("word_contrastive", "reg_param"), loss_normalization="per-objective")
presets.add("ppa", ("moco", "tlm"), loss_normalization="per-objective")
presets.add("weam", ("tlm", "word_exchange"))
presets.add("align_mlm", ("mlm", "lexicon_align"), loss_normalization="per-objective", lexicon_align_weight=10.0)
presets.add("xlm", ("mlm", "tlm"), tlm_reset_positions=True)
