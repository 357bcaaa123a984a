"""Compare the embeddings of linked words; draw them.

How close the input embeddings of linked words are, for one checkpoint or several, as numbers and as a picture. Of a
bitext with word links, the most frequent linked pairs of different words (WEAM's Figure 2): the mean cosine of the
embeddings of linked words beside that of all other pairs of these words, and with --plot a panel per checkpoint. A
word's vector is the mean of its subwords' embeddings; the picture shows their directions by two principal components.

Example:
  xalign embeddings --model before.pt after.pt --src train.en --tgt train.de --links train.align --plot words.png
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import positive
from xalign_fairseq.cli._arguments import add_json, add_model, named_models, print_result

if TYPE_CHECKING:
    from torch import Tensor

    from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary
    from xalign_fairseq.evaluation.linked_words import PairCount


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign embeddings``."""
    add_model(parser, several=True, metavar="[NAME=]MODEL")
    parser.add_argument("--dict", metavar="TXT", help="dict.txt, if the models do not carry their own")
    parser.add_argument("--spm", metavar="MODEL", help="sentencepiece model, if the models do not carry their own")
    parser.add_argument("--src", required=True, metavar="FILE", help="source sentences, one a line, words by blanks")
    parser.add_argument("--tgt", required=True, metavar="FILE", help="target sentences")
    parser.add_argument("--links", required=True, metavar="FILE", help="word links of the text, 0-based i-j")
    parser.add_argument("--top", type=positive, default=20, metavar="N", help="pairs to compare (default: 20)")
    parser.add_argument(
        "--leave-out", metavar="FILE", help="words to leave out on both sides, such as stop words, one a line"
    )
    add_json(parser)
    parser.add_argument("--plot", metavar="PNG", help="draw the words (needs matplotlib)")


def run(args: argparse.Namespace) -> None:
    """Count, compare, print, and write what was asked for."""
    from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary
    from xalign_fairseq.evaluation.linked_words import pair_cosines
    from xalign_fairseq.evaluation.plots.figure import check_picture

    if args.plot:
        check_picture(args.plot)
    counted = count_pairs(args)
    words = BilingualDictionary.collect(pair for pair, _ in counted)
    models = named_models(args.model)
    vectors = [embed(args, path, words) for path in models.values()]
    rows: list[dict[str, Any]] = []
    for name, (src, tgt) in zip(models, vectors, strict=True):
        linked, others = pair_cosines(words, src, tgt)
        rows.append({"checkpoint": name, "cosine": linked, "others": others})
    listed = ", ".join(f"{src}-{tgt} ({count})" for (src, tgt), count in counted)
    lines = [f"{len(counted)} pairs: {listed}", *(f"{row['checkpoint']}: {figures(row)}" for row in rows)]
    print_result(args.json, described(args, counted, rows), lines)
    if args.plot:
        draw(args, [pair for pair, _ in counted], words, vectors, rows)


def count_pairs(args: argparse.Namespace) -> "list[PairCount]":
    """The most frequent linked pairs; the sure links of a line, or all of one that has no sure ones."""
    from xalign_fairseq.aligner.gold_sets import read_fitting_gold
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs
    from xalign_fairseq.core.text.lines import read_lines
    from xalign_fairseq.evaluation.linked_words import frequent_pairs

    leave_out = {line.strip().lower() for line in read_lines(args.leave_out)} if args.leave_out else set()
    pairs = SentencePairs(args.src, args.tgt)
    links = (gold.sure or gold.possible for gold in read_fitting_gold(args.links, pairs))
    return frequent_pairs(pairs, links, args.top, leave_out)


def embed(args: argparse.Namespace, path: str, words: "BilingualDictionary") -> "tuple[Tensor, Tensor]":
    """The vectors of the source and of the target words by one checkpoint, float32."""
    from xalign_fairseq.encoder import checkpoint
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained
    from xalign_fairseq.encoder.vocabulary import load_tokenizer
    from xalign_fairseq.evaluation.embedding_alignment import word_vectors

    state, where = read_pretrained(path)
    encoder, _ = checkpoint.load_encoder(state, where)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where, dictionary=args.dict, spm=args.spm)
    embeddings = encoder.sentence_encoder.embed_tokens.weight.detach().float()
    return word_vectors(embeddings, tokenizer, words.src), word_vectors(embeddings, tokenizer, words.tgt)


def draw(
    args: argparse.Namespace,
    pairs: list[tuple[str, str]],
    words: "BilingualDictionary",
    vectors: "list[tuple[Tensor, Tensor]]",
    rows: list[dict[str, Any]],
) -> None:
    """A panel for each checkpoint, of vectors at length 1: their distances then say the same as their cosines."""
    import torch.nn.functional as F

    from xalign_fairseq.evaluation.plots.embeddings import Panel, plot_embeddings

    panels = []
    for row, (src, tgt) in zip(rows, vectors, strict=True):
        of_pairs = (
            src[[words.src.index(word) for word, _ in pairs]],
            tgt[[words.tgt.index(word) for _, word in pairs]],
        )
        title = f"{'/'.join(Path(row['checkpoint']).parts[-2:])}\n{figures(row)}"
        units = [F.normalize(side, dim=1).numpy() for side in of_pairs]
        panels.append(Panel(title, src=units[0], tgt=units[1]))
    plot_embeddings(pairs, panels, args.plot)


def figures(row: dict[str, Any]) -> str:
    """The two cosines of a checkpoint, for people."""
    others = "" if row["others"] is None else f", of other pairs {row['others']:.3f}"
    return f"mean cosine of linked words {row['cosine']:.3f}{others}"


def described(args: argparse.Namespace, counted: "list[PairCount]", rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Pairs with their counts, cosines by checkpoint, and the files that they come from."""
    pairs = [{"src": src, "tgt": tgt, "count": count} for (src, tgt), count in counted]
    files = {key: getattr(args, key) for key in ("src", "tgt", "links", "leave_out") if getattr(args, key)}
    return {"pairs": pairs, "checkpoints": rows, "files": files}
