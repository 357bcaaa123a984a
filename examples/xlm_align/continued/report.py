"""Collect runs into results/, finished or not; write the tables and figures of the study and of the papers' pages.

usage: python report.py [RUNS]

Without RUNS, tables and figures are rewritten from results/. The papers' pages also show scores of ../../transfer.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import layers
import numpy as np
import papers
import study
import tables
from tables import USUAL, Records, changed, finished, of_seeds

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))

import markers

from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.evaluation.statistics import Comparison, holm, resample

HERE = Path(__file__).resolve().parent
TESTS, COUNTS = "tests.json", "counts"
SAMPLES = 10_000  # fewer would make the smallest p times the number of settings exceed 0.05
Counts = Mapping[str, list[dict[str, np.ndarray]]]


def collect(runs: Path, results: Path) -> None:
    """Write results/NAME.json for every run with at least one scoring, and the counts of its test sets."""
    (results / COUNTS).mkdir(parents=True, exist_ok=True)
    for folder in sorted(runs.iterdir()):
        curve = folder / "dev.jsonl"
        records = [path for path in (folder / "run.json", folder / "result.json") if path.is_file()]
        if not (curve.is_file() and records) or folder.name == study.HEAD:
            continue
        made = read_json(records[0])
        rows = [json.loads(line) for line in curve.read_text(encoding="utf-8").splitlines()]
        test = read_json(folder / "test.json") if (folder / "test.json").is_file() else None
        if test:
            found = {name: np.array(part, dtype=np.int32) for name, part in test.pop("counts").items()}
            np.savez_compressed(results / COUNTS / f"{of_seeds(made)}-{made['seed']}.npz", **found)
        write_json(
            results / f"{folder.name}.json", made | {"command": command(made), "development": rows, "test": test}
        )


def counts_of(groups: Mapping[str, Sequence[Mapping[str, Any]]], results: Path) -> Counts:
    """Counts of each sentence pair of the test sets, for settings whose runs all have them."""
    found = {}
    for name, group in groups.items():
        paths = [results / COUNTS / f"{name}-{record['seed']}.npz" for record in group if record["test"]]
        if paths and all(path.is_file() for path in paths):
            found[name] = [dict(np.load(path)) for path in paths]
    return found


def tests_of(counts: Counts, before: Mapping[str, Any]) -> dict[str, Any]:
    """The settings' tests against each baseline, from counts; those against none are kept where counts are missing.

    Holm's correction is over all settings.
    """
    made = {}
    for baseline in ("none", *papers.CONTROLS):
        found = before.get("none", {}) if baseline == "none" else {}
        found = {**found, **(differences(counts, baseline) if baseline in counts else {})}
        adjusted = holm([test["p_value"] for test in found.values()])
        if found:
            made[baseline] = {
                name: {**test, "p_holm": p} for (name, test), p in zip(found.items(), adjusted, strict=True)
            }
    return made


def command(record: Mapping[str, Any]) -> str:
    """The command that repeats the run, without the paths of its machine."""
    line = f"train.py DATA_BIN GOLD RUNS {record['setting']} {record['seed']}"
    return " ".join([line, *(["--", *changed(record)] if changed(record) else [])])


def aer(totals: np.ndarray) -> np.ndarray:
    """From summed counts (..., 4): 1 - (hits among sure + hits among possible) / (links + sure)."""
    return 1 - (totals[..., 0] + totals[..., 1]) / (totals[..., 2] + totals[..., 3])


def differences(counts: Counts, baseline: str) -> dict[str, Any]:
    """Each setting's mean test AER minus that of a baseline.

    Tested over sentences, and also over seeds if both have several.
    """
    begun = counts[baseline]
    several = baseline == "none" or len(begun) > 1
    compared = {name: runs for name, runs in counts.items() if name not in (baseline, "none")}
    # none has no seed: another run would be the same.
    systems = [
        [np.stack([run[pair] for run in runs]) for pair in study.TEST]
        for runs in (begun * 2 if baseline == "none" else begun, *compared.values())
    ]
    first, *others = resample(systems, aer, samples=SAMPLES)
    found = {}
    for (name, runs), mine in zip(compared.items(), others, strict=True):
        compare = Comparison.of_items_and_seeds if several and len(runs) > 1 else Comparison.of_items
        found[name] = {"seeds": len(runs), **asdict(compare(first, mine).test())}
    return found


def draw(records: Records, path: Path) -> None:
    """Development AER over CPU minutes: a point for each setting's last scoring, a line through several scorings."""
    from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
    from xalign_fairseq.evaluation.plots.palette import ACCENT, INK, MUTED

    figure = new_figure(7.2, 4.2)
    axes = figure.subplots()
    for record in records.values():
        if changed(record) or record["seed"] != 1 or not finished(record) or record["setting"] == "none":
            continue
        curve = [each for each in record["development"] if each["cpu_seconds"] is not None]
        x, y = [each["cpu_seconds"] / 60 for each in curve], [each["aer"][USUAL]["mean"] for each in curve]
        own = "self_training" in record["options"].get("--objectives", "")
        axes.plot(x, y, color=ACCENT if own else MUTED, linewidth=1, alpha=0.6)
        axes.plot(x[1:], y[1:], "o", color=ACCENT if own else MUTED, markersize=4)
        axes.annotate(
            record["setting"],
            (x[-1], y[-1]),
            textcoords="offset points",
            xytext=(4, -3),
            fontsize=8,
            color=ACCENT if own else INK,
        )
    axes.set_xlabel("CPU minutes of training", color=INK)
    axes.set_ylabel("AER on development gold, argmax at layer 7, %", color=INK)
    style_axes(axes, grid="y")
    save(figure, path)


def main(runs: Path | None, here: Path = HERE) -> None:
    """Collect runs, and write tables and figures."""
    results = here / "results"
    if runs is not None:
        collect(runs, results)
    records = {path.stem: read_json(path) for path in sorted(results.glob("*.json")) if path.name != TESTS}
    before = read_json(results / TESTS) if (results / TESTS).is_file() else {}
    tests = {"none": {}, **tests_of(counts_of(tables.groups_of(records), results), before)}
    write_json(results / TESTS, tests)
    made = {
        "objectives": tables.objectives(records, tests["none"]),
        "ablations": tables.ablations(records),
        "rates": tables.rates(records),
        "runs": tables.all_runs(records),
    }
    pages = [here / "README.md", here / "details.md", results / "runs.md"]
    markers.update(pages, "study", made.__getitem__, False, "report.py")
    draw(records, here / "results/objectives.svg")
    scored = [read_json(path) for path in sorted(results.glob(f"{layers.FOLDER}/*.json"))]
    scored.sort(key=lambda record: record["setting"] != "none")
    if here == HERE:
        of_layers = {"layers-joint-test": layers.table(scored, "joint", "test")}
        markers.update([here.parent / "details.md"], "study", of_layers.__getitem__, False, "report.py")
        papers.write(records, tests)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]) if len(sys.argv) == 2 else None)
