#!/usr/bin/env python3
"""What each part of xalign --from-scratch is worth: AER with one thing left out, or with one kind of units alone.

usage: benchmark_from_scratch_parts.py TEXT PAIR [PAIR ...] [--limit N] [--seed N] [--work FOLDER] [--out FOLDER]

As benchmark_from_scratch.py, whose options these are and whose WORK is used. Thresholds stay those of the whole. Writes
OUT/from_scratch_parts.json and the table OUT/from_scratch_parts.md.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any
from unittest import mock

import benchmark_from_scratch as whole
import torch
from from_scratch_report import origin, spread
from markers import table

from xalign_fairseq.aligner.sentence_pairs import SentencePairs
from xalign_fairseq.aligner.statistical import learning
from xalign_fairseq.aligner.statistical.batches import UnitBatch
from xalign_fairseq.aligner.statistical.chain import Posteriors
from xalign_fairseq.aligner.statistical.folder import load
from xalign_fairseq.aligner.statistical.models import UnitModel, mean_scores
from xalign_fairseq.aligner.statistical.tables import Tables
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.links.aer import score

NAME = "from_scratch_parts"
Scores = list[list[Any]]


def sure_of(direction: int) -> Callable[..., tuple[Posteriors, Posteriors]]:
    """Posteriors of both directions where the other one than this always agrees."""
    real = learning.both_directions

    def posteriors(*arguments: Any) -> tuple[Posteriors, Posteriors]:
        found = list(real(*arguments))
        other = found[1 - direction]
        found[1 - direction] = other._replace(partner=torch.ones_like(other.partner))
        return found[0], found[1]

    return posteriors


def pass_apart(tables: Tables, text: Sequence[UnitBatch]) -> Tables:
    """One pass in which each direction learns from its own posteriors alone."""
    one, other = (
        _pass(tables, text, both_directions=sure_of(direction)) for direction in (0, 1)
    )  # the counts of a link are then the product of one direction's posterior and 1
    pairs = torch.stack((one.pairs[:, 0], other.pairs[:, 1]), 1)
    return replace(one, pairs=pairs, null=(one.null[0], other.null[1]), jumps=(one.jumps[0], other.jumps[1]))


_one_pass = learning.one_pass


def _pass(tables: Tables, text: Sequence[UnitBatch], **patches: Any) -> Tables:
    with mock.patch.multiple(learning, **patches):
        return _one_pass(tables, text)


LESS: Mapping[str, Mapping[str, Any]] = {
    "without agreement": {"one_pass": pass_apart},
    "without jumps": {"PASSES": (sum(learning.PASSES), 0)},
}
"""What stands in for the parts of :mod:`xalign_fairseq.aligner.statistical.learning`."""


@contextmanager
def less(name: str) -> Iterator[None]:
    """Learning without a part."""
    with mock.patch.multiple(learning, **LESS[name]):
        yield


def learned_anew(models: Sequence[UnitModel], pairs: Any) -> list[UnitModel]:
    """Models of the same units, learned as it is patched now."""
    found = []
    for model in models:
        sides = [[cutter(pair[side])[0] for pair in pairs] for side, cutter in enumerate(model.cutters)]
        found.append(UnitModel(model.name, model.cutters, learning.learn(*sides)))
        print(f"learned by {model.name}", file=sys.stderr, flush=True)
    return found


def measure(folder: Path, pair: str, limit: int | None, seed: int, work: Path) -> dict[str, Any]:
    """The number of pairs of text, and AER of each variant on each set."""
    src, tgt, sets = whole.read_text(folder, pair, limit, seed, work)
    whole.ours(src, tgt, sets, work)
    models, (threshold, growth, _) = load(work / "aligner")
    pairs = list(SentencePairs(src, tgt))

    def rate(models: Sequence[UnitModel], growth: float = growth) -> dict[str, float]:
        return {
            name: score(
                [set(whole.grown_links(each, threshold, growth)) for each in mean_scores(models, pairs[begin:end])],
                golds,
            ).aer
            for name, (begin, end, golds) in sets.items()
        }

    rows = {"all": rate(models), "without growing": rate(models, threshold)}
    for number, model in enumerate(models):
        rows[f"{model.name} alone"] = rate([model])
        rows[f"without {model.name}"] = rate([*models[:number], *models[number + 1 :]])
    for name in LESS:
        with less(name):
            rows[name] = rate(learned_anew(models, pairs))
    return {"pairs": len(pairs), "rows": rows}


def write_table(records: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each variant: AER on each pair's sets over draws, and the means of development and of test sets."""
    sets: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for key, record in sorted(records.items()):
        for name in record["rows"]["all"]:
            sets.setdefault((key.split()[0], name), []).append(record)
    variants = next(iter(records.values()))["rows"]
    rows = []
    for variant in variants:
        found = {at: [100 * each["rows"][variant][at[1]] for each in drawn] for at, drawn in sets.items()}
        tests = [mean(aers) for (_, name), aers in found.items() if name == "test"]
        others = [mean(aers) for (_, name), aers in found.items() if name != "test"]
        means = [f"{mean(each):.1f}" if each else "" for each in (others, tests)]
        rows.append([variant, *map(spread, found.values()), *means])
    columns = ("", *(f"{pair} {name}" for pair, name in sets), "mean of development", "mean of test")
    texts = "; ".join(f"{key} {record['pairs']:,}" for key, record in sorted(records.items()))
    return table(columns, rows) + (
        f"\n\nMean and standard deviation over draws. Pairs of text (pair, limit, seed): {texts}. {origin(records)}\n"
    )


def write(records: Mapping[str, Mapping[str, Any]], out: Path) -> None:
    """The table."""
    with atomic_write(out / f"{NAME}.md") as stream:
        stream.write(write_table(records))


def main(arguments: Sequence[str] | None = None) -> None:
    whole.measure_all(__doc__, NAME, measure, write, arguments)


if __name__ == "__main__":
    main()
