"""Compare aligners, and the links of other tools, on test sets with gold links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xalign_fairseq.aligner.gold_sets import GoldSet, find_sets
from xalign_fairseq.aligner.kinds import BitextAlone, EncoderAlone, find_kind
from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.protocol import Progress
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import nearly
from xalign_fairseq.core.progress import progress
from xalign_fairseq.encoder.pretrained.reading import find_pretrained
from xalign_fairseq.evaluation.link_scores import figures
from xalign_fairseq.evaluation.signature import on_data, score_signature
from xalign_fairseq.evaluation.statistics import holm
from xalign_fairseq.links.aer import AlignmentCounts, sentence_counts
from xalign_fairseq.links.bootstrap import (
    LEVEL,
    METRICS,
    bootstrap_intervals,
    mean_aer_interval,
    paired_bootstrap_of_sets,
)
from xalign_fairseq.links.pharaoh import check_bounds, one_based_evidence, read_links
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.names import OWN


@dataclass(frozen=True)
class System:
    """An aligner's scores: for each test set, the counts of each pair."""

    name: str
    signature: str
    counts: Sequence[Sequence[AlignmentCounts]]


def compare_systems(
    systems: Sequence[System], sets: Sequence[str], *, samples: int = 1000, seed: int = 1
) -> list[dict[str, Any]]:
    """One row per system: scores (fractions) with intervals, means, and a test of mean AER against the first."""
    rows = []
    for system in systems:
        each: list[dict[str, Any]] = [
            {"set": name, **figures(counts), "interval": bootstrap_intervals(counts, samples=samples, seed=seed)}
            for name, counts in zip(sets, system.counts, strict=True)
        ]
        means = {metric: sum(found[metric] for found in each) / len(each) for metric in METRICS}
        interval = mean_aer_interval(system.counts, samples=samples, seed=seed)
        rows.append({"system": system.name, **means, "interval": interval, "sets": each, "signature": system.signature})
    first, *others = (system.counts for system in systems)
    tests = [paired_bootstrap_of_sets(first, other, samples=samples, seed=seed) for other in others]
    corrected = holm([test.p_value for test in tests])
    for row, test, p_value in zip(rows[1:], tests, corrected, strict=True):
        row |= {
            "difference": test.difference,
            "difference_interval": (test.low, test.high),
            "p_value": test.p_value,
            "holm": p_value,
        }
    return rows


@dataclass(frozen=True)
class BenchmarkRun:
    """The systems and sets of a benchmark; the first system is the baseline.

    ``own`` is the model's own method; ``links`` are folders of other tools' links, with ``S-T.links`` for each set.
    """

    data: str
    models: Mapping[str, str]
    methods: Sequence[str] = (OWN,)
    links: Mapping[str, str] = field(default_factory=dict)
    samples: int = 1000
    seed: int = 1
    device: str = "auto"
    dtype: str = "auto"
    quiet: bool = False


def run_benchmark(run: BenchmarkRun) -> dict[str, Any]:
    """Score every system on every set and compare them (:func:`compare_systems`); also return the sets' digests."""
    if run.models.keys() & run.links.keys():
        raise XalignError("a model and links have the same name", parameter=("model", "links"), expected="another name")
    if len(set(run.methods)) < len(run.methods):
        raise XalignError("a method is given twice", parameter="method", found=", ".join(run.methods))
    sets = find_sets(run.data)
    linked = [_read_system(name, folder, sets) for name, folder in run.links.items()]
    for path in run.models.values():  # fail before the work
        _check_model(path, run.methods)
    systems = []
    total = sum(len(each.pairs) for each in sets) * len(run.models) * len(run.methods)
    with progress(total=total, unit=" pairs", quiet=run.quiet) as bar:
        for name, path in run.models.items():
            kind = find_kind(path)
            for method in run.methods:
                label = name if len(run.methods) == 1 else f"{name}, {method}"
                options = AlignerOptions()  # those of an aligner from bitext alone
                if not isinstance(kind, BitextAlone):
                    linking = Linking() if method == OWN else Linking(method)
                    options = AlignerOptions(linking, device=run.device, dtype=run.dtype)
                has_languages = isinstance(kind, EncoderAlone)
                systems.append(_align_sets(label, path, options, has_languages, sets, bar.update))
    names = [each.name for each in sets]
    rows = compare_systems([*systems, *linked], names, samples=run.samples, seed=run.seed)
    data = [{"set": each.name, "pairs": len(each.pairs), "sha256": each.digest} for each in sets]
    return {"data": data, "bootstrap": {"samples": run.samples, "seed": run.seed, "level": LEVEL}, "systems": rows}


def _check_model(path: str, methods: Sequence[str]) -> None:
    """Check that the model exists, and that the methods suit it."""
    if isinstance(find_kind(path), EncoderAlone):
        if not (found := find_pretrained(path)).exists():
            raise XalignError("the checkpoint does not exist", where=found, found=nearly(found))
    elif set(methods) != {OWN}:
        problem = "an aligner from bitext alone has no methods"
        raise XalignError(problem, where=path, parameter="method", found=" ".join(methods))


def _align_sets(
    label: str, model: str, options: AlignerOptions, has_languages: bool, sets: Sequence[GoldSet], done: Progress
) -> System:
    """The links of a model. An encoder with language embeddings is loaded again for each set's languages."""
    counts, aligner = [], None
    for each in sets:
        if aligner is None or (isinstance(aligner, Aligner) and aligner.encoder.config.languages):
            aligner = load_aligner(model, options, languages=each.languages if has_languages else None)
        links = [pair.links for pair in aligner.stream(each.pairs, done)]
        counts.append(sentence_counts(links, each.golds, where=each.name))
    assert aligner is not None
    return System(label, _signed(aligner.signature(), sets), counts)


def _read_system(name: str, folder: str, sets: Sequence[GoldSet]) -> System:
    """The links of another tool."""
    counts = []
    for each in sets:
        path = Path(folder, f"{each.name}.links")
        links = read_links(path)
        check_bounds(links, [(len(src), len(tgt)) for src, tgt in each.pairs], where=str(path))
        evidence = one_based_evidence(links, [gold.possible for gold in each.golds])
        if evidence:
            raise XalignError(
                "the file looks 1-based", where=path, found=evidence, remedy="subtract 1 from every index"
            )
        counts.append(sentence_counts(links, each.golds, where=path))
    return System(name, _signed(score_signature(system=name), sets), counts)


def _signed(signature: str, sets: Sequence[GoldSet]) -> str:
    return on_data(signature, {each.name: each.digest for each in sets})
