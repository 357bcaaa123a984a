"""Tables and picture of scripts/benchmark_statistics.py, from the records of its JSON."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from from_scratch_report import draws, largest, origin, spread
from markers import table

ALONE = "statistics"
TEST = "test"
Records = Mapping[str, Mapping[str, Any]]


def both(name: str) -> str:
    """What an encoder with statistics is called."""
    return f"{name} + {ALONE}"


def guided(name: str) -> str:
    """What statistics that an encoder has guided are called, where they link alone."""
    return f"{ALONE} by {name}"


def systems_of(records: Records) -> list[str]:
    """All systems, encoders with statistics beside those without."""
    encoders = dict.fromkeys(name for record in records.values() for name in record["models"])
    return [ALONE, *(each for name in encoders for each in (name, both(name), guided(name)))]


def write_table(records: Records) -> str:
    """A row for each pair's largest text and set, and the mean over the test sets."""
    most = largest(records)
    names = systems_of(most)
    rows = []
    for pair, record in most.items():
        for each, found in record["sets"].items():
            differences = "; ".join(_difference(test) for test in found["tests"].values())
            cells = [_percent(found["systems"].get(name)) for name in names]
            rows.append([pair, each, f"{record['pairs']:,}", *cells, differences])
    means = [_mean([record["sets"][TEST]["systems"].get(name) for record in most.values()]) for name in names]
    rows.append(["mean", TEST, "", *means, ""])
    columns = ("pair", "set", "pairs of text", *names, "difference by statistics (95 %), p")
    speeds = {name: [record["speed"][name] for record in most.values() if name in record["speed"]] for name in names}
    told = ", ".join(f"{name} {mean(each):.0f}" for name, each in speeds.items() if each)
    return table(columns, rows) + (
        f"\n\nAER in per cent; differences in the order of the encoders, by paired bootstrap over sentences. Pairs a "
        f"CPU second, learning not included: {told}. {origin(most)}\n"
    )


def write_sizes(records: Records) -> str:
    """A row for each size of text: AER on the test set, with its deviation over draws."""
    names = systems_of(records)
    rows = [
        [pair, f"{pairs:,}", str(len(drawn)), *(spread(_aers(drawn, name)) for name in names)]
        for (pair, pairs), drawn in draws(records).items()
    ]
    return table(("pair", "pairs of text", "draws", *names), rows) + f"\n\nAER in per cent. {origin(records)}\n"


def seeds_of(records: Records) -> dict[str, list[str]]:
    """Encoder -> the names of its seeds, which end in a dash and a number; of encoders that have several."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for record in records.values() for name in record["models"]):
        if seed := re.fullmatch(r"(.+)-\d+", name):
            found.setdefault(seed[1], []).append(name)
    return {name: names for name, names in found.items() if len(names) > 1}


def write_seeds(records: Records) -> str:
    """A row for each pair and their mean: AER on the test set with its deviation over an encoder's seeds."""
    seeds, most = seeds_of(records), largest(records)
    columns = {kind(name): [kind(seed) for seed in seeds[name]] for name in seeds for kind in (str, both, guided)}
    rows = [
        [pair, f"{record['pairs']:,}", *(spread(_means([record], systems)) for systems in columns.values())]
        for pair, record in most.items()
    ]
    rows.append(["mean", "", *(spread(_means(list(most.values()), systems)) for systems in columns.values())])
    counts = ", ".join(f"{name}: {len(names)} seeds" for name, names in seeds.items())
    return table(("pair", "pairs of text", *columns), rows) + f"\n\nAER in per cent; {counts}. {origin(most)}\n"


def draw(records: Records, path: Path) -> None:
    """AER on each test set over pairs of text: statistics, the encoders, and both."""
    from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
    from xalign_fairseq.evaluation.plots.palette import COLOURS

    by_size = draws(records)
    pairs = sorted({pair for pair, _ in by_size})
    figure = new_figure(3.2 * len(pairs), 3.4)
    for axes, pair in zip(figure.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        for number, name in enumerate(systems_of(records)):
            points = [
                (size, mean(found)) for (here, size), drawn in by_size.items()
                if here == pair and (found := _aers(drawn, name))
            ]  # fmt: skip
            colour = COLOURS[(number + 2) // 3 % len(COLOURS)]
            style = "-" if name.endswith(ALONE) else "--" if name.startswith(ALONE) else ":"
            if points:
                axes.plot(*zip(*points, strict=True), color=colour, linestyle=style, marker=".", label=name)
        axes.set_title(pair, fontsize=10)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.set_xlabel("pairs of text")
        style_axes(axes, "y")
        if pair == pairs[0]:
            axes.set_ylabel("AER in %")
            axes.legend(fontsize=7, frameon=False)
    save(figure, path)


def _aers(drawn: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    systems = [record["sets"][TEST]["systems"] for record in drawn]
    return [100 * each[name]["aer"] for each in systems if name in each]


def _means(records: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> list[float]:
    """Each system's mean AER in percent over the records' test sets; of the systems that all of them have."""
    tested = [record["sets"][TEST]["systems"] for record in records]
    return [
        mean(100 * each[name]["aer"] for each in tested) for name in systems if all(name in each for each in tested)
    ]


def _percent(found: Mapping[str, Any] | None) -> str:
    return f"{100 * found['aer']:.1f}" if found else ""


def _mean(found: Sequence[Mapping[str, Any] | None]) -> str:
    there = [100 * each["aer"] for each in found if each]
    return f"{mean(there):.1f}" if there and len(there) == len(found) else ""


def _difference(test: Mapping[str, float]) -> str:
    low, high = 100 * test["low"], 100 * test["high"]
    return f"{100 * test['difference']:+.1f} ({low:+.1f} to {high:+.1f}), {test['p_value']:.3f}"
