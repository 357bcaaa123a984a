"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import presets, transfer  # noqa: F401  (importing registers)

presets.listen()
presets.add("weighted", ())
presets.add("xlm_align", ("mlm", "tlm", "dwa"))
