"""AER of optimal transport and SimAlign's methods at every layer of one encoder: the paper's Figure 2.

usage: python layers.py GOLD OUT e5-small          the encoder without training
       python layers.py GOLD OUT RUNS/SETTING-SEED   a finished run of train.py

Covers every layer from 0 to the last and both encodings, with optimal transport (itermax, as in the paper, and argmax)
and SimAlign's argmax, itermax and match, on the development gold of study.py and the test sets of the paper's Table 2,
which select nothing. Writes OUT/NAME.json, unless it exists.
"""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import study
from train import LINKING, START, whole_model

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.comparison import try_linkings
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.evaluation.tables import markdown
from xalign_fairseq.trainer.train_record import machine
from xalign_fairseq.transport.linking import Linking

FOLDER = "layers"  # below results/
# Column of a table -> linking method.
METHODS: Mapping[str, Linking] = {
    "transport, itermax": Linking("transport", {"filter": "itermax"}),
    "transport, argmax": Linking("transport", {"filter": "argmax"}),
    "SimAlign itermax": Linking("itermax"),
    "SimAlign argmax": Linking("argmax"),
    "SimAlign match": Linking("match"),
}
ENCODINGS = ("joint", "separate")


def scored(model: str, gold: Path) -> list[dict[str, Any]]:
    """One row per encoding, method and layer: AER of all sets in percent, with the means of both kinds."""
    aligner = Aligner.from_pretrained(model, linking=LINKING)
    places = [
        (encoding, method, layer)
        for encoding in ENCODINGS
        for method in METHODS
        for layer in range(aligner.encoder.config.encoder_layers + 1)
    ]
    links = [replace(METHODS[method], layers=(layer,), encoding=encoding) for encoding, method, layer in places]
    kinds = {"development": study.DEVELOPMENT, "test": dict.fromkeys(study.TEST, 1.0)}
    found = {
        kind: try_linkings(aligner, study.gold_pairs(gold, list(weights)), links) for kind, weights in kinds.items()
    }
    return [
        {"encoding": encoding, "method": method, "layer": layer}
        | {kind: study.scores(found[kind][at], list(weights), weights) for kind, weights in kinds.items()}
        for at, (encoding, method, layer) in enumerate(places)
    ]


def main(gold: Path, out: Path, given: str) -> None:
    """Score one encoder, unless its scores exist."""
    run = Path(given)
    name = START if given == START else run.name
    if (out / f"{name}.json").is_file():
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = scored(START if given == START else whole_model(run, Path(folder, "whole.pt")), gold)
    about = {"setting": "none", "seed": None} if given == START else read_json(run / "result.json")
    record = {"name": name, "setting": about["setting"], "seed": about["seed"], "machine": machine(cpu=True)}
    write_json(out / f"{name}.json", {**record, "rows": rows})


def table(records: Sequence[Mapping[str, Any]], encoding: str, kind: str) -> str:
    """Layers by methods: mean AER over the sets before and after training, means over seeds."""
    settings = list(dict.fromkeys(each["setting"] for each in records))
    aers: dict[tuple[str, str, int], list[float]] = {}
    for record in records:
        for row in record["rows"]:
            if row["encoding"] == encoding:
                aers.setdefault((record["setting"], row["method"], row["layer"]), []).append(row[kind]["mean"])
    layers = sorted({layer for _, _, layer in aers})
    columns = [(setting, method) for setting in settings for method in METHODS]
    head = ("layer", *(f"{'before' if setting == 'none' else setting}: {method}" for setting, method in columns))
    cells = [[str(layer), *(mean_of(aers.get((*column, layer), [])) for column in columns)] for layer in layers]
    return markdown(head, cells)


def mean_of(values: Sequence[float]) -> str:
    """The mean in percent, or an empty cell."""
    return f"{sum(values) / len(values):.1f}" if values else ""


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
