"""Table and picture of benchmark_sinkhorn.py, from its results files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import table, write_text

from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.palette import COLOURS, GRID, INK, MARKERS, MUTED

DEVICES = {"cpu": "CPU", "cuda": "GPU"}
BASE, OURS, OURS_GRAPH = "bmm alone", "xalign", "xalign, CUDA graph"
NOT_MEASURED = "not measured"
LEGEND = (
    "In each cell: times the products alone (bmm in the same dtype), with 2 / with 50 iterations. Labels: similarity, "
    "Sinkhorn, filter and partner positions, from hidden states where they lie; plan: the products of sides that are "
    "cut out beforehand, and Sinkhorn. Added MB: what a call adds to the memory, at most, of each size (2 iterations). "
    "F1: of the links, against the definition in float64, the lowest of all sizes. A CPU without bfloat16 instructions "
    "has no ratios in bfloat16, since its bmm is slow."
)
Result = Mapping[str, Any]


def write(folder: Path) -> str:
    """Write ``sinkhorn.md`` and ``sinkhorn.png`` in the folder of the results files; the table is returned."""
    paths = {device: folder / f"sinkhorn-{device}.json" for device in DEVICES}
    results = {device: json.loads(path.read_text()) for device, path in paths.items() if path.is_file()}
    text = render(results)
    write_text(folder / "sinkhorn.md", text)
    draw(results, folder / "sinkhorn.png")
    return text


def render(results: Mapping[str, Result]) -> str:
    """Markdown: a table of times for each device and number of threads, and notes."""
    parts = []
    for device, label in DEVICES.items():
        if device not in results:
            parts += [f"{label}: {NOT_MEASURED}."]
            continue
        for threads in dict.fromkeys(row["threads"] for row in results[device]["rows"]):
            parts += [f"{_where(device, threads)}:", times(results[device], threads)]
        parts += [*large(results[device]), *few(results[device])]
    parts += [LEGEND, "\n".join(note(device, result) for device, result in results.items())]
    return "\n\n".join(part for part in parts if part) + "\n"


def times(result: Result, threads: int) -> str:
    """The table of one device and number of threads; a row for each program and dtype, a column for each size."""
    rows = [row for row in result["rows"] if row["threads"] == threads and "group" not in row]
    sizes = list(dict.fromkeys(row["size"] for row in rows if "size" in row))
    lines = []
    for program, dtype in dict.fromkeys((row["program"], row["dtype"]) for row in rows):
        mine = [row for row in rows if (row["program"], row["dtype"]) == (program, dtype)]
        if "missing" in mine[0]:
            lines.append([program, "", dtype, *["not installed"] * len(sizes), "", ""])
            continue
        lowest = min((row["f1"] for row in mine if "f1" in row), default=None)
        added = [row["extra_mb"] for row in result["memory"] if (row["program"], row["dtype"]) == (program, dtype)]
        lines.append(
            [
                program,
                mine[0]["gives"],
                dtype,
                *(_times([row for row in mine if row["size"] == s]) for s in sizes),
                " / ".join("-" if mb is None else f"{mb:.0f}" for mb in added),
                "-" if lowest is None else f"{lowest:.4f}",
            ]
        )
    return table(("program", "gives", "dtype", *sizes, "added MB", "F1"), lines)


def _times(rows: Sequence[Result]) -> str:
    each = sorted(rows, key=lambda row: row["iterations"])
    if not each:
        return "-"  # the run ended before it
    if each[0]["program"] == BASE and "seconds" in each[0]:
        return f"{1e3 * each[0]['seconds']:.2f} ms"  # the products know no iterations
    return " / ".join(_cell(row, "times_bmm") for row in each)


def _cell(row: Result, key: str) -> str:
    return "failed" if "failed" in row else f"{row[key]:.2f}" if key in row else "-"


def large(result: Result) -> list[str]:
    """The largest batch, as multiples of reading its hidden states once; nothing if it was not measured."""
    rows = [row for row in result["rows"] if row.get("group") == "large"]
    if not rows:
        return []
    read = next(row["seconds"] for row in rows if row["program"] == "copy") / 2
    eager = next((row.get("seconds") for row in rows if row["program"] == "torch, eager"), None)
    lines = [
        [
            row["program"],
            _microseconds(row),
            _cell(row, "times_read"),
            _faster(eager, row),
            *(("1.3", "3.5") if row["program"] == OURS else ("", "")),
        ]
        for row in rows
        if row["program"] != "copy"
    ]
    columns = ("program", "us", "times the read", "times as fast as eager", "budget: read", "budget: eager")
    batch = f"{rows[0]['pairs']} pairs, {rows[0]['size']}, bfloat16, 2 iterations"
    return [f"{batch}; reading the hidden states once takes {1e6 * read:.0f} us:", table(columns, lines)]


def few(result: Result) -> list[str]:
    """Few pairs, where starting kernels takes longer than they run; nothing if it was not measured."""
    rows = [row for row in result["rows"] if row.get("group") == "few"]
    if not rows:
        return []
    programs = list(dict.fromkeys(row["program"] for row in rows))
    lines = []
    for pairs in dict.fromkeys(row["pairs"] for row in rows):
        here = {row["program"]: row for row in rows if row["pairs"] == pairs}
        eager = here.get("torch, eager", {}).get("seconds")
        times = [_microseconds(here.get(program, {})) for program in programs]
        ratios = [_faster(eager, here.get(program, {})) for program in (OURS, OURS_GRAPH)]
        lines.append([f"{pairs}", *times, *ratios, "20"])
    columns = ("pairs", *(f"{program}, us" for program in programs), "eager by xalign", "eager by its graph", "budget")
    return [f"Few pairs, {rows[0]['size']}, bfloat16, 2 iterations, calls one behind the other:", table(columns, lines)]


def _microseconds(row: Result) -> str:
    return f"{1e6 * row['seconds']:.0f}" if "seconds" in row else _cell(row, "seconds")


def _faster(eager: float | None, row: Result) -> str:
    return f"{eager / row['seconds']:.1f}" if eager and "seconds" in row else "-"


def note(device: str, result: Result) -> str:
    """Machine, versions, commit and command of a device's results."""
    versions = ", ".join(f"{package} {number}" for package, number in result["versions"].items())
    cores = f" ({result['cores']} cores)" if device == "cpu" else ""
    pairs = result.get("instructions", {}).items()
    products = f"our own products of {' and '.join(f'{dtype} by {by}' for dtype, by in pairs)}; " if pairs else ""
    made = f"{products}{versions}; commit {result['commit']}; `{result['command']}`"
    return f"- {device}: {result['machine']}{cores}; {made}"


def _where(device: str, threads: int) -> str:
    return f"{DEVICES[device]}, {threads} thread{'s' * (threads > 1)}" if device == "cpu" else DEVICES[device]


def draw(results: Mapping[str, Result], path: Path) -> None:
    """Times the products in float32, a panel for each device (at its most threads) and number of iterations."""
    panels = []
    for device, result in results.items():
        if not result["rows"]:
            continue
        most = max(row["threads"] for row in result["rows"])
        rows = [row for row in result["rows"] if row["threads"] == most and row["dtype"] == "float32"]
        rows = [row for row in rows if "times_bmm" in row and "group" not in row and row["program"] != BASE]
        for iterations in sorted({row["iterations"] for row in rows}):
            here = [row for row in rows if row["iterations"] == iterations]
            panels.append((f"{_where(device, most)}, {iterations} iterations", here))
    if not panels:
        return
    programs = list(dict.fromkeys(row["program"] for _, rows in panels for row in rows))
    figure = new_figure(1.6 + 2.6 * len(panels), 2.9)
    plots = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, rows) in zip(plots, panels, strict=True):
        for number, size in enumerate(dict.fromkeys(row["size"] for row in rows)):
            points = [(row["times_bmm"], programs.index(row["program"])) for row in rows if row["size"] == size]
            look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)], "markersize": 5}
            axes.plot(*zip(*points, strict=True), linestyle="none", label=size, **look)
        axes.axvline(1.0, color=MUTED, linewidth=0.8)
        axes.set_xscale("log")
        axes.set_yticks(range(len(programs)), programs)
        axes.set_title(title, color=INK, fontsize=9, loc="left")
        axes.set_xlabel("times the products alone", color=INK, fontsize=9)
        axes.grid(axis="both", color=GRID, linewidth=0.7)
        axes.tick_params(colors=MUTED, labelsize=8)
    axes.invert_yaxis()
    figure.legend(*plots[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    save(figure, path)
