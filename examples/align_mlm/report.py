#!/usr/bin/env python3
"""Write the study's report from the results of 3_evaluate.sh: the paper's tables, its claims and two figures.

usage: report.py RESULTS [--check]

RESULTS: of 3_evaluate.sh. Writes report/report.md, gaps.png and alignment.png there. scripts/compile_results.py then
copies the tables of results/ into the documents. --check writes nothing and exits with 1 if report.md is outdated.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import claims
import numpy as np
import study
from claims import variant
from study import LANGUAGES, METRICS, OBJECTIVES, TASKS, VARIANTS, Setting

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.evaluation.published import Figure, PublishedTables, find_published, read_published
from xalign_fairseq.evaluation.statistics import spearman, summarise
from xalign_fairseq.evaluation.tables import markdown, percent, signed

Runs = dict[Setting, list[study.Run]]
PUBLISHED = find_published("align_mlm")


def known_percent(fractions: Sequence[float]) -> str:
    """``61.8 ± 2.4``: mean and deviation of the runs' fractions, without ``nan``; – without runs."""
    known = [each for each in fractions if not np.isnan(each)]
    return percent(summarise(known)) if known else "–"


def name(setting: Setting) -> str:
    """``DICT-MLM, dictionary 50 %``: the objective and the varied option."""
    return f"{OBJECTIVES[setting.objective]}{variant(setting)}"


def tasks_of(runs: Runs) -> list[str]:
    """The tasks that at least one run has."""
    return [task for task in TASKS if any(run.has(task) for mine in runs.values() for run in mine)]


def cells(runs: Runs, setting: Setting, parts: Sequence[str], metric: str | None = None) -> list[str]:
    """Scores of a setting: ``parts`` of every task."""
    return [
        known_percent([run.scores(task, metric)[part] for run in runs.get(setting, ()) if run.has(task)])
        for task in tasks_of(runs)
        for part in parts
    ]


def columns(runs: Runs, parts: Sequence[str]) -> list[str]:
    arrows = {"SUP": "SUP ↑", "ZS": "ZS ↑", "Δ": "Δ ↓"}
    return [f"{TASKS[task]} {arrows[part]}" for task in tasks_of(runs) for part in parts]


def main_grid(runs: Runs) -> str:
    """Table 3: supervised and zero-shot scores of each objective and language, and the gap."""
    rows = [
        [name(setting), LANGUAGES[setting.language], str(len(mine)), *cells(runs, setting, ("SUP", "ZS", "Δ"))]
        for setting, mine in runs.items()
        if setting.is_default
    ]
    return markdown(("objective", "language", "seeds", *columns(runs, ("SUP", "ZS", "Δ"))), rows, 2)


def dictionary(runs: Runs) -> str:
    """Tables 2, 4 and 5: the gap by the size of the dictionary."""
    rows = []
    for language in ("trans_inv", "trans_syn"):
        for fraction in (25, 50):
            both = [Setting(objective, language, dictionary=fraction) for objective in ("dict_mlm", "align_mlm")]
            if any(setting in runs for setting in both):
                pairs = zip(*(cells(runs, setting, ("Δ",)) for setting in both), strict=True)
                rows.append([LANGUAGES[language], f"{fraction} %", *(cell for pair in pairs for cell in pair)])
    names = [f"{TASKS[task]} Δ {each}" for task in tasks_of(runs) for each in ("DICT", "ALIGN")]
    return markdown(("language", "pieces in the dictionary", *names), rows, 2)


def varied(runs: Runs, label: str, settings: dict[str, Setting]) -> str:
    """Supervised and zero-shot scores and gaps of settings that vary one option."""
    parts = ("SUP", "ZS", "Δ")
    rows = [[each, *cells(runs, setting, parts)] for each, setting in settings.items() if setting in runs]
    return markdown((label, *columns(runs, parts)), rows)


def parallel(runs: Runs) -> str:
    """Tables 1 and 6: XLM by the amount of parallel text, and ALIGN-MLM, which has none."""
    settings = {f"{each} %": Setting("xlm", "trans_inv", parallel=each) for each in (1, 10, 25, 100)}
    settings["ALIGN-MLM (0 %)"] = Setting("align_mlm", "trans_inv")
    return varied(runs, "parallel sentences of XLM", settings)


def overlap(runs: Runs) -> str:
    """Table 7: XLM by the share of common pieces."""
    settings = {f"{each} %": Setting("xlm", "trans_inv", overlap=each) for each in (0, 25, 50)}
    return varied(runs, "shared pieces of XLM", settings)


def alignment(runs: Runs) -> str:
    """Table 8: alignment scores of all, trained and held-out pieces."""
    rows = []
    for setting, mine in runs.items():
        scores = [known_percent([run.alignment(part) for run in mine]) for part in study.PARTS]
        if setting.objective in ("mlm", "xlm"):
            scores[study.PARTS.index("trained")] = "–"
        rows.append([name(setting), LANGUAGES[setting.language], *scores, *cells(runs, setting, ("Δ",))])
    names = [f"alignment, {part} ↑" for part in study.PARTS]
    return markdown(("objective", "language", *names, *columns(runs, ("Δ",))), rows, 2)


def correlation(runs: Runs) -> str:
    """Figure 3 and appendix E as numbers: Spearman's correlation of alignment score and transfer (-Δ)."""
    grid = {setting: mine for setting, mine in runs.items() if setting.is_default}
    rows = []
    published = {figure.metric: figure.value for figure in read_published(PUBLISHED) if figure.table == "E"}
    for task in tasks_of(runs):
        for scope, chosen in (("main grid, means over seeds", grid), ("main grid, runs", grid), ("all runs", runs)):
            for part in ("all", "held out"):
                groups = [
                    [(run.alignment(part), -run.scores(task)["Δ"]) for run in mine if run.has(task)]
                    for mine in chosen.values()
                ]
                if scope.endswith("means over seeds"):
                    groups = [[tuple(np.mean(group, axis=0))] for group in groups if group]
                sides = list(zip(*(point for group in groups for point in group), strict=True))
                if sides and len(sides[0]) >= 3 and all(len(set(side)) > 1 for side in sides):
                    found = spearman(*sides)
                    theirs = published.get(f"{task} ρ") if part == "all" else None
                    rows.append([TASKS[task], scope, part, str(found.n), signed(found.rho, 3),
                                 f"{signed(found.low, 2)} to {signed(found.high, 2)}", p_value(found.p),
                                 "" if theirs is None else signed(theirs, 3)])  # fmt: skip
    return markdown(("task", "points", "pieces", "n", "ρ", "95 % interval", "p", "ρ in the paper"), rows, 3)


def p_value(p: float) -> str:
    """Three digits, or ``<`` for smaller values."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def paper_rows(setting: Setting) -> dict[str, str]:
    """The row of each of the paper's tables that corresponds to a setting."""
    objective = OBJECTIVES[setting.objective]
    varied = {key for key, usual in VARIANTS.items() if getattr(setting, key) != usual}
    rows = {} if varied else {"3": objective, "8": objective}
    if setting.objective == "xlm" and setting.language == "trans_inv":
        rows |= {"6": f"XLM, {setting.parallel}% parallel"} if varied <= {"parallel"} else {}
        rows |= {"7": f"XLM, {setting.overlap}% overlap"} if varied <= {"overlap"} else {}
    if setting.objective in ("dict_mlm", "align_mlm") and varied <= {"dictionary"}:
        table = {"trans_inv": "4", "trans_syn": "5"}.get(setting.language)
        rows |= {table: f"{objective}, {setting.dictionary}% in dictionary"} if table else {}
    return rows


def figures(runs: Runs) -> list[Figure]:
    """Our measurements under the names of the paper's tables."""
    found = []
    for setting, mine in runs.items():
        values = {
            f"{task} {part}": [run.scores(task)[part] for run in mine if run.has(task)]
            for task in tasks_of(runs)
            for part in ("SUP", "ZS", "Δ")
        }
        values["alignment score"] = [run.alignment() for run in mine]
        for table, row in paper_rows(setting).items():
            for metric, scores in values.items():
                if known := [100 * each for each in scores if not np.isnan(each)]:
                    summary = summarise(known)
                    place = (table, row, LANGUAGES[setting.language], metric)
                    found.append(Figure(*place, summary.mean, summary.deviation))
    return found


def published(runs: Runs) -> str:
    """Tables 3 to 8 of the paper, with our results and the difference."""
    theirs, ours = read_published(PUBLISHED), figures(runs)
    parts = ["Tables 3 to 8; the paper's encoder is larger, and has more text (see Runs)."]
    for table in dict.fromkeys(figure.table for figure in theirs):
        mine, known = ([each for each in figures if each.table == table] for figures in (ours, theirs))
        if {each.metric for each in mine} & {each.metric for each in known}:
            parts += [each.to_markdown().replace("## ", "### ", 1) for each in PublishedTables(known, {}).tables(mine)]
    return "\n\n".join(parts)


def verdicts(runs: Runs) -> str:
    """Each claim of the paper and whether it holds here."""
    rows = [
        [each.claim, TASKS[each.task], each.says, f"**{each.verdict}**", signed(100 * each.difference),
         f"{signed(100 * each.low)} to {signed(100 * each.high)}", p_value(each.p_holm)]
        for each in claims.judge(runs, tasks_of(runs))
    ]  # fmt: skip
    return markdown(("claim", "task", "what is compared", "here", "points", "95 % interval", "p, Holm"), rows, 4)


def accuracy(runs: Runs) -> str:
    """POS by accuracy instead of XTREME's F1."""
    kept = {setting: [replace(run, counts={key: table for key, table in run.counts.items() if key.startswith("pos")})
                      for run in mine if run.has("pos")] for setting, mine in runs.items()}  # fmt: skip
    rows = [
        [name(setting), LANGUAGES[setting.language], *cells(kept, setting, ("SUP", "ZS", "Δ"), "accuracy")]
        for setting, mine in kept.items()
        if mine
    ]
    return markdown(("objective", "language", *columns(kept, ("SUP", "ZS", "Δ"))), rows, 2)


def commands(runs: Runs) -> str:
    """How each run was trained."""
    rows = []
    for run in (run for mine in runs.values() for run in mine):
        record = run.record
        cost = [str(record[key]) for key in ("updates", "tokens", "minutes")]
        rows.append([f"{run.setting}-{run.seed}", f"`{record['command'].strip()}`", record["commit"],
                     record["machine"], record["encoder"], *cost])  # fmt: skip
    return markdown(("run", "command", "commit", "machine", "encoder", "updates", "tokens", "minutes"), rows, 5)


SECTIONS: dict[str, Callable[[Runs], str]] = {
    "Main grid": main_grid,
    "Claims": verdicts,
    "Parallel data": parallel,
    "Dictionary": dictionary,
    "Overlap": overlap,
    "Alignment": alignment,
    "Correlation": correlation,
    "POS accuracy": accuracy,
    "Published figures": published,
    "Runs": commands,
}


def to_markdown(runs: Runs) -> str:
    """The report."""
    scores = ", ".join(f"{TASKS[task]} {METRICS[task]}" for task in TASKS)
    parts = [
        "# ALIGN-MLM: controlled study",
        f"Percent, mean ± sample deviation over seeds: {scores} (POS as XTREME scores it, which is not accuracy). SUP: "
        "trained and tested in the derived language; ZS: trained in English and tested in the derived language; "
        "Δ = SUP − ZS.",
    ]
    for title, write in SECTIONS.items():
        parts += [f"## {title}", write(runs) if runs else "No results yet."]
    return "\n\n".join(parts) + "\n"


def draw(runs: Runs, folder: Path) -> None:
    """Figures 1 and 2, and Figure 3, for tasks that all runs of the main grid have."""
    from xalign_fairseq.evaluation.plots.transfer import plot_alignment, plot_gap_bars

    grid = {setting: mine for setting, mine in runs.items() if setting.is_default}
    bars, points = [], []
    for task in tasks_of(grid):
        if not all(run.has(task) for mine in grid.values() for run in mine):
            continue
        for setting, mine in grid.items():
            names = {
                "task": TASKS[task],
                "language": LANGUAGES[setting.language],
                "objective": OBJECTIVES[setting.objective],
            }
            gaps = [run.scores(task)["Δ"] for run in mine]
            summary = summarise(gaps)
            bars.append({**names, "mean": summary.mean, "deviation": summary.deviation})
            points += [{**names, "alignment": run.alignment(), "gap": gap} for run, gap in zip(mine, gaps, strict=True)]
    plot_gap_bars(bars, folder / "gaps.png")
    plot_alignment(points, folder / "alignment.png")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the report is outdated")
    args = parser.parse_args()
    runs, path = study.read(args.results), args.results / "report/report.md"
    text = to_markdown(runs)
    if args.check:
        outdated = not path.is_file() or path.read_text(encoding="utf-8") != text
        if outdated:
            print(f"{path} is outdated; next: python report.py {args.results}", file=sys.stderr)
        return int(outdated)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as out:
        out.write(text)
    if runs:
        draw(runs, path.parent)
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
