"""Tables and a figure of this study for the papers' pages: each paper's settings and their differences."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from tables import Records, Tests, groups_of, interval, lowest, seeds, spread, tested

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))

import markers

from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.evaluation.statistics import Summary
from xalign_fairseq.evaluation.tables import markdown, percent

EXAMPLES = Path(__file__).resolve().parents[2]
# Page -> its settings and their control, a setting trained as long without the paper's objective.
PAGES: Mapping[str, tuple[Sequence[str], str]] = {
    "xlm_align": (("none", "mlm-tlm", "mlm-dwa", "mlm", "xlm-align", "dwa", "so"), "mlm-tlm"),
    "explicit_alignments": (("none", "tlm", "linear-mapping", "procrustes", "l2", "weak", "strong"), "tlm"),
    "ppa": (("none", "tlm", "moco", "moco-full", "ppa", "ppa-full"), "tlm"),
    "weam": (("none", "weam", "tlm30-embeddings", "weam-embeddings"), "tlm30-embeddings"),
}
# Column -> its task in the transfer study.
TASKS: Mapping[str, str] = {
    "retrieval ↑": "tatoeba",
    "POS ↑": "pos, trained on en",
    "parsing, LAS ↑": "parsing, trained on en",
    "XNLI ↑": "xnli, trained on en",
}
# Page -> settings that show the paper's mechanism, if those above do not.
MECHANISM: Mapping[str, Sequence[str]] = {
    "ppa": ("moco", "moco-full", "ppa", "ppa-full", "ppa-full-mlm", "ppa-full-mean"),
    "weam": ("none", "tlm30", "weam", "tlm30-embeddings", "weam-embeddings"),
}
COSINES = Path("results/embeddings/e5_small.json")  # of xalign embeddings, in a page's folder
CONTROLS = tuple(dict.fromkeys(control for _, control in PAGES.values()))


def transfer(title: str, report: Mapping[str, Any]) -> dict[str, str]:
    """Checkpoint -> the change of a task's score, mean over languages not trained on; for none, the score.

    Scores of checkpoints with different numbers of seeds cannot be compared; the change is over common seeds.
    """
    task = next(each for each in report["tasks"] if each["title"] == title)
    own = next(row for row in task["rows"][task["scored_by"][0]] if row["checkpoint"] == "none")
    tested = [each for each in report["findings"]["averages"] if (each["task"], each["over"]) == (title, "zero-shot")]
    return {"none": percent(Summary(**own["zero_shot"])), **{each["checkpoint"]: interval(each) for each in tested}}


def page(settings: Sequence[str], control: str, records: Records, tests: Mapping[str, Tests], report: Any) -> str:
    """One row per setting: AER, its difference from plain e5-small and from the control, and transfer."""
    groups = groups_of(records)
    scores = [transfer(title, report) for title in TASKS.values()]
    columns = ("setting", "objectives", "seeds", "AER ↓", "against none (95 %)", f"against {control} (95 %)", *TASKS)
    rows = []
    for name in settings:
        if name in groups:
            group = groups[name]
            shown = group[0]["options"].get("--objectives", "").replace(",", " + ")
            against = [interval(tests.get(baseline, {}).get(name)) for baseline in ("none", control)]
            rows.append(
                [name, shown, seeds(group), spread(tested(group)), *against, *(each.get(name, "") for each in scores)]
            )
    return markdown(columns, rows, names=2)


def mechanism(settings: Sequence[str], records: Records, cosines: Mapping[str, list[float]]) -> str:
    """Existing settings: AER on development gold with the best link setting and on the test sets, and cosines."""
    groups = groups_of(records)
    rows = []
    for name in settings:
        group = groups.get(name, [])
        if group:
            development = spread([lowest(each)[1] for each in group])
            cosine = [f"{mean(cosines[name]):.4f}" if name in cosines else ""] if cosines else []
            rows.append([name, seeds(group), development, spread(tested(group)), *cosine])
    more = ("cosine of linked words' embeddings",) if cosines else ()
    return markdown(("setting", "seeds", "development AER, lowest ↓", "test AER ↓", *more), rows)


def cosines_of(path: Path) -> dict[str, list[float]]:
    """Setting -> the mean cosine of linked words' input embeddings for each seed; empty without a file."""
    found: dict[str, list[float]] = {}
    for each in read_json(path)["checkpoints"] if path.is_file() else ():
        run = each["checkpoint"].partition("/")[0]
        found.setdefault(run.rpartition("-")[0] or run, []).append(each["cosine"])
    return found


def draw(settings: Sequence[str], tests: Tests, path: Path) -> None:
    """The difference of each setting's AER from that of plain e5-small, with its interval."""
    from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
    from xalign_fairseq.evaluation.plots.palette import ACCENT, INK, MUTED

    names = [name for name in settings if name in tests][::-1]
    figure = new_figure(6.4, 0.9 + 0.32 * len(names))
    axes = figure.subplots()
    for place, name in enumerate(names):
        value, low, high = (100 * tests[name][key] for key in ("difference", "low", "high"))
        axes.errorbar(
            value, place, xerr=[[value - low], [high - value]], fmt="o", color=ACCENT, markersize=5, capsize=2
        )
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("AER minus that of plain e5-small, points, with 95 % interval", color=INK, fontsize=9)
    style_axes(axes, grid="x")
    save(figure, path)


def write(records: Records, tests: Mapping[str, Tests], examples: Path = EXAMPLES) -> None:
    """Write the table of every paper's page, and its picture results/from_e5_small.svg."""
    report = read_json(examples / "transfer/results/report/report.json")
    for folder, (settings, control) in PAGES.items():
        made = {"from_e5_small": page(settings, control, records, tests, report)}
        markers.update([examples / folder / "README.md"], "study", made.__getitem__, False, "report.py")
        draw(settings, tests["none"], examples / folder / "results/from_e5_small.svg")
    for folder, settings in MECHANISM.items():
        made = {"mechanism": mechanism(settings, records, cosines_of(examples / folder / COSINES))}
        markers.update([examples / folder / "details.md"], "study", made.__getitem__, False, "report.py")
