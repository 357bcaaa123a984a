#!/usr/bin/env python3
"""Compare this package's aligner with simalign 0.4 and awesome-align 0.1.7: speed, memory and equality of links.

usage: benchmark_aligner.py --src FILE --tgt FILE --work FOLDER [--pairs 64] [--device cpu|cuda] [--model MODEL]
                            [--out FOLDER]

All three align the same pairs of real text with the same weights: a BERT base (12 layers of 768) with random weights
(which do not change speed) and a WordPiece vocabulary trained on the text; with --model, also another encoder. Each
tool runs in its own process with one thread. WORK keeps the model and the measurements; existing ones are not
repeated. Writes OUT/aligner-DEVICE.json and, from the results of all devices in OUT, the table OUT/aligner.md.
Needs: pip install ".[benchmark]". Missing or failing tools are named and skipped.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import RESULTS, about, processor, table, write_text

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_folder
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.pairs import SentencePairs

HERE = Path(__file__).resolve().parent
TOOLS = ("simalign", "awesome-align", "xalign")
# Tools whose links ours should equal.
PEERS = {"argmax": "simalign", "itermax": "simalign", "match": "simalign", "softmax": "awesome-align"}
BASELINE = ("simalign", "itermax", "float32")
VOCABULARY, SEED = 8000, 1
DEVICES = {"cpu": "pairs per CPU-second", "cuda": "pairs per GPU-second"}
COLUMNS = ("program", "method", "encoding, layer", "dtype", *DEVICES.values(), "links as theirs")
NOT_MEASURED = "not measured"
BERT = "BERT base"
SETTING = ("method", "encoding", "layer", "dtype")
PATIENCE = {"cpu": None, "cuda": 120}  # seconds for all measurements of a tool


def prepare(work: Path, src: Path, tgt: Path, count: int) -> Path:
    """The folder in ``work`` with the model and ``count`` pairs, spread over the text; made if missing."""
    folder = work / f"inputs-{count}"
    if folder.is_dir():
        return folder
    text = [(" ".join(a), " ".join(b)) for a, b in SentencePairs(src, tgt)]
    full = [pair for pair in text if all(pair)]
    if len(full) < count:
        raise XalignError("the text has too few pairs", where=src, found=len(full), expected=f"{count} or more")
    chosen = [full[len(full) * number // count] for number in range(count)]
    import benchmark_model

    with atomic_folder(folder) as made:
        for name, side in zip(("src.txt", "tgt.txt"), zip(*chosen, strict=True), strict=True):
            (made / name).write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
        benchmark_model.make(made, [line for pair in text for line in pair], vocabulary=VOCABULARY, seed=SEED)
    return folder


def prepare_model(model: str, inputs: Path) -> tuple[str, Path]:
    """A model's name, and a folder next to ``inputs`` with the same pairs and the model, which every tool can read."""
    from xalign_fairseq.encoder.pretrained.exporting import export
    from xalign_fairseq.encoder.pretrained.known import family_of
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained

    name = family_of(read_pretrained(model)[0]) or Path(model).stem
    folder = inputs.with_name(f"{inputs.name}-{name}")
    if not folder.is_dir():
        export(model, folder)
        for text in ("src.txt", "tgt.txt"):
            shutil.copy(inputs / text, folder)
    return name, folder


def measure(tool: str, inputs: Path, device: str) -> dict[str, Any]:
    """A tool's measurement by benchmark_tools.py, or the one in ``inputs`` if that has no error."""
    path = inputs / f"{tool}-{device}.json"
    found = read_json(path) if path.is_file() else {"error": "it was not run"}
    if "error" not in found:
        return found
    path.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / "benchmark_tools.py"), tool, str(inputs), device, str(path)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    try:
        subprocess.run(command, check=True, env=environment, timeout=PATIENCE[device])
    except subprocess.SubprocessError as error:
        failed = f"exit code {error.returncode}" if isinstance(error, subprocess.CalledProcessError) else "no end"
        return {"error": f"its process ended with {failed}", "runs": []}
    return read_json(path)


def compare(measured: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each run of each tool.

    Returns:
        the setting; ``pairs_per_second``; ``times_simalign``, its ratio to SimAlign's itermax; ``peak_mb`` of the
        tool's process, loading included (and ``device_peak_mb``). If a peer has the same method: ``equal_pairs``,
        the number of pairs with exactly the peer's links, and ``equal_f1``, the F1 of all links; ``compared``
        if the peer linked fewer pairs. Failed runs have an ``error`` instead of figures.
    """
    runs = {(tool, run["method"], run["dtype"]): run for tool, found in measured.items() for run in found["runs"]}
    speeds = {key: len(run["links"]) / run["seconds"] for key, run in runs.items() if "links" in run}
    rows = [{"tool": tool, "error": found["error"]} for tool, found in measured.items() if "error" in found]
    for (tool, method, dtype), run in runs.items():
        row = {
            "tool": tool,
            **{key: run[key] for key in ("method", "encoding", "layer", "dtype", "error") if key in run},
        }
        if "links" in run:
            row["pairs_per_second"] = speeds[tool, method, dtype]
            if BASELINE in speeds:
                row["times_simalign"] = speeds[tool, method, dtype] / speeds[BASELINE]
            row |= {key: value for key, value in measured[tool].items() if key.endswith("peak_mb")}
            theirs = runs.get((PEERS.get(method, ""), method, "float32"), {}).get("links")
            if tool == "xalign" and theirs:
                row["equal_pairs"], row["equal_f1"] = agreement(run["links"][: len(theirs)], theirs)
                row |= {"compared": len(theirs)} if len(theirs) < len(run["links"]) else {}
        rows.append(row)
    return rows


def agreement(ours: Sequence[str], theirs: Sequence[str]) -> tuple[int, float]:
    """The number of pairs with the same links, and the F1 of all links, for two lists of Pharaoh lines."""
    sets = [(set(a.split()), set(b.split())) for a, b in zip(ours, theirs, strict=True)]
    total = sum(len(a) + len(b) for a, b in sets)
    return sum(a == b for a, b in sets), 2 * sum(len(a & b) for a, b in sets) / total if total else 1.0


def render(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The Markdown tables, one for each encoder, and their notes, from the results by device."""
    # Older results have one encoder and do not name it.
    encoders = dict.fromkeys(row.get("encoder", BERT) for result in results.values() for row in result["rows"])
    parts = []
    for encoder in encoders:
        here = {
            device: [row for row in result["rows"] if row.get("encoder", BERT) == encoder]
            for device, result in results.items()
        }
        parts += [*([f"{encoder}:", ""] if len(encoders) > 1 else []), _table(here), ""]
    notes = [
        f"- {device}: {result['machine']}; {result['pairs']} pairs of {result['subwords']:.0f} subwords (both sides); "
        f"peak memory {_memory(result['rows'])}; commit {result['commit']}; `{result['command']}`"
        for device, result in results.items()
    ]
    legend = (
        "In brackets: relative to SimAlign's itermax. Links as theirs: pairs with equal links, and F1 of all links."
    )
    return "\n".join([*parts, legend, "", *notes, ""])


def _table(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The table of one encoder, from its rows by device."""
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for device, each in rows.items():
        for row in each:
            setting = (
                (row["method"], f"{row['encoding']}, {row['layer']}", row["dtype"]) if "method" in row else ("",) * 3
            )
            cells.setdefault((row["tool"], *setting), {})[device] = row
    lines = [
        (*key, *(_speed(by_device.get(device)) for device in DEVICES), _equal(by_device))
        for key, by_device in cells.items()
    ]
    return table(COLUMNS, lines)


def _speed(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return NOT_MEASURED
    if "error" in row:
        return f"failed: {row['error'][:120]}"
    return f"{row['pairs_per_second']:.1f}" + (f" ({row['times_simalign']:.2f})" if "times_simalign" in row else "")


def _equal(by_device: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [row for row in by_device.values() if "equal_f1" in row]
    count = [f"{row['equal_pairs']} of {row['compared']}" if "compared" in row else row["equal_pairs"] for row in rows]
    return "; ".join(f"{n} pairs, {row['equal_f1']:.4f}" for n, row in zip(count, rows, strict=True)) or "-"


def _memory(rows: Sequence[Mapping[str, Any]]) -> str:
    peaks = {row["tool"]: row for row in rows if "peak_mb" in row and row.get("encoder", BERT) == BERT}
    return ", ".join(
        f"{tool} {row['peak_mb']:.0f} MB"
        + (f" (GPU {row['device_peak_mb']:.0f} MB)" if "device_peak_mb" in row else "")
        for tool, row in peaks.items()
    )


def report(folder: Path) -> str:
    """Write the table ``aligner.md`` from the results of all devices in a folder, and return it."""
    paths = {device: folder / f"aligner-{device}.json" for device in DEVICES}
    text = render({device: json.loads(path.read_text()) for device, path in paths.items() if path.is_file()})
    write_text(folder / "aligner.md", text)
    return text


def describe(
    args: argparse.Namespace, inputs: Path, measured: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the results file, from the measurements of each encoder's tools."""
    from importlib.metadata import version

    from transformers import BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(inputs)
    text = [" ".join(side) for pair in SentencePairs(inputs / "src.txt", inputs / "tgt.txt") for side in pair]
    versions = {tool: found["version"] for tool, found in measured[BERT].items() if "version" in found}
    model = f" --model {Path(args.model).name}" if args.model else ""
    command = f"benchmark_aligner.py --src {args.src.name} --tgt {args.tgt.name} --pairs {args.pairs}"
    return {
        **about(f"{command} --device {args.device}{model}"),
        "machine": processor(args.device) + (", one core" if args.device == "cpu" else ""),
        "versions": {**versions, "torch": version("torch"), "transformers": version("transformers")},
        "pairs": args.pairs,
        "words": sum(len(line.split()) for line in text) / args.pairs,
        "subwords": sum(len(tokenizer.tokenize(line)) for line in text) / args.pairs,
        "rows": [{"encoder": encoder, **row} for encoder, found in measured.items() for row in compare(found)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, required=True, help="text of the source language, one sentence per line")
    parser.add_argument("--tgt", type=Path, required=True, help="its translation")
    parser.add_argument("--work", type=Path, required=True, help="folder for the model and the measurements")
    parser.add_argument("--pairs", type=int, default=64, help="number of pairs")
    parser.add_argument("--device", choices=DEVICES, default="cpu")
    parser.add_argument("--model", help="a second encoder: any model that xalign reads")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    args = parser.parse_args()
    inputs = prepare(args.work, args.src, args.tgt, args.pairs)
    encoders = dict([(BERT, inputs), *([prepare_model(args.model, inputs)] if args.model else [])])
    measured: dict[str, dict[str, Any]] = {}
    for encoder, folder in encoders.items():
        measured[encoder] = {tool: measure(tool, folder, args.device) for tool in TOOLS}
        write_json(args.out / f"aligner-{args.device}.json", describe(args, inputs, measured))
    print(report(args.out))


if __name__ == "__main__":
    main()
