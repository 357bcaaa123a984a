"""Score sentence retrieval: how often the nearest sentence is the translation.

Prints accuracy by cosine and by margin, in both directions, with 95 % bootstrap intervals over sentences. Line i of
--src translates line i of --tgt, as in Tatoeba's test sets.

Example:
  xalign retrieve --model checkpoint_best.pt --src tatoeba.de --tgt tatoeba.en
"""

import argparse
from typing import Any

from xalign_fairseq.cli._aligning import add_checkpoint_arguments, chosen_model, side_languages
from xalign_fairseq.cli._arguments import add_json, add_resamples, add_text, add_values, parse_as, print_result
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.names import SENTENCE_POOLINGS

ROW = "{:<12}  {:<7}  {:>8}  {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text(parser, "sentences", "their translations")
    layer = "layer of the hidden states: 0 embeddings, -1 last (default: 7/12 of the depth; the last with cls)"
    add_values(parser, ("layer", int, "L", layer))
    parser.add_argument(
        "--pooling",
        choices=SENTENCE_POOLINGS,
        default="mean",
        help="sentence vector: the mean of all tokens (XTREME; default) or the state of <s> (PPA)",
    )
    add_resamples(parser, "--bootstrap")
    add_json(parser)
    add_checkpoint_arguments(parser)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.evaluation.sentence_retrieval import RetrievalOptions, translation_accuracy
    from xalign_fairseq.links.bootstrap import check_options

    check_options(args.bootstrap, seed=args.seed)
    sentences = read_sentences(args.src, args.tgt)
    languages = side_languages(args.languages, args.maps)
    options = parse_as(RetrievalOptions, args, languages=languages, maps=args.maps is not None)
    result = translation_accuracy(chosen_model(args.model, args.quiet), *sentences, options)
    print_result(args.json, result, [to_text(result)])


def read_sentences(src: str, tgt: str) -> tuple[list[str], list[str]]:
    """The lines of both files; empty lines are an error, because any of them would translate any other."""
    from xalign_fairseq.core.text.pairs import SentencePairs

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


def to_text(result: dict[str, Any]) -> str:
    """One line per direction and measure, and a line with the settings."""
    lines = [ROW.format("direction", "by", "accuracy", "95 % interval")]
    for row in result["scores"]:
        interval = " to ".join(f"{100 * end:.2f}" for end in row["interval"])
        lines.append(ROW.format(row["direction"], row["by"], f"{100 * row['accuracy']:.2f}", interval))
    named = ("sentences", "layer", "pooling", "maps", "languages", "version")
    how = "|".join(f"{key}:{result[key]}" for key in named if key in result)
    return "\n".join([*lines, how])
