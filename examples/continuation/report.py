#!/usr/bin/env python3
"""Write the study's report from the results of 2_evaluate.sh: tables, tests and a picture.

usage: report.py [--check] [--examples FOLDER]

Writes results/report/report.md and measures.png beside this script; scripts/compile_results.py then copies the tables
into the documents. --check writes nothing; the exit code is 1 if report.md is not what the results give.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import study

from xalign_fairseq.evaluation.statistics import holm, paired_items, paired_items_and_seeds, summarise
from xalign_fairseq.files import atomic_write

REPORT = Path(study.STUDY, "results/report/report.md")
PICTURE = "measures.png"
NOTHING = "No results yet."
SIGNIFICANT = 0.05
TITLES = {"explicit_alignments": "Explicit alignments", "ppa": "PPA", "weam": "WEAM"}
Runs = dict[str, list[study.Run]]


@dataclass(frozen=True)
class Finding:
    """A setting's measure minus a baseline's: fractions, a 95 % interval, and p before and after Holm's correction."""

    setting: str
    baseline: str
    measure: str
    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float

    @property
    def verdict(self) -> str:
        """``helps`` or ``hurts`` where the difference is significant, else ``no difference``."""
        if self.p_holm >= SIGNIFICANT:
            return "no difference"
        return "helps" if self.difference * study.MEASURES[self.measure].sign > 0 else "hurts"


def compare(runs: Runs) -> list[Finding]:
    """Every setting against every baseline before it; Holm's correction is over the settings of a baseline and measure.

    The test is over items and seeds; what has no seed has no spread over seeds. Where a setting that has seeds was run
    with one of them, it is over items alone.
    """
    found = []
    for place, baseline in enumerate(study.BASELINES):
        settings = [setting for setting in runs if setting not in study.BASELINES[: place + 1]]
        for measure in study.HEADLINES if baseline in runs else ():
            mine = [test(runs, setting, baseline, measure) for setting in settings]
            adjusted = holm([finding.p_value for finding in mine])
            found += [replace(finding, p_holm=p_value) for finding, p_value in zip(mine, adjusted, strict=True)]
    return found


def test(runs: Runs, setting: str, baseline: str, measure: str) -> Finding:
    """The paired bootstrap of one measure."""
    first, second = (np.stack([run.counts[measure] for run in runs[name]]) for name in (baseline, setting))
    one_seed = any(len(runs[name]) == 1 and name not in study.WITHOUT_SEED for name in (baseline, setting))
    if not one_seed:
        # Another run would give the same counts again: two copies are runs without a spread.
        first, second = (
            np.concatenate([counts] * 2) if name in study.WITHOUT_SEED else counts
            for name, counts in ((baseline, first), (setting, second))
        )
    compare_runs = paired_items if one_seed else paired_items_and_seeds
    result = compare_runs([first], [second], study.MEASURES[measure].value).test()
    return Finding(
        setting, baseline, measure, result.difference, result.low, result.high, result.p_value, result.p_value
    )


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """A Markdown table whose columns but the first ``names`` are right-aligned."""
    marks = ["---"] * names + ["---:"] * (len(columns) - names)
    return "\n".join("| " + " | ".join(row) + " |" for row in [columns, marks, *rows])


def percent(runs: Sequence[study.Run], measure: str) -> str:
    """``76.42 ± 0.31``; without a deviation where there is one run, nothing where there is none."""
    scores = [run.score(measure) for run in runs if measure in run.counts]
    if not scores:
        return ""
    summary = summarise(scores)
    spread = "" if summary.deviation is None else f" ± {100 * summary.deviation:.2f}"
    return f"{100 * summary.mean:.2f}{spread}"


def signed(fraction: float) -> str:
    """Points with their sign."""
    text = f"{100 * fraction:+.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "−")


def scores(runs: Runs, findings: Sequence[Finding]) -> str:
    """A row for each setting: cost, the three measures, and the verdicts in their order."""
    rows = []
    for setting, mine in runs.items():
        seeds = "–" if setting in study.WITHOUT_SEED else str(len(mine))
        tokens = np.mean([run.record["tokens"] for run in mine]) / 1e6
        cost = [str(mine[0].record["updates"]), f"{tokens:.2f}M"] if tokens else ["–", "–"]
        verdicts = [
            ", ".join(each.verdict for each in findings if (each.setting, each.baseline) == (setting, baseline))
            for baseline in study.BASELINES
        ]
        rows.append([setting, *verdicts, seeds, *cost, *(percent(mine, measure) for measure in study.HEADLINES)])
    labels = [f"{label} {'↑' if study.MEASURES[name].sign > 0 else '↓'}" for name, label in study.HEADLINES.items()]
    against = [f"against {baseline}: {', '.join(study.HEADLINES.values())}" for baseline in study.BASELINES]
    return table(("setting", *against, "seeds", "updates", "tokens", *labels), rows, names=3)


def differences(runs: Runs, findings: Sequence[Finding]) -> str:
    """A row for each test of these settings."""
    rows = []
    for finding in findings:
        if finding.setting in runs:
            points = signed(finding.difference)
            rows.append([finding.setting, finding.baseline, study.HEADLINES[finding.measure], finding.verdict,
                         points if finding.verdict == "no difference" else f"**{points}**",
                         f"{signed(finding.low)} to {signed(finding.high)}", f"{finding.p_value:.3f}",
                         f"{finding.p_holm:.3f}"])  # fmt: skip
    rows.sort(key=lambda row: list(study.SETTINGS).index(row[0]))
    columns = ("setting", "against", "measure", "verdict", "difference", "95 % interval", "p", "p, Holm")
    return table(columns, rows, names=4)


def all_measures(runs: Runs) -> str:
    """Every measure of every setting."""
    rows = [
        [measure.label, *(percent(mine, name) for mine in runs.values())] for name, measure in study.MEASURES.items()
    ]
    return table(("measure", *runs), rows)


def choices(runs: Runs) -> str:
    """Where the links of each run were read, and their AER."""
    rows = []
    for run in (run for mine in runs.values() for run in mine):
        how = run.record["how"]["aer"]
        figures = [f"{100 * how['silver_aer']:.2f}", f"{100 * run.score('aer'):.2f}"]
        rows.append(
            [run.record["name"], how["encoding"], how["method"], f"`{how['signature']}`", str(how["layer"]), *figures]
        )
    columns = ("run", "encoding", "method", "signature", "layer", "AER on silver links", "AER")
    return table(
        [column.replace("|", "\\|") for column in columns], [[c.replace("|", "\\|") for c in r] for r in rows], 4
    )


def commands(runs: Runs) -> str:
    """How each run was trained."""
    rows = []
    for run in (run for mine in runs.values() for run in mine):
        record = run.record
        cost = [str(record["updates"]), str(record["tokens"]), str(record["minutes"])]
        command = f"`{record['command'].strip()}`" if record["command"] else ""
        rows.append([record["name"], command, record["commit"], record["machine"], *cost])
    return table(("run", "command", "commit", "machine", "updates", "tokens", "minutes"), rows, names=4)


def to_markdown(runs: Runs) -> str:
    """The report."""
    findings = compare(runs)
    parts = [
        "# Continued pre-training on bitext",
        "Percent, mean ± sample deviation over seeds; AER is better low, the others high. Differences are in points, "
        "tested by a paired bootstrap over test items and seeds with Holm's correction over the settings (5 %; bold: "
        "significant). With few seeds this test is too ready to find a difference.",
    ]
    sections = {"Summary": scores, "Differences": differences}
    for title, write in sections.items():
        parts += [f"## {title}", write(runs, findings) if runs else NOTHING]
    for title, make in (("All measures", all_measures), ("Choices", choices), ("Runs", commands)):
        parts += [f"## {title}", make(runs) if runs else NOTHING]
    for paper, title in TITLES.items():
        mine = {setting: found for setting, found in runs.items() if setting in study.PAPERS[paper]}
        baselines = {setting: runs[setting] for setting in study.BASELINES if setting in runs}
        text = f"{scores(baselines | mine, findings)}\n\n{differences(mine, findings)}" if mine else NOTHING
        parts += [f"## {title}", text]
    return "\n\n".join(parts) + "\n"


def draw(runs: Runs, path: Path) -> None:
    """A panel for each measure: the seeds of each setting, their mean, and lines at the baselines."""
    from xalign_fairseq.plots.figure import ACCENT, GRID, INK, MUTED, new_figure, save

    figure = new_figure(9.6, 1.2 + 0.3 * len(runs))
    panels = figure.subplots(1, len(study.HEADLINES), sharey=True)
    for axes, (measure, label) in zip(panels, study.HEADLINES.items(), strict=True):
        for row, mine in enumerate(runs.values()):
            found = [100 * run.score(measure) for run in mine]
            axes.plot(found, [row] * len(found), "o", color=MUTED, markersize=4, alpha=0.7)
            axes.plot(np.mean(found), row, "|", color=ACCENT, markersize=14, markeredgewidth=2)
        for baseline, style in zip(study.BASELINES, (":", "--"), strict=True):
            if baseline in runs:
                mean = np.mean([100 * run.score(measure) for run in runs[baseline]])
                axes.axvline(mean, color=MUTED, linestyle=style, linewidth=0.9)
        better = "higher" if study.MEASURES[measure].sign > 0 else "lower"
        axes.set_title(f"{label}, % ({better} is better)", fontsize=10, color=INK)
        axes.set_yticks(range(len(runs)), list(runs))
        axes.grid(axis="x", color=GRID, linewidth=0.7)
        axes.tick_params(colors=MUTED, labelsize=9)
        for side, spine in axes.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(GRID)
    panels[0].invert_yaxis()
    save(figure, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the report is outdated")
    parser.add_argument("--examples", type=Path, default=study.EXAMPLES, help="default: the folder with this recipe")
    args = parser.parse_args()
    runs, path = study.read(args.examples), args.examples / REPORT
    text = to_markdown(runs)
    if args.check:
        outdated = not path.is_file() or path.read_text(encoding="utf-8") != text
        if outdated:
            print(f"{path} is not up to date; next: python {Path(__file__).name}", file=sys.stderr)
        return int(outdated)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as out:
        out.write(text)
    if runs:
        draw(runs, path.with_name(PICTURE))
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
