"""On which GPUs this version was verified, as ``xalign doctor`` tells it: from the results of scripts/gpu."""

from pathlib import Path

from xalign_fairseq.cli._doctor_findings import Finding
from xalign_fairseq.core.json_files import read_json

RUNS = Path(__file__).with_name("gpu_runs.json")  # scripts/gpu/collect.py writes it


def verified() -> list[Finding]:
    """A finding for each GPU and commit that the stages of scripts/gpu ran on; one that says so if there is none."""
    runs = read_json(RUNS)["runs"]
    if not runs:
        return [Finding("note", "verified on", "not verified on any GPU yet; see docs/gpu.md")]
    found = []
    for run in runs:
        by_status: dict[str, list[str]] = {}
        for name, stage in run["stages"].items():
            by_status.setdefault(stage["status"], []).append(name)
        stages = "; ".join(f"{status}: {', '.join(names)}" for status, names in by_status.items())
        versions = f"driver {run['driver']}, torch {run['torch']}, commit {run['commit']}"
        text = f"{run['device']} ({versions}), {run['date']}\n{stages}"
        found.append(Finding("ok" if by_status.keys() <= {"passed"} else "note", "verified on", text))
    return found
