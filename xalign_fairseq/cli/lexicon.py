"""Add a bilingual lexicon to a data-bin.

Converts the entries to subword ids and splits them into training and held-out parts. Formats: TSV (headword TAB
translation), MUSE (two words per line) and FreeDict's TEI (.tei, .xml, also .gz). Entries with unknown symbols and
duplicates are dropped and counted.

Examples (the second is for a derived language, whose lexicon contains symbols of dict.txt):
  xalign lexicon data-bin --pair en-de --from eng-deu.tei --fraction 0.25 --held-out 0.1
  xalign lexicon data-bin --pair en-xx --from derived/lexicon.en-xx.tsv --pieces --fraction 0.25
"""

import argparse

from xalign_fairseq.cli._aligning import language_pair
from xalign_fairseq.cli._arguments import add_values, parse_as

FORMATS = ("auto", "tsv", "muse", "tei")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA_BIN", help="the data-bin folder, whose tokenizer encodes the entries")
    parser.add_argument(
        "--pair", required=True, type=language_pair, metavar="SRC-TGT", help="languages of the two sides"
    )
    parser.add_argument("--from", required=True, nargs="+", dest="files", metavar="FILE", help="lexicon files")
    parser.add_argument(
        "--format", choices=FORMATS, default="auto", help="format of all files (default: from each name and first line)"
    )
    parser.add_argument(
        "--pieces", action="store_true", help="entries are symbols of the data-bin's dict.txt, not text"
    )
    share = "share of the source words for training, in (0, 1] (default: all that are not held out)"
    add_values(parser, ("fraction", float, "F", share))
    parser.add_argument(
        "--held-out",
        type=float,
        default=0.1,
        metavar="H",
        help="share of the source words to hold out, in [0, 1) (default: 0.1)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the split (default: 1)")
    parser.add_argument("--overwrite", action="store_true", help="replace the lexicon of these languages")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.data.lexicon import PARTS
    from xalign_fairseq.languages.lexicons.adding import AddedLexicon
    from xalign_fairseq.languages.lexicons.building import DROPPED, LexiconOptions

    options = LexiconOptions(args.fraction, args.held_out, args.seed)
    path, counts = parse_as(AddedLexicon, args, options=options).add()
    dropped = ", ".join(f"{counts[reason]} {reason}" for reason in DROPPED if counts[reason])
    parts = ", ".join(f"{counts[name]} {name}" for name in PARTS)
    print(f"{'-'.join(args.pair)}: {counts['read']} entries; dropped: {dropped or 'none'}")
    print(f"kept: {counts['kept']} entries of {counts['source sides']} source words: {parts}")
    print(f"written to {path}")
