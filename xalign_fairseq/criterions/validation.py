"""Alignment error rate in validation: links from the model's hidden states against prepared gold links."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from fairseq import metrics
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import HEAD
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.links.aer import AlignmentCounts, count
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.objectives.registry import Objective, choice
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.names import FILTERS, SIMILARITIES
from xalign_fairseq.transport.plan_links import Transport
from xalign_fairseq.transport.token_links import NO_WORD

PARTS = AlignmentCounts._fields


class AerCounter:
    """Counts for AER, per language pair, of the validation pairs that have prepared links.

    Links are made with the model's labelling method, otherwise by ``transport`` at its default layer. With
    ``linear_mapping``, sides are encoded separately and mapped, as in the aligner. The given layer, filter and
    similarity replace those of the labelling; if several objectives label, the first with this similarity decides.
    """

    def __init__(self, layer: int | None, filter: str | None, similarity: str | None):
        if similarity is not None:
            choice(similarity, SIMILARITIES, "aer_similarity")
        if filter is not None:
            choice(filter, FILTERS, "aer_filter")
        self.layer, self.filter, self.similarity = layer, filter, similarity
        self.labeller: str | None = None

    def prepare(self, config: EncoderConfig, objectives: Sequence[Objective]) -> None:
        """Resolve how links are made, after binding the objectives."""
        labelling = ((each.name, each.labelling) for each in objectives)
        fitting = ((name, how) for name, how in labelling if how and self.similarity in (None, *how.own_layers))
        usual = Linking.of(Transport(), {"hidden": config.default_labelling_layer()})
        self.labeller, own = next(fitting, (None, usual))
        similarity = self.similarity or own.similarity
        if similarity not in own.own_layers:
            where = (Parameter("aer_similarity", "pointer"),)
            raise XalignError("there is no pointer to score links with", where=where, expected="the objective dwa")
        own = own.of_similarity(similarity)
        layer = own.layer if self.layer is None else config.resolve_layer(self.layer, "aer_layer")
        self.mapping = next((objective for objective in objectives if objective.name == HEAD), None)
        encoding = own.encoding if self.mapping is None else "separate"
        self.linking = replace(own.with_options(filter=self.filter), layers=(layer,), encoding=encoding)

    def counts(self, encoder: StepEncoder, batch: Batch, task: Any) -> dict[str, float]:
        """The additive parts of AER for a validation batch, for every language pair; nothing in training."""
        if encoder.training:
            return {}
        names = task.source.pair_names
        found = {name: AlignmentCounts() for name in names}
        bitext = batch.bitext
        if bitext is not None and any(gold is not None for gold in bitext.gold):
            how: dict[str, Any] = {"labelling": True}
            if self.mapping is not None:
                how |= {"maps": encoder.heads[HEAD], "languages": self.mapping.context.languages}
            hidden, spans = encoder.pair_states(bitext, self.linking.layer, self.linking.pair_encoding, **how)
            points = self.linking.similarity == "pointer" and self.labeller
            head: Any = encoder.heads[points] if points else None
            method = self.linking.finder.with_heads(head.pointer if head is not None else None)
            links, _ = method.links(hidden, spans, *_owners(bitext, hidden.device))
            for hypothesis, gold, number in zip(links, bitext.gold, bitext.corpus.tolist(), strict=True):
                if gold is not None:
                    sure = frozenset((int(i), int(j)) for i, j, mark in gold.links if mark)
                    possible = frozenset((int(i), int(j)) for i, j, _ in gold.links)
                    found[names[number]] += count(hypothesis, Gold(sure, possible))
        return {f"aer/{name}/{part}": float(n) for name in names for part, n in found[name]._asdict().items()}

    @staticmethod
    def log(sums: Mapping[str, float]) -> None:
        """Log ``aer_SRC-TGT`` for each pair and their mean as ``aer``, as fractions.

        fairseq calls this for every batch and averages the logs. Therefore counts are logged, and AER is computed from
        their sums over all batches.
        """
        names = sorted({key.split("/")[1] for key in sums if key.startswith("aer/")})
        for name in names:
            for part in PARTS:
                metrics.log_scalar(f"_aer_{name}_{part}", sums[f"aer/{name}/{part}"])
            if sums[f"aer/{name}/sure"] or sums[f"aer/{name}/links"]:
                metrics.log_derived(f"aer_{name}", partial(_mean_rate, [name]))
        if any(sums[f"aer/{name}/sure"] or sums[f"aer/{name}/links"] for name in names):
            metrics.log_derived("aer", partial(_mean_rate, names))


def _owners(bitext: Bitext, device: torch.device) -> list[Tensor]:
    """The word of each token of either side, (B, n) and (B, m) int64; -1 without a word or without gold."""
    sides = []
    for side, longest in zip(("src_words", "tgt_words"), bitext.longest, strict=True):
        words = torch.full((len(bitext.gold), longest), NO_WORD)
        for row, gold in zip(words, bitext.gold, strict=True):
            if gold is not None:
                own = torch.as_tensor(getattr(gold, side), dtype=torch.int64)
                row[: len(own)] = own
        sides.append(words.to(device))
    return sides


def _mean_rate(names: Sequence[str], meters: Mapping[str, Any]) -> float:
    counts = [AlignmentCounts(*(round(float(meters[f"_aer_{name}_{part}"].sum)) for part in PARTS)) for name in names]
    rates = [each.aer for each in counts if each.sure or each.links]
    return round(sum(rates) / len(rates), 4)
