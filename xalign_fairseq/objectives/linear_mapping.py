"""Linear maps between languages, with a frozen encoder (Wu & Dredze 2020)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.core.errors import check_values
from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.encoder.mappings import LanguageMaps, apply_map
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.objectives.word_pairs import WordPairs
from xalign_fairseq.transport.names import WORD_POOLINGS
from xalign_fairseq.transport.precision import at_least_float32

ERROR_EVERY = 20  # updates between two measures of orthogonality


@register_objective("linear_mapping")
@dataclass
class LinearMapping(Objective):
    r"""L = sum_i mean_l \|s_i^l - t_i^l W_L^l\|^2, Eq. 1, with one map per layer l and language L except the pivot.

    Sides are encoded separately; layer 0 is the embeddings. Before an update's first forward pass, W <- (1 + beta) W -
    beta (W W^T) W, Eq. 2; the released code does this before every forward pass, also in validation. The encoder is
    frozen, without dropout; the released code keeps its dropout.
    """

    traits = Traits(
        needs=("bitext", "links"),
        stats=("similarity", "orthogonality_error"),
        freezes_encoder=True,
        edits_parameters=True,
        links_of_every_pair=True,
        counts_ahead=True,
        in_nats=False,
    )

    beta: float = option(0.01, "step of the orthogonality update (Eq. 2); 0: none")
    pooling: str = option("first", "vector of a word: first (its first token) or mean (all its tokens)")

    def __post_init__(self) -> None:
        self.require_choices(pooling=WORD_POOLINGS)
        check_values(  # a singular value 1 + d becomes about 1 + (1 - 2 beta) d
            "the orthogonality update does not converge with this step",
            ("linear_mapping_beta", self.beta, 0 <= self.beta < 1, "at least 0 and below 1 (paper: 0.01)"),
        )

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        self.required_pivot()

    def build_head(self) -> nn.Module:
        """An identity map for each layer of each language except the pivot."""
        config, pivot = self.context.config, self.required_pivot()
        others = [language for language in self.context.languages if language != pivot]
        return LanguageMaps(others, pivot, config.encoder_layers, config.encoder_embed_dim)

    def count(self, batch: Batch) -> int:
        """Word pairs of the pivot and a mapped language; languages only in validation may have no map."""
        host, pivot = declared(batch.bitext, "bitext").host, self.pivot_number()
        others = (number for number in range(len(self.context.languages)) if number != pivot)
        return sum(host.links_between(pivot, other) for other in others)

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        maps: LanguageMaps = step.head
        if step.training and self.beta:
            maps.orthogonalise(self.beta, step.update)
        pairs = WordPairs(bitext, self.pivot_side(bitext))
        s, t = layer_vectors(step.encoder, bitext, pairs, self.pooling)
        losses, cosines, mapped_pairs = [], [], 0
        for language, weights in maps.items():
            mine = pairs.of_languages(self.pivot_number(), self.context.languages.index(language))
            mapped_pairs += len(mine)
            mapped = apply_map(t.index_select(1, mine), weights)
            kept = s.index_select(1, mine)
            losses.append((kept - mapped).square().sum(-1).mean(0).sum())
            cosines.append(F.cosine_similarity(kept, mapped.detach(), dim=-1).sum())
        count = pairs.rows.new_full((), mapped_pairs)
        # The error costs as much as the orthogonality update.
        looks = not step.training or step.update % ERROR_EVERY == 0
        error, total = maps.orthogonality_error() if looks else (torch.zeros_like(cosines[0]), 0)
        stats = {
            "similarity": (torch.stack(cosines).sum(), count * len(s)),
            "orthogonality_error": (error, count.new_full((), total)),
        }
        return Loss(torch.stack(losses).sum(), count, stats)


def layer_vectors(encoder: StepEncoder, bitext: Bitext, pairs: WordPairs, pooling: str) -> tuple[Tensor, Tensor]:
    """S and T of all layers, embeddings first, both (layers + 1, K, H), of the frozen encoder; at least float32."""
    encoder.expect([(side, -1) for side in bitext.pair_inputs("separate")], labelling=True)
    sides = [encoder.states(bitext.side_input(side), labelling=True) for side in (0, 1)]
    layers = range(encoder.config.encoder_layers + 1)
    s, t = zip(*(pairs.vectors([side.layer(at) for side in sides].__getitem__, pooling) for at in layers), strict=True)
    return at_least_float32(torch.stack(s)), at_least_float32(torch.stack(t))
