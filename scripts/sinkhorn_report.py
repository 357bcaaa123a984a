"""Table of benchmark_sinkhorn.py, from its results files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import table, write_text

DEVICES = {"cpu": "CPU", "cuda": "GPU"}
BASE, OURS, OURS_GRAPH = "bmm alone", "xalign", "xalign, CUDA graph"
NOT_MEASURED = "not measured"
LEGEND = (
    "Each cell: time relative to the products alone (bmm in the same dtype), with 2 / with 50 iterations. Labels: "
    "similarity, Sinkhorn, filter and partner positions, directly from hidden states. Plan: products of sides cut out "
    "in advance, and Sinkhorn. F1: of the links, against the reference in float64, the lowest of all sizes. A CPU "
    "without bfloat16 instructions has no ratios in bfloat16, because its bmm is slow."
)
Result = Mapping[str, Any]


def write(folder: Path) -> str:
    """Write ``sinkhorn.md`` in the folder of the results files, and return the table."""
    paths = {device: folder / f"sinkhorn-{device}.json" for device in DEVICES}
    text = render({device: json.loads(path.read_text()) for device, path in paths.items() if path.is_file()})
    write_text(folder / "sinkhorn.md", text)
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
    """The table of one device and number of threads: one row per program and dtype, one column per size."""
    rows = [row for row in result["rows"] if row["threads"] == threads and "group" not in row]
    sizes = list(dict.fromkeys(row["size"] for row in rows if "size" in row))
    lines = []
    for program, dtype in dict.fromkeys((row["program"], row["dtype"]) for row in rows):
        mine = [row for row in rows if (row["program"], row["dtype"]) == (program, dtype)]
        if "missing" in mine[0]:
            lines.append([program, "", dtype, *["not installed"] * len(sizes), ""])
            continue
        lowest = min((row["f1"] for row in mine if "f1" in row), default=None)
        cells = (_times([row for row in mine if row["size"] == size]) for size in sizes)
        lines.append([program, mine[0]["gives"], dtype, *cells, "-" if lowest is None else f"{lowest:.4f}"])
    return table(("program", "gives", "dtype", *sizes, "F1"), lines)


def _times(rows: Sequence[Result]) -> str:
    each = sorted(rows, key=lambda row: row["iterations"])
    if not each:
        return "-"  # the run ended earlier
    if each[0]["program"] == BASE and "seconds" in each[0]:
        return f"{1e3 * each[0]['seconds']:.2f} ms"  # the products have no iterations
    return " / ".join(_cell(row, "times_bmm") for row in each)


def _cell(row: Result, key: str) -> str:
    return "failed" if "failed" in row else f"{row[key]:.2f}" if key in row else "-"


def large(result: Result) -> list[str]:
    """The largest batch, as multiples of reading its hidden states once; empty if it was not measured."""
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
    """Few pairs, where starting kernels takes longer than running them; empty if not measured."""
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
    return [f"Few pairs, {rows[0]['size']}, bfloat16, 2 iterations, consecutive calls:", table(columns, lines)]


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
