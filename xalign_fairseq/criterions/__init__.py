"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import transfer, weighted  # noqa: F401  (importing registers)
from xalign_fairseq.objectives.presets import PRESETS, Preset

weighted.listen()
for name, preset in {"weighted": Preset(()), **PRESETS}.items():
    weighted.add(name, preset)
