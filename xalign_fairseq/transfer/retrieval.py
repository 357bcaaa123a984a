"""Retrieval of translations (Tatoeba) by an encoder's hidden states, pooled over a sentence; nothing is trained."""

import logging
import os

import torch

from xalign_fairseq.data.labelled.labels import digest
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder import checkpoint as checkpoints
from xalign_fairseq.encoder.mappings import LanguageMaps, load_maps
from xalign_fairseq.encoder.sentence_vectors import default_retrieval_layer, mapped, sentence_vectors
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.retrieval import retrieve
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.predict import Evaluation

logger = logging.getLogger(__name__)


def evaluate_retrieval(
    encoder: Encoder,
    tokenizer: Tokenizer,
    path: str | os.PathLike,
    language: str,
    *,
    layer: int | None = None,
    maps: LanguageMaps | None = None,
) -> Evaluation:
    """Find the English line of each line of a bitext, and the reverse, by cosine and by margin.

    Scores are by the names of :data:`~xalign_fairseq.evaluation.retrieval.RETRIEVAL_METRICS`; ``predictions`` are, for
    each line, the ids (line numbers from 1) that each search has found.
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
        mapped(sentence_vectors(encoder, tokenizer, side, chosen, language_row=row), maps, each, chosen)
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
        logger.warning(
            "%s: the English side is sorted, as XTREME's scripts leave it, and can't be scored; use LASER's files",
            path,
        )
    evaluation.score(benchmark, language, language=language, layer=chosen, pooling="mean")
    return evaluation


def retrieval_evaluation(
    checkpoint: str | os.PathLike,
    path: str | os.PathLike,
    language: str,
    *,
    layer: int | None = None,
    device: str | torch.device = "cpu",
) -> Evaluation:
    """:func:`evaluate_retrieval` with the encoder, the tokenizer and any linear maps of a fairseq checkpoint."""
    state = checkpoints.read(checkpoint)
    encoder, heads = checkpoints.load_encoder(state, checkpoint)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=checkpoint)
    maps = load_maps(heads)
    maps = None if maps is None else maps.to(device)
    return evaluate_retrieval(encoder.to(device), tokenizer, path, language, layer=layer, maps=maps)
