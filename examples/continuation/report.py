#!/usr/bin/env python3
"""Write the study's report from the results of 2_evaluate.sh: tables, tests and a picture.

usage: report.py [--check] [--examples FOLDER]

Writes results/report/report.md and measures.png beside this script; scripts/compile_results.py then copies the tables
into the documents. --check writes nothing; the exit code is 1 if report.md is not what the results give.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import study
from scipy import stats

from xalign_fairseq.errors import XalignError
from xalign_fairseq.evaluation.statistics import holm, paired_items, paired_items_and_seeds, summarise
from xalign_fairseq.files import atomic_write

REPORT = Path(study.STUDY, "results/report/report.md")
PICTURE = "measures.png"
NOTHING = "No results yet."
SIGNIFICANT = 0.05
EQUAL = 1e-12  # fractions that differ by less are the same count
TITLES = {"explicit_alignments": "Explicit alignments", "ppa": "PPA", "weam": "WEAM"}
Runs = dict[str, list[study.Run]]


@dataclass(frozen=True)
class Finding:
    """A setting's measure minus a baseline's: fractions, with the bootstrap's 95 % interval.

    Attributes:
        comparison: of :data:`study.COMPARISONS`.
        p_bootstrap: over test items and seeds, or over items alone.
        p_seeds: of the t-test over seeds; None where items alone are tested.
        p_holm: the larger of both after Holm's correction.
    """

    setting: str
    baseline: str
    comparison: str
    measure: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_seeds: float | None
    p_holm: float = 1.0

    @property
    def p_value(self) -> float:
        """The larger of the two tests' p: both must find the difference."""
        return self.p_bootstrap if self.p_seeds is None else max(self.p_bootstrap, self.p_seeds)

    @property
    def verdict(self) -> str:
        """``helps`` or ``hurts`` where the difference is significant, else ``no difference``."""
        if self.p_holm >= SIGNIFICANT:
            return "no difference"
        return "helps" if self.difference * study.MEASURES[self.measure].sign > 0 else "hurts"


def compare(runs: Runs) -> list[Finding]:
    """Every setting against no continuation and against its TLM, where both were run.

    Holm's correction is over the settings of a comparison and measure.
    """
    found = []
    for comparison, baselines in study.COMPARISONS.items():
        settings = [setting for setting in runs if baselines.get(setting) in runs]
        for measure in study.HEADLINES:
            mine = [test(runs, setting, comparison, measure) for setting in settings]
            adjusted = holm([finding.p_value for finding in mine])
            found += [replace(finding, p_holm=p_value) for finding, p_value in zip(mine, adjusted, strict=True)]
    return found


def test(runs: Runs, setting: str, comparison: str, measure: str) -> Finding:
    """The paired bootstrap of one measure, and the t-test over seeds."""
    names = (study.COMPARISONS[comparison][setting], setting)
    first, second = (np.stack([run.counts[measure] for run in runs[name]]) for name in names)
    p_seeds = None if items_alone(runs, names) else seeds_p_value(runs, names, measure)
    if p_seeds is not None:
        # Another run of what has no seed would give the same counts again: two copies are runs without a spread.
        first, second = (
            np.concatenate([counts] * 2) if name in study.WITHOUT_SEED else counts
            for name, counts in zip(names, (first, second), strict=True)
        )
    compare_runs = paired_items if p_seeds is None else paired_items_and_seeds
    result = compare_runs([first], [second], study.MEASURES[measure].value).test()
    return Finding(
        setting, names[0], comparison, measure, result.difference, result.low, result.high, result.p_value, p_seeds
    )


def items_alone(runs: Runs, names: Sequence[str]) -> bool:
    """Whether nothing is known of seeds: one side has a single one, or neither has any."""
    seeded = [name for name in names if name not in study.WITHOUT_SEED]
    return not seeded or any(len(runs[name]) == 1 for name in seeded)


def seeds_p_value(runs: Runs, names: Sequence[str], measure: str) -> float:
    """Welch's t-test between the runs of two settings; the one-sample t-test against what has no seed."""
    fixed, seeded = (
        [[run.score(measure) for run in runs[name]] for name in names if (name in study.WITHOUT_SEED) is without]
        for without in (True, False)
    )
    if max(np.ptp(scores) for scores in seeded) < EQUAL:  # no deviation to divide by
        one, other = (scores[0] for scores in (*fixed, *seeded))
        return float(abs(one - other) < EQUAL)
    with warnings.catch_warnings():
        # One of two settings may have equal scores; Welch's test allows for that, though SciPy warns.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = stats.ttest_1samp(seeded[0], fixed[0][0]) if fixed else stats.ttest_ind(*seeded, equal_var=False)
    return float(result.pvalue)


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
        rows.append([setting, *found, seeds, *cost, *(percent(mine, measure) for measure in study.HEADLINES)])
    labels = [f"{label} {'↑' if study.MEASURES[name].sign > 0 else '↓'}" for name, label in study.HEADLINES.items()]
    # The column says whose TLM is another than the others'.
    other = [
        f"{setting}: {tlm}" for setting, tlm in study.COMPARISONS["TLM"].items() if tlm != "tlm" and setting in runs
    ]
    names = {"none": "none", "TLM": f"TLM ({', '.join(other)})" if other else "TLM"}
    against = [f"against {names[each]}: {', '.join(study.HEADLINES.values())}" for each in study.COMPARISONS]
    return table(("setting", *against, "seeds", "updates", "tokens", *labels), rows, names=3)


def differences(runs: Runs, findings: Sequence[Finding]) -> str:
    """A row for each test of these settings."""
    rows = []
    for finding in findings:
        if finding.setting in runs:
            points = signed(finding.difference)
            over, seeds = ("items", "–") if finding.p_seeds is None else ("items and seeds", f"{finding.p_seeds:.3f}")
            rows.append([finding.setting, finding.baseline, study.HEADLINES[finding.measure], over, finding.verdict,
                         points if finding.verdict == "no difference" else f"**{points}**",
                         f"{signed(finding.low)} to {signed(finding.high)}", f"{finding.p_bootstrap:.3f}", seeds,
                         f"{finding.p_holm:.3f}"])  # fmt: skip
    rows.sort(key=lambda row: list(study.SETTINGS).index(row[0]))
    columns = ("setting", "against", "measure", "tested over", "verdict", "difference", "95 % interval",
               "p, bootstrap", "p, t-test", "p, Holm")  # fmt: skip
    return table(columns, rows, names=5)


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
        "tested by a paired bootstrap over test items and seeds and by a t-test over seeds, of which the larger p "
        "counts, with Holm's correction over the settings (5 %; bold: significant). WEAM's TLM is tlm30, that of the "
        "others tlm.",
    ]
    sections = {"Summary": scores, "Differences": differences}
    for title, write in sections.items():
        parts += [f"## {title}", write(runs, findings) if runs else NOTHING]
    for title, make in (("All measures", all_measures), ("Choices", choices), ("Runs", commands)):
        parts += [f"## {title}", make(runs) if runs else NOTHING]
    for paper, title in TITLES.items():
        mine = {setting: found for setting, found in runs.items() if setting in study.PAPERS[paper]}
        theirs = {baselines[setting] for baselines in study.COMPARISONS.values() for setting in study.PAPERS[paper]}
        baselines = {setting: runs[setting] for setting in study.BASELINES if setting in runs and setting in theirs}
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
        for baseline, style in zip(study.BASELINES, (":", "--", "-."), strict=True):
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
    try:
        runs, path = study.read(args.examples), args.examples / REPORT
    except XalignError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
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
