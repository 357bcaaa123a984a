"""Put a bilingual lexicon into a data-bin.

Its entries become subword ids, to train on and to hold out. Formats: TSV (headword TAB translation), MUSE (two words a
line), FreeDict's TEI (.tei, .xml, also .gz) and dictd (.index with .dict or .dict.dz). Entries with unknown symbols are
dropped, as are duplicates; all is counted.

Examples (the second of a derived language, whose dictionary holds symbols of dict.txt):
  xalign lexicon data-bin --pair en-de --from eng-deu.tei --fraction 0.25 --held-out 0.1
  xalign lexicon data-bin --pair en-xx --from derived/lexicon.en-xx.tsv --pieces --fraction 0.25
"""

import argparse
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import language_pair, progress_bar
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.languages.lexicons.building import Encode

FORMATS = ("auto", "tsv", "muse", "tei", "dictd")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign lexicon``."""
    parser.add_argument("data", metavar="DATA_BIN", help="the data-bin folder, whose tokenizer encodes the entries")
    parser.add_argument(
        "--pair", required=True, type=language_pair, metavar="SRC-TGT", help="languages of the two sides"
    )
    parser.add_argument(
        "--from", required=True, nargs="+", dest="files", metavar="FILE", help="dictionaries, read one after the other"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="auto", help="of all of them (default: by each name and its first line)"
    )
    parser.add_argument(
        "--pieces", action="store_true", help="entries are symbols of the data-bin's dict.txt, not text to tokenise"
    )
    parser.add_argument(
        "--subwords",
        choices=("mean", "single"),
        default="mean",
        help="entries of several subwords: their vector is the mean (default), or only entries of one are kept",
    )
    parser.add_argument(
        "--fraction",
        type=float,
        metavar="F",
        help="share of the source words to train on, in (0, 1] (default: all that are not held out)",
    )
    parser.add_argument(
        "--held-out", type=float, default=0.1, metavar="H", help="share to hold out, in [0, 1) (default: 0.1)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the choice of both (default: 1)")
    parser.add_argument("--overwrite", action="store_true", help="replace the lexicon of these languages")


def run(args: argparse.Namespace) -> None:
    """Read, encode, divide, write, and tell what was dropped and kept."""
    from xalign_fairseq.core.version import __version__
    from xalign_fairseq.data import lexicon as lexicons
    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.languages.lexicons.building import LexiconOptions, build

    options = LexiconOptions(args.subwords, args.fraction, args.held_out, args.seed)
    data = DataBin(args.data)
    src, tgt = args.pair
    lexicons.require_languages(data, src, tgt)
    lexicons.check_free(data, src, tgt, args.overwrite)
    encode = encoder(data, args.pieces)
    sources = source_files(args)
    lexicon, about = build(src, tgt, entries(args), encode, data.dictionary, options)
    about = {"xalign_fairseq": __version__, "sources": sources, "pieces": args.pieces, **about}
    lexicons.write(data, lexicon, about, args.overwrite)
    print("\n".join(summary(f"{src}-{tgt}", about["counts"])))
    print(f"written to {lexicons.about_path(data, src, tgt)}")


def encoder(data: "DataBin", pieces: bool) -> "Encode":
    """What turns entries into ids: the data-bin's tokenizer, or its dictionary alone."""
    from xalign_fairseq.languages.lexicons.building import pieces_encoder

    return pieces_encoder(data.dictionary) if pieces else data.tokenizer.encode_batch


def source_files(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Name, format and sha256 of every file that is read."""
    from xalign_fairseq.core.files import file_sha256, nearly
    from xalign_fairseq.languages.lexicons.formats import files_of, format_of

    found = []
    for path in args.files:
        if not os.path.isfile(path):
            raise XalignError("the dictionary does not exist", where=path, found=nearly(path))
        kind = format_of(path) if args.format == "auto" else args.format
        found += [
            {"file": str(part), "format": kind, "sha256": file_sha256(part)} for part in files_of(path, args.format)
        ]
    return found


def entries(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The entries of all files."""
    from xalign_fairseq.languages.lexicons.formats import read_entries

    with progress_bar(None, quiet=args.quiet, unit=" entries") as advance:
        for path in args.files:
            for entry in read_entries(path, args.format):
                advance(1)
                yield entry


def summary(pair: str, counts: dict[str, int]) -> list[str]:
    """What was read, dropped and kept, for people."""
    from xalign_fairseq.data.lexicon import PARTS
    from xalign_fairseq.languages.lexicons.building import DROPPED

    dropped = ", ".join(f"{counts[reason]} {reason}" for reason in DROPPED if counts[reason])
    parts = ", ".join(f"{counts[name]} {name}" for name in PARTS)
    return [
        f"{pair}: {counts['read']} entries; dropped: {dropped or 'none'}",
        f"kept: {counts['kept']} entries of {counts['source sides']} source words: {parts}",
    ]
