#!/usr/bin/env python3
"""Write the study's report from the results of 2_evaluate.sh: tables, tests and a picture.

usage: report.py [--check] [--results FOLDER]

Writes results/report/report.md and measures.png next to this script; scripts/compile_results.py then copies the tables
into the documents. --check writes nothing; the exit code is 1 if report.md is not what the results give.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for common

import study
from common.differences import Difference, compare, correct
from common.report import NOTHING, Report

from xalign_fairseq.evaluation.statistics import summarise
from xalign_fairseq.evaluation.tables import markdown, percent, signed

TITLES = {"explicit_alignments": "Explicit alignments", "ppa": "PPA", "weam": "WEAM"}
Runs = dict[str, list[study.Run]]


@dataclass(frozen=True, kw_only=True)
class Finding(Difference):
    """A setting's measure minus a baseline's.

    Attributes:
        comparison: of :data:`study.COMPARISONS`.
    """

    setting: str
    baseline: str
    comparison: str
    measure: str

    @property
    def verdict(self) -> str:
        """``helps`` or ``hurts`` if the difference is significant, otherwise ``no difference``."""
        if not self.significant:
            return "no difference"
        return "helps" if self.difference * study.MEASURES[self.measure].sign > 0 else "hurts"


def judge(runs: Runs) -> list[Finding]:
    """Every setting against no continuation and against its TLM, where both were run.

    Holm's correction is over the settings of a comparison and measure.
    """
    found: list[Finding] = []
    for comparison, baselines in study.COMPARISONS.items():
        settings = [setting for setting in runs if baselines.get(setting) in runs]
        for measure in study.HEADLINES:
            found += correct(find(runs, setting, comparison, measure) for setting in settings)
    return found


def find(runs: Runs, setting: str, comparison: str, measure: str) -> Finding:
    """One setting against its baseline by one measure."""
    baseline = study.COMPARISONS[comparison][setting]
    counts = ([run.counts[measure] for run in runs[name]] for name in (baseline, setting))
    seeded = (baseline not in study.WITHOUT_SEED, setting not in study.WITHOUT_SEED)
    difference = compare(*counts, study.MEASURES[measure].value, seeded)
    return Finding(setting=setting, baseline=baseline, comparison=comparison, measure=measure, **vars(difference))


def figure(runs: Sequence[study.Run], measure: str) -> str:
    """``76.42 ± 0.31``; without a deviation where there is one run, nothing where there is none."""
    scores = [run.score(measure) for run in runs if measure in run.counts]
    return percent(summarise(scores) if scores else None, 2)


def points(fraction: float) -> str:
    """A difference in points with its sign."""
    return signed(100 * fraction, 2)


def verdicts(findings: Sequence[Finding]) -> str:
    """The verdicts of a setting's measures in their order; what was tested over items alone is marked."""
    text = ", ".join(finding.verdict for finding in findings)
    return f"{text} (items alone)" if any(finding.p_seeds is None for finding in findings) else text


def scores(runs: Runs, findings: Sequence[Finding]) -> str:
    """A row for each setting: cost, the three measures, and the verdicts in their order."""
    rows = []
    for setting, mine in runs.items():
        seeds = "–" if setting in study.WITHOUT_SEED else str(len(mine))
        tokens = np.mean([run.record["tokens"] for run in mine]) / 1e6
        cost = [str(mine[0].record["updates"]), f"{tokens:.2f}M"] if tokens else ["–", "–"]
        found = [
            verdicts([each for each in findings if (each.setting, each.comparison) == (setting, comparison)])
            for comparison in study.COMPARISONS
        ]
        rows.append([setting, *found, seeds, *cost, *(figure(mine, measure) for measure in study.HEADLINES)])
    labels = [f"{label} {'↑' if study.MEASURES[name].sign > 0 else '↓'}" for name, label in study.HEADLINES.items()]
    # The column says whose TLM is another than the others'.
    other = [
        f"{setting}: {tlm}" for setting, tlm in study.COMPARISONS["TLM"].items() if tlm != "tlm" and setting in runs
    ]
    names = {"none": "none", "TLM": f"TLM ({', '.join(other)})" if other else "TLM"}
    against = [f"against {names[each]}: {', '.join(study.HEADLINES.values())}" for each in study.COMPARISONS]
    return markdown(("setting", *against, "seeds", "updates", "tokens", *labels), rows, names=3)


def differences(findings: Sequence[Finding]) -> str:
    """A row for each test."""
    rows = []
    for finding in findings:
        difference = points(finding.difference)
        over, seeds = ("items", "–") if finding.p_seeds is None else ("items and seeds", f"{finding.p_seeds:.3f}")
        rows.append([finding.setting, finding.baseline, study.HEADLINES[finding.measure], over, finding.verdict,
                     difference if finding.verdict == "no difference" else f"**{difference}**",
                     f"{points(finding.low)} to {points(finding.high)}", f"{finding.p_bootstrap:.3f}", seeds,
                     f"{finding.p_holm:.3f}"])  # fmt: skip
    rows.sort(key=lambda row: list(study.SETTINGS).index(row[0]))
    columns = ("setting", "against", "measure", "tested over", "verdict", "difference", "95 % interval",
               "p, bootstrap", "p, t-test", "p, Holm")  # fmt: skip
    return markdown(columns, rows, names=5)


def all_measures(runs: Runs) -> str:
    """Every measure of every setting."""
    rows = [
        [measure.label, *(figure(mine, name) for mine in runs.values())] for name, measure in study.MEASURES.items()
    ]
    return markdown(("measure", *runs), rows)


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
    return markdown(
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
    return markdown(("run", "command", "commit", "machine", "updates", "tokens", "minutes"), rows, names=4)


def to_markdown(runs: Runs) -> str:
    """The report."""
    findings = judge(runs)
    parts = [
        "# Continued pre-training on bitext",
        "Percent, mean ± sample deviation over seeds; AER is better low, the others high. Differences are in points, "
        "tested by a paired bootstrap over test items and seeds and by a t-test over seeds, of which the larger p "
        "counts, with Holm's correction over the settings (5 %; bold: significant). WEAM's TLM is tlm30, that of the "
        "others tlm.",
    ]
    parts += ["## Summary", scores(runs, findings) if runs else NOTHING]
    parts += ["## Differences", differences(findings) if runs else NOTHING]
    for title, make in (("All measures", all_measures), ("Choices", choices), ("Runs", commands)):
        parts += [f"## {title}", make(runs) if runs else NOTHING]
    for paper, title in TITLES.items():
        mine = {setting: found for setting, found in runs.items() if setting in study.PAPERS[paper]}
        theirs = {baselines[setting] for baselines in study.COMPARISONS.values() for setting in study.PAPERS[paper]}
        baselines = {setting: runs[setting] for setting in study.BASELINES if setting in runs and setting in theirs}
        parts += [f"## {title}", scores(baselines | mine, findings) if mine else NOTHING]
    return "\n\n".join(parts) + "\n"


def draw(runs: Runs, folder: Path) -> None:
    """A panel for each measure: the seeds of each setting, their mean, and lines at the baselines."""
    from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
    from xalign_fairseq.evaluation.plots.palette import ACCENT, INK, MUTED

    figure = new_figure(9.6, 1.2 + 0.3 * len(runs))
    panels = figure.subplots(1, len(study.HEADLINES), sharey=True)
    for axes, (measure, label) in zip(panels, study.HEADLINES.items(), strict=True):
        for row, mine in enumerate(runs.values()):
            found = [100 * run.score(measure) for run in mine]
            axes.plot(found, [row] * len(found), "o", color=MUTED, markersize=4, alpha=0.7)
            axes.plot(np.mean(found), row, "|", color=ACCENT, markersize=14, markeredgewidth=2)
        for baseline, style in zip(study.BASELINES, (":", "--", "-."), strict=True):
            if baseline in runs:
                mean = np.mean([100 * run.score(measure) for run in runs[baseline]])
                axes.axvline(mean, color=MUTED, linestyle=style, linewidth=0.9)
        better = "higher" if study.MEASURES[measure].sign > 0 else "lower"
        axes.set_title(f"{label}, % ({better} is better)", fontsize=10, color=INK)
        axes.set_yticks(range(len(runs)), list(runs))
        style_axes(axes, grid="x")
    panels[0].invert_yaxis()
    save(figure, folder / "measures.png")


REPORT = Report("--results", study.RESULTS, "report/report.md", study.read, to_markdown, draw)

if __name__ == "__main__":
    sys.exit(REPORT.main(__doc__))
