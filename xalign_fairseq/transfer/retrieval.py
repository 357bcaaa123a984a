"""Retrieval of translations (Tatoeba) by an encoder's hidden states, pooled over a sentence; nothing is trained."""

import logging
import os
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.tokenizer import Tokenizer
from xalign_fairseq.encoder import checkpoint as checkpoints
from xalign_fairseq.encoder.mappings import LanguageMaps, apply_map, load_maps
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.errors import XalignError
from xalign_fairseq.evaluation.retrieval import retrieve
from xalign_fairseq.evaluation.signature import task_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, digest
from xalign_fairseq.transfer.predict import Evaluation

logger = logging.getLogger(__name__)

POOLINGS = ("mean", "cls")


def default_retrieval_layer(layers: int) -> int:
    """Layer 7 of 12, and 14 of 24: the usual ones for Tatoeba; the same depth of any other encoder, at least layer 1.

    XTREME's script counts layers from 0 without the embeddings: its layer 7 is layer 8 here, its 13 is 14.
    """
    return max(1, round(layers * 7 / 12))


@torch.inference_mode()
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
            as PPA has it.
        language_row: of the sentences' language, for an encoder with language embeddings.
        max_tokens: padded tokens of a batch; one sentence at least is always taken.
        progress: is told how many more sentences are done.
    """
    if pooling not in POOLINGS:
        raise XalignError("there is no such pooling", found=pooling, expected=" or ".join(POOLINGS))
    different = {sentence: row for row, sentence in enumerate(dict.fromkeys(sentences))}
    tokens, cut = _encode(tokenizer, list(different), encoder.config.max_positions)
    if cut:
        logger.warning("%d sentences were cut to the encoder's %d positions", cut, encoder.config.max_positions)
    order = sorted(range(len(tokens)), key=lambda i: -len(tokens[i]))  # the longest first: a lack of memory shows
    device = encoder.lm_head.bias.device
    vectors = torch.empty(len(tokens), encoder.config.encoder_embed_dim, device=device)
    start = 0
    while start < len(order):
        rows = order[start : start + max(1, max_tokens // len(tokens[order[start]]))]
        start += len(rows)
        batch = pad([tokens[i] for i in rows], encoder.config.pad).to(device)
        real = batch.ne(encoder.config.pad)[..., None]
        languages = None if language_row is None else batch.new_full((len(rows), 1), language_row)
        hidden = encoder.states(Input(batch, languages)).layer(layer).float()
        vectors[rows] = hidden[:, 0] if pooling == "cls" else (hidden * real).sum(1) / real.sum(1)
        if progress is not None:
            progress(len(rows))
    return vectors[[different[sentence] for sentence in sentences]]


def _encode(tokenizer: Tokenizer, sentences: Sequence[str], positions: int) -> tuple[list[np.ndarray], int]:
    """``<s> sentence </s>`` of each, and how many were cut."""
    dictionary = tokenizer.dictionary
    flat, sizes = tokenizer.encode_batch(sentences)
    tokens = [
        np.array([dictionary.bos_index, *ids[: positions - 2], dictionary.eos_index], dtype=np.int64)
        for ids in np.split(flat, np.cumsum(sizes)[:-1])
    ]
    return tokens, int((sizes > positions - 2).sum())


def evaluate_retrieval(
    encoder: Encoder,
    tokenizer: Tokenizer,
    path: str | os.PathLike,
    language: str,
    *,
    layer: int | None = None,
    maps: LanguageMaps | None = None,
    progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """Find the English line of each line of a bitext and the other way round, by cosine and by margin.

    Args:
        encoder, tokenizer: which belong together.
        path: the foreign side; the English file lies beside it.
        language: of ``path``.
        layer: whose states are averaged; :func:`default_retrieval_layer` without one.
        maps: linear maps of the encoder's hidden states; a side in a language without one is compared as it is, and
            told.
        progress: is told how many more sentences are done.

    Returns:
        scores by the names of :data:`~xalign_fairseq.evaluation.retrieval.RETRIEVAL_METRICS`; ``predictions`` are, for
        each line, the ids (line numbers from 1) that each search has found.

    Example::

        evaluate_retrieval(encoder, tokenizer, "tatoeba.deu-eng.deu", "de").scores["accuracy"]
    """
    benchmark = BENCHMARKS["tatoeba"]
    chosen = encoder.config.resolve_layer(
        default_retrieval_layer(encoder.config.encoder_layers) if layer is None else layer
    )
    pairs = benchmark.read(path, language)
    languages = (language, "en")
    if maps is not None:
        maps.tell_unmapped(languages)
    foreign, english = (
        mapped(
            sentence_vectors(encoder, tokenizer, side, chosen, language_row=row, progress=progress), maps, each, chosen
        )
        for each, row, side in zip(
            languages,
            encoder.config.side_rows(languages) or (None, None),
            ([pair.first for pair in pairs], [pair.second for pair in pairs]),
            strict=True,
        )
    )
    ids = [pair.id for pair in pairs]
    found = {name: lines.tolist() for name, lines in retrieve(foreign, english).items()}
    predictions = [{name: ids[lines[i]] for name, lines in found.items()} for i in range(len(ids))]
    evaluation = Evaluation(ids, [pair.label for pair in pairs], predictions, digest(path))
    if any(gold is None for gold in evaluation.golds):
        logger.warning("%s: the English side is sorted, as XTREME's scripts leave it, so that nothing can be scored; "
                       "LASER's files have the order of the other side", path)  # fmt: skip
        return evaluation
    for metric in benchmark.metrics:
        counts = metric.counts(evaluation.golds, predictions, language)
        evaluation.counts[metric.name] = counts
        evaluation.scores[metric.name] = metric.score(counts)
        evaluation.signatures[metric.name] = task_signature(
            metric, benchmark.name, evaluation.digest, language=language, layer=chosen, pooling="mean"
        )
    return evaluation


def retrieval_evaluation(
    checkpoint: str | os.PathLike,
    path: str | os.PathLike,
    language: str,
    *,
    layer: int | None = None,
    device: str | torch.device = "cpu",
    dtype: torch.dtype = torch.float32,
    progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """:func:`evaluate_retrieval` with the encoder, the tokenizer and any linear maps of a fairseq checkpoint."""
    state = checkpoints.read(checkpoint)
    encoder, heads = checkpoints.load_encoder(state, checkpoint)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=checkpoint)
    maps = load_maps(heads)
    return evaluate_retrieval(
        encoder.to(device, dtype),
        tokenizer,
        path,
        language,
        layer=layer,
        maps=None if maps is None else maps.to(device),
        progress=progress,
    )


@torch.no_grad()
def mapped(vectors: Tensor, maps: LanguageMaps | None, language: str, layer: int) -> Tensor:
    """Sentence vectors (N, H) of a layer through a language's map, where it has one: the mean of mapped states."""
    mine = None if maps is None else maps.of(language)
    return vectors if mine is None else apply_map(vectors, mine[layer])
