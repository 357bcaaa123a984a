"""Bootstrap intervals of scores, and the paired bootstrap test."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.aer import AlignmentCounts

Counts = Sequence[AlignmentCounts] | np.ndarray  # of each sentence; (N, 4)
LEVEL = 0.95  # the share of resamples inside an interval
METRICS = ("aer", "precision", "recall", "f1")
# Resampling weights are drawn in blocks of at most this many numbers (32 MB).
BLOCK = 4_000_000


@dataclass(frozen=True)
class PairedTest:
    """The second system's score minus the first system's: difference, interval and two-sided p-value."""

    difference: float
    low: float
    high: float
    p_value: float


def bootstrap_intervals(counts: Counts, *, samples: int = 1000, seed: int = 1) -> dict[str, tuple[float, float]]:
    """Percentile intervals of ``aer``, ``precision``, ``recall`` and ``f1`` over resampled sentences (Efron, 1979).

    Args:
        samples: number of resamples, each with replacement and of the original size.

    Raises:
        XalignError: there are no sentences, or an option is invalid.
    """
    check_options(samples, seed)
    (rates,) = resampled([_table(counts)], _rates, samples, seed)
    return {name: percentile_interval(rates[:, k]) for k, name in enumerate(METRICS)}


def mean_aer_interval(sets: Sequence[Counts], *, samples: int = 1000, seed: int = 1) -> tuple[float, float]:
    """Percentile interval for the mean AER over test sets, resampled as by :func:`paired_bootstrap_of_sets`."""
    check_options(samples, seed)
    if not sets:
        raise XalignError("there is no test set")
    drawn = [_drawn_aers([counts], samples, _seed(seed, sets, at))[0] for at, counts in enumerate(sets)]
    return percentile_interval(np.mean(drawn, axis=0))


def paired_bootstrap(first: Counts, second: Counts, *, samples: int = 1000, seed: int = 1) -> PairedTest:
    r"""Test whether two systems differ in AER on the same sentences (Koehn, 2004; Riezler and Maxwell, 2005).

    Both are scored on the same resamples. The null distribution is the resampled differences, shifted to mean 0:
    :math:`p = (1 + \#\{|d_s - \bar d| \geq |d|\}) / (1 + samples)`.
    """
    return paired_bootstrap_of_sets([first], [second], samples=samples, seed=seed)


def paired_bootstrap_of_sets(
    first: Sequence[Counts], second: Sequence[Counts], *, samples: int = 1000, seed: int = 1
) -> PairedTest:
    """Like :func:`paired_bootstrap`, for the mean AER over several test sets, each resampled separately."""
    check_options(samples, seed)
    sizes = [[len(counts) for counts in sets] for sets in (first, second)]
    if sizes[0] != sizes[1] or not sizes[0]:
        one, other = (", ".join(map(str, each)) or "no" for each in sizes)
        raise XalignError("the two systems have different numbers of lines", found=f"{one} and {other} lines")
    difference, drawn = 0.0, np.zeros(samples)
    for place, pair in enumerate(zip(first, second, strict=True)):
        before, after = (AlignmentCounts(*_table(counts).sum(0).tolist()).aer for counts in pair)
        difference += (after - before) / len(first)
        aers = _drawn_aers(pair, samples, _seed(seed, first, place))
        drawn += (aers[1] - aers[0]) / len(first)
    return paired_test(difference, drawn, sum(sizes[0]))


def _seed(seed: int, sets: Sequence[object], place: int) -> int | tuple[int, int]:
    """The seed for a set's resamples; a single set has the resamples of :func:`bootstrap_intervals`."""
    return seed if len(sets) == 1 else (seed, place)


def _drawn_aers(systems: Sequence[Counts], samples: int, seed: int | tuple[int, int]) -> list[np.ndarray]:
    """AER of each system, (samples,), on the same resamples of a test set."""
    return [rates[:, 0] for rates in resampled([_table(counts) for counts in systems], _rates, samples, seed)]


def resampled(
    tables: Sequence[np.ndarray], value: Callable[[np.ndarray], np.ndarray], samples: int, seed: int | Sequence[int]
) -> list[np.ndarray]:
    """The value of each system's counts (N, K), summed over the same resamples: (samples, ...)."""
    drawn: list[list[np.ndarray]] = [[] for _ in tables]
    for weights in resampling_weights(len(tables[0]), samples, seed):
        for table, found in zip(tables, drawn, strict=True):
            found.append(value(weights @ table))
    return [np.concatenate(found) for found in drawn]


def paired_test(difference: float, drawn: np.ndarray, items: int) -> PairedTest:
    """The test of an observed difference from resampled differences (R,), defined in :func:`paired_bootstrap`.

    p is at least 2^(1 - items), the lowest of a test that exchanges the systems' outputs item by item: few items can
    all have the same difference by chance.
    """
    # Rounding must not decide whether equal differences are equal.
    extreme = int((np.abs(drawn - drawn.mean()) >= abs(difference) - 1e-12).sum())
    p_value = max((1 + extreme) / (1 + len(drawn)), 2.0 ** (1 - items))
    return PairedTest(difference, *percentile_interval(drawn), p_value)


def check_options(samples: int, seed: int = 1) -> None:
    """Raise :class:`XalignError` for invalid numbers of resamples or seeds."""
    if samples < 1 or seed < 0:
        problem = "the bootstrap has too few samples or a negative seed"
        raise XalignError(problem, found=f"samples {samples}, seed {seed}")


def _table(counts: Counts) -> np.ndarray:
    if not len(counts):
        raise XalignError("there is no sentence to resample")
    return np.array(counts, dtype=np.int64)


def resampling_weights(items: int, samples: int, seed: int | Sequence[int]) -> Iterator[np.ndarray]:
    """How often each resample draws each item, (block, items): a multinomial draw."""
    rng = np.random.default_rng(seed)
    block = max(1, BLOCK // items)
    for start in range(0, samples, block):
        yield rng.multinomial(items, np.full(items, 1 / items), size=min(block, samples - start))


def _rates(totals: np.ndarray) -> np.ndarray:
    """AER, precision, recall, F1 (S, 4) of summed counts (S, 4); a ratio with denominator 0 is 0."""
    hits_sure, hits_possible, links, sure = totals.T
    precision, recall = _ratio(hits_possible, links), _ratio(hits_sure, sure)
    aer = 1 - _ratio(hits_sure + hits_possible, links + sure)
    return np.stack([aer, precision, recall, _ratio(2 * precision * recall, precision + recall)], axis=1)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    out = np.zeros(len(part))
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def percentile_interval(values: np.ndarray | Sequence[float]) -> tuple[float, float]:
    """The bounds of the middle :data:`LEVEL` of resampled values (R,)."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
