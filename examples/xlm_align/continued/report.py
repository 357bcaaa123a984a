"""Collect runs into results/, finished or not, and write the tables of README.md and details.md and the picture.

usage: python report.py [RUNS]

Without RUNS the tables and the picture are written anew from results/.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import study

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))

import markers

from xalign_fairseq.evaluation.figures import percent, signed
from xalign_fairseq.evaluation.statistics import holm, paired_items, paired_items_and_seeds, summarise
from xalign_fairseq.evaluation.tables import markdown
from xalign_fairseq.files import read_json, write_json

HERE = Path(__file__).resolve().parent
USUAL = "argmax-separate-7"
TESTS = "tests.json"
Records = Mapping[str, dict[str, Any]]


def collect(runs: Path, results: Path) -> None:
    """Write results/NAME.json of every run that has been scored at least once, and the tests of settings."""
    results.mkdir(exist_ok=True)
    counts: dict[str, list[dict[str, np.ndarray]]] = {}
    for folder in sorted(runs.iterdir()):
        curve = folder / "dev.jsonl"
        if not curve.is_file() or folder.name == study.HEAD:
            continue
        made = read_json(folder / ("run.json" if (folder / "run.json").is_file() else "result.json"))
        rows = [json.loads(line) for line in curve.read_text(encoding="utf-8").splitlines()]
        test = read_json(folder / "test.json") if (folder / "test.json").is_file() else None
        if test:
            found = {name: np.array(part, dtype=np.float64) for name, part in test.pop("counts").items()}
            counts.setdefault(of_seeds(made), []).append(found)
        write_json(results / f"{folder.name}.json",
                   made | {"command": command(made), "development": rows, "test": test})  # fmt: skip
    if len(counts) > 1:
        write_json(results / TESTS, differences(counts))


def of_seeds(record: Mapping[str, Any]) -> str:
    """A run's name without its seed: the setting, and the options that differ from the study's."""
    return ",".join([record["setting"], *(each.replace(" ", "=").lstrip("-") for each in changed(record))])


def changed(record: Mapping[str, Any]) -> list[str]:
    """The options of a run that are not its setting's."""
    usual = {**study.COMMON, **study.SETTINGS[record["setting"]], "--seed": str(record["seed"])}
    return [f"{key} {value}" for key, value in record["options"].items() if usual.get(key) != value]


def command(record: Mapping[str, Any]) -> str:
    """What makes the run again, without the folders of the machine that made it."""
    line = f"train.py DATA_BIN GOLD RUNS {record['setting']} {record['seed']}"
    return " ".join([line, *(["--", *changed(record)] if changed(record) else [])])


def aer(totals: np.ndarray) -> np.ndarray:
    """Of summed counts (..., 4): 1 - (hits among sure + hits among possible) / (links + sure)."""
    return 1 - (totals[..., 0] + totals[..., 1]) / (totals[..., 2] + totals[..., 3])


def differences(counts: Mapping[str, list[dict[str, np.ndarray]]]) -> dict[str, Any]:
    """Each setting's mean test AER minus that of e5-small as it comes; Holm's correction is over all settings.

    Tested over sentences, and over seeds too where there are several.
    """
    [none] = counts["none"]
    found = []
    for name, runs in counts.items():
        if name == "none":
            continue
        mine = [np.stack([run[pair] for run in runs]) for pair in study.TEST]
        start = [np.stack([none[pair]] * 2) for pair in study.TEST]  # without a seed: another run would be the same
        test = (paired_items_and_seeds if len(runs) > 1 else paired_items)(start, mine, aer).test()
        found.append((name, len(runs), test))
    adjusted = holm([test.p_value for _, _, test in found])
    return {
        name: {"seeds": seeds, **asdict(test), "p_holm": p}
        for (name, seeds, test), p in zip(found, adjusted, strict=True)
    }


def lowest(record: Mapping[str, Any]) -> tuple[str, float]:
    """The way of reading links that development gold prefers after the last update, and its AER."""
    last = record["development"][-1]["aer"]
    best = min(last, key=lambda each: last[each]["mean"])
    return best, last[best]["mean"]


def objectives(records: Records, tests: Mapping[str, Any]) -> str:
    """Every setting as it stands in the study, the lowest development AER first, means over seeds."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records.values():
        if not changed(record) and finished(record):
            groups.setdefault(record["setting"], []).append(record)
    order = sorted(groups, key=lambda name: mean(lowest(each)[1] for each in groups[name]))
    columns = ("setting", "objectives", "seeds", "CPU minutes", f"development, {USUAL}", "development, lowest",
               "test", "difference (95 %)", "p, Holm")  # fmt: skip
    return markdown(columns, [[name, *cells(groups[name], tests.get(name))] for name in order], names=2)


def finished(record: Mapping[str, Any]) -> bool:
    return record["development"][-1]["updates"] == int(record["options"]["--max-update"])


def cells(group: list[dict[str, Any]], test: Mapping[str, Any] | None) -> list[str]:
    """A setting's row."""
    last = [each["development"][-1] for each in group]
    usual = [row["aer"][USUAL]["mean"] for row in last]
    tested = [each["test"]["test"]["mean"] for each in group if each["test"]]
    return [
        group[0]["options"].get("--objectives", "").replace(",", " + "),
        "" if group[0]["setting"] in ("none", "procrustes") else str(len(group)),
        f"{mean(row['cpu_seconds'] for row in last) / 60:.1f}",
        spread(usual),
        spread([lowest(each)[1] for each in group]),
        spread(tested) if tested else "",
        "{} ({} to {})".format(*(signed(100 * test[each]) for each in ("difference", "low", "high"))) if test else "",
        f"{test['p_holm']:.3f}" if test else "",
    ]  # fmt: skip


def spread(values: list[float]) -> str:
    """Mean of percentages, and their sample deviation where there are several."""
    return percent(summarise([each / 100 for each in values]), 2)


def all_runs(records: Records) -> str:
    """A row for each run: its curve by the links usual for e5-small, and the best of any links at its last scoring."""
    order = sorted(records, key=lambda name: records[name]["development"][-1]["aer"][USUAL]["mean"])
    columns = ("run", "updates", "tokens", "CPU minutes", f"development, {USUAL}", "lowest at the end", "test")
    return markdown(columns, [row(name, records[name]) for name in order])


def row(name: str, record: Mapping[str, Any]) -> list[str]:
    """A run's cells."""
    curve, last = record["development"], record["development"][-1]
    best, value = lowest(record)
    return [
        name,
        f"{last['updates']} of {record['options']['--max-update']}",
        f"{last['tokens'] / 1e6:.2f}M",
        f"{last['cpu_seconds'] / 60:.0f}",
        ", ".join(f"{each['updates']}: {each['aer'][USUAL]['mean']:.2f}" for each in curve),
        f"{value:.2f} ({best})",
        f"{record['test']['test']['mean']:.2f} ({record['test']['chosen']})" if record["test"] else "",
    ]


def draw(records: Records, path: Path) -> None:
    """Development AER over CPU minutes, a point for each setting's last scoring, and lines where there are several."""
    from xalign_fairseq.plots.figure import new_figure, save, style_axes
    from xalign_fairseq.plots.palette import ACCENT, INK, MUTED

    figure = new_figure(7.2, 4.2)
    axes = figure.subplots()
    for record in records.values():
        if changed(record) or record["seed"] != 1 or not finished(record) or record["setting"] == "none":
            continue
        curve = record["development"]
        x, y = [each["cpu_seconds"] / 60 for each in curve], [each["aer"][USUAL]["mean"] for each in curve]
        own = "self_training" in record["options"].get("--objectives", "")
        axes.plot(x, y, color=ACCENT if own else MUTED, linewidth=1, alpha=0.6)
        axes.plot(x[1:], y[1:], "o", color=ACCENT if own else MUTED, markersize=4)
        axes.annotate(record["setting"], (x[-1], y[-1]), textcoords="offset points", xytext=(4, -3), fontsize=8,
                      color=ACCENT if own else INK)  # fmt: skip
    axes.set_xlabel("CPU minutes of training", color=INK)
    axes.set_ylabel("AER on development gold, argmax at layer 7, %", color=INK)
    style_axes(axes, grid="y")
    save(figure, path)


def main(runs: Path | None, here: Path = HERE) -> None:
    """Collect, and write the tables and the picture."""
    results = here / "results"
    if runs is not None:
        collect(runs, results)
    tests = read_json(results / TESTS) if (results / TESTS).is_file() else {}
    records = {path.stem: read_json(path) for path in sorted(results.glob("*.json")) if path.name != TESTS}
    trials = {path.stem: read_json(path) for path in sorted(results.glob("trials/*.json"))}
    tables = {"objectives": objectives(records, tests), "runs": all_runs(records), "trials": all_runs(trials)}
    markers.update([here / "README.md", here / "details.md"], "study", tables.__getitem__, False, "report.py")
    draw(records, here / "results/objectives.svg")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]) if len(sys.argv) == 2 else None)
