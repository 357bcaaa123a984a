#!/usr/bin/env python3
"""How well probabilities of links say what share of them is right: every method of e5-small, on development gold.

usage: benchmark_calibration.py GOLD SET [SET ...] [--statistics PAIR=FOLDER ...] [--out DIR]

GOLD is a folder, SETs are names of gold sets below it, such as xl-wa/dev/en-bg. A FOLDER holds statistics of a bitext,
for sets whose names end in PAIR. A method that scores pairs of words is measured on all of 0.05 and more, another one
on its links. Each method's probabilities are also calibrated by Platt's scaling, for each set by that of the other
sets. Writes OUT/calibration.json and the table OUT/calibration.md.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from harness import RESULTS, about, table, write

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.gold_sets import GoldSet, read_set
from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.statistical.choice import Calibration, calibration_error, fit_calibration
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.families import FAMILIES, SCORED
from xalign_fairseq.transport.linking import Linking

LEAST, SURE = 0.05, 0.9
Scored = tuple[np.ndarray, np.ndarray]  # probabilities of links, and whether each is in the gold


def main() -> None:
    """Align each set once for each encoding, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--statistics", nargs="+", default=[], metavar="PAIR=FOLDER")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    sets = {name: read_set(args.gold / f"{name}.gold") for name in args.sets}
    folders = dict(each.split("=", 1) for each in args.statistics)
    found: dict[str, dict[str, Scored]] = {}
    for name, each in sets.items():
        for method, scored in _of_encoder(each):
            found.setdefault(method, {})[name] = scored
        if folder := folders.get(name.rpartition("/")[2]):
            found.setdefault("scored, with statistics", {})[name] = _of_statistics(each, folder)
        print(name, file=sys.stderr, flush=True)
    results = {method: _measured(of_sets) for method, of_sets in found.items()}
    command = ["benchmark_calibration.py", "GOLD", *args.sets, "--statistics", *(f"{pair}=FOLDER" for pair in folders)]
    columns = (
        "method",
        "sets",
        "calibration error",
        f"right of links from {SURE}",
        f"gold found from {SURE}",
        "error, calibrated",
        f"right from {SURE}",
        f"gold found from {SURE}",
    )
    write(args.out, "calibration", {**about(command), "methods": results}, table(columns, _rows(results)))


def _of_encoder(gold_set: GoldSet) -> Iterator[tuple[str, Scored]]:
    """Every method's links of a set, by the settings of the encoder's family; from one pass for each encoding."""
    seen: set[str] = set()
    linkings = []
    for each in (*FAMILIES["e5-small"], SCORED):
        if each.method not in seen:
            seen.add(each.method)
            linkings.append(each)
    aligner = Aligner.from_pretrained("e5-small", linking=Linking("grow"), device="cpu", dtype="float32")
    for encoding in ("separate", "joint"):
        own = [each for each in linkings if each.encoding == encoding]
        if not own:
            continue
        asked = [
            Linking(each.method, {**each.options, **_all_scores(each.method)}, each.layers, encoding=encoding)
            for each in own
        ]
        encoded = Aligner(aligner.encoder, aligner.tokenizer, asked[0])
        alignments = list(encoded.sweep(gold_set.pairs, asked))
        for at, each in enumerate(own):
            yield each.method, _scored([row[at] for row in alignments], gold_set.golds)


def _all_scores(method: str) -> Mapping[str, float]:
    return {"grow": {"threshold": LEAST, "growth": 1.0}, "scored": {"threshold": LEAST}}.get(method, {})


def _of_statistics(gold_set: GoldSet, folder: str) -> Scored:
    with load_aligner(statistics=folder, min_probability=LEAST, device="cpu", dtype="float32") as aligner:
        return _scored(list(aligner.stream(gold_set.pairs)), gold_set.golds)


def _scored(alignments: Sequence[Alignment], golds: Sequence[Gold]) -> Scored:
    rows = [
        (probability, link in gold.possible)
        for alignment, gold in zip(alignments, golds, strict=True)
        for link, probability in alignment.links.items()
    ]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def _measured(of_sets: Mapping[str, Scored]) -> dict:
    """Of one method: its calibration on all sets, and the measures on each, calibrated by the others."""
    rows = {}
    for name, (values, hits) in of_sets.items():
        others = [scored for other, scored in of_sets.items() if other != name]
        rows[name] = {"as_it_is": _measures(values, hits)}
        if others:
            calibrated = _fitted(others).probability(values)
            rows[name]["calibrated"] = _measures(calibrated, hits)
    slope, shift = _fitted(list(of_sets.values()))
    return {"slope": round(slope, 4), "shift": round(shift, 4), "sets": rows}


def _fitted(scored: Sequence[Scored]) -> Calibration:
    """Each set counts the same, however large it is."""
    least = min(len(values) for values, _ in scored)
    random = np.random.default_rng(1)
    chosen = [random.permutation(len(values))[:least] for values, _ in scored]
    values, hits = (
        np.concatenate([each[side][at] for each, at in zip(scored, chosen, strict=True)]) for side in (0, 1)
    )
    return fit_calibration(values, hits)


def _measures(values: np.ndarray, hits: np.ndarray) -> dict[str, float | None]:
    sure = values >= SURE
    return {
        "calibration_error": round(calibration_error(values, hits), 4),
        "right": round(float(hits[sure].mean()), 4) if sure.any() else None,
        "found": round(float(hits[sure].sum() / max(1, hits.sum())), 4),
    }


def _rows(results: Mapping[str, dict]) -> list[list[str]]:
    rows = []
    for method, result in results.items():
        cells = []
        for kind in ("as_it_is", "calibrated"):
            parts = [each[kind] for each in result["sets"].values() if kind in each]
            for key in ("calibration_error", "right", "found"):
                values = [each[key] for each in parts if each[key] is not None]
                cells.append(f"{fmean(values):.2f}" if values else "–")
        rows.append([f"`{method}`" if " " not in method else method, str(len(result["sets"])), *cells])
    return rows


if __name__ == "__main__":
    sys.exit(exit_code(main))
