"""Folders of finished runs, written as xalign transfer writes them."""

import json

import numpy as np
import pytest

from xalign_fairseq.evaluation.signature import task_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS


@pytest.fixture
def write_run(tmp_path):
    """Write a run below ``tmp_path/runs`` from each language's counts of its items.

    Counts are (N, K) arrays by metric, or a list of 0 and 1 for benchmarks that measure accuracy; ``None`` is a test
    file without labels. ``digests`` gives languages another test file than the usual one;
    ``made_by`` is what made the run, which those of earlier versions do not say.
    """

    def write(
        checkpoint,
        counts,
        *,
        task="xnli",
        benchmark=None,
        train=("en",),
        models="one",
        seed=12,
        digests=(),
        made_by=None,
    ):
        metrics = BENCHMARKS[benchmark or task].metrics
        folder = tmp_path / "runs" / checkpoint / task / ("+".join(train) or "none") / str(seed)
        folder.mkdir(parents=True)
        items, scores, signatures, arrays = {}, {}, {}, {}
        for language, values in counts.items():
            if values is None:
                items[language] = 5
                continue
            if not isinstance(values, dict):
                values = {each.name: [(value, 1) for value in values] for each in metrics}
            tables = {name: np.array(table, dtype=np.float64) for name, table in values.items()}
            items[language] = len(tables[metrics[0].name])
            digest = dict(digests).get(language, "0123456789ab")
            scores[language] = {each.name: each.score(tables[each.name]) for each in metrics}
            signatures[language] = {
                each.name: task_signature(each, benchmark or task, digest, language=language) for each in metrics
            }
            arrays |= {f"{language}/{name}": table for name, table in tables.items()}
        result = {
            "format": 1,
            "checkpoint": checkpoint,
            "task": task,
            "benchmark": benchmark or task,
            "models": models,
            "train_languages": list(train),
            "seed": seed,
            "scores": scores,
            "items": items,
            "signatures": signatures,
        }
        if made_by is not None:
            result["made_by"] = made_by
        (folder / "spec.json").write_text("{}")
        (folder / "result.json").write_text(json.dumps(result))
        np.savez(folder / "counts.npz", **arrays)
        return folder

    return write


@pytest.fixture
def right():
    """The function that gives ``items`` answers of which ``hits`` are right, in an order that the seed decides."""

    def answers(hits, items=20, seed=0):
        return np.random.default_rng(seed).permutation([1] * hits + [0] * (items - hits)).tolist()

    return answers
