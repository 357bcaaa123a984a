"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import transfer, weighted  # noqa: F401  (importing registers)
from xalign_fairseq.objectives import description

weighted.listen()
weighted.add("weighted", ())
for name, preset in description.PRESETS.items():
    weighted.add(name, preset.objectives, **preset.defaults)
