"""Sentence vectors: a layer's hidden states pooled over tokens."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import BOS, EOS
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps, apply_map
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transport.layers import at_depth
from xalign_fairseq.transport.names import SENTENCE_POOLINGS
from xalign_fairseq.transport.precision import at_least_float32


def finite_rows(encoder: Encoder, states: Iterable[Tensor]) -> Tensor:
    """(B,) bool, on the CPU: whether all states of a text are finite; XalignError for a damaged model."""
    # A sum is finite if all terms are, and needs no copy.
    sums = [hidden.sum((1, 2), dtype=torch.promote_types(hidden.dtype, torch.float32)) for hidden in states]
    rows = torch.stack(sums).isfinite().all(0).cpu()
    if not rows.all() and (layer := bad_layer(encoder)) is not None:
        found = f"NaN or infinity from {f'layer {layer}' if layer else 'the embeddings'} on, even in an empty text"
        remedy = "use an earlier checkpoint, or another dtype"
        problem = "the model's hidden states are not finite numbers"
        raise XalignError(problem, where=encoder.name, found=found, remedy=remedy)
    return rows


@torch.no_grad()
def bad_layer(encoder: Encoder) -> int | None:
    """The first layer whose states of ``<s> </s>`` are not finite, 0 for the embeddings; None if all are."""
    tokens = torch.tensor([[BOS, EOS]], device=encoder.device)
    languages = torch.zeros_like(tokens[:, :1]) if encoder.config.languages else None
    states = encoder.states(Input(tokens, languages=languages))
    layers = range(encoder.config.encoder_layers + 1)
    return next((layer for layer in layers if not bool(states.layer(layer).isfinite().all())), None)


logger = logging.getLogger(__name__)


def require_pooling(pooling: str) -> None:
    """Raise :class:`XalignError` for an unknown pooling."""
    if pooling not in SENTENCE_POOLINGS:
        raise XalignError("unknown pooling", found=pooling, expected=" or ".join(SENTENCE_POOLINGS))


def retrieval_layer(config: EncoderConfig, layer: int | None, pooling: str = "mean") -> int:
    """A layer's number; None: 7 of 12 or 14 of 24, usual for Tatoeba, and the same depth elsewhere; -1 for ``cls``.

    XTREME's script counts layers from 0 without the embeddings: its layer 7 is layer 8 here, its 13 is 14.
    """
    default = at_depth(config.encoder_layers, 7)[0] if pooling == "mean" else -1
    return config.resolve_layer(default if layer is None else layer)


def pool(hidden: Tensor, real: Tensor, pooling: str) -> Tensor:
    """Vectors (N, H), at least float32, of the hidden states (N, L, H) of sentences.

    Args:
        real: (N, L) bool, False at padding.
        pooling: ``mean`` over all tokens, ``<s>`` and ``</s>`` included; ``cls``: the state of ``<s>``.
    """
    if pooling == "cls":
        return at_least_float32(hidden[:, 0])
    return (at_least_float32(hidden) * real[..., None]).sum(1) / real.sum(1)[:, None]


@torch.no_grad()  # training on the vectors needs ordinary tensors, not inference tensors
def sentence_vectors(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    layer: int,
    *,
    pooling: str = "mean",
    language_row: int | None = None,
    max_tokens: int = 8192,
    progress: Callable[[int], object] | None = None,
) -> Tensor:
    """A vector for each sentence from a layer's hidden states: (N, H) float32.

    Equal sentences are encoded once and have equal vectors. A sentence longer than the encoder's positions is cut.

    Args:
        encoder: in evaluation mode; the vectors are on its device.
        tokenizer: the encoder's own.
        sentences: at least one.
        layer: 0 embeddings, -1 last.
        pooling: ``mean`` over all tokens, ``<s>`` and ``</s>`` included as in XTREME; ``cls`` is the state of ``<s>``,
            as in PPA.
        language_row: of the sentences' language, for an encoder with language embeddings.
        max_tokens: padded tokens of a batch, which has at least one sentence.
        progress: called with the number of newly encoded sentences.

    Raises:
        XalignError: the model's hidden states are not finite.
    """
    require_pooling(pooling)
    different = {sentence: row for row, sentence in enumerate(dict.fromkeys(sentences))}
    tokens, cut = _encode(tokenizer, list(different), encoder.config.max_positions)
    if cut:
        most = encoder.config.max_positions
        logger.warning("truncated to the encoder's %d positions: %s", most, counted(cut, "sentence"))
    order = sorted(range(len(tokens)), key=lambda i: -len(tokens[i]))  # longest first: memory runs out early, if at all
    device = encoder.device
    vectors = torch.empty(len(tokens), encoder.config.encoder_embed_dim, device=device)
    start = 0
    while start < len(order):
        rows = order[start : start + max(1, max_tokens // len(tokens[order[start]]))]
        start += len(rows)
        batch = pad([tokens[i] for i in rows], encoder.config.pad).to(device)
        languages = None if language_row is None else batch.new_full((len(rows), 1), language_row)
        lengths = np.array([len(tokens[i]) for i in rows])
        hidden = encoder.states(Input(batch, languages, lengths=lengths)).layer(layer)
        vectors[rows] = pool(hidden, batch.ne(encoder.config.pad), pooling).float()
        finite = finite_rows(encoder, [vectors[rows, None]])
        for row in (row for row, each in zip(rows, finite.tolist(), strict=True) if not each):
            logger.warning("a sentence vector is not finite and is set to 0: %s", list(different)[row][:60])
            vectors[row] = 0
        if progress is not None:
            progress(len(rows))
    return vectors[[different[sentence] for sentence in sentences]]


def _encode(tokenizer: Tokenizer, sentences: Sequence[str], positions: int) -> tuple[list[np.ndarray], int]:
    """The ids of ``<s> sentence </s>`` for each sentence, and the number of truncated sentences."""
    dictionary = tokenizer.dictionary
    flat, sizes = tokenizer.encode_batch(sentences)
    tokens = [
        np.array([dictionary.bos_index, *ids[: positions - 2], dictionary.eos_index], dtype=np.int64)
        for ids in np.split(flat, np.cumsum(sizes)[:-1])
    ]
    return tokens, int((sizes > positions - 2).sum())


def side_vectors(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sides: tuple[Sequence[str], Sequence[str]],
    layer: int,
    languages: tuple[str, str] | None,
    maps: LanguageMaps | None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """:func:`sentence_vectors` of both sides of a text, through the maps of their languages, if there are any."""
    rows, names = encoder.config.side_rows(languages) or (None, None), languages or ("", "")
    src, tgt = (
        mapped(sentence_vectors(encoder, tokenizer, side, layer, language_row=row, **options), maps, name, layer)
        for side, row, name in zip(sides, rows, names, strict=True)
    )
    return src, tgt


@torch.no_grad()
def mapped(vectors: Tensor, maps: LanguageMaps | None, language: str, layer: int) -> Tensor:
    """Sentence vectors (N, H) of a layer through a language's map, if it has one."""
    mine = None if maps is None else maps.of(language)
    return vectors if mine is None else apply_map(vectors, mine[layer])
