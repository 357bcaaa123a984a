"""Options that several commands share: ``--model``, ``--out``, ``--json``, ``--quiet``, ``--verbose``."""

import argparse
import gc
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.evaluation.published import PublishedTables

T = TypeVar("T")
ArgumentGroup = argparse.ArgumentParser | argparse._ArgumentGroup
# The models that every command with an encoder accepts.
PRETRAINED = (
    "a checkpoint (.pt), a folder of a training run or of XLM-R's archive, a Hugging Face folder or hub name such as "
    "FacebookAI/xlm-roberta-base, or e5-small, the packaged encoder"
)
BY_DEFAULT = " (default: e5-small)"


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import torch in this block without garbage collection: commands start a fifth faster.

    The imported objects are also left out of later collections.
    """
    first = "torch" not in sys.modules  # otherwise earlier objects of this process may become garbage
    if first:
        gc.disable()
    try:
        yield
    finally:
        if first:
            gc.freeze()
            gc.enable()


def parse_as(kind: Callable[..., T], args: argparse.Namespace, /, **made: Any) -> T:
    """An instance of ``kind`` from the arguments of the same names; ``made``: values computed from other arguments.

    An argument that is None was not given: the class has its default.
    """
    known = inspect.signature(kind).parameters
    needed = [name for name, each in known.items() if each.default is each.empty]
    given = {
        name: value for name, value in vars(args).items() if name in needed or (name in known and value is not None)
    }
    return kind(**{**given, **made})


def add_model(
    parser: ArgumentGroup,
    about: str = PRETRAINED,
    *,
    required: bool = True,
    several: bool = False,
    metavar: str = "MODEL",
) -> None:
    """``--model``; with ``several`` it is repeatable and the value is a list."""
    many: dict[str, Any] = {"nargs": "+", "action": "extend"} if several else {}
    parser.add_argument("--model", required=required, metavar=metavar, help=about, **many)


def add_out(
    parser: ArgumentGroup, about: str, *, metavar: str = "FILE", default: str | None = None, required: bool = True
) -> None:
    """``--out``: the file or folder to write; required unless there is a default."""
    needed = required and default is None
    parser.add_argument("-o", "--out", required=needed, default=default, metavar=metavar, help=about)


def add_device(parser: ArgumentGroup) -> None:
    about = "auto (default: CUDA if available), cpu, cuda, or one GPU of several, such as cuda:1"
    parser.add_argument("--device", default="auto", help=about)


def add_text(
    parser: ArgumentGroup, src: str = "source sentences", tgt: str = "target sentences", required: bool = True
) -> None:
    """``--src`` and ``--tgt``: the files of both sides."""
    for name, about in (("--src", src), ("--tgt", tgt)):
        parser.add_argument(name, required=required, metavar="FILE", help=f"{about}, one per line")


def add_segment(parser: ArgumentGroup) -> None:
    parser.add_argument(
        "--segment",
        default="auto",
        metavar="NAME",
        help="how to find the words of a line; SRC,TGT sets each side. spaces: white space; icu: ICU, for all "
        "languages (pip install icu4py); auto: icu for text without spaces, otherwise spaces",
    )


def add_linked_text(parser: ArgumentGroup) -> None:
    """``--src``, ``--tgt``, ``--links`` and ``--segment``: a linked text."""
    add_text(parser)
    about = "links of the text, 0-based, with possible ones (ipj) if available"
    parser.add_argument("--links", required=True, metavar="FILE", help=about)
    add_segment(parser)


def add_values(parser: ArgumentGroup, *options: tuple[str, Callable[[str], object], str | None, str]) -> None:
    """Options with a value: for each its name, type, metavar and help."""
    for name, kind, metavar, about in options:
        parser.add_argument(f"--{name}", type=kind, metavar=metavar, help=about)


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0, found {text}")
    return int(text)


def add_count(parser: ArgumentGroup, flag: str, about: str, default: int | None = None) -> None:
    """An option whose value is a whole number from 1."""
    parser.add_argument(flag, type=positive, default=default, metavar="N", help=about)


def add_resamples(parser: ArgumentGroup, flag: str = "--samples") -> None:
    """The number of bootstrap resamples, and their seed."""
    parser.add_argument(flag, type=int, default=1000, metavar="N", help="bootstrap resamples")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the resamples")


def add_json(parser: ArgumentGroup) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")


def add_volume(parser: argparse.ArgumentParser) -> None:
    """``--quiet`` and ``--verbose``."""
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="print warnings and errors only")
    volume.add_argument("-v", "--verbose", action="store_true", help="print more details")


def print_result(as_json: bool, content: object, lines: Iterable[str]) -> None:
    """Print the lines, or the content as JSON; :class:`XalignError` if standard output is closed."""
    if sys.stdout is None:
        raise XalignError("standard output is closed")
    print(json.dumps(content, indent=2, ensure_ascii=False) if as_json else "\n".join(lines))


def named_models(given: Iterable[str], parameter: str = "model", bare: bool = True) -> dict[str, str]:
    """Paths by the names of models, in the order given: ``NAME=PATH``, or (``bare``) a path, which is also the name."""
    found: dict[str, str] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if bare and (not (equals and name and path) or Path(each).exists()):
            name = path = each
        if name in found or not path:
            problem = "two models have the same name" if name in found else "a model has no name"
            raise XalignError(problem, parameter=parameter, found=name, expected="NAME=PATH of each")
        found[name] = path
    return found


def require_package(folder: str) -> Path:
    """The absolute path of a package's folder; :class:`XalignError` for any other path."""
    if not Path(folder, "__init__.py").is_file():
        raise XalignError("there is no package", where=folder, expected="a folder with __init__.py")
    return Path(folder).resolve()


def add_paper(parser: argparse.ArgumentParser) -> None:
    """``--paper`` and ``--row``: a paper's published figures next to ours."""
    parser.add_argument(
        "--paper",
        metavar="NAME",
        help="print a paper's figures next to yours, with differences: ppa, weam, xlm_align, "
        "explicit_alignments, align_mlm, or the path of such a table (xalign_fairseq/evaluation/papers/)",
    )
    parser.add_argument(
        "--row",
        action="append",
        default=[],
        metavar="NAME=ROW",
        help="with --paper: the paper's row to compare NAME with (default: the row of the same name); repeatable; "
        "if no row is compared, all tables and their rows are printed",
    )


def chosen_paper(paper: str | None, named: Sequence[str], metrics: Sequence[str] = ()) -> "PublishedTables | None":
    """The paper of ``--paper``, with the rows of ``--row``, to compare ``metrics``; None without ``--paper``."""
    from xalign_fairseq.evaluation.published import PublishedTables, find_published, read_published

    rows = {}
    for each in named:
        name, equals, row = each.partition("=")
        if not equals or not paper:
            problem, expected = "a row needs a name and a paper", "NAME=ROW, and a paper"
            raise XalignError(problem, parameter="row", found=each, expected=expected)
        rows[name] = row
    return PublishedTables(read_published(find_published(paper)), rows, metrics) if paper else None
