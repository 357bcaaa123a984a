"""Alignment error rate during validation, from links of the model's hidden states against prepared gold links."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from fairseq import metrics

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.errors import XalignError
from xalign_fairseq.links.aer import AlignmentCounts, count
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.objectives.registry import choice
from xalign_fairseq.transport.extraction import FILTERS
from xalign_fairseq.transport.labels import Measure, pair_links
from xalign_fairseq.transport.options import LabelOptions
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.words import to_word_links

PARTS = ("hits_sure", "hits_possible", "links", "sure")


class AerCounter:
    """Counts for AER, per language pair, of the validation pairs that have prepared links."""

    def __init__(self, layer: int | None, filter: str, similarity: str):
        self.layer = layer
        self.by_pointer = choice(similarity, ("hidden", "pointer"), "--aer-similarity") == "pointer"
        choice(filter, FILTERS, "--aer-filter")
        self.options = LabelOptions(filter=filter)

    def prepare(self, config: EncoderConfig, criterion: Any, objectives: Sequence[str]) -> None:
        """Resolve the layer: the option, else the layer of DWA's pointer or of its labels, else the default one."""
        if self.by_pointer and "dwa" not in objectives:
            raise XalignError(
                "there is no pointer to score links with",
                where="--aer-similarity pointer",
                found=f"objectives {', '.join(objectives)}",
                expected="dwa among them",
            )
        dwa = criterion.dwa_layer if self.by_pointer else criterion.dwa_label_layer
        for layer in (self.layer, dwa, config.default_labelling_layer()):
            if layer is not None:
                self.layer = config.resolve_layer(layer, "--aer-layer")
                return

    def counts(self, encoder: StepEncoder, batch: Batch, task: Any) -> dict[str, float]:
        """The additive parts of AER of a validation batch, for every pair of the data; nothing in training."""
        if encoder.training:
            return {}
        names = task.pair_names
        found = {name: AlignmentCounts() for name in names}
        bitext = batch.bitext
        rows = [row for row, gold in enumerate(bitext.gold) if gold is not None] if bitext is not None else []
        if rows:
            assert bitext is not None and self.layer is not None  # prepare() has resolved it
            hidden = encoder.states(bitext.input(), labelling=True).layer(self.layer)
            measure = self._measure(encoder)
            links = pair_links(hidden, bitext.spans, self.options, measure=measure)[0].cpu().numpy()
            for row in rows:
                gold = bitext.gold[row]
                assert gold is not None
                hypothesis = to_word_links(np.argwhere(links[row]).tolist(), gold.src_words, gold.tgt_words)
                sure = frozenset((int(i), int(j)) for i, j, mark in gold.links if mark)
                possible = frozenset((int(i), int(j)) for i, j, _ in gold.links)
                found[names[int(bitext.corpus[row])]] += count(hypothesis, Gold(sure, possible))
        return {f"aer/{name}/{part}": float(getattr(found[name], part)) for name in names for part in PARTS}

    def _measure(self, encoder: StepEncoder) -> Measure:
        head: Any = encoder.heads["dwa"] if self.by_pointer else None
        return head.pointer.similarity if head is not None else pair_similarity

    @staticmethod
    def log(sums: Mapping[str, float]) -> None:
        """Log ``aer_SRC-TGT`` for each pair and their mean as ``aer``, as fractions.

        fairseq calls this for every batch and averages what it logs. So the counts are logged, and AER is derived from
        their sums over all batches.
        """
        names = sorted({key.split("/")[1] for key in sums if key.startswith("aer/")})
        for name in names:
            for part in PARTS:
                metrics.log_scalar(f"_aer_{name}_{part}", sums[f"aer/{name}/{part}"])
            if sums[f"aer/{name}/sure"] or sums[f"aer/{name}/links"]:
                metrics.log_derived(f"aer_{name}", partial(_rate, name))
        if any(sums[f"aer/{name}/sure"] or sums[f"aer/{name}/links"] for name in names):
            metrics.log_derived("aer", partial(_mean_rate, names))


def _counts(name: str, meters: Mapping[str, Any]) -> AlignmentCounts:
    return AlignmentCounts(**{part: round(float(meters[f"_aer_{name}_{part}"].sum)) for part in PARTS})


def _rate(name: str, meters: Mapping[str, Any]) -> float:
    return round(_counts(name, meters).aer, 4)


def _mean_rate(names: Sequence[str], meters: Mapping[str, Any]) -> float:
    counts = [_counts(name, meters) for name in names]
    rates = [each.aer for each in counts if each.sure or each.links]
    return round(sum(rates) / len(rates), 4)
