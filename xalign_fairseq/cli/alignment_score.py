"""Find translations of words by their embeddings: accuracy.

The alignment score of checkpoints: how many words of a lexicon have a translation as their nearest neighbour. By cosine
of input embeddings (a word of several subwords: their mean), among all target entries of the lexicon (ALIGN-MLM, Tang
et al. 2022). Entries that the encoder was trained on and entries that were held out are scored apart, each with a
bootstrap interval over source words. The lexicons are those that a checkpoint carries; --data takes those of a data-bin
instead.

Examples:
  xalign alignment-score --model align.pt
  xalign alignment-score --model MLM=mlm.pt --model ALIGN=align.pt --data data-bin
"""

import argparse
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import add_json, add_model, named_models, print_result
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.data.lexicon import Lexicon


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign alignment-score``."""
    add_model(parser, several=True, metavar="[NAME=]MODEL")
    parser.add_argument("--data", metavar="DATA_BIN", help="score the lexicons of this data-bin")
    parser.add_argument(
        "--samples", type=int, default=1000, metavar="N", help="resamples of the interval (default: 1000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the resamples (default: 1)")
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    """Score every lexicon of every checkpoint; print and write."""
    from dataclasses import asdict

    from xalign_fairseq.encoder import checkpoint
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained
    from xalign_fairseq.evaluation.embedding_alignment import ALIGNMENT_SCORE
    from xalign_fairseq.evaluation.lexicon_alignment import lexicon_scores
    from xalign_fairseq.evaluation.signature import task_signature
    from xalign_fairseq.links.bootstrap import check_options

    check_options(args.samples, seed=args.seed)
    rows: list[dict[str, Any]] = []
    for name, path in named_models(args.model).items():
        state, _ = read_pretrained(path)
        encoder, _ = checkpoint.load_encoder(state, path)
        embeddings = encoder.sentence_encoder.embed_tokens.weight.detach()
        for lexicon in lexicons_for(args.data, state, len(embeddings), path):
            pair = f"{lexicon.src}-{lexicon.tgt}"
            for score in lexicon_scores(embeddings, lexicon, samples=args.samples, seed=args.seed):
                signature = task_signature(ALIGNMENT_SCORE, "lexicon", lexicon.digest[:12], pair=pair, part=score.part)
                rows.append({"checkpoint": name, "pair": pair, **asdict(score), "signature": signature})
    print_result(args.json, rows, (f"{row['checkpoint']} {row['pair']}: {told(row)}" for row in rows))


def lexicons_for(data_bin: str | None, state: dict[str, Any], vocab_size: int, path: str) -> "list[Lexicon]":
    """The lexicons of the data-bin if one is given, else those that the checkpoint carries."""
    from xalign_fairseq.data import lexicon as lexicons
    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.encoder.vocabulary import check_dictionary

    if data_bin is None:
        stored = (state.get("task_state") or {}).get("lexicons") or []
        found = [lexicons.Lexicon.from_state(each) for each in stored]
    else:
        data = DataBin(data_bin)
        check_dictionary(data.dictionary, data.path, state, vocab_size, path)
        found = [lexicons.read(data, src, tgt) for src, tgt in lexicons.lexicons(data)]
    if not found:
        raise XalignError(
            "there is no lexicon to score",
            where=path if data_bin is None else data_bin,
            expected="a checkpoint trained with a lexicon" if data_bin is None else "a data-bin with a lexicon",
            remedy="name a data-bin with one: --data DATA_BIN"
            if data_bin is None
            else f"xalign lexicon {data_bin} ...",
        )
    return found


def told(row: dict[str, Any]) -> str:
    """A part's score, for people."""
    interval = f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{row['part']} {100 * row['score']:.1f} {interval}, {row['words']} words among {row['candidates']}"
