"""Derive a language from a natural one, with exact links.

Also derives labelled data. --steps are applied from left to right. script: every piece of a sentencepiece model gets a
twin in another script. inversion: the words of each segment are reversed. syntax: the order of nouns, verbs and
their dependents is drawn as in another language's treebank (Wang & Eisner 2016); every sentence needs a tree.

For each text, D gets NAME.en-xx.en, NAME.en-xx.xx and NAME.en-xx.links (exact, Pharaoh). Pass them to xalign prepare
--pair en-xx --trainpref D/NAME.en-xx --links D/NAME.en-xx.links --spm D/sentencepiece.model. Labelled data become
NAME.xx.conllu and NAME.xx.tsv. The script step also writes sentencepiece.model, dict.txt and lexicon.en-xx.tsv (for
xalign lexicon --pieces).

Example:
  xalign derive --out derived --steps inversion,script --spm spm.model --text train=train.en
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from xalign_fairseq.cli._arguments import add_out, parse_as
from xalign_fairseq.core.counts import listed

_FILES = {
    "text": "tokenised text, one sentence per line, words separated by spaces; or CoNLL-U (.conllu)",
    "conllu": "a treebank; heads and tags move with the words",
    "ner": "word TAB tag lines, as in PAN-X; an entity that is split becomes several",
    "nli": "pairs of texts, as in XNLI and PAWS-X; punctuation is split off, in NAME.en.tsv too",
}


class _AddFile(argparse.Action):
    """Collect (kind, name, path) in the order of the command line."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        name, equals, path = values.partition("=")
        if not (name and equals and path):
            parser.error(f"{option} takes NAME=FILE, as in train=train.en; found {values!r}")
        namespace.inputs = [*namespace.inputs, (str(option).removeprefix("--"), name, path)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_out(parser, "the new folder", metavar="D")
    steps = "one or more of script, inversion, syntax"
    parser.add_argument("--steps", required=True, type=listed, metavar="STEP,...", help=steps)
    parser.add_argument(
        "--spm", metavar="MODEL", help="unigram sentencepiece model of the natural language, for the script step"
    )
    parser.add_argument("--source-lang", default="en", metavar="LANG", help="natural language (default: en)")
    parser.add_argument("--lang", default="xx", metavar="LANG", help="derived language (default: xx)")
    parser.add_argument(
        "--overlap",
        type=float,
        default=0,
        metavar="P",
        help="percentage of the vocabulary that both languages share (default: 0)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the shared pieces and of the syntax step (default: 1)"
    )
    parser.add_argument(
        "--inversion-marks",
        nargs="+",
        default=["."],
        metavar="MARK",
        help="words that end a segment and stay at its end (default: .; ALIGN-MLM's code: . ! ?)",
    )
    parser.add_argument(
        "--towards",
        nargs="+",
        default=[],
        metavar="TREEBANK",
        help="CoNLL-U treebanks of the language whose word order the syntax step learns",
    )
    for kind, text in _FILES.items():
        parser.add_argument(
            f"--{kind}", action=_AddFile, dest="inputs", default=[], metavar="NAME=FILE", help=f"{text}; repeatable"
        )


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.languages.derivation import DeriveOptions, derive

    several = {name: tuple(getattr(args, name)) for name in ("inputs", "inversion_marks", "towards")}
    options = parse_as(DeriveOptions, args, destdir=args.out, **several)
    manifest = derive(options, args.quiet)
    for each in manifest["inputs"]:
        print(f"{each['kind']} {each['name']}: {_listed(each['counts'])}")
    for name, counts in manifest["steps"].items():
        print(f"step {name}: {_listed(counts)}")
    for warning in _warnings(manifest["steps"], args.inversion_marks):
        print(f"warning: {warning}", file=sys.stderr)


def _warnings(steps: dict[str, dict[str, int]], marks: list[str]) -> Iterator[str]:
    if steps.get("inversion", {}).get("sentence marks") == 0:
        yield f"no word is a mark ({' '.join(marks)}), so lines were inverted whole: is the text tokenised?"
    if steps.get("syntax", {}).get("heads") == 0:
        yield "no noun or verb has dependents, so nothing was reordered: are the tags in column 4 universal?"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
