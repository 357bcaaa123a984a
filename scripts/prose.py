"""Fill figures in prose from results files, and check claims about differences against their intervals.

``<!-- =NAME -->21.0<!-- / -->`` holds a figure; ``<!-- claim NAME WORD -->`` precedes words that make the claim. NAME:

- ``aer:SETTING``: mean test AER over the seeds of e5-small continued with a setting;
- ``aer:SETTING~CONTROL``: its difference from a control (none, tlm, tlm30, mlm-tlm); lower is better;
- ``TASK:CHECKPOINT``: its difference from plain e5-small in a transfer task (xnli, pawsx, pos, ner, parsing, qa,
  tatoeba), the mean over languages not trained on; higher is better;
- ``TASK:CHECKPOINT~CONTROL``: the same relative to a checkpoint with its own report (mlm-tlm);
- ``STUDY.TASK:CHECKPOINT``: the same in examples/transfer/STUDY, relative to that report's baseline;
- ``code-switching:LANGUAGE``: XNLI accuracy after code-switched fine-tuning minus that on translations alone;
- ``layer:SETTING:METHOD:N``: mean test AER of links from layer N, both sides in one sequence, METHOD as in layers.py
  with hyphens (transport-itermax); ``layer:SETTING:ahead``: the first layer from which on
  transport-itermax has a lower development AER than simalign-itermax;
- ``cell:TABLE:ROW:COLUMN``: a cell without deviation or interval: a table's name (results_tables.py), the text of the
  row's first cells and the column's head, with ``_`` for spaces and ``|`` between cells.

A NAME with ``/interval`` is the 95 % interval, with ``/abs`` the absolute difference, with ``/seeds`` the
number of seeds. WORD: better, worse, or none (the interval includes zero).
"""

import functools
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from results_tables import results_table

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.evaluation.metric import ratio
from xalign_fairseq.evaluation.statistics import Comparison, resample
from xalign_fairseq.evaluation.tables import signed

FIGURE = re.compile(r"<!-- =(\S+) -->(.*?)<!-- / -->", re.DOTALL)
FORM = re.compile(r"(.*?)(?:/(interval|abs|seeds))?")
CLAIM = re.compile(r"<!-- claim (\S+) (better|worse|none) -->")
NUMBERS = ["no", "one", "two", "three", "four", "five"]


@functools.cache
def read(path: Path) -> Any:
    """A results file."""
    return read_json(path)


def difference(root: Path, name: str) -> dict[str, Any]:
    """The test that a name denotes, with ``difference``, ``low`` and ``high`` as fractions."""
    kind, _, rest = name.partition(":")
    setting, _, control = rest.partition("~")
    control = control or "none"
    try:
        if kind == "aer":
            found: dict[str, Any] = read(root / "examples/xlm_align/continued/results/tests.json")[control][setting]
            return found
        if kind == "code-switching":
            return code_switching(root, setting)
        study, _, task = kind.rpartition(".")
        folder = "report" if control == "none" else "control"
        report = read(root / "examples/transfer" / study / f"results/{folder}/report.json")
        return next(
            each
            for each in report["findings"]["averages"]
            if each["checkpoint"] == setting and re.split("[, ]", each["task"])[0] == task
        )
    except (KeyError, StopIteration):
        raise XalignError("there is no such difference in the results", found=name) from None


def code_switching(root: Path, language: str) -> dict[str, Any]:
    """Accuracy of xnli-code-switched minus that of xnli-translated, tested over items and seeds."""
    runs = root / "examples/transfer/mechanism/results/runs"
    systems = []
    for task in ("xnli-translated", "xnli-code-switched"):
        paths = sorted(runs.glob(f"*/{task}/*/*/counts.npz"))
        systems.append([np.stack([np.load(path)[f"{language}/accuracy"] for path in paths])])
    return {"seeds": len(paths), **asdict(Comparison.of_items_and_seeds(*resample(systems, ratio)).test())}


def figure(root: Path, name: str) -> str:
    """The text of a figure."""
    place, form = FORM.fullmatch(name).groups()
    if place.startswith("layer:"):
        return layer(root, *place.split(":")[1:])
    if place.startswith("cell:"):
        text = cell(root, place.removeprefix("cell:"))
        return text.lstrip("+−-") if form == "abs" else text
    if place.startswith("aer:") and "~" not in place:
        return f"{mean(aers(root, place.removeprefix('aer:'))):.1f}"
    test = difference(root, place)
    if form == "interval":
        return f"{signed(100 * test['low'])} to {signed(100 * test['high'])}"
    if form == "seeds":
        return NUMBERS[test["seeds"]]
    return signed(100 * test["difference"]).lstrip("+−" if form == "abs" else "")


def aers(root: Path, setting: str) -> list[float]:
    """Test AER of a setting's seeds, in percent."""
    paths = sorted((root / "examples/xlm_align/continued/results").glob(f"{setting}-[0-9]*.json"))
    found = [record["test"]["test"]["mean"] for record in map(read, paths) if record["test"]]
    if not found:
        raise XalignError("the setting has no finished run", found=setting)
    return found


def layer(root: Path, setting: str, method: str, at: str = "") -> str:
    """The mean AER over seeds of links from a layer, or the first layer from which transport is ahead."""
    found: dict[tuple[str, int, str], list[float]] = {}
    for path in sorted((root / "examples/xlm_align/continued/results/layers").glob("*.json")):
        if read(path)["setting"] == setting:
            for row in read(path)["rows"]:
                if row["encoding"] == "joint":
                    name = row["method"].lower().replace(",", "").replace(" ", "-")
                    for kind in ("test", "development"):
                        found.setdefault((name, row["layer"], kind), []).append(row[kind]["mean"])
    if method == "ahead":
        layers = sorted({number for _, number, _ in found})
        behind = [
            number
            for number in layers
            if mean(found["transport-itermax", number, "development"])
            >= mean(found["simalign-itermax", number, "development"])
        ]
        return str(max(behind, default=-1) + 1)
    if (method, int(at), "test") not in found:
        raise XalignError("there are no links from this layer in the results", found=f"{setting}, {method}, {at}")
    return f"{mean(found[method, int(at), 'test']):.1f}"


def cell(root: Path, name: str) -> str:
    """A cell of a table, without deviation or interval."""
    table, _, place = name.partition(":")
    row, _, column = place.rpartition(":")
    wanted = row.split("|")
    try:
        lines = [line[2:-2].split(" | ") for line in results_table(root, table).splitlines() if line.startswith("| ")]
        head, *rows = ([each.replace(" ", "_") for each in line] for line in lines)
        (values,) = (each for each in rows if each[: len(wanted)] == wanted)
        return re.split(r"_[±(]", values[head.index(column)].strip("*"))[0].replace("_", " ")
    except (ValueError, IndexError):
        raise XalignError("there is no such cell in the results", found=name) from None


def fill(root: Path, text: str) -> str:
    """A page with its figures rewritten."""
    return FIGURE.sub(lambda found: f"<!-- ={found[1]} -->{figure(root, found[1])}<!-- / -->", text)


def untrue(root: Path, text: str) -> list[str]:
    """The claims of a page that contradict their interval."""
    wrong = []
    for name, word in CLAIM.findall(text):
        test = difference(root, name)
        low, high = sorted(
            (test["low"], test["high"]) if not name.startswith("aer:") else (-test["low"], -test["high"])
        )
        holds = {"better": low > 0, "worse": high < 0, "none": low <= 0 <= high}[word]
        if not holds:
            wrong.append(f"{name} is not {word}: {100 * test['low']:.2f} to {100 * test['high']:.2f}")
    return wrong


def update(root: Path, documents: Sequence[Path], check: bool, command: str) -> int:
    """Write or compare the figures of all documents and check the claims; return 1 if any is outdated or wrong."""
    wrong = 0
    for path in documents:
        before = path.read_text(encoding="utf-8")
        text = fill(root, before)
        for problem in untrue(root, text):
            wrong = 1
            print(f"{path}: {problem}", file=sys.stderr)
        if text != before and check:
            wrong = 1
            print(f"{path} is outdated; next: {command}", file=sys.stderr)
        elif text != before:
            with atomic_write(path) as out:
                out.write(text)
            print(f"wrote {path}")
    return wrong
