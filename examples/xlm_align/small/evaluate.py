#!/usr/bin/env python3
"""Choose layer, method and similarity of a trained model on development pairs, score it on the test sets, write JSON.

usage: evaluate.py SAVE_DIR TEXT OUT.json PAIR [PAIR ...]

A pair's development set is TEXT/PAIR/dev.* (gold links) if the benchmark has one, otherwise TEXT/PAIR/valid.* (silver:
links of eflomal on held-out training pairs). SAVE_DIR is a folder of 3_train.sh.
"""

import argparse
import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for common

from common.training import training_record

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.sweep import sweep_links
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.evaluation.signature import score_signature
from xalign_fairseq.links.aer import score, sentence_counts
from xalign_fairseq.links.bootstrap import bootstrap_intervals
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.transport.linking import Linking

METHODS = ("argmax", "itermax", "union")


def sweep(path: Path, folder: Path, split: str, pair: str) -> list[dict]:
    """Scores of every similarity, layer and method on one set, best first."""
    src, tgt = (list(read_lines(folder / f"{split}.{lang}")) for lang in pair.split("-"))
    links_file = folder / f"{split}.gold"
    golds = read_gold(links_file if links_file.exists() else folder / f"{split}.links")
    rows = []
    for similarity in ("hidden", "pointer"):
        if similarity == "pointer" and not _has_pointer(path):
            continue
        aligner = Aligner.from_pretrained(path, linking=Linking(similarity=similarity))
        # A pointer means nothing at layers that it was not trained on.
        layers = range(aligner.encoder.config.encoder_layers + 1) if similarity == "hidden" else aligner.linking.layers
        layers = [aligner.encoder.config.resolve_layer(layer) for layer in layers]
        settings = [
            Linking("transport", {"filter": method}, (layer,), similarity, "joint")
            for layer in layers
            for method in METHODS
        ]
        links = sweep_links(aligner, zip(src, tgt, strict=True), settings)
        for linking, hyps in zip(settings, links, strict=True):
            result = score(hyps, golds)
            intervals = bootstrap_intervals(sentence_counts(hyps, golds))
            rows.append(
                {
                    "similarity": similarity,
                    "layer": linking.layers[0],
                    "method": linking.finder.filter,
                    **{key: round(getattr(result, key), 4) for key in ("aer", "precision", "recall", "f1")},
                    "links": result.links,
                    "signature": score_signature(linking=linking),
                    "interval": [round(value, 4) for value in intervals["aer"]],
                }
            )
    return rows


def _has_pointer(path: Path) -> bool:
    return any(key.startswith("heads.dwa.pointer.") for key in checkpoint.read(path)["model"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("save", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--checkpoint", default="checkpoint_last.pt", help="file in SAVE_DIR (default: %(default)s)")
    args = parser.parse_args()
    torch.set_num_threads(1)
    path = args.save / args.checkpoint
    results = {}
    for pair in args.pairs:
        folder = args.text / pair
        split = "dev" if (folder / "dev.gold").exists() else "valid"
        dev = sweep(path, folder, split, pair)
        chosen = min(dev, key=lambda row: row["aer"])
        test = sweep(path, folder, "test", pair)
        same = ("similarity", "layer", "method")
        final = next(row for row in test if all(row[key] == chosen[key] for key in same))
        results[pair] = {
            **final,
            "chosen_on": "gold development set" if split == "dev" else "silver links of held-out training pairs",
            "dev_aer": chosen["aer"],
            "eflomal": read_json(folder / "eflomal.json"),
            "all": [{key: row[key] for key in (*same, "aer", "precision", "recall")} for row in test],
        }
        print(f"{pair}: AER {final['aer']:.4f} ({final['similarity']}, layer {final['layer']}, {final['method']})")
    record = {"name": args.out.stem, **training_record(args.save), "checkpoint": args.checkpoint, "pairs": results}
    # The run's updates and tokens are those of its last checkpoint; the one that was scored may be an earlier one.
    record["checkpoint_updates"] = checkpoint.updates_of(path)
    with atomic_write(args.out) as out:
        out.write(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
