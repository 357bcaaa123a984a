#!/usr/bin/env python3
"""Compare taggers of entities: zero-shot from English, and trained on English and on projected labels.

usage: benchmark_projected_entities.py --data DIR --work DIR [--out FOLDER] [--languages de zh hi]

For each seed, e5-small learns entities from the first sentences of English PAN-X, is tested in the other languages
(zero-shot), and tags English NTREX. `xalign project` puts these tags on the translations. A second tagger learns from
the same English sentences and these translations ("projected"). Both are tested on the first sentences of PAN-X's
development files, of which nothing was chosen.

DIR is the folder with eval/ and bitext/. Finished work is kept in the work folder, and the same command goes on. Writes
FOLDER/projected_entities.json and FOLDER/projected_entities.md.
"""

import argparse
import json
import statistics
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import harness
import markers
from benchmark_projection import sentences

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write

LANGUAGES = ("de", "zh", "hi")
SEEDS = (12, 78, 156)
TRAINED, TESTED, TRANSLATED = 600, 500, 600  # sentences
STUDY = """data: .
defaults: {lr: 1.0e-4, epochs: 4, batch_size: 16, warmup: 0.1, max_length: 128, overlap: 32, freeze_layers: 0}
tasks:
"""


def words_of(line: str) -> list[str]:
    """The words of a line: punctuation and Chinese characters are words of their own, as in PAN-X."""
    apart = (f" {c} " if unicodedata.category(c)[0] in "PS" or "一" <= c <= "鿿" else c for c in line)
    return "".join(apart).split()


def write_blocks(target: Path, blocks: Iterable[str]) -> None:
    """Sentences with an empty line after each."""
    with atomic_write(target) as out:
        out.writelines(f"{block}\n\n" for block in blocks)


def run(work: Path, *command: str) -> None:
    """A command of the package."""
    subprocess.run([sys.executable, "-m", "xalign_fairseq", *command], cwd=work, check=True)


def train(work: Path, seed: int, tasks: dict[str, dict[str, object]], out: str) -> None:
    """Train and test a tagger for each task."""
    study = STUDY.replace("tasks:", f"seeds: [{seed}]\ntasks:")
    for name, content in tasks.items():
        task = {"benchmark": "ner", "holdout": 0.1, "settings": {"repair_bio": True}, **content}
        study += f"  {name}: {json.dumps(task)}\n"
    (work / f"{out}.yaml").write_text(study, encoding="utf-8")
    options = f"--study {out}.yaml --model e5-small=e5-small --out {out} --cpu --bf16 --jobs 1 -q"
    run(work, "transfer", *options.split())


def f1(work: Path, out: str) -> dict[str, float]:
    """F1 of entities by language, in percent."""
    scores = {}
    for path in work.glob(f"{out}/runs/e5-small/*/*/*/result.json"):
        for language, each in json.loads(path.read_text(encoding="utf-8"))["scores"].items():
            scores[language] = 100 * each["f1"]
    return scores


def measure(data: Path, work: Path, languages: Sequence[str], seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """F1 by language: zero-shot, and with projected labels."""
    tests = {language: f"test-{language}.tsv" for language in languages}
    sentences(data / "eval/panx/train-en.tsv", work / "train-en.tsv", slice(TRAINED))
    for language in languages:
        sentences(data / f"eval/panx/dev-{language}.tsv", work / tests[language], slice(TESTED))
    text = {}
    for language in ("en", *languages):
        lines = (data / f"bitext/ntrex128/ntrex.{language}").read_text(encoding="utf-8").splitlines()[:TRANSLATED]
        text[language] = [words_of(line) for line in lines]
    write_blocks(work / "text-en.tsv", ("\n".join(sentence) for sentence in text["en"]))
    english: dict[str, object] = {"train_languages": ["en"], "train": {"en": "train-en.tsv"}}
    train(work, seed, {"ner": {**english, "test": {**tests, "en": "text-en.tsv"}}}, f"zero-{seed}")
    [tagged] = work.glob(f"zero-{seed}/runs/e5-small/ner/en/{seed}/predictions/en.jsonl")
    tags = [json.loads(line)["prediction"] for line in tagged.read_text(encoding="utf-8").splitlines()]
    pairs = zip(text["en"], tags, strict=True)
    write_blocks(work / f"silver-{seed}.conll", ("\n".join(map("\t".join, zip(*each, strict=True))) for each in pairs))
    tasks: dict[str, dict[str, object]] = {}
    for language in languages:
        (work / f"text.{language}").write_text("".join(f"{' '.join(each)}\n" for each in text[language]), "utf-8")
        projected = f"silver-{seed}-{language}.conll"
        if not (work / projected).exists():
            links = work / f"links.{language}"
            given = ["--links", links.name] if links.exists() else []
            files = ("--src", f"silver-{seed}.conll", "--tgt", f"text.{language}", "--out", projected)
            run(work, "project", *files, "--segment", "spaces", "-q", *given)
            if not given:
                (work / f"{projected}.links").rename(links)
        files = {"en": "train-en.tsv", language: projected}
        test = {"test": {language: tests[language]}}
        tasks[f"ner-{language}"] = {"train_languages": ["en", language], "train": files, **test}
    train(work, seed, tasks, f"projected-{seed}")
    return f1(work, f"zero-{seed}"), f1(work, f"projected-{seed}")


def table_of(scores: dict[str, dict[str, list[float]]]) -> str:
    """Mean and deviation over the seeds by language, and the mean difference with its deviation."""
    rows = []
    for language, row in scores.items():
        change = [after - before for before, after in zip(row["zero-shot"], row["projected"], strict=True)]
        cells = [f"{statistics.mean(each):.1f} ± {statistics.stdev(each):.1f}" for each in row.values()]
        rows.append((language, *cells, f"{statistics.mean(change):+.1f} ± {statistics.stdev(change):.1f}"))
    head = ("language", "zero-shot from English", "English and projected labels", "change")
    return markers.table(head, [tuple(cell.replace("-", "−") for cell in row) for row in rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder with eval/ and bitext/")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="keeps finished work")
    parser.add_argument("--out", type=Path, default=harness.RESULTS, metavar="FOLDER")
    parser.add_argument("--languages", nargs="+", default=LANGUAGES, metavar="LANGUAGE")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    command = ["benchmark_projected_entities.py", "--languages", *args.languages]
    about = harness.about(command, seeds=SEEDS, trained=TRAINED, translated=TRANSLATED, tested=TESTED)
    scores: dict[str, dict[str, list[float]]] = {each: {"zero-shot": [], "projected": []} for each in args.languages}
    for seed in SEEDS:
        zero_shot, projected = measure(args.data, args.work, args.languages, seed)
        for language, row in scores.items():
            row["zero-shot"].append(zero_shot[language])
            row["projected"].append(projected[language])
    made = f"{TRAINED} English sentences of PAN-X, {TRANSLATED} translations of NTREX, tested on {TESTED} of PAN-X, "
    made += f"three seeds; {about['machine']}; commit {about['commit']}; `{about['command']}`"
    text = f"F1 of entities by e5-small:\n\n{table_of(scores)}\n\n{made}"
    harness.write(args.out, "projected_entities", {**about, "scores": scores}, text)
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
