"""How far zero-shot transfer is behind English, for an encoder before and after it was continued."""

import json
from pathlib import Path

import pictures

from xalign_fairseq.evaluation.plots.transfer import plot_gaps

REPORT = "examples/transfer/small/results/report/report.json"
INPUTS = (REPORT,)


def draw(path: Path) -> None:
    """As xalign transfer-report draws it."""
    report = json.loads((pictures.ROOT / REPORT).read_text())
    rows = [
        {"task": gap["task"], "checkpoint": gap["checkpoint"], "language": language, **summary}
        for gap in report["english_gaps"]
        for language, summary in gap["languages"].items()
    ]
    plot_gaps(rows, path)


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
