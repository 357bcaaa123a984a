"""List the training objectives, or show one.

Shows an objective's options with defaults, the data it reads, and its paper. For a paper's criterion, shows the
objectives that it sums. Works without fairseq.

Examples:
  xalign objectives
  xalign objectives dwa
  xalign objectives xlm_align
  xalign objectives --json | jq '.[] | select(.reads == ["bitext"]) | .name'
  xalign objectives cosine_pull --user-dir examples/new_objective
"""

import argparse
import dataclasses
import importlib
import logging
import re
import sys
import textwrap
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import add_json, print_result, require_package
from xalign_fairseq.core.errors import XalignError


def import_folder(folder: str) -> None:
    """Import a package by its folder, which registers its objectives; a second call does nothing."""
    path = require_package(folder)
    logging.getLogger("fairseq").setLevel(logging.WARNING)  # notices of unneeded extras
    known = sys.modules.get(path.name)
    if known is None:
        sys.path.insert(0, str(path.parent))
        try:
            known = importlib.import_module(path.name)
        except Exception as error:  # any code of the user
            last_call = traceback.format_exc(limit=-1)
            raise XalignError("the package can't be imported", where=folder, found=last_call) from error
        finally:
            sys.path.remove(str(path.parent))
    if Path(known.__file__ or "").resolve().parent != path:
        raise XalignError(
            "another package of this name is already imported", where=folder, found=known.__file__, remedy="rename it"
        )


if TYPE_CHECKING:
    from xalign_fairseq.objectives.description import Description


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="objective, or sum of objectives, to show (default: list all)"
    )
    parser.add_argument("--user-dir", metavar="DIR", help="folder with your own objectives, as for fairseq-train")
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    import xalign_fairseq.objectives  # noqa: F401  (importing registers)
    from xalign_fairseq.objectives.description import describe
    from xalign_fairseq.objectives.presets import PRESETS
    from xalign_fairseq.objectives.registry import OBJECTIVES

    if args.user_dir is not None:
        import_folder(args.user_dir)
    if args.name in PRESETS:
        content = {"name": args.name, **dataclasses.asdict(PRESETS[args.name])}
        print_result(args.json, content, [shown_sum(args.name)])
        return
    if args.name is not None:
        found = describe(args.name)
        print_result(args.json, as_json(found), [shown(found, args.user_dir)])
        return
    every = [describe(name) for name in sorted(OBJECTIVES)]
    print_result(args.json, list(map(as_json, every)), [listed(every)])


def listed(every: "list[Description]") -> str:
    """Objectives, then sums, one per line."""
    from xalign_fairseq.objectives.presets import PRESETS

    rows = [("objective", "reads", "what it does")]
    rows += [(each.name, ", ".join(each.reads) or "nothing", each.what) for each in every]
    names, reads = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{name:<{names}}  {streams:<{reads}}  {what}" for name, streams, what in rows]
    wide = max(map(len, PRESETS))
    sums = [f"{name:<{wide}}  {' + '.join(preset.objectives)}" for name, preset in PRESETS.items()]
    return "\n".join([*lines, "", "sums:", *sums, "", "xalign objectives NAME shows the options of one."])


def shown_sum(name: str) -> str:
    """A page on a sum of objectives."""
    from xalign_fairseq.objectives.presets import PRESETS

    preset = PRESETS[name]
    lines = [f"{name}: the sum of {', '.join(preset.objectives)}.", ""]
    if preset.defaults:
        given = (f"  --{option.replace('_', '-')} {value}" for option, value in preset.defaults.items())
        lines += ["defaults of its own:", *given, ""]
    pages = (f"  xalign objectives {each}" for each in preset.objectives)
    return "\n".join([*lines, "options of each objective:", *pages, "\nexample:", f"  {example(name)}"])


def shown(found: "Description", user_dir: str | None = None) -> str:
    """A page; ``user_dir``: the folder of an objective outside this package."""
    from xalign_fairseq.objectives.description import SOURCES

    parts = [f"{found.name}: {found.what}.", *map(_plain, found.about)]
    facts = []
    if found.paper:
        facts.append(("paper", f"{found.paper.authors}, {found.paper.title}, {found.paper.url}"))
    facts += [("reads", f"{stream}, from {SOURCES[stream]}") for stream in found.reads]
    facts.append(("adds", found.head or "no head"))
    if found.predicts_tokens:
        facts.append(("trains", "the masked-language-model head"))
    if found.freezes_encoder:
        facts.append(("freezes", "the encoder"))
    facts.append(("logs", ", ".join(found.logs)))
    lines = ["\n\n".join(textwrap.fill(part, 100, break_on_hyphens=False) for part in parts), ""]
    lines += [f"{name + ':':<9}{value}" for name, value in facts]
    lines.append("\noptions:")
    for row in found.options:
        default = f" (default: {row.default_text})" if row.default_text and "(default" not in row.help else ""
        lines.append(f"  {row.flag}")
        lines += textwrap.wrap(
            row.help + default, 100, initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False
        )
    return "\n".join([*lines, "\nexample:", f"  {example(found.name, user_dir)}"])


def example(name: str, user_dir: str | None = None) -> str:
    """A command line that trains by an objective."""
    folder = "" if user_dir is None else f"--user-dir {user_dir} "
    return (
        f"xalign train data-bin {folder}--criterion {name} --init-checkpoint xlmr.base/model.pt --lr 2e-5 "
        "--max-update 2000 --batch-size 32 --save-dir run"
    )


def as_json(found: "Description") -> dict[str, Any]:
    """The same, for programs; defaults are values."""
    options = [{"option": row.flag, "default": row.default, "help": row.help} for row in found.options]
    return {**dataclasses.asdict(found), "paper": found.paper and found.paper._asdict(), "options": options}


def _plain(text: str) -> str:
    """The text without a docstring's markup."""
    return re.sub(r":\w+:`~?([^`]+)`", r"\1", text).replace("``", "")
