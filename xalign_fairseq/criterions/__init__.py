"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import presets

presets.listen()
presets.add("weighted", ())
presets.add("xlm_align", ("mlm", "tlm", "dwa"))
