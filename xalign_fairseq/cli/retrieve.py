"""Find translations of sentences by their vectors: accuracy.

Accuracy is by cosine and by margin, in both directions. Line i of --src translates line i of --tgt, as in Tatoeba's
test sets. Intervals are of 95 %, by a bootstrap over sentences.

Example:
  xalign retrieve --model checkpoint_best.pt --src tatoeba.de --tgt tatoeba.en
"""

import argparse
import sys
from typing import Any

from xalign_fairseq.cli._aligning import add_checkpoint_arguments, chosen_model, progress_bar, side_languages
from xalign_fairseq.cli._arguments import add_json, print_result
from xalign_fairseq.core.errors import XalignError

ROW = "{:<12}  {:<7}  {:>8}  {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign retrieve``."""
    parser.add_argument("--src", required=True, metavar="FILE", help="sentences, one a line")
    parser.add_argument("--tgt", required=True, metavar="FILE", help="their translations, in the same order")
    parser.add_argument(
        "--layer",
        type=int,
        metavar="L",
        help="layer of the hidden states: 0 embeddings, -1 last (default: 7/12 of the depth, with cls the last)",
    )
    parser.add_argument(
        "--pooling",
        choices=("mean", "cls"),
        default="mean",
        help="mean of all tokens (XTREME, the default), or the state of <s> (PPA)",
    )
    parser.add_argument("--bootstrap", type=int, default=1000, metavar="N", help="resamples (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the resamples (default: 1)")
    add_json(parser)
    add_checkpoint_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Encode, search, and print."""
    from xalign_fairseq.links.bootstrap import check_options

    check_options(args.bootstrap, seed=args.seed)
    sentences = read_sentences(args.src, args.tgt)
    result = evaluate(args, chosen_model(args), *sentences)
    print_result(args.json, result, [to_text(result)])


def read_sentences(src: str, tgt: str) -> tuple[list[str], list[str]]:
    """The lines of both files; a line without a word is an error, since it would be a translation of all such lines."""
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs

    sides: tuple[list[str], list[str]] = ([], [])
    for number, pair in enumerate(SentencePairs(src, tgt), 1):
        for path, side, words in zip((src, tgt), sides, pair, strict=True):
            if not words:
                raise XalignError(
                    "a sentence is empty",
                    where=f"{path}, line {number}",
                    expected="a sentence on each line of both files",
                    remedy="remove the line from both files",
                )
            side.append(" ".join(words))
    return sides


def evaluate(args: argparse.Namespace, model: str, src: list[str], tgt: list[str]) -> dict[str, Any]:
    """Accuracies with their intervals, and what they depend on."""
    from xalign_fairseq.core.devices import choose_device
    from xalign_fairseq.core.version import __version__
    from xalign_fairseq.encoder import checkpoint
    from xalign_fairseq.encoder.mappings import load_maps, require_maps
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained
    from xalign_fairseq.encoder.sentence_vectors import default_retrieval_layer, mapped, sentence_vectors
    from xalign_fairseq.encoder.vocabulary import load_tokenizer
    from xalign_fairseq.evaluation.retrieval import retrieval_counts

    device = choose_device(args.device)
    state, where = read_pretrained(model)
    encoder, heads = checkpoint.load_encoder(state, where)
    maps = require_maps(heads, where).to(device) if args.maps else None
    if maps is not None:
        maps.require(args.maps, "--maps")
    elif load_maps(heads) is not None and not args.quiet:
        print("the checkpoint has linear maps, which are not used: --maps SRC-TGT reads both sides by them",
              file=sys.stderr)  # fmt: skip
    languages = side_languages(args)
    rows = encoder.config.side_rows(languages)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where, dictionary=args.dict, spm=args.spm)
    default = default_retrieval_layer(encoder.config.encoder_layers) if args.pooling == "mean" else -1
    layer = encoder.config.resolve_layer(default if args.layer is None else args.layer, "layer")
    encoder.to(device)
    with progress_bar(len(set(src)) + len(set(tgt)), args.quiet, " sentences") as progress:

        def vectors(side: int, sentences: list[str]) -> Any:
            found = sentence_vectors(encoder, tokenizer, sentences, layer, pooling=args.pooling,
                                     language_row=rows and rows[side], max_tokens=args.batch_tokens,
                                     progress=progress)  # fmt: skip
            return found if maps is None else mapped(found, maps, args.maps[side], layer)

        counts = retrieval_counts(vectors(0, src), vectors(1, tgt))
    scores = _scores(counts, args.bootstrap, args.seed)
    maps_of = "-".join(args.maps) if args.maps else "none"
    embedded = {"languages": "-".join(languages)} if languages and rows else {}
    how = {"layer": layer, "pooling": args.pooling, "maps": maps_of, **embedded}
    return {"sentences": len(src), **how, "version": __version__, "bootstrap": args.bootstrap, "scores": scores}


def _scores(counts: dict[str, Any], samples: int, seed: int) -> list[dict[str, Any]]:
    """One for each direction and measure; in the names of the searches the target side is English."""
    from xalign_fairseq.evaluation.metric import ratio
    from xalign_fairseq.evaluation.statistics import bootstrap_interval

    rows = []
    for name, found in counts.items():
        direction = "tgt to src" if name.endswith("-from-en") else "src to tgt"
        measure = "margin" if name.startswith("margin") else "cosine"
        interval = bootstrap_interval(found, ratio, samples=samples, seed=seed)
        rows.append({"direction": direction, "by": measure, "accuracy": float(ratio(found.sum(0))),
                     "interval": list(interval)})  # fmt: skip
    return rows


def to_text(result: dict[str, Any]) -> str:
    """A line for each direction and measure, and one that says how."""
    lines = [ROW.format("direction", "by", "accuracy", "95 % interval")]
    for row in result["scores"]:
        interval = " to ".join(f"{100 * end:.2f}" for end in row["interval"])
        lines.append(ROW.format(row["direction"], row["by"], f"{100 * row['accuracy']:.2f}", interval))
    named = ("sentences", "layer", "pooling", "maps", "languages", "version")
    how = "|".join(f"{key}:{result[key]}" for key in named if key in result)
    return "\n".join([*lines, how])
