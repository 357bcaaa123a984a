#!/usr/bin/env python3
"""Align raw text and its words as treebanks and gold links split it; what that changes, and what it costs.

usage: benchmark_segmentation.py [--data FOLDER] [--pairs N] [--out FOLDER]

Raw lines of eight languages, each with English, are from the parallel treebanks (PUD), whose words are found again in
them; raw Japanese is that of KFTT's development set without the spaces. Links of the raw text are mapped to the words
by characters, and compared with the links of the words themselves; those of KFTT also with its gold links. What
segmentation costs is also measured where linking is fast: learned from raw Japanese alone, and from its words.
"""

import argparse
import gzip
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from harness import RESULTS, about, table, write

from xalign_fairseq import load_aligner
from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.protocol import WordAligner
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner, train_from_scratch
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.text.kept_pairs import KeptPairs
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.core.text.segmentation import find_segmenter
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold_text
from xalign_fairseq.links.pharaoh import Gold

NAME = "segmentation"
DATA = Path(__file__).resolve().parents[2] / "shared/data"
LANGUAGES = ("ar", "cs", "de", "es", "fr", "hi", "ru", "zh")
JAPANESE = ("icu", "fugashi")
JAPANESE_TEXT, LEARNED = "tatoeba-manythings/en-ja", 10_000
LINES = {
    "of tokenised Japanese and Chinese (KFTT, MLQE-PE)": (
        "gold/kftt-dev/ja-en.ja",
        "gold/awesome-align-examples/ja-en.ja",
        *(f"bitext/mlqe-pe/en-zh.{part}.zh" for part in ("train", "dev", "test")),
    ),
    "of English (KFTT)": ("gold/kftt-dev/ja-en.en", "gold/awesome-align-examples/ja-en.en"),
    "of raw Japanese and Chinese (NTREX)": ("bitext/ntrex128/ntrex.ja", "bitext/ntrex128/ntrex.zh"),
    "of short raw Thai (Tatoeba)": ("bitext/tatoeba-laser-test/en-th.th",),
}
Links = Sequence[dict[tuple[int, int], float]]


def treebank(path: Path) -> Iterator[SegmentedText | None]:
    """The sentences of a treebank, with the words of their text; None where they are not found in it."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for block in stream.read().strip().split("\n\n"):
            lines = block.split("\n")
            text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text = "))
            yield located(text, words(line.split("\t") for line in lines if not line.startswith("#")))


def words(rows: Iterator[list[str]]) -> Iterator[str]:
    """The forms of a sentence as they are in the text: of a word that is taken apart, the whole."""
    last = 0
    for number, form, *_ in rows:
        if "-" in number:
            last = int(number.split("-")[1])
            yield form
        elif number.isdecimal() and int(number) > last:
            yield form


def located(text: str, forms: Iterator[str]) -> SegmentedText | None:
    """The places of words in their text."""
    spans, end = [], 0
    for form in forms:
        start = text.find(form, end)
        if start < 0 or text[end:start].strip():
            return None
        end = start + len(form)
        spans.append((start, end))
    return SegmentedText(text, tuple(spans))


def without_spaces(each: Sequence[str]) -> SegmentedText:
    """Words as a text without spaces."""
    found = located("".join(each), iter(each))
    assert found
    return found


def compare(
    aligner: WordAligner, given: Sequence[Alignment], segmenters: Sequence[str]
) -> tuple[dict[str, Any], Links]:
    """Links of raw text on the words of a treebank against the given links of these words."""
    src, tgt = [pair.src for pair in given], [pair.tgt for pair in given]
    raw = [
        list(map(find_segmenter(name), (each.text for each in side)))
        for name, side in zip(segmenters, (src, tgt), strict=True)
    ]
    found = list(aligner.stream(zip(*raw, strict=True)))
    mapped = [pair.links_on(*both) for pair, both in zip(found, zip(src, tgt, strict=True), strict=True)]
    same = [
        one.spans == two.spans and three.spans == four.spans
        for one, two, three, four in zip(src, raw[0], tgt, raw[1], strict=True)
    ]
    kept = [
        tuple(
            {k for k, span in enumerate(words.spans) if span in set(cut.spans)}
            for words, cut in zip((pair.src, pair.tgt), sides, strict=True)
        )
        for pair, sides in zip(given, zip(*raw, strict=True), strict=True)
    ]
    inside = [
        [{(i, j) for i, j in links if i in words[0] and j in words[1]} for links in both]
        for words, both in zip(kept, zip(mapped, (pair.links for pair in given), strict=True), strict=True)
    ]
    others = sum(len(pair.links.keys() ^ links.keys()) for pair, links in zip(given, mapped, strict=True))
    equal = [(links, pair.links) for is_same, links, pair in zip(same, mapped, given, strict=True) if is_same]
    agreed = score(mapped, [Gold(frozenset(pair.links), frozenset(pair.links)) for pair in given])
    cut = score(
        [set(each.spans) for each in raw[1]], [Gold(frozenset(each.spans), frozenset(each.spans)) for each in tgt]
    )
    facts = {
        "pairs": len(src),
        "words": sum(map(len, tgt)),
        "words f1": cut.f1,
        "links f1": agreed.f1,
        "links f1 of equal words": f1_of(inside),
        "links f1 of equal sentences": f1_of(equal),
        "other links": others,
        "other links of other words": others - sum(len(set(links) ^ set(these)) for links, these in inside),
        "same words": sum(same),
        "same words, other links": sum(
            is_same and pair.links.keys() != links.keys()
            for is_same, pair, links in zip(same, given, mapped, strict=True)
        ),
    }
    return facts, mapped


def f1_of(pairs: Iterable[Iterable[Iterable[tuple[int, int]]]]) -> float:
    """F1 of links against other links, of each sentence."""
    pairs = [[frozenset(links) for links in both] for both in pairs]
    return score([found for found, _ in pairs], [Gold(links, links) for _, links in pairs]).f1 if pairs else 0.0


def share_of_learning(data: Path, rounds: int = 3) -> dict[str, float]:
    """CPU seconds to learn from raw Japanese and to link it, and the same from its words: medians of rounds in turn."""
    clocks: dict[str, list[float]] = {"raw": [], "words": []}
    with TemporaryDirectory() as name:
        folder = Path(name)
        lines = [list(islice(read_lines(data / f"bitext/{JAPANESE_TEXT}.{side}"), LEARNED)) for side in ("en", "ja")]
        find = find_segmenter("auto")
        for kind, sides in (("raw", lines), ("words", [[" ".join(find(line)) for line in side] for side in lines])):
            for side, text in zip(("en", "ja"), sides, strict=True):
                (folder / f"{kind}.{side}").write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        for number in range(rounds):
            for kind, times in clocks.items():
                paths = folder / f"{kind}.en", folder / f"{kind}.ja"
                begin = time.process_time()
                pairs = SentencePairs(*paths) if kind == "words" else KeptPairs(*paths, (find, find), folder)
                trained, _ = train_from_scratch(pairs, folder / f"{kind}{number}", lambda *_: None)
                for _ in StatisticalAligner(trained).stream(pairs):
                    pass
                times.append(time.process_time() - begin)
    return {"pairs": len(lines[0]), **{kind: median(times) for kind, times in clocks.items()}}


def cut_lines(paths: Sequence[Path]) -> tuple[int, int]:
    """How many lines ``auto`` cuts in another way than at spaces, and of how many."""
    find = find_segmenter("auto")
    lines = [line for path in paths for line in read_lines(path)]
    return sum(find(line).words != line.split() for line in lines), len(lines)


def cost(aligner: WordAligner, pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """CPU milliseconds a pair, of each segmenter on both sides, and of the aligner."""

    def clocked(call: Callable[[], object]) -> float:
        begin = time.process_time()
        call()
        return 1000 * (time.process_time() - begin) / len(pairs)

    found: dict[str, float] = {}
    find_segmenter("fugashi")(pairs[0][0])  # load the libraries
    for name in ("spaces", "auto", "icu", "fugashi"):
        find = find_segmenter(name)
        found[name] = clocked(lambda find=find: [(find(src), find(tgt)) for src, tgt in pairs])
    found["alignment"] = clocked(lambda: list(aligner.stream(pairs))) - found["auto"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with gold, eval and bitext")
    parser.add_argument("--pairs", type=int, default=50, metavar="N", help="of each treebank (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    return exit_code(lambda: run(parser.parse_args()))


def run(args: argparse.Namespace) -> int:
    aligner = load_aligner("e5-small", device="cpu", dtype="float32")
    found: dict[str, Any] = {}
    pud = {each: list(treebank(args.data / f"eval/ud-pud/{each}_pud-ud-test.conllu.gz")) for each in ("en", *LANGUAGES)}
    for language in LANGUAGES:
        both = [(src, tgt) for src, tgt in zip(pud["en"], pud[language], strict=True) if src and tgt][: args.pairs]
        found[f"en-{language}"], _ = compare(aligner, list(aligner.stream(both)), ("icu", "icu"))
    kftt = args.data / "gold/kftt-dev/ja-en"
    gold = read_gold_text(f"{kftt}.ja", f"{kftt}.en", f"{kftt}.gold")
    texts = list(gold.pairs)
    japanese = [without_spaces(src) for src, _ in texts]
    english = list(map(find_segmenter("spaces"), (" ".join(tgt) for _, tgt in texts)))
    given = list(aligner.stream(zip(english, japanese, strict=True)))
    aer = {"words": score([{(j, i) for i, j in pair.links} for pair in given], gold.golds).aer}
    for name in JAPANESE:
        facts, mapped = compare(aligner, given, ("spaces", name))
        found[f"en-ja, {name}"] = facts
        aer[name] = score([{(j, i) for i, j in links} for links in mapped], gold.golds).aer
    seconds = cost(aligner, [(src.text, tgt.text) for src, tgt in zip(japanese, english, strict=True)][:100])
    learning = share_of_learning(args.data)
    automatic = {kind: cut_lines([args.data / path for path in paths]) for kind, paths in LINES.items()}
    results = {
        **about(["scripts/benchmark_segmentation.py", *sys.argv[1:]], packages=("icu4py", "fugashi", "unidic-lite")),
        "lines that auto cuts": automatic,
        "agreement": found,
        "kftt-dev aer": aer,
        "cpu milliseconds": seconds,
        "cpu seconds of learning and linking": learning,
    }
    write(args.out, NAME, results, tables(results))
    return 0


HEADS = ("pair", "sentences", "F1 of words", "F1 of links", "between equal words")
NAMES = ("words f1", "links f1", "links f1 of equal words")


def tables(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    rows = [
        (
            pair,
            str(each["pairs"]),
            *(f"{100 * each[name]:.1f}" if name in each else "–" for name in NAMES),
        )
        for pair, each in results["agreement"].items()
    ]
    aer, seconds = results["kftt-dev aer"], results["cpu milliseconds"]
    told = ", ".join(f"{name} {1000 * value:.0f}" for name, value in seconds.items() if name != "alignment")
    share = seconds["auto"] / seconds["alignment"]
    learning, counts = (
        results["cpu seconds of learning and linking"],
        [row for row in results["agreement"].values() if NAMES[-1] in row],
    )
    names = ("other links", "other links of other words", "same words", "pairs")
    others, touching, same, sentences = (sum(row[name] for row in counts) for name in names)
    low, *_, high = sorted(100 * row["links f1 of equal words"] for row in counts)
    f1 = 100 * min(row["links f1 of equal sentences"] for row in counts if row["same words"])
    lines = ", ".join(f"{cut:,} of {all_:,} {kind}" for kind, (cut, all_) in results["lines that auto cuts"].items())
    return "\n".join(
        (
            f"e5-small in float32; {results['machine']}; `{results['command']}`, commit {results['commit']}.",
            "",
            f"Lines that `auto` cuts: {lines}.",
            "",
            table(HEADS, rows),
            "",
            f"AER of KFTT's development set (ja-en): {100 * aer['words']:.1f} with the words of the gold links; raw, "
            + ", ".join(f"{100 * aer[name]:.1f} with {name}" for name in JAPANESE)
            + f". CPU time of a pair: {told} microseconds by segmenter; {seconds['alignment']:.1f} milliseconds for "
            f"the alignment, of which `auto` is {100 * share:.1f} %.",
            "",
            f"{learning['pairs']:,} pairs of raw Japanese and English (Tatoeba), learned from alone and linked: "
            f"{learning['raw']:.1f} CPU seconds; {learning['words']:.1f} with words that are given, so segmentation is "
            f"{100 - 100 * learning['words'] / learning['raw']:.0f} % (medians of three).",
            "",
            f"Of {others:,} links that differ in pairs with a figure in the last column, "
            f"{100 * touching / others:.0f} % are of a word with other boundaries. "
            f"{same:,} of {sentences:,} sentences have the same words on both sides; their F1 is {f1:.1f}. "
            f"Between words with the same boundaries of all sentences it is {low:.1f} to {high:.1f}.",
            "",
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())
