"""Tables of scripts/benchmark_from_scratch.py, from its JSON records."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from markers import table

from xalign_fairseq.aligner.tools import TOOLS

OURS, PEER = "xalign", "eflomal"
Records = Mapping[str, Mapping[str, Any]]


def write_table(records: Records) -> str:
    """One row per pair's largest text and set: AER of every system, the difference from eflomal, cost, calibration.

    After these, the mean over the test sets of all pairs.
    """
    names = [OURS, *TOOLS]
    most = largest(records)
    rows = []
    for pair, record in most.items():
        for each, found in record["sets"].items():
            test = found.get("test")
            cost = [record["cpu_minutes"].get(name) for name in names]
            rows.append(
                [
                    pair,
                    each,
                    f"{record['pairs']:,}",
                    *aers(found, names),
                    f"{100 * test['difference']:+.1f} ({100 * test['low']:+.1f} to {100 * test['high']:+.1f}), "
                    f"{test['p_value']:.3f}"
                    if test
                    else "",
                    " / ".join("" if minutes is None else f"{minutes:.1f}" for minutes in cost),
                    " / ".join(f"{100 * error:.1f}" for error in found["calibration_error"]),
                ]
            )
    tests = [record["sets"]["test"]["systems"] for record in most.values()]
    means = [
        f"{100 * sum(each[name]['aer'] for each in tests) / len(tests):.1f}"
        if tests and all(name in each for each in tests)
        else ""
        for name in names
    ]
    rows.append(["mean", "test", "", *means, "", "", ""])
    columns = ("pair", "set", "pairs of text", *names, "difference to eflomal (95 %), p", "CPU minutes", "ECE in %")
    return table(columns, rows) + (
        f"\n\nCPU minutes, one thread: {', '.join(names)}. ECE: of scores, and of probabilities. {origin(most)}\n"
    )


def largest(records: Records) -> dict[str, Mapping[str, Any]]:
    """The record of the largest text of each pair."""
    ascending = sorted(records.items(), key=lambda each: (each[0].split()[0], each[1]["pairs"]))
    return {key.split()[0]: record for key, record in ascending}


def draws(records: Records) -> dict[tuple[str, int], list[Mapping[str, Any]]]:
    """The records by pair and number of pairs of text: one for a complete text, one per draw for a part of it."""
    found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for key, record in sorted(records.items(), key=lambda each: (each[0].split()[0], each[1]["pairs"], each[0])):
        found.setdefault((key.split()[0], record["pairs"]), []).append(record)
    return found


def test_aers(drawn: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """A system's AER on the test set in percent, for each draw."""
    systems = [record["sets"]["test"]["systems"] for record in drawn]
    return [100 * each[name]["aer"] for each in systems if name in each]


def minutes(drawn: Sequence[Mapping[str, Any]], name: str) -> float:
    """A system's CPU minutes, the mean over draws that have it."""
    return mean(record["cpu_minutes"][name] for record in drawn if name in record["cpu_minutes"])


def spread(values: Sequence[float]) -> str:
    """The mean, with the standard deviation if there are several."""
    deviation = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{mean(values):.1f}{deviation}" if values else ""


def write_sizes(records: Records) -> str:
    """One row per size of text: AER on the test set with its deviation over draws, largest p, and CPU minutes."""
    names = [OURS, *TOOLS]
    rows = []
    for (pair, pairs), drawn in draws(records).items():
        found = {name: test_aers(drawn, name) for name in names}
        tests = [record["sets"]["test"]["test"]["p_value"] for record in drawn if "test" in record["sets"]["test"]]
        cost = [f"{minutes(drawn, name):.1f}" if each else "" for name, each in found.items()]
        largest_p = f"{max(tests):.3f}" if tests else ""
        rows.append([pair, f"{pairs:,}", str(len(drawn)), *map(spread, found.values()), largest_p, " / ".join(cost)])
    columns = ("pair", "pairs of text", "draws", *names, "largest p", "CPU minutes")
    return table(columns, rows) + (
        f"\n\nAER: mean and standard deviation over draws. p: of no difference between {OURS} and {PEER}. CPU minutes, "
        f"one thread: {', '.join(names)}. {origin(records)}\n"
    )


def aers(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """AER in percent of each system with a result."""
    systems = found["systems"]
    return [f"{100 * systems[name]['aer']:.1f}" if name in systems else "" for name in names]


def origin(records: Mapping[str, Mapping[str, Any]]) -> str:
    """Machine, commits and command of the measurement."""
    where = "; ".join(sorted({f"{record['machine']}, commit {record['commit']}" for record in records.values()}))
    return f"{where}; `{min((record['command'] for record in records.values()), key=len, default='')}`"
