"""The presets of the papers: sums of objectives, each with its own ``--criterion``."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Preset:
    """A sum of objectives, and the options whose defaults differ from the objectives' defaults."""

    objectives: tuple[str, ...]
    defaults: dict[str, object] = field(default_factory=dict)


PRESETS = {
    "xlm_align": Preset(("mlm", "tlm", "dwa")),
    "explicit_alignments": Preset(("word_contrastive", "reg_param"), {"loss_normalization": "per-objective"}),
    "ppa": Preset(("moco", "tlm"), {"loss_normalization": "per-objective"}),
    "weam": Preset(("tlm", "word_exchange")),
    "align_mlm": Preset(
        ("mlm", "lexicon_align"), {"loss_normalization": "per-objective", "lexicon_align_weight": 10.0}
    ),
    "xlm": Preset(("mlm", "tlm"), {"tlm_reset_positions": True}),
}
