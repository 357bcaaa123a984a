"""The tables that compare programs: their features, and their results."""

import json
from pathlib import Path
from statistics import mean, median
from typing import Any

import markers

SETS = ("de-en", "en-fr", "en-hi", "ro-en")
PROGRAMS = ("xalign_fairseq", "awesome-align", "SimAlign", "eflomal", "fairseq")
MISSING = "–"
FILES = (
    "from_scratch",
    "from_scratch_cost",
    "statistics-scored",
    "best",
    "seeds/statistics",
    "defaults-e5-small-test",
    "defaults-e5-small-scored-test",
    "aligner-cpu",
    "intel/aligner-cpu",
    "training-cpu",
    "zen4/training-cpu",
    "intel/training-cpu",
    "training-cuda",
)
PUBLISHED = "published"  # the papers' own figures, by test set
COLUMNS = (*SETS, "ja-en")
# The scorer that learned from this pair's other sentences.
LEARNED = "ja-en"
# Runs of train-aligner's defaults for e5-small on the text of all four pairs, one per seed; links by the trained layer.
FINE_TUNED = ("so-grow-1", "so-grow-2", "so-grow-3")
OURS = "xalign, MLM + TLM"


def table(root: Path) -> str | None:
    """The fixed rows, and rows from ``root``/scripts/results; None if a results file is missing."""
    paths = [root / "scripts/results" / f"{name}.json" for name in FILES]
    if not all(path.is_file() for path in paths):
        return None
    from_scratch, cost, with_scorer, best, tuned, defaults, scored, *measured = (
        json.loads(path.read_text(encoding="utf-8")) for path in paths
    )
    aligners, cpus, gpu = measured[:2], measured[2:5], measured[5]  # on AMD's CPUs and on an Intel one
    means = {name: mean_from_scratch(from_scratch, name) for name in ("xalign", "eflomal")}
    [text] = cost["texts"].values()
    seconds = {name: median(each) for name, each in text["seconds"].items()}
    aers = [mean_from_scratch(tuned, name) for name in FINE_TUNED]
    combined = mean(each["test"] for each in with_scorer["aer"].values())
    trained = mean(row["aer"]["test"]["links"] for model in best["measured"] for row in model.values())
    speed = [{(row["tool"], row["method"]): row["times_simalign"] for row in each["rows"]} for each in aligners]
    aligned, awesome = (
        ", ".join(f"{each[tool]:.1f}" for each in speed)
        for tool in (("xalign", "itermax"), ("awesome-align", "softmax"))
    )
    rows = [
        ("aligns without training on your text",
         f"yes: AER {100 * scored['mean']:.1f} by default, {100 * defaults['mean']:.1f} without gold (`--method grow`)",
         "yes", "yes", "no", "no"),
        ("aligns from the bitext alone", f"yes: AER {means['xalign']:.1f}", "no", "no",
         f"yes: AER {means['eflomal']:.1f}", "no"),
        (f"... CPU seconds for {text['pairs']:,} pairs", f"{seconds['xalign']:.1f}", MISSING, MISSING,
         f"{seconds['eflomal']:.1f}", MISSING),
        ("combines an encoder with the bitext", f"yes: AER {combined:.1f} by default, {trained:.1f} with `--best`",
         "no", "no", "no", "no"),
        ("fine-tunes an aligner without gold", f"yes: AER {mean(aers):.1f} after two CPU minutes", "yes", "no",
         MISSING, MISSING),
        ("relative speed of aligning, same encoder: AMD, Intel CPU", aligned, awesome, "1", MISSING, MISSING),
        ("continues encoders with alignment objectives", "yes, of five papers", "its own", "no", MISSING, "no"),
        ("relative speed of training: AMD Zen 5, Zen 4, Intel CPU; H100",
         f"{', '.join(map(training, cpus))}; {on_gpu(gpu)}", MISSING, MISSING, MISSING, "1"),
        ("tests zero-shot transfer", "yes", "no", "no", "no", "no"),
        ("what xalign_fairseq lacks", "", "a published checkpoint; years of use", "one readable file", "years of use",
         "speech, translation, generation; years of use on GPUs"),
    ]  # fmt: skip
    return markers.table(("", *PROGRAMS), rows)


def published(root: Path) -> str | None:
    """AER on each test set, with the package's defaults and as published by others; None if a file is missing."""
    names = (PUBLISHED, "defaults-e5-small-scored-test", "defaults-e5-small-test", "link-scorer-e5-small", "best")
    paths = [root / "scripts/results" / f"{name}.json" for name in names]
    if not all(path.is_file() for path in paths):
        return None
    others, *own, learned, best = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    [japanese] = [each for name, each in learned["test_of_a_language_learned"].items() if name.endswith(LEARNED)]
    conditions = ("trained on gold of other languages; Japanese is one of them", "no training")
    rows = [
        (f"`{each.get('label', each['model'])}`", *_errors({**scaled(each["aer"]), LEARNED: 100 * japanese[way]}), why)
        for each, way, why in zip(own, ("scored", "grow"), conditions, strict=True)
    ]
    [measured] = best["measured"]
    errors = {pair: each["aer"]["test"]["links"] for pair, each in measured.items()}
    rows.insert(0, ("`train-aligner --best`", *_errors(errors), f"{best['label']}; statistics of 6,000 sentence pairs"))
    rows += [(each["label"], *_errors(each["aer"]), each["conditions"]) for each in others["rows"]]
    return markers.table(("aligner", *COLUMNS, "mean of the first four", "conditions"), rows)


def scaled(aer: dict[str, float]) -> dict[str, float]:
    """Shares in percent."""
    return {pair: 100 * value for pair, value in aer.items()}


def _errors(aer: dict[str, float]) -> list[str]:
    """A cell for each set, and one for the mean of the four if all have a value."""
    four = [aer[pair] for pair in SETS if pair in aer]
    cells = [f"{aer[pair]:.1f}" if pair in aer else MISSING for pair in COLUMNS]
    return [*cells, f"{mean(four):.1f}" if len(four) == len(SETS) else MISSING]


def mean_from_scratch(measured: dict[str, Any], system: str) -> float:
    """Mean AER in percent of the four pairs, each with its largest text."""
    aer = []
    for pair in SETS:
        most = max((row for name, row in measured.items() if name.split()[0] == pair), key=lambda row: row["pairs"])
        aer.append(most["sets"]["test"]["systems"][system]["aer"])
    return 100 * sum(aer) / len(aer)


def training(measured: dict[str, Any]) -> str:
    """Median ratio to fairseq in float32, for XLM-R base's size with a trimmed vocabulary."""
    usual = ("base", "trimmed", "any", 1, OURS, "float32")
    names = ("arch", "vocabulary", "pairs", "processes", "contestant", "dtype")
    [row] = [row for row in measured["rows"] if tuple(row[name] for name in names) == usual]
    return f"{median(row['times_fairseq']):.1f}"


def on_gpu(measured: dict[str, Any]) -> str:
    """Median ratio to fairseq for XLM-R base's size, in float16, the fastest for both."""
    [row] = [
        row
        for row in measured["rows"]
        if (row["arch"], row["contestant"], row["dtype"]) == ("base", OURS, "float16") and "times_fairseq" in row
    ]
    return f"{median(row['times_fairseq']):.1f}"
