"""Word links by a network trained on gold links of other languages."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.links.growing import links_above
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.method import WordMethod
from xalign_fairseq.transport.pair_features import word_states
from xalign_fairseq.transport.pointer import Pointer

PACKAGED = Path(__file__).with_name("e5_small_scorer.npz")
RECORD = "record"  # the key of the record, in JSON


def save_scorer(scorer: LinkScorer, path: StrPath, record: Mapping[str, Any]) -> None:
    """Write a scorer with its record; parameters in sums stay in float32."""
    state = {name: value.detach().cpu().numpy() for name, value in scorer.state_dict().items()}
    small = {
        name: value.astype(np.float16) if name.startswith(("similarity.added", "rounds.")) else value
        for name, value in state.items()
    }
    write_arrays(path, {**small, RECORD: np.array(json.dumps(dict(record)))})


def load_scorer(path: StrPath) -> tuple[LinkScorer, dict[str, Any]]:
    """A scorer in evaluation mode, and its record; :class:`XalignError` if the file has none."""
    where = Path(path)
    arrays = read_arrays(where, ArrayForm(np.generic), remedy="train it again")
    try:
        record: dict[str, Any] = json.loads(str(arrays.pop(RECORD)))
        return scorer_of_state({name: torch.from_numpy(array) for name, array in arrays.items()}), record
    except (ValueError, KeyError, RuntimeError, TypeError, IndexError, RecursionError) as error:
        raise XalignError("the file holds no link scorer", where=where, found=error) from None


def scorer_of_state(state: Mapping[str, torch.Tensor]) -> LinkScorer:
    """Load a scorer from a state dict, in float32 and evaluation mode. KeyError or RuntimeError if it does not fit."""
    dim, rank = state["similarity.added"].shape
    scorer = LinkScorer(
        dim,
        [int(layer) for layer in state["layer_numbers"]],
        [int(layer) for layer in state["similarity_numbers"]],
        rank,
        len(state["rounds.0.first.bias"]),
    )
    wide = {name: value.float() if value.is_floating_point() else value for name, value in state.items()}
    scorer.load_state_dict(wide)
    return scorer.eval().requires_grad_(False)


@lru_cache(maxsize=4)
def shared_scorer(path: str) -> LinkScorer:
    return load_scorer(path)[0]


@lru_cache(maxsize=4)
def scorer_name(path: str) -> str:
    """The scorer's name in a signature: a digest of the file; ``packaged`` for an empty path."""
    where = Path(path) if path else PACKAGED
    content = hashlib.sha256(where.read_bytes()).hexdigest() if where.is_file() else "missing"
    return f"{where.stem if path else 'packaged'}-{content[:8]}"


OWN = "own"  # the scorer in a checkpoint


@dataclass(frozen=True)
class Scored(WordMethod):
    """All links of at least a probability, by a :class:`~xalign_fairseq.transport.link_scorer.LinkScorer`.

    A pair with one word on each side is always linked: the scorer was trained on sentences. It reads the states of
    several layers, concatenated in the last dimension: (B, T, L * H).

    Args:
        scorer: a scorer's file; empty: the packaged scorer, for e5-small; ``own``: the scorer in ``measure``.
        threshold: the minimum probability of a link.
        measure: a checkpoint's link scorer, for ``own``.
    """

    name: ClassVar[str] = "scored"

    scorer: str = ""
    threshold: float = 0.45
    measure: LinkScorer | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        fits = 0 < self.threshold <= 1
        check_values("a link probability is out of range", ("threshold", self.threshold, fits, "above 0, at most 1"))

    @property
    def network(self) -> LinkScorer:
        return self.measure or shared_scorer(self.scorer or str(PACKAGED))

    @property
    def layers(self) -> tuple[int, ...]:
        return self.network.layers

    def of_layers(self, states: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(states), 2)

    def with_heads(self, pointer: Pointer | None, scorer: LinkScorer | None = None) -> Self:
        return replace(self, measure=scorer) if self.scorer == OWN else super().with_heads(pointer)

    def choose(self, scores: np.ndarray) -> dict[Link, float]:
        only = np.count_nonzero(scores) == 1  # all pairs of words have a probability above 0, and padding has 0
        return links_above(scores, scores.max() if only else self.threshold)

    @torch.no_grad()
    def scores(self, hidden: Tensor, spans: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
        network = self.network.to(hidden.device)
        layers, given = len(network.layers), hidden.shape[2]
        found, expected = f"states of {given} values", f"{layers} layers of {network.dim}"
        problem = "the link scorer belongs to another encoder"
        check_values(problem, ("scorer", found, given == layers * network.dim, expected))
        wide = hidden.to(network.mean.dtype)
        src, tgt = (word_states(wide, spans, side, words, layers) for side, words in enumerate((src_words, tgt_words)))
        return network.probabilities(src, tgt)

    def describe(self) -> dict[str, Any]:
        name = self.scorer if self.measure or self.scorer == OWN else scorer_name(self.scorer)
        return {**super().describe(), "scorer": name}
