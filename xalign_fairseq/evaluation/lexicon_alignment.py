"""Alignment score of a lexicon, separately for trained, held-out and unused entries."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np
from torch import Tensor

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import PARTS, Lexicon
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.vocabulary import check_dictionary
from xalign_fairseq.evaluation.embedding_alignment import ALIGNMENT_SCORE, alignment_counts, mean_embeddings
from xalign_fairseq.evaluation.signature import task_signature
from xalign_fairseq.evaluation.statistics import bootstrap_interval
from xalign_fairseq.links.bootstrap import check_options


@dataclass(frozen=True)
class PartScore:
    """The alignment score of one part of a lexicon, a fraction, with its interval over resampled source entries.

    ``part``: ``trained``, ``held out``, ``unused``, or ``all``; ``words``: the queries, ``candidates``: all target
    entries.
    """

    part: str
    score: float
    low: float
    high: float
    words: int
    candidates: int


def lexicon_scores(embeddings: Tensor, lexicon: Lexicon, *, samples: int = 1000, seed: int = 1) -> list[PartScore]:
    """The share of source entries whose nearest target entry by cosine is a translation (ALIGN-MLM, Tang et al. 2022).

    An entry's vector is the mean of its subwords' embeddings (V, H). In every part all target entries of the lexicon
    compete and all its translations are correct, so scores of parts, and of all entries, are comparable.

    Raises:
        XalignError: an empty lexicon, or an id without embedding.
    """
    if not len(lexicon):
        raise XalignError("the lexicon has no entry to score", where=f"{lexicon.src}-{lexicon.tgt}")
    sides = [(lexicon.src_ids, lexicon.src_sizes), (lexicon.tgt_ids, lexicon.tgt_sizes)]
    largest = max(int(ids.max()) for ids, _ in sides)
    if largest >= len(embeddings):
        problem, expected = "the lexicon has an id without an embedding in the encoder", f"below {len(embeddings)}"
        raise XalignError(problem, found=largest, expected=expected)
    src, tgt = ([tuple(ids.tolist()) for ids in np.split(flat, sizes.cumsum()[:-1])] for flat, sizes in sides)
    src_rows, tgt_rows = ({entry: row for row, entry in enumerate(dict.fromkeys(side))} for side in (src, tgt))
    golds: list[set[int]] = [set() for _ in src_rows]
    for first, second in zip(src, tgt, strict=True):
        golds[src_rows[first]].add(tgt_rows[second])
    counts = alignment_counts(_vectors(embeddings, src_rows), _vectors(embeddings, tgt_rows), golds)
    of_entry = np.array([src_rows[entry] for entry in src])
    chosen = {name: counts[np.unique(of_entry[lexicon.part == part])] for part, name in enumerate(PARTS)}
    chosen = {name: rows for name, rows in chosen.items() if len(rows)}
    if len(chosen) > 1:
        chosen["all"] = counts
    scores = []
    for name, rows in chosen.items():
        interval = bootstrap_interval(rows, ALIGNMENT_SCORE.value, samples=samples, seed=seed)
        scores.append(PartScore(name, ALIGNMENT_SCORE.score(rows), *interval, len(rows), len(tgt_rows)))
    return scores


def _vectors(embeddings: Tensor, entries: Iterable[tuple[int, ...]]) -> Tensor:
    ids = list(entries)
    return mean_embeddings(embeddings, np.array(list(chain(*ids))), np.array([len(each) for each in ids]))


def score_checkpoints(
    models: Mapping[str, str], data_bin: str | None = None, *, samples: int = 1000, seed: int = 1
) -> list[dict[str, Any]]:
    """Score lexicons of a data-bin, or of each checkpoint; one row per checkpoint, lexicon and part.

    Raises:
        XalignError: no lexicon, or the vocabulary of the data-bin differs from a checkpoint's.
    """
    check_options(samples, seed=seed)
    rows: list[dict[str, Any]] = []
    for name, path in models.items():
        state, _ = read_pretrained(path)
        encoder, _ = checkpoint.load_encoder(state, path)
        embeddings = encoder.sentence_encoder.embed_tokens.weight.detach()
        for lexicon in lexicons_for(data_bin, state, len(embeddings), path):
            pair = f"{lexicon.src}-{lexicon.tgt}"
            for score in lexicon_scores(embeddings, lexicon, samples=samples, seed=seed):
                signature = task_signature(ALIGNMENT_SCORE, "lexicon", lexicon.digest[:12], pair=pair, part=score.part)
                rows.append({"checkpoint": name, "pair": pair, **asdict(score), "signature": signature})
    return rows


def lexicons_for(data_bin: str | None, state: Mapping[str, Any], vocab_size: int, path: str) -> list[Lexicon]:
    """The lexicons of the given data-bin, otherwise of the checkpoint."""
    if data_bin is None:
        found = [Lexicon.from_state(each) for each in (state.get("task_state") or {}).get("lexicons") or []]
    else:
        data = DataBin(data_bin)
        check_dictionary(data.dictionary, data.path, dict(state), vocab_size, path)
        found = [lexicons.read(data, src, tgt) for src, tgt in lexicons.lexicons(data)]
    if not found:
        data_of = ("give a data-bin that has one as", Parameter("data", "DATA_BIN"))
        remedy = data_of if data_bin is None else ("make one with", Command("lexicon", data_bin, "..."))
        raise XalignError("there is no lexicon to score", where=data_bin or path, remedy=remedy)
    return found
