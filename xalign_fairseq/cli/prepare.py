"""Prepare text for training: write a data-bin folder.

Writes fairseq's mmap files, the dictionary, links and a manifest. The prefixes and links after a --pair belong to that
pair; a file of links belongs to the split whose prefix its name starts with.

The tokenizer is one of three: that of a pretrained model (--tokenizer bert-base-multilingual-cased), XLM-R's files
(--spm sentencepiece.bpe.model --dict dict.txt), or a new sentencepiece model trained on the training text.

Example (the files are train-ende.en, train-ende.de and so on):
  xalign prepare --out data-bin --workers 4 --vocab-size 8000 \\
    --pair en-de --trainpref train-ende --validpref valid-ende --links valid-ende.gold \\
    --pair en-fr --trainpref train-enfr --mono en=news.en
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import add_count, add_out, add_values, parse_as, quick_imports
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.data.prepare.sources import MonoSource, PairSource

SPLITS = ("train", "valid", "test")


@dataclass
class PairGroup:
    """The options of one pair: prefixes by split, and files of links."""

    src: str
    tgt: str
    prefixes: dict[str, str] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)

    def links(self) -> dict[str, str]:
        """The file of links of each split: ``SPLIT=FILE``, or a name that begins with a prefix; otherwise of train."""
        found: dict[str, str] = {}
        for value in self.given:
            split, equals, path = value.partition("=")
            if not equals or split not in SPLITS:
                if equals and split.isalpha() and not os.path.exists(value):
                    problem = f"there is no split {split}"
                    raise XalignError(problem, parameter="links", found=value, expected="train, valid or test")
                path = value
                matching = {each: prefix for each, prefix in self.prefixes.items() if path.startswith(f"{prefix}.")}
                split = max(matching, key=lambda each: len(matching[each]), default="train")
            if split in found or split not in self.prefixes:
                problem = f"two links files for {split}" if split in found else "a links file belongs to no text"
                expected = f"--links SPLIT=FILE, one for each of {', '.join(self.prefixes)}"
                raise XalignError(f"{problem} of {self.src}-{self.tgt}", where=path, expected=expected)
            found[split] = path
        return found


class _OpenPair(argparse.Action):
    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        src, dash, tgt = values.partition("-")
        if not (src and dash and tgt):
            parser.error(f"--pair takes two language codes, as in en-de; found {values!r}")
        namespace.pairs = [*(namespace.pairs or []), PairGroup(src, tgt)]


class _IntoPair(argparse.Action):
    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        if not namespace.pairs:
            parser.error(f"{option} belongs to a pair: give --pair SRC-TGT before it")
        group, split = namespace.pairs[-1], self.dest.removesuffix("pref")
        if split == "links":
            group.given.append(values)
        elif split in group.prefixes:
            parser.error(f"{option} is given twice for --pair {group.src}-{group.tgt}")
        else:
            group.prefixes[split] = values


def add_arguments(parser: argparse.ArgumentParser) -> None:
    hidden = argparse.SUPPRESS
    add_out(parser, "data-bin folder to write", metavar="D")
    parser.add_argument("--pair", action=_OpenPair, dest="pairs", metavar="SRC-TGT", help="a language pair; repeatable")
    text = "training text of the pair: P.SRC and P.TGT, one sentence per line; or P is a folder of two such files, "
    text += "a .tmx or a .tsv (columns 1 and 2, others as P#4,2); plain or compressed (.gz, .bz2, .xz, .zst)"
    for split, about in (("train", text), ("valid", "validation text, as --trainpref"), ("test", "test text")):
        parser.add_argument(f"--{split}pref", action=_IntoPair, default=hidden, metavar="P", help=about)
    parser.add_argument(
        "--links",
        action=_IntoPair,
        default=hidden,
        metavar="[SPLIT=]FILE",
        help="word links of the pair, 0-based i-j (sure) and ipj (possible), words separated by spaces; P.gold "
        "belongs to the text of prefix P, other names to the training text; repeatable",
    )
    for option, split in (("--mono", "training"), ("--mono-valid", "validation")):
        text = f"monolingual {split} text; repeatable"
        parser.add_argument(option, action="append", default=[], metavar="LANG=FILE", help=text)
    parser.add_argument(
        "--tokenizer",
        metavar="MODEL",
        help="use the tokenizer and ids of this model: a checkpoint, a fairseq or Hugging Face folder, a hub name, "
        "or e5-small",
    )
    parser.add_argument(
        "--trim-vocabulary",
        action="store_true",
        help="keep only the pieces of --tokenizer MODEL that the texts need, as xalign trim does; D/model.pt "
        "is the trimmed model: pass D to --init-checkpoint",
    )
    parser.add_argument(
        "--spm", metavar="MODEL", help="sentencepiece model (default: train one, unless --tokenizer is given)"
    )
    parser.add_argument("--dict", metavar="DICT", help="fairseq's dict.txt for --spm (default: made from its pieces)")
    add_count(parser, "--vocab-size", "size of the sentencepiece model to train (default: 8000)")
    add_values(
        parser,
        ("min-length", int, "N", "drop training text with fewer tokens on a side"),
        ("max-length", int, "N", "drop training text with more tokens on a side"),
        ("max-length-ratio", float, "R", "drop training pairs if one side has more than R times the other's tokens"),
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of sentencepiece's training sample (default: 1)")
    parser.add_argument(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="write only part I (from 0) of N of the training text, cut at every 5,000th line, and the other splits "
        "whole; fairseq-train reads the N folders, separated by colons",
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue a stopped run of the same command; until it is complete, the output is in .D.unfinished",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing D when the new one is complete")


def _shard(text: str) -> tuple[int, int]:
    index, slash, number = text.partition("/")
    if not (slash and index.isdecimal() and number.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be I/N, such as 0/4; found {text!r}")
    return int(index), int(number)


def run(args: argparse.Namespace) -> None:
    """Prepare the data and print what was kept, dropped and unknown."""
    with quick_imports():
        from xalign_fairseq.data.prepare.filters import Filters
        from xalign_fairseq.data.prepare.sources import PrepareOptions
        from xalign_fairseq.data.tokenizers.unknown import unknown_of_texts
        from xalign_fairseq.encoder.pretrained.preparing import prepare_data

    if args.vocab_size is not None and (args.spm or args.tokenizer) is not None:
        given = ("vocab_size", "spm" if args.spm else "tokenizer")
        raise XalignError("a vocabulary size is for a new model, but an existing one is given", parameter=given)
    options = parse_as(
        PrepareOptions,
        args,
        destdir=args.out,
        pairs=[source for group in args.pairs or () for source in pair_sources(group)],
        mono=mono_sources("train", args.mono) + mono_sources("valid", args.mono_valid),
        dictionary=args.dict,
        vocab_size=args.vocab_size or PrepareOptions.vocab_size,
        filters=parse_as(Filters, args),
    )
    there = args.resume and not args.overwrite and os.path.exists(f"{args.out}/manifest.json")
    manifest = prepare_data(options)
    unknown = unknown_of_texts(manifest["pairs"] + manifest["mono"])
    if message := unknown.warning("a model learns little of these words"):
        print(f"warning: {message}", file=sys.stderr)
    if args.quiet:
        return
    print("\n".join([*([f"{args.out} is already complete"] if there else []), *summary(manifest)]))
    new = " of a new sentencepiece model" if manifest["tokenizer"]["trained"] else ""
    symbols = f"{manifest['tokenizer']['symbols']:,} symbols in the dictionary{new}"
    print(f"{symbols}; all counts in {args.out}/manifest.json")
    if args.trim_vocabulary:
        print(f"to train from the trimmed model: fairseq-train {args.out} ... --init-checkpoint {args.out}")


def pair_sources(group: PairGroup) -> list["PairSource"]:
    """The splits of a pair, each with its links."""
    from xalign_fairseq.core.text.containers import sides_of
    from xalign_fairseq.data.prepare.sources import PairSource

    if not group.prefixes:
        raise XalignError(
            "a pair has no text", found=f"--pair {group.src}-{group.tgt} alone", remedy="add --trainpref P after it"
        )
    links = group.links()
    return [
        PairSource(split, group.src, group.tgt, *sides_of(prefix, group.src, group.tgt), links.get(split))
        for split, prefix in group.prefixes.items()
    ]


def mono_sources(split: str, values: Sequence[str]) -> list["MonoSource"]:
    """The files of ``LANG=FILE`` values, by language."""
    from xalign_fairseq.data.prepare.sources import MonoSource

    files: dict[str, list[str]] = {}
    for value in values:
        lang, equals, path = value.partition("=")
        if not (lang and equals and path):
            parameter = "mono" if split == "train" else "mono_valid"
            raise XalignError("no language is given", parameter=parameter, found=value, expected="LANG=FILE")
        files.setdefault(lang, []).append(path)
    return [MonoSource(split, lang, tuple(paths)) for lang, paths in files.items()]


def summary(manifest: dict[str, Any]) -> list[str]:
    """One line for each text: kept, dropped with reasons, tokens, share of unknown tokens."""
    lines = []
    for text in manifest["pairs"] + manifest["mono"]:
        name = f"{text['src']}-{text['tgt']}" if "src" in text else text["lang"]
        kept = counted(text["pairs"], "pair") if "src" in text else counted(text["sentences"], "sentence")
        drops = ", ".join(f"{count:,} {reason}" for reason, count in text["dropped"].items() if count)
        tokens = ", ".join(
            f"{count:,} {lang} ({100 * text['unknown_rate'][lang]:.2f}% unknown)"
            for lang, count in text["tokens"].items()
        )
        links = text.get("links")
        about = f"; links: {links['sure']:,} sure, {links['possible']:,} possible" if links else ""
        lines.append(f"{text['split']} {name}: {kept}; dropped: {drops or 'none'}; tokens: {tokens}{about}")
    return lines
