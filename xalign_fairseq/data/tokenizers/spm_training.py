"""Train a joint sentencepiece model over the training text."""

import io
import logging
from collections.abc import Iterator, Sequence

import numpy as np
import sentencepiece

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.corpus import TextFile

logger = logging.getLogger(__name__)

# The number of threads is fixed: it changes the order of sums, and one seed must give one model on every machine.
THREADS = 8
MAX_SENTENCES = 2_000_000
MAX_SENTENCE_BYTES = 1 << 16


def train_sentencepiece(files: Sequence[TextFile], vocab_size: int, seed: int) -> bytes:
    """A unigram model's file, with XLM-R's settings, from all lines, or from 2 million drawn with the seed."""
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_sentences(files, seed),
            model_writer=model,
            vocab_size=vocab_size,
            model_type="unigram",
            character_coverage=0.9995,
            hard_vocab_limit=False,
            max_sentence_length=MAX_SENTENCE_BYTES,
            num_threads=THREADS,
            shuffle_input_sentence=False,
            minloglevel=2,
        )
    except RuntimeError as error:
        problem, where = "sentencepiece could not train a model", ", ".join(file.path for file in files)
        raise XalignError(problem, where=where, parameter="vocab_size", found=str(error).strip()) from None
    made = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).get_piece_size()
    if made < vocab_size:
        logger.warning("the text has too few words for %d pieces: the vocabulary has %d", vocab_size, made)
    return model.getvalue()


def _sentences(files: Sequence[TextFile], seed: int) -> Iterator[str]:
    total = sum(file.lines for file in files)
    chosen = np.ones(total, dtype=bool)
    if total > MAX_SENTENCES:
        chosen[:] = False
        chosen[np.random.default_rng(seed).choice(total, MAX_SENTENCES, replace=False, shuffle=False)] = True
    start = 0
    for file in files:
        for part in file.parts():
            lines = part.read()
            keep = chosen[start : start + len(lines)]
            yield from (line for line, kept in zip(lines, keep, strict=True) if kept and line)
            start += len(lines)
