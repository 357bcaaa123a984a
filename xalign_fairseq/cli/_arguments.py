"""Options that several commands share: ``--model``, ``--out``, ``--json``, ``--quiet``, ``--verbose``."""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xalign_fairseq.evaluation.published import PublishedTables

ArgumentGroup = argparse.ArgumentParser | argparse._ArgumentGroup
STANDARD_OUTPUT = "-"
# What every command that reads an encoder takes.
PRETRAINED = (
    "a checkpoint (.pt), the folder of a training run or of XLM-R's archive, a Hugging Face folder of XLM-R's or "
    "BERT's kind or of an encoder that transformers runs, a name on its hub, as FacebookAI/xlm-roberta-base, or "
    "e5-small, the packaged encoder"
)
BY_DEFAULT = " (default: e5-small, of the extra model)"


def add_model(
    parser: ArgumentGroup,
    about: str = PRETRAINED,
    *,
    required: bool = True,
    several: bool = False,
    metavar: str = "MODEL",
) -> None:
    """``--model``; with ``several`` it is repeatable and the value is a list."""
    if several:
        parser.add_argument("--model", required=required, metavar=metavar, help=about, nargs="+", action="extend")
    else:
        parser.add_argument("--model", required=required, metavar=metavar, help=about)


def add_out(
    parser: ArgumentGroup,
    about: str,
    *,
    metavar: str = "FILE",
    default: str | None = None,
    required: bool = True,
) -> None:
    """``--out``: the file or folder to write; required unless there is a default."""
    needed = required and default is None
    parser.add_argument("-o", "--out", required=needed, default=default, metavar=metavar, help=about)


def add_linked_text(parser: ArgumentGroup) -> None:
    """``--src``, ``--tgt``, ``--links`` and ``--segment``: a linked text."""
    parser.add_argument("--src", required=True, metavar="FILE", help="source sentences, one a line")
    parser.add_argument("--tgt", required=True, metavar="FILE", help="target sentences")
    parser.add_argument("--links", required=True, metavar="FILE", help="their links, 0-based, possible ones (ipj) too")
    parser.add_argument("--segment", default="auto", metavar="NAME", help="as of xalign align (default: auto)")


def add_json(parser: ArgumentGroup) -> None:
    """``--json``: JSON on standard output instead of the table."""
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")


def add_volume(parser: argparse.ArgumentParser) -> None:
    """``--quiet`` and ``--verbose``."""
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="no progress and no notes; what is wrong is told")
    volume.add_argument("-v", "--verbose", action="store_true", help="tell also what is done meanwhile")


def print_result(as_json: bool, content: object, lines: Iterable[str]) -> None:
    """Print the lines, or the content as JSON."""
    if as_json:
        print(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        print("\n".join(lines))


def named_models(given: Iterable[str], parameter: str = "model") -> dict[str, str]:
    """Path of each model by its name, in the order given: ``NAME=PATH``, or a path, which is its own name.

    A path that there is has no name before it, whatever is in it. ``parameter`` is named in errors.
    """
    from xalign_fairseq.core.errors import XalignError

    found: dict[str, str] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (equals and name and path) or Path(each).exists():
            name = path = each
        if name in found:
            raise XalignError(
                "two models have the same name", parameter=parameter, found=name, expected="NAME=PATH of each"
            )
        found[name] = path
    return found


def add_paper(parser: argparse.ArgumentParser) -> None:
    """``--paper`` and ``--row``: a paper's published figures beside ours."""
    parser.add_argument(
        "--paper",
        metavar="NAME",
        help="print the paper's figures of the same scores beside ours, with the difference: ppa, weam, xlm_align, "
        "explicit_alignments or align_mlm of examples/, or the path of a published.tsv",
    )
    parser.add_argument(
        "--row",
        action="append",
        default=[],
        metavar="NAME=ROW",
        help="with --paper: the paper's row that a checkpoint or system is compared with (default: that of its own "
        "name); again and again",
    )


def chosen_paper(args: argparse.Namespace) -> "PublishedTables | None":
    """The paper that ``--paper`` names, with the rows of ``--row``; None without it."""
    from xalign_fairseq.core.errors import XalignError
    from xalign_fairseq.evaluation.published import PublishedTables, find_published, read_published

    rows = {}
    for each in args.row:
        name, equals, row = each.partition("=")
        if not equals or not args.paper:
            raise XalignError(
                "a row belongs to a name and a paper", parameter="row", found=each, expected="NAME=ROW, and a paper"
            )
        rows[name] = row
    return PublishedTables(read_published(find_published(args.paper)), rows) if args.paper else None
