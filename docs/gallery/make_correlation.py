"""Whether encoders with better aligned embeddings transfer better: runs of ALIGN-MLM's controlled study."""

import json
from pathlib import Path
from typing import Any

import pictures

from xalign_fairseq.evaluation.plots.transfer import plot_alignment
from xalign_fairseq.evaluation.statistics import spearman

RUNS = "examples/align_mlm/results/runs"
OBJECTIVES = {"mlm": "MLM", "xlm": "XLM", "dict_mlm": "DICT-MLM", "align_mlm": "ALIGN-MLM"}
LANGUAGES = {"trans": "another script", "trans_inv": "and inverted", "trans_syn": "and another syntax"}
TASKS = ("POS", "NER")
INPUTS = tuple(
    f"{RUNS}/{objective}.{language}-{seed}.json"
    for objective in OBJECTIVES
    for language in LANGUAGES
    for seed in (1, 2, 3)
)


def draw(path: Path) -> None:
    """A panel for each task."""
    points = []
    for name in INPUTS:
        run = json.loads((pictures.ROOT / name).read_text())
        objective, language = run["setting"].split(".")
        points += [
            {"task": task, "objective": OBJECTIVES[objective], "language": LANGUAGES[language],
             "alignment": run["alignment"]["all"]["score"], "gap": run["scores"][task.lower()]["Δ"]}
            for task in TASKS
        ]  # fmt: skip
    titles = {task: titled(task, [point for point in points if point["task"] == task]) for task in TASKS}
    plot_alignment([{**point, "task": titles[point["task"]]} for point in points], path)


def titled(task: str, points: list[dict[str, Any]]) -> str:
    """A task with the rank correlation of its points."""
    found = spearman([point["alignment"] for point in points], [point["gap"] for point in points])
    return f"{task}: ρ = {found.rho:+.2f} [{found.low:+.2f}, {found.high:+.2f}], {found.n} runs".replace("-", "−")


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
