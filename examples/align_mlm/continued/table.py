"""Collect finished runs into results/, and write README.md's table.

usage: python table.py [RUNS]

Without RUNS the table is written anew from results/.
"""

import sys
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))

import markers

from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.evaluation.statistics import summarise
from xalign_fairseq.evaluation.tables import markdown, percent

HERE = Path(__file__).resolve().parent
COLUMNS = ("setting", "updates", "rate", "seeds", "CPU minutes", "trained, from English", "to English",
           "held out, from English", "to English", "AER, best layer ↓", "AER, layer 7 ↓", "Tatoeba ↑")  # fmt: skip
ORDER = ("none", "mlm", "align_mlm", "dictionary", "dictionary-fast")
Record = dict[str, Any]


def alignment(record: Record, part: str, from_english: bool) -> float:
    """Alignment score of a part of the lexicons, mean over those of one direction."""
    pairs = record["embeddings"]
    return mean(pairs[pair][part] for pair in pairs if pair.startswith("en-") == from_english)


def best_layer(record: Record) -> float:
    """The lowest mean AER of any layer."""
    return min(scores["mean"] for scores in record["development"].values())


def cells(setting: str, runs: list[Record]) -> list[str]:
    """A setting's row: percentages are means over seeds with their deviation."""
    measures = [
        *([alignment(run, part, way) for run in runs] for part in ("trained", "held out") for way in (True, False)),
        [best_layer(run) for run in runs],
        [run["development"]["7"]["mean"] for run in runs],
        [mean(run["retrieval"].values()) for run in runs],
    ]
    options = runs[0]["options"]
    none = setting == "none"
    return [
        setting,
        options["--max-update"],
        "" if none else options["--lr"],
        "" if none else str(len(runs)),
        f"{mean(run['cpu_seconds'] for run in runs) / 60:.1f}",
        *(percent(summarise([each / 100 for each in values])) for values in measures),
    ]


def table(records: list[Record]) -> str:
    """A row for each setting that has runs."""
    groups = {name: [each for each in records if each["setting"] == name] for name in ORDER}
    return markdown(COLUMNS, [cells(name, runs) for name, runs in groups.items() if runs])


def main(runs: Path | None, here: Path = HERE) -> None:
    """Collect, and write the table."""
    results = here / "results"
    for path in sorted(runs.glob("*/result.json")) if runs else ():
        results.mkdir(exist_ok=True)
        write_json(results / f"{path.parent.name}.json", read_json(path))
    records = [read_json(path) for path in sorted(results.glob("*.json"))]
    markers.update([here / "README.md"], "study", lambda name: table(records), False, "table.py")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]) if len(sys.argv) == 2 else None)
