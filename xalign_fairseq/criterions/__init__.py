"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import presets, transfer  # noqa: F401  (importing registers)

presets.listen()
presets.add("weighted", ())
presets.add("xlm_align", ("mlm", "tlm", "dwa"))
presets.add("explicit_alignments", ("word_contrastive", "reg_param"), "per-objective")
presets.add("ppa", ("moco", "tlm"), "per-objective")
presets.add("weam", ("tlm", "word_exchange"))
