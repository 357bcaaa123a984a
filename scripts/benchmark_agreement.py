#!/usr/bin/env python3
"""Why KFTT's links are hard for e5-small, and how far aligners agree on languages without gold links.

usage: benchmark_agreement.py [--data FOLDER] [--pairs N] [--out FOLDER]

The first table (kftt) is of KFTT's development set (ja-en) and, for comparison, of XL-WA's: how many gold links join
words that have no other link, and how many of each kind are found. The second table is AGREEMENT, not quality: the F1
of one aligner's links against another's, on NTREX (Thai: Tatoeba), segmented by ICU. French, for which there is gold,
shows what agreement of good links looks like. Statistics learn from the same text and up to 2,000 pairs of Tatoeba.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from harness import RESULTS, about, table, write

from xalign_fairseq import Aligner, Linking
from xalign_fairseq.aligner.gold_sets import GoldSet, read_set
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run import AlignRun, align_files
from xalign_fairseq.aligner.training.gold import gold_pairs
from xalign_fairseq.aligner.training.link_scorer import Fitting, fit_link_scorer
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmentation import find_segmenter
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.growing import grown_links, links_above
from xalign_fairseq.links.pharaoh import Link, read_links
from xalign_fairseq.transport.link_scorer import LinkScorer, usual_layers

DATA = Path(__file__).resolve().parents[2] / "shared/data"
OTHERS = tuple(f"xl-wa/dev/en-{language}" for language in ("bg", "da", "et", "hu", "it", "nl", "ru", "sl"))
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)
LANGUAGES = ("ja", "zh", "vi", "ar", "th", "fr")
METHODS = {"scored": Linking("scored"), "grow": Linking("grow"), "transport": Linking("transport")}
KINDS = ("one to one", "one to several", "several to several")
HEADS = ("AER", "precision", "recall", *(f"{kind}: {what}" for kind in KINDS for what in ("share of gold", "recall")))
Links = Sequence[Iterable[Link]]


def sides_with_several(links: Iterable[Link]) -> dict[Link, int]:
    """For each link, how many of its two words have other links, too."""
    found = set(links)
    rows, columns = Counter(i for i, _ in found), Counter(j for _, j in found)
    return {(i, j): (rows[i] > 1) + (columns[j] > 1) for i, j in found}


def closed(links: Iterable[Link]) -> set[Link]:
    """All links between the words that a chain of links connects."""
    groups: list[tuple[set[int], set[int]]] = []
    for i, j in links:
        rows, columns, apart = {i}, {j}, []
        for group in groups:
            if i in group[0] or j in group[1]:
                rows, columns = rows | group[0], columns | group[1]
            else:
                apart.append(group)
        groups = [*apart, (rows, columns)]
    return {(i, j) for rows, columns in groups for i in rows for j in columns}


def measured(hyps: Links, sets: Sequence[GoldSet]) -> dict[str, float]:
    """In percent: AER, precision, recall; share and recall of gold links by :func:`sides_with_several`."""
    golds = [gold for each in sets for gold in each.golds]
    found = score(hyps, golds)
    hits: dict[int, list[bool]] = {0: [], 1: [], 2: []}
    for own, gold in zip(hyps, golds, strict=True):
        links = set(own)
        for link, kind in sides_with_several(gold.sure).items():
            hits[kind].append(link in links)
    total = sum(map(len, hits.values()))
    values = [found.aer, found.precision, found.recall]
    for each in hits.values():
        values += [len(each) / total, sum(each) / max(1, len(each))]
    return {name: 100 * value for name, value in zip(HEADS, values, strict=True)}


def kftt(gold: Path) -> dict[str, dict[str, float]]:
    """The rows of the first table."""
    aligner = Aligner.from_pretrained("e5-small", linking=Linking("grow"), device="cpu", dtype="float32")
    japanese = read_set(gold / "kftt-dev/ja-en.gold")
    others = [read_set(gold / f"{name}.gold") for name in OTHERS]

    scores = matrices(aligner, [japanese])
    grown = {least: [grown_links(each, least, least / 2) for each in scores] for least in THRESHOLDS}
    easy = [grown_links(each, 0.5, 0.25) for each in matrices(aligner, others)]
    rows = {
        "grow, eight sets of XL-WA": measured(easy, others),
        **{f"grow, threshold {least}": measured(grown[least], [japanese]) for least in THRESHOLDS},
        "... 0.5, with all links between connected words": measured(list(map(closed, grown[0.5])), [japanese]),
    }
    layers, similar = usual_layers(aligner.encoder.config.encoder_layers)
    own, golds = gold_pairs(aligner, japanese, layers), japanese.golds
    dim = aligner.encoder.config.encoder_embed_dim
    scorer = fit_link_scorer([own[1::2]], lambda: LinkScorer(dim, layers, similar, dropout=0.1), Fitting(seed=1))
    links = [links_above(scorer.probabilities(*pair.words())[0].numpy(), 0.45) for pair in own[::2]]
    rows["a link scorer of every second pair, on the others"] = measured(links, [replace(japanese, golds=golds[::2])])
    return rows


def matrices(aligner: Aligner, sets: Sequence[GoldSet]) -> list[Any]:
    """Scores of all pairs of words."""
    pairs = (pair for one in sets for pair in one.pairs)
    return [each.matrix for each in aligner.stream(pairs, matrices=True)]


def agreement(data: Path, language: str, pairs: int) -> dict[str, float]:
    """F1 in percent of each two aligners' links of English and another language."""
    cut = find_segmenter("icu")
    thai = data / "bitext/tatoeba-laser-test/en-th"
    files = [
        thai.with_suffix(f".{each}") if language == "th" else data / f"bitext/ntrex128/ntrex.{each}"
        for each in ("en", language)
    ]
    text = [list(map(cut, read_lines(file))) for file in files]
    extra = data / f"bitext/tatoeba-manythings/en-{language}"
    if extra.with_suffix(".en").is_file():
        for side, each in zip(text, ("en", language), strict=True):
            side.extend(map(cut, islice(read_lines(extra.with_suffix(f".{each}")), 2000)))
    tested = [side[:pairs] for side in text]
    found = {}
    for name, linking in METHODS.items():
        aligner = Aligner.from_pretrained("e5-small", linking=linking, device="cpu", dtype="float32")
        found[name] = [set(each.links) for each in aligner.align(*tested)]
    with TemporaryDirectory() as work:
        words = [Path(work, name) for name in ("src", "tgt")]
        for path, side in zip(words, text, strict=True):
            path.write_text("".join(f"{' '.join(each)}\n" for each in side), encoding="utf-8")
        out, names = Path(work, "links"), (str(words[0]), str(words[1]))
        align_files(AlignRun(names, "", AlignerOptions(), "from_scratch", str(out), segment="spaces", quiet=True))
        found["statistics"] = [set(each) for each in read_links(out)[:pairs]]
    rates = {"pairs": float(len(tested[0]))}
    for one, other in combinations(found, 2):
        both = sum(len(a & b) for a, b in zip(found[one], found[other], strict=True))
        rates[f"{one}, {other}"] = 200 * both / sum(len(each) for name in (one, other) for each in found[name])
    return rates


def main() -> None:
    """Write both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    command = ["benchmark_agreement.py", "--pairs", args.pairs]
    rows = kftt(args.data / "gold")
    cells = [(name, *(f"{value:.0f}" for value in row.values())) for name, row in rows.items()]
    write(args.out, "kftt", {**about(command, seed=1), "rows": rows}, table(("links by", *HEADS), cells))
    agreed = {language: agreement(args.data, language, args.pairs) for language in LANGUAGES}
    cells = [(name, *(f"{each[name]:.0f}" for each in agreed.values())) for name in agreed["fr"]]
    heads = ("F1 of links", *(f"en-{language}" for language in LANGUAGES))
    write(args.out, "agreement", {**about(command, seed=1), "agreement": agreed}, table(heads, cells))


if __name__ == "__main__":
    sys.exit(exit_code(main))
