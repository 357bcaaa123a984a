"""The vocabulary of the command line: what several commands ask for is asked for by one name, here.

``--model`` names a model, ``--out`` what is written, ``--json`` asks for JSON in place of a table, ``--quiet`` and
``--verbose`` say how much is told. The names that commands had for these before still work, and are shown nowhere.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xalign_fairseq.cli._parser import also_named, also_placed

STANDARD_OUTPUT = "-"
# What every command that reads an encoder takes.
PRETRAINED = (
    "a checkpoint (.pt), the folder of a training run or of XLM-R's archive, a Hugging Face folder of XLM-R's or "
    "BERT's kind or of an encoder that transformers runs, a name on its hub, as FacebookAI/xlm-roberta-base, or "
    "e5-small, the packaged encoder"
)
BY_DEFAULT = " (default: e5-small, of the extra model)"


def add_model(
    parser: Any,
    about: str = PRETRAINED,
    *,
    required: bool = True,
    several: bool = False,
    metavar: str = "MODEL",
    placed: bool = False,
) -> argparse.Action:
    """``--model``, once ``--checkpoint``.

    Args:
        parser: of the command, or a group of its options.
        about: the help.
        required: the command has no model of its own.
        several: may be given again and again; the value is a list.
        metavar: what it is shown to take.
        placed: the model was once named by a word alone.
    """
    many: dict[str, Any] = {"nargs": "+", "action": "extend"} if several else {}
    action = parser.add_argument("--model", required=required, metavar=metavar, help=about, **many)
    also_named(parser, action, "--checkpoint")
    if placed:
        also_placed(action)
    return action


def add_out(
    parser: Any,
    about: str,
    *,
    metavar: str = "FILE",
    default: str | None = None,
    required: bool = True,
    old: str | None = None,
    placed: bool = False,
) -> argparse.Action:
    """``--out``: the file or folder that is written.

    Args:
        parser: of the command, or a group of its options.
        about: the help.
        metavar: ``FILE`` or ``DIR``.
        default: where it is written unless said.
        required: whether it must be said; not where there is a default.
        old: what the option was once called.
        placed: it was once said by a word alone.
    """
    needed = required and default is None
    action = parser.add_argument("--out", required=needed, default=default, metavar=metavar, help=about)
    if old:
        also_named(parser, action, old)
    if placed:
        also_placed(action)
    return action


def add_json(parser: Any, file: bool = False) -> argparse.Action:
    """``--json``: JSON on standard output in place of the table; the value is for :func:`tell`.

    ``file``: the command once took a FILE here, which it still writes beside the table.
    """
    kind: dict[str, Any] = {"nargs": "?"} if file else {"action": "store_const"}
    about = "print JSON in place of the table"
    action = parser.add_argument("--json", const=STANDARD_OUTPUT, help=about, **kind)
    action.hides_value = True
    return action


def add_volume(parser: Any) -> None:
    """``--quiet`` and ``--verbose``, which every command has."""
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="no progress and no notes; what is wrong is told")
    volume.add_argument("-v", "--verbose", action="store_true", help="tell also what is done meanwhile")


def tell(to: str | None, content: Any, lines: Iterable[str]) -> None:
    """Print lines, or the JSON of the content in their place; where ``to`` is a file, both.

    Args:
        to: the value of ``--json``.
        content: what JSON says.
        lines: the table for people.

    Example::

        tell(args.json, {"aer": 0.05}, ["AER 5.00"])
    """
    if to != STANDARD_OUTPUT:
        print("\n".join(lines))
    give_json(to, content)


def give_json(to: str | None, content: Any) -> None:
    """Print the JSON of the content, write it into a file, or do nothing, as ``to``, the value of ``--json``, says."""
    if to is None:
        return
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    if to == STANDARD_OUTPUT:
        print(text, end="")
        return
    from xalign_fairseq.core.files import atomic_write

    with atomic_write(to) as out:
        out.write(text)


def named_models(given: Iterable[str], option: str = "--model") -> dict[str, str]:
    """Path of each model by its name, in the order given: ``NAME=PATH``, or a path, which is its own name.

    A path that there is has no name before it, whatever is in it. ``option`` is where errors say that they are.
    """
    from xalign_fairseq.core.errors import XalignError

    found: dict[str, str] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (equals and name and path) or Path(each).exists():
            name = path = each
        if name in found:
            raise XalignError("two models have the same name", where=option, found=name, expected="NAME=PATH of each")
        found[name] = path
    return found
