#!/usr/bin/env python3
"""Write the results tables of README.md, docs/ and the pages of examples/ from results files.

usage: compile_results.py [--check] [--plot] [--root FOLDER]

A table stands between <!-- results:FOLDER/TABLE --> and <!-- end -->, FOLDER below examples/. Without any results file
the tables say so. Those of xlm_align/small are made here; a study with a report (FOLDER/results/report/report.md, as
xalign transfer-report or the study's report.py writes it) has a table for each heading there.
benchmarks/NAME is scripts/results/NAME.md, as scripts/benchmark_NAME.py (or scripts/fuzz.py) writes it,
benchmarks/MACHINE/NAME what it has measured on another machine (--out scripts/results/MACHINE), and benchmarks/peers is
made of several of these (scripts/peers.py).
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import markers
import peers
import results

from xalign_fairseq.core.errors import XalignError, exit_code

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python scripts/compile_results.py"
NOTHING = "No results yet."
PLOT = "aer-layers.png"
REPORT = "report/report.md"
SMALL = "xlm_align/small"  # below examples/: the study whose results files become tables here
BENCHMARKS, PEERS = "benchmarks", "peers"
SUMMARIES = "docs/results.md"  # where that study's summary stands beside its own pages
ABLATION = "ablation-"  # begins the names of short runs that have a table of their own
Runs = Sequence[dict[str, Any]]


def percent(fraction: float, digits: int = 1) -> str:
    """0.3083 as 30.8."""
    return f"{100 * fraction:.{digits}f}"


def baselines(runs: Runs) -> dict[str, dict[str, Any]]:
    """eflomal's figures of each pair: those of the first run that has it."""
    return {pair: next(run["pairs"][pair]["eflomal"] for run in runs if pair in run["pairs"])
            for pair in results.pairs_of(runs)}  # fmt: skip


def summary(runs: Runs) -> str:
    """AER of each run and pair, with their mean where a run has all pairs."""
    pairs = results.pairs_of(runs)
    lines: list[tuple[str, list[str], dict[str, dict[str, Any]]]] = [("eflomal", ["", ""], baselines(runs))]
    for run in runs:
        lines.append((run["name"], [f"{run['tokens'] / 1e6:.1f}M", f"{run['minutes']:.0f}"], run["pairs"]))
    rows = []
    for name, cost, scores in lines:
        cells = [percent(scores[pair]["aer"]) if pair in scores else "" for pair in pairs]
        mean = percent(sum(scores[pair]["aer"] for pair in pairs) / len(pairs)) if all(cells) else ""
        rows.append([name, *cost, *cells, *([mean] if len(pairs) > 1 else [])])
    return markers.table(("run", "tokens", "minutes", *pairs, *(["mean"] if len(pairs) > 1 else [])), rows)


def scores(runs: Runs) -> str:
    """All figures of the chosen setting, pair by pair, under the baseline's."""
    columns = ("pair", "run", "AER", "95 % interval", "precision", "recall", "F1", "similarity", "layer", "method",
               "chosen on", "AER there")  # fmt: skip
    rows = []
    for pair, base in baselines(runs).items():
        figures = [percent(base[key], 2) for key in ("precision", "recall")]
        f1 = percent(base["f1"], 2) if "f1" in base else ""
        rows.append([pair, "eflomal", percent(base["aer"], 2), "", *figures, f1, *[""] * 5])
        for run in runs:
            if pair not in run["pairs"]:
                continue
            here = run["pairs"][pair]
            interval = " to ".join(percent(end, 2) for end in here["interval"])
            figures = [percent(here[key], 2) for key in ("precision", "recall", "f1")]
            how = [here["similarity"], str(here["layer"]), here["method"], here["chosen_on"]]
            rows.append(
                [pair, run["name"], percent(here["aer"], 2), interval, *figures, *how, percent(here["dev_aer"], 2)]
            )
    return markers.table(columns, rows)


def runs(all_runs: Runs) -> str:
    """What was trained: command, commit, seed, cost, machine."""
    columns = ("run", "setting", "updates", "tokens", "minutes", "machine", "seed", "commit", "command")
    keys = ("name", "setting", "updates", "tokens", "minutes", "machine", "seed", "commit")
    return markers.table(
        columns, [[*(str(run[key]) for key in keys), f"`{run['command'].strip()}`"] for run in all_runs]
    )


def layers(runs: Runs) -> str:
    """AER of every layer on the test set, by argmax; the last column is the pointer's."""
    rows, all_layers = [], set()
    for pair in results.pairs_of(runs):
        for run in runs:
            if pair in run["pairs"]:
                found = layer_curve(run["pairs"][pair])
                all_layers |= found.keys()
                rows.append((pair, run["name"], found, pointer(run["pairs"][pair])))
    order = sorted(all_layers)
    cells = [
        [pair, name, *(percent(found[at]) if at in found else "" for at in order), percent(row["aer"]) if row else ""]
        for pair, name, found, row in rows
    ]
    return markers.table(("pair", "run", *(f"layer {at}" for at in order), "pointer"), cells)


def layer_curve(scores: dict[str, Any]) -> dict[int, float]:
    """AER of links by argmax from the hidden states of each layer."""
    hidden = [row for row in scores["all"] if row["similarity"] == "hidden" and row["method"] == "argmax"]
    return {row["layer"]: row["aer"] for row in hidden}


def pointer(scores: dict[str, Any]) -> dict[str, Any] | None:
    """The row of links by argmax from the pointer's scores, which belong to one layer; None without a pointer."""
    return next((row for row in scores["all"] if (row["similarity"], row["method"]) == ("pointer", "argmax")), None)


def filters(runs: Runs) -> str:
    """AER, precision and recall of each method and filter, at the chosen similarity and layer."""
    methods = list(
        dict.fromkeys(row["method"] for run in runs for pair in run["pairs"].values() for row in pair["all"])
    )
    rows = []
    for pair in results.pairs_of(runs):
        for run in runs:
            if pair not in run["pairs"]:
                continue
            cells = []
            for method in methods:
                row = results.chosen(run["pairs"][pair], method=method)
                figures = [percent(row[key]) for key in ("aer", "precision", "recall")] if row else []
                cells.append(" / ".join(figures))
            rows.append([pair, run["name"], *cells])
    return markers.table(("pair", "run", *(f"{method}: AER / P / R" for method in methods)), rows)


def ablations(runs: Runs) -> str:
    """The short runs: AER, and its difference from the run that they all vary, ``ablation-base``."""
    base = next((run["pairs"] for run in runs if run["name"] == f"{ABLATION}base"), {})
    columns = ("pair", "ablation", "AER", "95 % interval", "difference", "precision", "recall", "similarity", "layer",
               "method", "updates")  # fmt: skip
    rows = []
    for pair in results.pairs_of(runs):
        for run in (run for run in runs if pair in run["pairs"]):
            here = run["pairs"][pair]
            interval = " to ".join(percent(end) for end in here["interval"])
            difference = f"{100 * (here['aer'] - base[pair]['aer']):+.1f}" if pair in base else ""
            how = [here["similarity"], str(here["layer"]), here["method"], str(run["updates"])]
            figures = [percent(here[key]) for key in ("precision", "recall")]
            rows.append(
                [pair, run["name"].removeprefix(ABLATION), percent(here["aer"]), interval, difference, *figures, *how]
            )
    # The common base first, then from good to bad.
    rows.sort(key=lambda row: (row[0], row[1] != "base", float(row[2])))
    return markers.table(columns, rows)


def signatures(runs: Runs) -> str:
    """The signature of each score."""
    rows = [(run["name"], pair, f"`{here['signature']}`") for run in runs for pair, here in run["pairs"].items()]
    return markers.table(("run", "pair", "signature"), rows)


TABLES = {table.__name__: table for table in (summary, scores, runs, layers, filters, ablations, signatures)}
OF_ALL = ("runs", "signatures")


def draw(runs: Runs, path: Path) -> None:
    """AER over layers on the test sets, a panel for each pair; the dashed line is eflomal.

    A line for each run's hidden states, and a hollow mark for its pointer at the layer that this reads.
    """
    from matplotlib.lines import Line2D

    from xalign_fairseq.evaluation.plots.figure import new_figure, save
    from xalign_fairseq.evaluation.plots.palette import COLOURS, GRID, INK, MARKERS, MUTED

    pairs = results.pairs_of(runs)
    figure = new_figure(1 + 3.2 * len(pairs), 3.6)
    panels = figure.subplots(1, len(pairs), sharey=True, squeeze=False)[0]
    for pair, axes in zip(pairs, panels, strict=True):
        axes.axhline(100 * baselines(runs)[pair]["aer"], color=MUTED, linestyle="--", linewidth=1, label="eflomal")
        for number, run in enumerate(runs):
            if pair not in run["pairs"]:
                continue
            look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)], "markersize": 5}
            curve = sorted(layer_curve(run["pairs"][pair]).items())
            axes.plot([at for at, _ in curve], [100 * aer for _, aer in curve], label=run["name"], **look)
            if own := pointer(run["pairs"][pair]):
                hollow = {**look, "markersize": 9, "markerfacecolor": "none", "markeredgewidth": 1.6}
                axes.plot(own["layer"], 100 * own["aer"], linestyle="none", **hollow)
        axes.set_title(pair, fontsize=10, color=INK)
        axes.set_xlabel("layer (0: embeddings)", color=INK)
        axes.set_xticks(sorted({at for run in runs if pair in run["pairs"] for at in layer_curve(run["pairs"][pair])}))
        axes.grid(axis="y", color=GRID, linewidth=0.7)
    panels[0].set_ylabel("AER in % (argmax)", color=INK)
    handles = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    if any(pointer(run["pairs"][pair]) for run in runs for pair in run["pairs"]):
        handles["hollow: the pointer, at its layer"] = Line2D(
            [], [], color=MUTED, marker=MARKERS[0], markersize=9, markerfacecolor="none", linestyle="none"
        )
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    save(figure, path)
    print(f"wrote {path}")


def load(root: Path) -> list[dict[str, Any]]:
    """The runs of the small study, by name of their file."""
    return [results.read(path) for path in sorted((root / "examples" / SMALL).glob("results/*.json"))]


def split(found: Runs) -> tuple[Runs, Runs]:
    """The runs and, apart from them, the ablations."""
    short = [run for run in found if run["name"].startswith(ABLATION)]
    return [run for run in found if run not in short], short


def writer(runs: Runs, root: Path) -> Any:
    """The function that gives the text of a part."""

    def write(name: str) -> str:
        folder, _, table = name.rpartition("/")
        if name == f"{BENCHMARKS}/{PEERS}":
            return peers.table(root) or NOTHING
        if name.startswith(f"{BENCHMARKS}/"):
            return benchmark(root / "scripts/results" / f"{name.removeprefix(f'{BENCHMARKS}/')}.md")
        if is_study(root / "examples" / folder):
            return study_table(root / "examples" / folder / "results" / REPORT, table)
        if folder != SMALL or table not in (*TABLES, "plot"):
            raise XalignError(
                "there is no such results table",
                found=f"<!-- results:{name} -->",
                expected=f"{SMALL}/ and one of {', '.join(TABLES)}, plot; or a study's folder and a heading of its "
                "report",
            )
        if table == "plot":
            there = (root / "examples" / SMALL / "results" / PLOT).exists()
            return f"![AER over layers](results/{PLOT})" if there else f"No picture yet: `{COMMAND} --plot`."
        own, short = split(runs)
        shown = runs if table in OF_ALL else short if table == "ablations" else own
        return TABLES[table](shown) if shown else NOTHING

    return write


def benchmark(path: Path) -> str:
    """What a benchmark has measured."""
    return path.read_text(encoding="utf-8").strip("\n") if path.is_file() else NOTHING


def is_study(folder: Path) -> bool:
    """Whether a folder's tables are those of a report: of xalign transfer-report, or of a report.py."""
    return any((folder / name).exists() for name in ("studies", "report.py", f"results/{REPORT}"))


def study_table(report: Path, heading: str) -> str:
    """What stands under a heading of a report, given in lower case with ``-`` for blanks."""
    if not report.is_file():
        return NOTHING
    parts = re.split(r"^## (.*)$", report.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {re.sub(r"\W+", "-", title.lower()): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    if heading not in found:
        raise XalignError("the report has no such part", where=report, found=heading, expected=", ".join(found))
    return found[heading].strip("\n")


def require_markers(runs: Runs, root: Path, pages: Sequence[Path]) -> None:
    """Every table of the small study must have its place: the summary in docs/results.md, all in its own pages."""
    own = [page for page in pages if page.parent == root / "examples" / SMALL]
    for places, tables in (([root / SUMMARIES], ["summary"]), (own, list(TABLES))):
        found = [name for page in places for name in markers.names(page.read_text(encoding="utf-8"), "results")]
        missing = [f"<!-- results:{SMALL}/{table} -->" for table in tables if f"{SMALL}/{table}" not in found]
        if runs and missing:
            raise XalignError(
                "a document has no place for results",
                where=", ".join(map(str, places)),
                found=f"markers for {', '.join(found) or 'nothing'}",
                expected=", ".join(missing),
                remedy=f"add each marker and {markers.END} after it, on lines of their own",
            )


def pages_of(root: Path) -> list[Path]:
    """The pages of the recipes; what lies in results/ is written by scripts of its own."""
    found = sorted((root / "examples").rglob("*.md"))
    return [page for page in found if "results" not in page.relative_to(root).parts]


def write(root: Path, check: bool, plot: bool) -> int:
    """Write the tables of all documents below ``root``, or compare them; 1 if one that is checked is outdated."""
    runs, pages = load(root), pages_of(root)
    require_markers(runs, root, pages)
    if split(runs)[0] and plot and not check:
        draw(split(runs)[0], root / "examples" / SMALL / "results" / PLOT)
    documents = [root / "README.md", *sorted((root / "docs").rglob("*.md")), *pages]
    return markers.update(documents, "results", writer(runs, root), check, COMMAND)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a table is outdated")
    parser.add_argument(
        "--plot", action="store_true", help=f"also draw examples/{SMALL}/results/{PLOT} (needs matplotlib)"
    )
    parser.add_argument(
        "--root", type=Path, default=ROOT, help="the folder with README.md and examples (default: this one)"
    )
    args = parser.parse_args()
    return exit_code(lambda: write(args.root, args.check, args.plot))


if __name__ == "__main__":
    sys.exit(main())
