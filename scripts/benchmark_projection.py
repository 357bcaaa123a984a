#!/usr/bin/env python3
"""Measure projected labels against gold: spans, tags and trees, and models that are trained on them.

usage: benchmark_projection.py --data DIR --work DIR [--out FOLDER] [--parts spans trees transfer]

spans: the answers of XQuAD, which are spans of parallel paragraphs, from English to other languages; also by the rule
of Easy-Label-Projection and from the first to the last linked word, with the same links. trees: the PUD
treebanks, from English. Default options are those that were best on de, ru and hi (spans) and on de (trees); the other
languages were scored once. transfer: e5-small, trained on the first sentences of English PUD, and on the other
languages' sentences with labels that are projected from English; both are tested on other treebanks.

DIR is the folder with eval/. What is done is kept in the work folder, and the same command goes on. Writes
FOLDER/projection.json and FOLDER/projection.md; results of parts and languages that are not given stay.
"""

import argparse
import gzip
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import harness
import markers

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.evaluation.parsing import LAS, UAS, GoldTree

SPANS = {
    "de": "development",
    "ru": "development",
    "hi": "development",
    "zh": "development",
    "es": "test",
    "ro": "test",
    "vi": "test",
}
TREES = {"de": "development", "fr": "test", "es": "test", "zh": "test"}
TRANSFER = ("hi", "ar", "cs", "ru", "es", "fr", "de", "zh")  # the first ones are trained first
PARTS = ("spans", "trees", "transfer")
LEAST = "0.1"  # probability of links between words of treebanks, so that few words have none
SENTENCES, TESTED = 400, 200
STUDY = """data: .
seeds: [12, 156, 78]
defaults: {lr: 1.0e-4, epochs: 4, batch_size: 16, warmup: 0.1, max_length: 128, overlap: 32, freeze_layers: 0}
tasks:
"""


def project(work: Path, src: str, out: str, *options: str) -> Path:
    """The projected file, made unless it is there."""
    if not (work / out).exists():
        command = [sys.executable, "-m", "xalign_fairseq", "project", "--src", src, "--out", out, "-q", *options]
        subprocess.run(
            [*command, *(["--resume"] if (work / f"{out}.links.part").exists() else [])], cwd=work, check=True
        )
    return work / out


def spans_of(folder: Path, language: str) -> dict[str, tuple[str, int, int]]:
    """Context and place of each question's answer."""
    with gzip.open(folder / f"xquad.{language}.json.gz", "rt", encoding="utf-8") as stream:
        articles = json.load(stream)["data"]
    found = {}
    for paragraph in (each for article in articles for each in article["paragraphs"]):
        for question in paragraph["qas"]:
            text, start = question["answers"][0]["text"], question["answers"][0]["answer_start"]
            if paragraph["context"][start : start + len(text)] == text:
                found[question["id"]] = (paragraph["context"], start, start + len(text))
    return found


def write_spans(folder: Path, work: Path, language: str) -> None:
    """English paragraphs with disjoint answers and their translations; labels are the questions' numbers."""
    english, others = spans_of(folder, "en"), spans_of(folder, language)
    pairs: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for key, (context, start, end) in sorted(english.items(), key=lambda item: item[1][2]):
        if key in others:
            kept = pairs.setdefault((context, others[key][0]), [])
            if not kept or kept[-1][1] <= start:
                kept.append((start, end, key))
    with atomic_write(work / f"{language}.jsonl") as out:
        for (text, translation), spans in pairs.items():
            gold = {key: others[key][1:] for _, _, key in spans}
            line = {"text": text, "translation": translation, "spans": spans, "gold": gold}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """A place without the marks at its ends."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return start, end


def score_spans(lines: Iterable[str]) -> dict[str, float]:
    """Shares of gold spans that are placed and that are exact, and the mean F1 of their characters."""
    spans = placed = exact = 0
    f1 = 0.0
    for content in map(json.loads, lines):
        found = {key: (start, end) for start, end, key in content["translation_spans"]}
        for key, gold in content["gold"].items():
            spans += 1
            if key in found:
                (a, b), (c, d) = (bounds(content["translation"], *each) for each in (gold, found[key]))
                placed, exact = placed + 1, exact + ((a, b) == (c, d))
                f1 += 2 * max(0, min(b, d) - max(a, c)) / max(1, b - a + d - c)
    return {"spans": spans, "placed": placed / spans, "exact": exact / spans, "f1": f1 / spans}


def groups_of(words: Sequence[int]) -> Iterator[list[int]]:
    """Sorted words in groups that have at most one other word between two neighbours."""
    group: list[int] = []
    for word in words:
        if group and word - group[-1] > 2:
            yield group
            group = []
        group.append(word)
    yield group


def easy_label_projection(linked: Mapping[str, Sequence[int]], words: Sequence[str]) -> dict[str, range]:
    """Easy-Label-Projection's rule: of linked words that are not only marks, the longest group with gaps of one word.

    A span that overlaps a longer one is not placed; none here has the type of another.
    """
    found = {}
    for key, given in linked.items():
        if kept := [j for j in given if any(map(str.isalnum, words[j]))]:
            group = max(groups_of(kept), key=lambda group: group[-1] - group[0])
            found[key] = range(group[0], group[-1] + 1)
    placed: dict[str, range] = {}
    for key, span in sorted(found.items(), key=lambda item: -len(item[1])):
        if all(span.stop <= other.start or other.stop <= span.start for other in placed.values()):
            placed[key] = span
    return placed


def first_to_last(linked: Mapping[str, Sequence[int]], words: Sequence[str]) -> dict[str, range]:
    """The usual rule with awesome-align's links: from the first to the last linked word."""
    return {key: range(given[0], given[-1] + 1) for key, given in linked.items() if given}


RULES = {"Easy-Label-Projection": easy_label_projection, "first to last linked word": first_to_last}


def placed_by(rule: Callable[..., dict[str, range]], lines: Iterable[str], links: Iterable[str]) -> Iterator[str]:
    """Lines with the spans where a rule places them by these links."""
    for content, found in zip(map(json.loads, lines), map(json.loads, links), strict=True):
        src = SegmentedText.of_words(content["text"], found["src"])
        tgt = SegmentedText.of_words(content["translation"], found["tgt"])
        linked = {}
        for start, end, key in content["spans"]:
            words = src.words_in(start, end)
            linked[key] = sorted({j for i, j, _ in found["links"] if i in words})
        spans = [(tgt.spans[span[0]][0], tgt.spans[span[-1]][1], key) for key, span in rule(linked, tgt.words).items()]
        yield json.dumps({**content, "translation_spans": spans})


def score_trees(gold: Path, projected: Path) -> dict[str, float]:
    """Accuracy of UPOS over all words, UAS and LAS, and the share of words without a link."""
    words = right = unlinked = 0
    sums = [0.0, 0.0, 0.0]
    for ours, theirs in zip(read_trees(gold, "x"), read_trees(projected, "x"), strict=True):
        words += len(ours.upos)
        right += sum(map(str.__eq__, ours.upos, theirs.upos))
        unlinked += theirs.upos.count("X")
        if ours.tree and theirs.tree:
            tree = GoldTree(ours.tree.heads, ours.tree.relations, ours.upos)
            found = theirs.tree.heads, theirs.tree.relations
            heads, both = UAS.count(tree, found, "x"), LAS.count(tree, found, "x")
            sums = [total + more for total, more in zip(sums, (heads[0], both[0], heads[1]), strict=True)]
    return {"upos": right / words, "unlinked": unlinked / words, "uas": sums[0] / sums[2], "las": sums[1] / sums[2]}


def sentences(source: Path, target: Path, which: slice) -> None:
    """Some sentences of a treebank."""
    with (gzip.open if source.suffix == ".gz" else open)(source, "rt", encoding="utf-8") as stream:
        blocks = stream.read().strip().split("\n\n")
    with atomic_write(target) as out:
        out.write("\n\n".join(blocks[which]) + "\n\n")


def transfer(data: Path, work: Path, languages: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """The scores of each seed, by language, of models that were trained on English and on projections."""
    study = STUDY
    tests = {}
    for language in ("en", *languages):
        source = work / f"{language}.conllu" if language == "en" else work / f"en-{language}.conllu"
        sentences(source, work / f"train-{language}.conllu", slice(SENTENCES))
        if language != "en":
            other = data / f"ud/{language}_gsd-ud-test.conllu.gz"
            tests[language] = f"test-{language}.conllu"
            if other.exists():
                sentences(other, work / tests[language], slice(TESTED))
            else:
                sentences(work / f"{language}.conllu", work / tests[language], slice(-TESTED, None))
    for train in ("en", *languages):
        content = {
            "benchmark": "pos",
            "holdout": 0.1,
            "train_languages": [train],
            "train": {train: f"train-{train}.conllu"},
            "test": tests if train == "en" else {train: tests[train]},
        }
        study += f"  {'pos' if train == 'en' else f'pos-{train}'}: {json.dumps(content)}\n"
    (work / "study.yaml").write_text(study, encoding="utf-8")
    command = "transfer --study study.yaml --model e5-small=e5-small --out transfer --cpu --bf16 --jobs 1 -q"
    subprocess.run([sys.executable, "-m", "xalign_fairseq", *command.split()], cwd=work, check=True)
    scores: dict[str, dict[str, list[float]]] = {}
    for path in sorted(work.glob("transfer/runs/e5-small/pos*/*/*/result.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        kind = "zero-shot" if result["train_languages"] == ["en"] else "projected"
        for language, each in result["scores"].items():
            scores.setdefault(language, {}).setdefault(kind, []).append(100 * each["accuracy"])
    return scores


def text_of(results: dict[str, Any]) -> str:
    """The tables."""

    def percent(share: float) -> str:
        return f"{100 * share:.1f}"

    parts = []
    if spans := results.get("spans"):
        rows = [
            (
                f"en-{language}",
                SPANS[language],
                str(row["spans"]),
                *(percent(row[k]) for k in ("placed", "exact", "f1")),
                *(" / ".join(percent(row[rule][k]) for k in ("placed", "exact", "f1")) for rule in RULES),
            )
            for language, row in spans.items()
        ]
        parts += ["Answers of XQuAD, projected from English paragraphs; other rules with the same links:", ""]
        heads = (
            "pair",
            "use",
            "spans",
            "placed",
            "exact",
            "F1 of characters",
            *(f"{rule}: placed / exact / F1" for rule in RULES),
        )
        parts += [markers.table(heads, rows), ""]
    if trees := results.get("trees"):
        rows = [
            (f"en-{language}", TREES[language], *(percent(row[k]) for k in ("upos", "unlinked", "uas", "las")))
            for language, row in trees.items()
        ]
        parts += [f"PUD treebanks, projected from English, links of probability {LEAST} and more:", ""]
        parts += [markers.table(("pair", "use", "UPOS", "words without a link", "UAS", "LAS"), rows), ""]
    if scores := results.get("transfer"):
        rows = []
        for name, row in scores.items():
            kinds = [row[kind] for kind in ("zero-shot", "projected")]
            cells = [f"{statistics.mean(each):.1f} ± {statistics.stdev(each):.1f}" for each in kinds]
            change = statistics.mean(kinds[1]) - statistics.mean(kinds[0])
            rows.append((name, *cells, f"{change:+.1f}".replace("-", "−")))
        head = (
            f"UPOS by e5-small, trained on {SENTENCES} sentences of PUD, tested on {TESTED} of GSD (ar, hi and cs: the "
        )
        head += f"last {TESTED} of PUD), three seeds:"
        parts += [head, ""]
        parts += [markers.table(("language", "zero-shot from English", "projected labels", "change"), rows), ""]
    commits = ", ".join(f"{about['commit']} ({part})" for part, about in results["made"].items())
    [machine] = {about["machine"] for about in results["made"].values()}
    return "\n".join([*parts, f"Links by e5-small; {machine}; commits {commits}; `scripts/benchmark_projection.py`"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with eval/")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where what is done is kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--transfer", nargs="+", choices=TRANSFER, default=TRANSFER, metavar="LANGUAGE")
    args = parser.parse_args()
    data, work = args.data / "eval", args.work
    work.mkdir(parents=True, exist_ok=True)
    written = args.out / "projection.json"
    results = {"seeds": [12, 156, 78], "made": {}, **(read_json(written) if written.is_file() else {})}
    for part in args.parts:
        more = ["--transfer", *args.transfer] if part == "transfer" else []
        command = ["benchmark_projection.py", "--data", args.data.name, "--parts", part, *more]
        results["made"][" ".join((part, *more[1:]))] = harness.about(command)
    if "spans" in args.parts:
        results["spans"] = {}
        for language in SPANS:
            write_spans(data / "xquad", work, language)
            with open(project(work, f"{language}.jsonl", f"projected.{language}.jsonl"), encoding="utf-8") as lines:
                results["spans"][language] = score_spans(lines)
            for name, rule in RULES.items():
                with open(work / f"projected.{language}.jsonl", encoding="utf-8") as lines:
                    links = read_lines(work / f"projected.{language}.jsonl.links")
                    results["spans"][language][name] = score_spans(placed_by(rule, lines, links))
    pairs = {"trees": TREES, "transfer": args.transfer}
    for language in ("en", *dict.fromkeys(language for part in args.parts for language in pairs.get(part, ()))):
        treebank = work / f"{language}.conllu"
        sentences(data / f"ud-pud/{language}_pud-ud-test.conllu.gz", treebank, slice(1000))
        if language != "en":
            options = ("--tgt", treebank.name, "--min-probability", LEAST)
            project(work, "en.conllu", f"en-{language}.conllu", *options)
    if "trees" in args.parts:
        results["trees"] = {
            language: score_trees(work / f"{language}.conllu", work / f"en-{language}.conllu") for language in TREES
        }
    if "transfer" in args.parts:
        results.setdefault("transfer", {}).update(transfer(data, work, args.transfer))
    harness.write(args.out, "projection", results, text_of(results))
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
