"""Table and figure of benchmark_training.py, from its results files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import table, write_text

from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.palette import COLOURS, GRID, INK, MARKERS, MUTED

DEVICES = {"cpu": "CPU", "cuda": "GPU"}
NOT_MEASURED = "not measured"
BUDGETS = {"cpu": 1.3, "cuda": 2.0}  # fairseq's tokens per second times this
COLUMNS = ("setting", "padding", "training", "tokens per second", "times fairseq", "peak MB", "MLM + TLM step")
LEGEND = (
    "Tokens without padding; medians over rounds, lowest and highest in brackets. Batches have equal numbers of tokens "
    "in pairs and in monolingual blocks: pairs of any length, sorted by length, as in training; mixed lengths, as in "
    "released codes; or pairs of a range of lengths, with blocks as long as the longest. MLM + TLM, masked_lm and "
    "transformers predict the same tokens from the same weights: their first losses are equal. XLM-Align's step adds "
    "DWA with self-labelling. masked_lm and transformers take blocks and pairs as two micro-batches of an update; "
    "transformers computes logits at all positions, the others at masked ones. Each uses its recommended optimizer: "
    "fairseq's adam, torch's fused AdamW, xalign_adamw."
)
VOCABULARIES = {
    "trimmed": "only the pieces of the text",
    "whole": "all of e5-small's pieces",
    "sample": "no real bitext, but the sample",
    "given": "as in the data-bin",
}
MEMORY = {"own": (), "kept": ("all keep memory",), "returned": ("none keeps memory",)}  # on a CPU
Result = Mapping[str, Any]


def write(folder: Path) -> str:
    """Write ``training.md`` and ``training.png`` in the folder of the results files, and return the table."""
    paths = {device: folder / f"training-{device}.json" for device in DEVICES}
    results = {device: json.loads(path.read_text()) for device, path in paths.items() if path.is_file()}
    text = render(results)
    write_text(folder / "training.md", text)
    draw(results, folder / "training.png")
    return text


def render(results: Mapping[str, Result]) -> str:
    """Markdown: a table for each device, and notes."""
    parts = []
    for device, label in DEVICES.items():
        if device not in results:
            parts.append(f"{label}: {NOT_MEASURED}.")
            continue
        threads = results[device]["threads"]
        where = f"{label}, {threads} thread{'s' * (threads > 1)}" if device == "cpu" else label
        rows = results[device]["rows"]
        measured = {setting(row) for row in rows if "tokens_per_second" in row or "error" in row}
        left = dict.fromkeys(setting(row) for row in rows if setting(row) not in measured)
        parts += [f"{where}:", table(COLUMNS, [_cells(row) for row in rows if setting(row) in measured])]
        parts += [f"There was no time for: {'; '.join(left)}."] if left else []
    notes = "\n".join(note(device, result) for device, result in results.items())
    return "\n\n".join(part for part in (*parts, LEGEND, notes) if part) + "\n"


def setting(row: Mapping[str, Any]) -> str:
    """The setting of a row."""
    longest = row["pairs"]
    pairs = {"any": "pairs of any length", "mixed": "lengths mixed"}.get(longest)
    parts = [
        row["arch"],
        row["dtype"],
        f"{row['vocabulary']} vocabulary",
        pairs or f"pairs of {int(longest) // 2 + 1} to {longest} tokens",
    ]
    parts += [f"{row['times']} times the tokens"] if row.get("times", 1) > 1 else []
    parts += [f"{row['processes']} processes"] if row["processes"] > 1 else []
    return ", ".join([*parts, *MEMORY[row.get("memory", "own")]])


def _cells(row: Mapping[str, Any]) -> list[str]:
    padding = "-" if row["batches"] is None else f"{100 * row['batches']['padding']:.1f} %"
    which = [setting(row), padding, row["contestant"]]
    if "tokens_per_second" not in row:
        failed = f"failed: {row['error']}" if "error" in row else NOT_MEASURED
        return [*which, " ".join(failed.split())[:120], *[""] * (len(COLUMNS) - 4)]
    memory = f"{row['peak_mb']:.0f}" if "peak_mb" in row else "-"
    if "device_peak_mb" in row:
        memory = f"{row['device_peak_mb']:.0f} (host {memory})"
    ratio, masked = (_spread(row[name], 2) if name in row else "-" for name in ("times_fairseq", "times_masked"))
    return [*which, _spread(row["tokens_per_second"], 0), ratio, memory, masked]


def _spread(values: Sequence[float], digits: int) -> str:
    middle, low, high = (f"{value:.{digits}f}" for value in values)
    return f"{middle} ({low} to {high})"


def note(device: str, result: Result) -> str:
    """Machine, versions, vocabularies, batches, commit and command of a device's results."""
    versions = ", ".join(f"{package} {number}" for package, number in result["versions"].items())
    cores = f" ({result['cores']} cores)" if device == "cpu" else ""
    found = {setting(row): row["batches"] for row in result["rows"] if row["batches"] is not None}
    batches = "; ".join(
        f"{name}: {each['tokens']:.0f} tokens a batch ({each['pairs']:.0f} pairs, {each['blocks']:.0f} blocks, "
        f"{each['predictions']:.0f} predictions)"
        for name, each in found.items()
    )
    used = dict.fromkeys(row["vocabulary"] for row in result["rows"])
    vocabularies = ", ".join(f"{name}: {VOCABULARIES[name]}" for name in used)
    return (
        f"- {device}: {result['machine']}{cores}; {versions}; {vocabularies}; {batches}; "
        f"seed {result['seed']}; commit {result['commit']}; `{result['command']}`"
    )


def draw(results: Mapping[str, Result], path: Path) -> None:
    """Tokens per second relative to fairseq, one panel per device, with the budget; no figure without measurements."""
    panels = {
        device: [row for row in result["rows"] if "times_fairseq" in row and row["contestant"] != "fairseq"]
        for device, result in results.items()
    }
    panels = {device: rows for device, rows in panels.items() if rows}
    if not panels:
        return
    longest = max(len({setting(row) for row in rows}) for rows in panels.values())
    figure = new_figure(4.4 + 3.4 * len(panels), 1.5 + 0.4 * longest)
    for axes, (device, rows) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        settings = list(dict.fromkeys(setting(row) for row in rows))
        for number, name in enumerate(dict.fromkeys(row["contestant"] for row in rows)):
            mine = [row for row in rows if row["contestant"] == name]
            middles, lows, highs = zip(*(row["times_fairseq"] for row in mine), strict=True)
            places = [settings.index(setting(row)) + 0.15 * (number - 1) for row in mine]
            below = [middle - low for middle, low in zip(middles, lows, strict=True)]
            above = [high - middle for middle, high in zip(middles, highs, strict=True)]
            axes.errorbar(
                middles, places, xerr=[below, above], linestyle="none", label=name, markersize=5, elinewidth=1,
                color=COLOURS[number], marker=MARKERS[number],
            )  # fmt: skip
        axes.axvline(1.0, color=MUTED, linewidth=0.8)
        axes.axvline(BUDGETS[device], color=MUTED, linewidth=0.8, linestyle="dashed")
        axes.set_yticks(range(len(settings)), settings)
        axes.set_title(f"{DEVICES[device]} (dashed: budget)", color=INK, fontsize=9, loc="left")
        axes.set_xlabel("times fairseq's tokens per second", color=INK, fontsize=9)
        axes.grid(axis="x", color=GRID, linewidth=0.7)
        axes.tick_params(colors=MUTED, labelsize=8)
        axes.invert_yaxis()
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save(figure, path)
