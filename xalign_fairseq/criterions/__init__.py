"""fairseq criterions: the weighted sum of objectives, and a preset per paper."""

from xalign_fairseq.criterions import presets, transfer  # noqa: F401  (importing registers)
from xalign_fairseq.objectives import papers

presets.listen()
presets.add("weighted", ())
for name, preset in papers.PRESETS.items():
    presets.add(name, preset.objectives, **preset.defaults)
