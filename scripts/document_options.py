#!/usr/bin/env python3
"""Write the option tables of docs/ from the registered tasks, models, criterions, objectives, and the parsers.

Also the tables of defaults there and in README.md, with their measured results.

usage: document_options.py [--check] [--root FOLDER]
"""

import argparse
import importlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import documented_commands
import markers

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.objectives.description import OptionRow, describe, option_rows
from xalign_fairseq.objectives.registry import OBJECTIVES

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "scripts" / "results"
COMMAND = "python scripts/document_options.py"


def option_table(dataclass: Any, prefix: str = "") -> str:
    """One row for each option of a fairseq dataclass: flag, default and help."""
    rows = [_option_cells(row) for row in option_rows(dataclass, prefix)]
    rows.sort(key=lambda row: "first argument" not in row[0])
    return markers.table(("option", "default", "meaning"), rows)


def _option_cells(row: OptionRow) -> tuple[str, str, str]:
    flag = "`data` (first argument)" if row.flag == "--data" else f"`{row.flag}`"
    return flag, row.default_text if row.default in (None, "???") else f"`{row.default_text}`", row.help


def archs() -> str:
    """Sizes of the architectures."""
    from xalign_fairseq.models.xalign import ARCHITECTURES

    columns = ("`--arch`", "layers", "hidden size", "feed-forward", "heads")
    return markers.table(columns, [(f"`{name}`", *map(str, sizes)) for name, sizes in ARCHITECTURES.items()])


def criterions() -> str:
    """The criterions, their default objectives, their other defaults and their papers."""
    from xalign_fairseq.criterions.weighted import CRITERIONS

    rows = []
    for name, preset in sorted(CRITERIONS.items()):
        own = [f"`--{option.replace('_', '-')} {value}`" for option, value in preset.defaults.items()]
        paper = describe(PAPER_OF.get(name, name)).paper if name != "weighted" else None
        rows.append(
            (
                f"`{name}`",
                f"`{','.join(preset.objectives)}`" if preset.objectives else "none",
                ", ".join(own),
                paper.authors if paper else "",
            )
        )
    return markers.table(("`--criterion`", "default of `--objectives`", "other defaults of its own", "paper"), rows)


def objectives_listed() -> str:
    """One line for every objective."""
    found = [describe(name) for name in OBJECTIVES]
    rows = [
        (f"[`{each.name}`](#{each.name})", each.what, ", ".join(f"`{stream}`" for stream in each.reads) or "no stream")
        for each in found
    ]
    return markers.table(("objective", "what it is", "reads"), rows)


def objectives() -> str:
    """Every objective: description, paper, streams, logged values and options."""
    parts = []
    for name in OBJECTIVES:
        found = describe(name)
        about = " ".join(found.about)
        if found.paper:
            about += f" Paper: {found.paper.authors}, [{found.paper.title}]({found.paper.url})."
        needs = ", ".join(f"`{stream}`" for stream in found.reads) or "no stream"
        logged = ", ".join(f"`{each}`" for each in found.logs)
        options = option_table(OBJECTIVES[name], f"{name}_")
        parts.append(f"## `{name}`\n\n{about}\n\nReads {needs}; logs {logged}.\n\n{options}")
    return "\n\n".join(parts)


def families() -> str:
    """The transfer tasks: description, benchmarks and options."""
    from xalign_fairseq.transfer.benchmarks import BENCHMARKS
    from xalign_fairseq.transfer.family import TASK_FAMILIES

    parts = []
    for name, family in sorted(TASK_FAMILIES.items()):
        about = re.sub(r"\s+", " ", (family.__doc__ or "").strip()).replace("``", "`")
        about = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", about)
        known = ", ".join(f"`{each}`" for each, benchmark in BENCHMARKS.items() if benchmark.family == name)
        parts.append(f"## `xalign_{name}`\n\n{about}\n\nBenchmarks: {known}.")
        if options := own_options(family):
            parts.append(markers.table(("option", "default", "meaning"), options))
    return "\n\n".join(parts)


def features() -> str:
    """The options of features that every family reads."""
    from xalign_fairseq.transfer.heads.features import Features

    return markers.table(("option", "default", "meaning"), own_options(Features))


def own_options(owner: Any) -> list[tuple[str, str, str]]:
    """Rows of the options that a family or the features keep as plain defaults."""
    return [
        (f"`--{option.replace('_', '-')}`", f"`{default}`", owner.help.get(option, ""))
        for option, default in owner.defaults.items()
    ]


def benchmarks() -> str:
    """The metrics of each benchmark, and the names of its test files."""
    from xalign_fairseq.transfer.benchmarks import BENCHMARKS

    rows = []
    for name, benchmark in BENCHMARKS.items():
        metrics = "; ".join(f"`{metric.name}`: {metric.variant}" for metric in benchmark.metrics)
        files = ", ".join(f"`{each}`" for split in benchmark.names.values() for each in split)
        limits = f"{benchmark.limits.tokens} / {benchmark.limits.overlap}"
        rows.append((f"`{name}`", benchmark.family, metrics, limits, files))
    columns = ("benchmark", "family", "metrics, the first selects the model", "window / overlap", "files")
    return markers.table(columns, rows)


def defaults() -> str:
    """How models of known families align by default."""
    from xalign_fairseq.transport.layers import layer_range
    from xalign_fairseq.transport.resolving import RESULTS as FILES
    from xalign_fairseq.transport.resolving import TABLE

    rows = []
    for families, linkings, source in TABLE:
        names = ", ".join(f"`{family}`" for family in families)
        file = FILES.get(families[0])
        results = f", [results](../../scripts/results/{file})" if file else ""
        errors = _development_errors(file) if file else {}
        for number, entry in enumerate(linkings):
            options = " ".join(f"--{option} {value}" for option, value in entry.options.items())
            how = f"`--method {entry.method}{f' {options}' * bool(options)}`"
            about = (names, source + results) if number == 0 else ("", "")
            error = errors.get((entry.method, entry.encoding), "")
            rows.append((about[0], how, layer_range(entry.layers), entry.encoding, error, about[1]))
    return markers.table(("family", "method", "layer", "encoding", "AER", "source"), rows)


def _development_errors(name: str) -> dict[tuple[str, str], str]:
    """The lowest mean AER of each method and encoding on the development sets, in percent."""
    found = read_json(RESULTS / name)["rows"]
    best = {(row["method"], row["encoding"]): row["aer"] for row in sorted(found, key=lambda row: -row["aer"])}
    return {place: f"{100 * aer:.1f}" for place, aer in best.items()}


def defaults_tested() -> str:
    """AER of the defaults on test sets, which were used only once."""
    files = [read_json(path) for path in sorted(RESULTS.glob("defaults-*-test.json"))]
    pairs = list(dict.fromkeys(pair for each in files for pair in each["aer"]))
    rows = [
        (
            f"`{each.get('label', each['model'])}`",
            *(f"{100 * each['aer'][pair]:.1f}" for pair in pairs),
            f"{100 * each['mean']:.1f}",
        )
        for each in files
    ]
    return markers.table(("model", *pairs, "mean"), rows)


def link_scorer() -> str:
    """AER of the packaged link scorer and of grow, on sets that the scorer did not learn from and on test sets."""
    found = read_json(RESULTS / "link-scorer-e5-small.json")
    rows = []
    for kind in ("development", "test"):
        for name, each in found[kind].items():
            low, high = (f"{100 * edge:.1f}" for edge in each["interval"])
            calibration = [f"{each[key]:.2f}" if key in each else "" for key in ("calibration_error", "right_from_0.9")]
            errors = (f"{100 * each['grow']:.1f}", f"{100 * each['scored']:.1f}", f"{low} to {high}")
            rows.append((kind, name, *errors, *calibration))
        means = [
            f"{100 * sum(each[way] for each in found[kind].values()) / len(found[kind]):.1f}"
            for way in ("grow", "scored")
        ]
        rows.append((kind, "mean", *means, "", "", ""))
    heads = ("sets", "set", "grow", "scored", "95 % interval", "calibration error", "right of links from 0.9")
    return markers.table(heads, rows)


def patches() -> str:
    """The compatibility patches, from their modules' docstrings."""
    from xalign_fairseq.trainer import compat

    rows = []
    for unit in compat.UNITS:
        module = importlib.import_module(f"xalign_fairseq.trainer.compat.{unit}")
        split = re.split(
            r"^(Why|Touches|Can go|Limit): ", (module.__doc__ or "").replace("``", "`"), flags=re.MULTILINE
        )
        head, *parts = (re.sub(r"\s+", " ", part).strip() for part in split)
        about = dict(zip(parts[::2], parts[1::2], strict=True))
        rows.append((f"{head} (`{unit}`)", *(about[key] for key in ("Why", "Touches", "Can go"))))
    return markers.table(("patch", "why", "touches", "can go"), rows)


def repository() -> str:
    """The repository's address from ``[project.urls]``, its only source."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"])


def clone() -> str:
    """The command that installs the package from its repository."""
    return f'    git clone {repository()} && cd xalign_fairseq && pip install ".[model]"'


def citation() -> str:
    """The address in CITATION.cff."""
    return f"repository-code: {repository()}"


# The criterions of several objectives -> the objective whose paper they implement.
PAPER_OF = {
    "align_mlm": "lexicon_align",
    "explicit_alignments": "word_contrastive",
    "ppa": "moco",
    "weam": "word_exchange",
    "xlm": "tlm",
    "xlm_align": "dwa",
}

PARTS = {
    part.__name__: part
    for part in (
        archs, criterions, objectives_listed, objectives, families, features, benchmarks, defaults, defaults_tested,
        link_scorer, patches, clone, citation, documented_commands.commands,
    )
}  # fmt: skip


# Parts that list the options of a dataclass.
CONFIGS = {
    "task": "tasks.pretraining:XalignPretrainingConfig",
    "model": "models.xalign:XalignModelConfig",  # the defaults are those of xalign_base
    "optimizer": "trainer.optim.registered:XalignAdamWConfig",
    "criterion": "criterions.weighted:WeightedConfig",
    "transfer": "tasks.transfer:TransferConfig",
}


def write(name: str) -> str:
    """The text of one part."""
    kind, _, command = name.partition("/")
    if kind == "cli" and command in documented_commands.parsers():
        return documented_commands.command(command)
    if name in CONFIGS:
        module, _, owner = CONFIGS[name].partition(":")
        return option_table(getattr(importlib.import_module(f"xalign_fairseq.{module}"), owner))
    if name not in PARTS:
        expected = ", ".join((*CONFIGS, *PARTS))
        raise XalignError("unknown part", where="docs", found=name, expected=expected)
    return PARTS[name]()


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the tables are outdated")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    args = parser.parse_args(given)
    xalign_fairseq.register()
    if not args.check:
        documented_commands.add_pages(args.root)
    documents = sorted([*args.root.glob("*.md"), *(args.root / "docs").rglob("*.md"), *args.root.glob("CITATION.cff")])
    return exit_code(lambda: markers.update(documents, "options", write, args.check, COMMAND))


if __name__ == "__main__":
    sys.exit(main())
