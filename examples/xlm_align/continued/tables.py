"""The study's own tables: objectives, XLM-Align's ablations, and all runs."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import study

from xalign_fairseq.evaluation.statistics import summarise
from xalign_fairseq.evaluation.tables import markdown, percent, signed

USUAL = "argmax-separate-7"
Records = Mapping[str, dict[str, Any]]
Tests = Mapping[str, Any]
ABLATED = "dwa"  # alone: with MLM and TLM the difference is smaller, and training takes three times as long
# Change, option and the study's value: first XLM-Align's tables, then additions of this package.
ABLATIONS = (
    ("Table 4, layer that labels", "--dwa-label-layer", "7"),
    ("Table 5, layer of the pointer", "--dwa-layer", "7"),
    ("Table 6, filter of the labels", "--dwa-filter", "argmax"),
    ("Table 7, positions that point", "--dwa-queries", "masked"),
    ("what labels", "--dwa-label-by", "hidden"),
    ("eflomal's links until update", "--dwa-links-until", "0"),
    ("layers frozen with the embeddings", "--freeze-layers", "0"),
)


def of_seeds(record: Mapping[str, Any]) -> str:
    """A run's name without its seed: the setting, and options that differ from the study's."""
    return ",".join([record["setting"], *(each.replace(" ", "=").lstrip("-") for each in changed(record))])


def changed(record: Mapping[str, Any]) -> list[str]:
    """The options of a run that differ from its setting's."""
    usual = {**study.COMMON, **study.SETTINGS[record["setting"]], "--seed": str(record["seed"])}
    return [f"{key} {value}" for key, value in record["options"].items() if usual.get(key) != value]


def finished(record: Mapping[str, Any]) -> bool:
    """Whether all updates are trained and scored."""
    return record["development"][-1]["updates"] == int(record["options"]["--max-update"])


def groups_of(records: Records) -> dict[str, list[dict[str, Any]]]:
    """The seeds of each setting, and of each change of one."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records.values():
        if finished(record):
            groups.setdefault(of_seeds(record), []).append(record)
    return groups


def lowest(record: Mapping[str, Any]) -> tuple[str, float]:
    """The link setting with the lowest development AER after the last update, and this AER."""
    last = record["development"][-1]["aer"]
    best = min(last, key=lambda each: last[each]["mean"])
    return best, last[best]["mean"]


def tested(group: Sequence[Mapping[str, Any]]) -> list[float]:
    """Mean test AER of the scored runs, in percent."""
    return [each["test"]["test"]["mean"] for each in group if each["test"]]


def objectives(records: Records, tests: Tests) -> str:
    """Settings with their usual options, means over seeds, lowest development AER first."""
    groups = {name: group for name, group in groups_of(records).items() if "," not in name}
    order = sorted(groups, key=lambda name: mean(lowest(each)[1] for each in groups[name]))
    columns = (
        "setting",
        "objectives",
        "seeds",
        "CPU minutes",
        f"development, {USUAL}",
        "development, lowest",
        "test",
        "difference (95 %)",
        "p, Holm",
    )
    return markdown(
        columns, [[name.replace(",", ", "), *cells(groups[name], tests.get(name))] for name in order], names=2
    )


def cells(group: list[dict[str, Any]], test: Mapping[str, Any] | None) -> list[str]:
    """One setting's row."""
    last = [each["development"][-1] for each in group]
    return [
        group[0]["options"].get("--objectives", "").replace(",", " + "),
        seeds(group),
        minutes([row["cpu_seconds"] for row in last], 1),
        spread([row["aer"][USUAL]["mean"] for row in last]),
        spread([lowest(each)[1] for each in group]),
        spread(tested(group)),
        interval(test),
        f"{test['p_holm']:.3f}" if test else "",
    ]


def minutes(seconds: Sequence[float | None], digits: int) -> str:
    """The mean of known values, in minutes, or an empty cell."""
    known = [each for each in seconds if each is not None]
    return f"{mean(known) / 60:.{digits}f}" if known else ""


def seeds(group: Sequence[Mapping[str, Any]]) -> str:
    """The number of seeds, or an empty cell if there is no seed."""
    return "" if group[0]["setting"] in ("none", "procrustes") else str(len(group))


def interval(test: Mapping[str, Any] | None) -> str:
    """A difference in points with its 95 % interval, such as ``−1.8 (−2.2 to −1.5)``; empty without a test."""
    if test is None:
        return ""
    return "{} ({} to {})".format(*(signed(100 * test[each]) for each in ("difference", "low", "high")))


def spread(values: list[float]) -> str:
    """Mean of percentages, with the sample deviation if there are several, or an empty cell."""
    return percent(summarise([each / 100 for each in values]), 2) if values else ""


def ablations(records: Records) -> str:
    """DWA with one option changed, compared with the study's DWA."""
    groups: dict[frozenset[str], list[list[dict[str, Any]]]] = {}
    for group in groups_of(records).values():
        if group[0]["setting"] == ABLATED:
            groups.setdefault(frozenset(each.split(" ")[0] for each in changed(group[0])), []).append(group)
    rows = []
    for title, option, usual in ABLATIONS:
        for group in groups.get(frozenset(), []):
            rows.append([title, f"{usual} (here)", *ablated(group)])
        for group in groups.get(frozenset({option}), []):
            rows.append([title, str(group[0]["options"][option]), *ablated(group)])
    return markdown(("changed", "value", "seeds", "development, lowest", "test"), rows, names=2)


def rates(records: Records) -> str:
    """L2's test AER at each learning rate, with both distances of parameters."""
    groups, usual = groups_of(records), study.COMMON["--lr"]
    rows = []
    for rate in ("2e-6", "5e-6", "1e-5", usual, "5e-5", "1e-4"):
        changes = "" if rate == usual else f",lr={rate}"
        rows.append([rate, *(spread(tested(groups.get(f"{name}{changes}", []))) for name in ("l2", "l2-norm"))])
    return markdown(("learning rate", "squared distance", "distance (released code)"), rows)


def ablated(group: list[dict[str, Any]]) -> list[str]:
    """Seeds and AERs."""
    return [str(len(group)), spread([lowest(each)[1] for each in group]), spread(tested(group))]


def all_runs(records: Records) -> str:
    """One row per run: its curve with e5-small's usual links, and the best links at its last scoring."""
    order = sorted(records, key=lambda name: records[name]["development"][-1]["aer"][USUAL]["mean"])
    columns = ("run", "updates", "tokens", "CPU minutes", f"development, {USUAL}", "lowest at the end", "test")
    return markdown(columns, [row(name, records[name]) for name in order])


def row(name: str, record: Mapping[str, Any]) -> list[str]:
    """A run's cells."""
    curve, last = record["development"], record["development"][-1]
    best, value = lowest(record)
    return [
        name,
        f"{last['updates']} of {record['options']['--max-update']}",
        "" if last["tokens"] is None else f"{last['tokens'] / 1e6:.2f}M",
        minutes([last["cpu_seconds"]], 0),
        ", ".join(f"{each['updates']}: {each['aer'][USUAL]['mean']:.2f}" for each in curve),
        f"{value:.2f} ({best})",
        f"{record['test']['test']['mean']:.2f} ({record['test']['chosen']})" if record["test"] else "",
    ]
