"""Turn text into a data-bin folder for training: fairseq's mmap files, dictionary, links and manifest.

Example, with a new sentencepiece model over all training text (the files are P.en, P.de and so on):

  xalign prepare --destdir data-bin --workers 4 --vocab-size 8000 \\
    --pair en-de --trainpref train-ende --validpref valid-ende --links valid-ende.gold \\
    --pair en-fr --trainpref train-enfr --mono en=news.en

With XLM-R's: --spm sentencepiece.bpe.model --dict dict.txt instead of --vocab-size.
Every --pair opens a group: the prefixes and links that follow belong to it.
"""

import argparse
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xalign_fairseq.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.data.sources import MonoSource, PairSource

SPLITS = ("train", "valid", "test")


@dataclass
class PairGroup:
    """What the command line says about one pair."""

    src: str
    tgt: str
    prefixes: dict[str, str] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)


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
        group = namespace.pairs[-1]
        if self.dest == "links":
            group.links.append(values)
            return
        split = self.dest.removesuffix("pref")
        if split in group.prefixes:
            parser.error(f"{option} is given twice for --pair {group.src}-{group.tgt}")
        group.prefixes[split] = values


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign prepare``."""
    hidden = argparse.SUPPRESS
    parser.add_argument("--destdir", required=True, metavar="D", help="the data-bin folder to be made")
    parser.add_argument("--pair", action=_OpenPair, dest="pairs", metavar="SRC-TGT", help="a language pair; repeatable")
    for split in SPLITS:
        text = f"{split} text of the pair: P.SRC and P.TGT, one sentence per line"
        parser.add_argument(f"--{split}pref", action=_IntoPair, default=hidden, metavar="P", help=text)
    parser.add_argument(
        "--links",
        action=_IntoPair,
        default=hidden,
        metavar="[SPLIT=]FILE",
        help="word links of the pair, 0-based i-j (sure) and ipj (possible) over blank-separated words; they belong to "
        "the split whose prefix P begins the name (P.gold), else to train; repeatable",
    )
    for option, split in (("--mono", "training"), ("--mono-valid", "validation")):
        text = f"monolingual {split} text; repeatable, files of one language are joined"
        parser.add_argument(option, action="append", default=[], metavar="LANG=FILE", help=text)
    parser.add_argument("--spm", metavar="MODEL", help="use this sentencepiece model; without it one is trained")
    parser.add_argument("--dict", metavar="DICT", help="fairseq's dict.txt of --spm (made from its pieces by default)")
    parser.add_argument(
        "--vocab-size", type=int, metavar="N", help="pieces of the trained sentencepiece model (default: 8000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of sentencepiece's training sample (default: 1)")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing D, once the new one is complete")


def run(args: argparse.Namespace) -> None:
    """Prepare the data and print what was kept, dropped and unknown."""
    from xalign_fairseq.data.prepare import prepare
    from xalign_fairseq.data.sources import PrepareOptions

    if args.vocab_size is not None and args.spm is not None:
        raise XalignError("--vocab-size trains a model, --spm takes an existing one", next="give one of the two")
    options = PrepareOptions(
        destdir=args.destdir,
        pairs=[source for group in args.pairs or [] for source in pair_sources(group)],
        mono=mono_sources("train", args.mono) + mono_sources("valid", args.mono_valid),
        spm=args.spm,
        dictionary=args.dict,
        vocab_size=8000 if args.vocab_size is None else args.vocab_size,
        seed=args.seed,
        workers=args.workers,
        overwrite=args.overwrite,
    )
    # A batch system's SIGTERM must remove the unfinished folder, as an error does.
    before = signal.signal(signal.SIGTERM, lambda number, frame: exit_by_signal(number))
    try:
        manifest = prepare(options)
    finally:
        signal.signal(signal.SIGTERM, before)
    print("\n".join(summary(manifest)))
    print(f"{manifest['tokenizer']['symbols']} symbols in the dictionary; all counts in {args.destdir}/manifest.json")


def exit_by_signal(number: int) -> None:
    """Leave with the exit code of a process that the signal ended, but through all clean-ups."""
    raise SystemExit(128 + number)


def pair_sources(group: PairGroup) -> list["PairSource"]:
    """The splits of a pair, each with its links."""
    from xalign_fairseq.data.sources import PairSource

    if not group.prefixes:
        raise XalignError(
            "a pair has no text", found=f"--pair {group.src}-{group.tgt} alone", next="add --trainpref P after it"
        )
    links: dict[str, str] = {}
    for value in group.links:
        split, path = links_split(value, group.prefixes)
        if split in links:
            raise XalignError(
                f"two links files for {split} {group.src}-{group.tgt}", found=f"{links[split]}, {path}",
                expected="one for each split", next="say which is which with --links SPLIT=FILE",
            )  # fmt: skip
        if split not in group.prefixes:
            raise XalignError(
                "a links file belongs to a split without text", where=path, found=f"no --{split}pref",
                expected=f"one of {', '.join(group.prefixes)}", next="say to which with --links SPLIT=FILE",
            )  # fmt: skip
        links[split] = path
    return [
        PairSource(split, group.src, group.tgt, f"{prefix}.{group.src}", f"{prefix}.{group.tgt}", links.get(split))
        for split, prefix in group.prefixes.items()
    ]


def links_split(value: str, prefixes: dict[str, str]) -> tuple[str, str]:
    """The split and path of a ``--links`` value."""
    split, equals, path = value.partition("=")
    if equals and split in SPLITS:
        return split, path
    for split, prefix in prefixes.items():
        if os.path.normpath(value).startswith(f"{os.path.normpath(prefix)}."):
            return split, value
    return "train", value


def mono_sources(split: str, values: Sequence[str]) -> list["MonoSource"]:
    """The files of ``LANG=FILE`` values, by language."""
    from xalign_fairseq.data.sources import MonoSource

    files: dict[str, list[str]] = {}
    for value in values:
        lang, equals, path = value.partition("=")
        if not (lang and equals and path):
            raise XalignError("--mono takes LANG=FILE", found=value, expected="for example en=news.en")
        files.setdefault(lang, []).append(path)
    return [MonoSource(split, lang, tuple(paths)) for lang, paths in files.items()]


def summary(manifest: dict[str, Any]) -> list[str]:
    """One line for each text: kept, dropped with reasons, tokens, share of unknown tokens."""
    lines = []
    for text in manifest["pairs"] + manifest["mono"]:
        name = f"{text['src']}-{text['tgt']}" if "src" in text else text["lang"]
        kept = f"{text['pairs']} pairs" if "src" in text else f"{text['sentences']} sentences"
        drops = ", ".join(f"{count} {reason}" for reason, count in text["dropped"].items() if count)
        tokens = ", ".join(
            f"{count} {lang} ({100 * text['unknown_rate'][lang]:.2f}% unknown)"
            for lang, count in text["tokens"].items()
        )
        links = text.get("links")
        about = f"; links: {links['sure']} sure, {links['possible']} possible" if links else ""
        lines.append(f"{text['split']} {name}: {kept}; dropped: {drops or 'none'}; tokens: {tokens}{about}")
    return lines
